import { Alert, Button, Group, SegmentedControl, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { PasswordField } from '../../../parts/password-field.tsx';
import { Section } from '../../../parts/section.tsx';
import { t } from '../../../texts/t.ts';
import classes from '../webhooks.module.css';
import { checkBody, checkHeader, eventIdIn, type Finding } from './check-signature.ts';
import { FindingView } from './finding-view.tsx';

type Kind = 'body' | 'header';

const nothing = { body: '', privateKey: '', secret: '', id: '', timestamp: '', signature: '' };

/** Keys stay in component state. Only the event id is sent to the API. */
export function SignatureChecker({ webhookId }: { webhookId: number }) {
  const [kind, setKind] = useState<Kind>('body');
  const [found, setFound] = useState<{ finding: Finding; timestamp?: string }>();
  const [isBusy, setBusy] = useState(false);
  const form = useForm({
    initialValues: nothing,
    validate: {
      body: (value) => (value ? null : t('signature.bodyNeeded')),
      privateKey: (value) => (kind === 'header' || value ? null : t('signature.privateKeyNeeded')),
      secret: (value) => (kind === 'body' || value ? null : t('signature.secretNeeded')),
      id: (value) => (kind === 'body' || value ? null : t('signature.headerNeeded', { header: t('signature.id') })),
      timestamp: (value) =>
        kind === 'body' || value ? null : t('signature.headerNeeded', { header: t('signature.timestamp') }),
      signature: (value) =>
        kind === 'body' || value ? null : t('signature.headerNeeded', { header: t('signature.header') }),
    },
    onValuesChange: () => setFound(undefined),
  });
  const check = form.onSubmit(async ({ body, privateKey, secret, ...headers }) => {
    setBusy(true);
    const sent = await sentBody(webhookId, body);
    const finding = await (kind === 'body'
      ? checkBody(body, privateKey, sent)
      : checkHeader(body, headers, secret, sent));
    setFound({ finding, ...(kind === 'header' && { timestamp: headers.timestamp }) });
    setBusy(false);
  });
  const clear = () => {
    form.setValues(nothing);
    form.clearErrors();
    setFound(undefined);
  };
  if (!window.isSecureContext) return <Alert color="orange">{t('signature.unavailable')}</Alert>;
  return (
    <Section title={t('signature.title')} text={t('signature.text')}>
      <form onSubmit={check} noValidate autoComplete="off">
        <Stack>
          <Group>
            <SegmentedControl
              aria-label={t('signature.kind')}
              data={[
                { value: 'body', label: t('signature.kinds.body') },
                { value: 'header', label: t('signature.kinds.header') },
              ]}
              value={kind}
              onChange={(value) => {
                setKind(value as Kind);
                setFound(undefined);
              }}
            />
          </Group>
          <Textarea
            label={t('signature.body')}
            description={t('signature.bodyHint')}
            minRows={5}
            maxRows={14}
            autosize
            required
            spellCheck={false}
            classNames={{ input: classes.url }}
            {...form.getInputProps('body')}
          />
          {kind === 'body' ? (
            <PasswordField
              label={t('signature.privateKey')}
              required
              autoComplete="off"
              {...form.getInputProps('privateKey')}
            />
          ) : (
            <>
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                <TextInput label={t('signature.id')} required {...form.getInputProps('id')} />
                <TextInput label={t('signature.timestamp')} required {...form.getInputProps('timestamp')} />
              </SimpleGrid>
              <TextInput
                label={t('signature.header')}
                placeholder="v1,…"
                required
                classNames={{ input: classes.url }}
                {...form.getInputProps('signature')}
              />
              <PasswordField
                label={t('signature.secret')}
                description={t('signature.secretHint')}
                required
                autoComplete="off"
                {...form.getInputProps('secret')}
              />
            </>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={clear}>
              {t('signature.clear')}
            </Button>
            <Button type="submit" loading={isBusy} leftSection={<ShieldCheck size={16} aria-hidden />}>
              {t('signature.check')}
            </Button>
          </Group>
          <div role="status">{found && <FindingView {...found} />}</div>
        </Stack>
      </form>
    </Section>
  );
}

/** Undefined if there is no such delivery, for example for a test. */
async function sentBody(webhookId: number, body: string): Promise<string | undefined> {
  const eventId = eventIdIn(body) ?? Number(/"id":\s*(\d+)/.exec(body)?.[1] ?? 0);
  if (!Number.isSafeInteger(eventId) || eventId <= 0) return undefined;
  const story = await call('GET /api/deliveries/{id}', { path: { id: `${eventId}-${webhookId}` } }).catch(
    () => undefined,
  );
  return story?.body;
}
