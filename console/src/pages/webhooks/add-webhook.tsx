import { Button, Group, Stack, Text } from '@mantine/core';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { FormDrawer } from '../../parts/form-drawer.tsx';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { t, tn } from '../../texts/t.ts';
import { TestWebhook } from './test-webhook.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { bodyOf, valuesOf } from './webhook-form-values.ts';
import { type EventTypeName, type Webhook, webhookReads } from './webhook-values.ts';

interface Props {
  isOpen: boolean;
  /** Preselected type, for example from the catalogue. */
  type: EventTypeName | undefined;
  onClose: () => void;
}

/** All have the same secret. */
type CreatedWebhooks = (Webhook & { secret: string })[];

export function AddWebhook({ isOpen, type, onClose }: Props) {
  const [created, setCreated] = useState<CreatedWebhooks>();
  // Back closes the drawer as well.
  if (created && !isOpen) setCreated(undefined);
  const close = () => {
    setCreated(undefined);
    onClose();
  };
  return (
    <>
      <FormDrawer
        opened={isOpen}
        onClose={close}
        param="add"
        title={created ? tn('webhooks.created.title', created.length) : t('webhooks.addTitle')}
        closeOnClickOutside={!created}
        closeOnEscape={!created}
        withCloseButton={!created}
      >
        {(cancel) =>
          created ? (
            <Created webhooks={created} onDone={close} />
          ) : (
            <AddForm type={type} onCancel={cancel} onCreated={setCreated} />
          )
        }
      </FormDrawer>
      <LeaveGuard isDirty={created !== undefined} param="add" text={t('parts.secret.leave')} />
    </>
  );
}

interface AddFormProps {
  type: EventTypeName | undefined;
  onCancel: () => void;
  onCreated: (created: CreatedWebhooks) => void;
}

function AddForm({ type, onCancel, onCreated }: AddFormProps) {
  const destinations = useApi('GET /api/sales-partners/webhooks/destinations');
  const create = useApiWrite('POST /api/sales-partners/webhooks', {
    changes: webhookReads,
    onSuccess: (created) => onCreated([created].flat()),
  });
  const [initial] = useState(() => valuesOf([], type ? [type] : []));
  return (
    <WebhookForm
      initial={initial}
      focus={type ? 'pushUrl' : 'types'}
      notes={({ pushUrl }) => {
        const isKnown = destinations.data?.some((destination) => destination.pushUrl === pushUrl.trim());
        return { pushUrl: isKnown ? t('webhooks.form.urlKnown') : undefined };
      }}
      submitLabel={({ types }) => tn('webhooks.form.add', Math.max(types.length, 1))}
      save={(values) => create.mutateAsync({ body: bodyOf(values) })}
      onCancel={onCancel}
    />
  );
}

function Created({ webhooks, onDone }: { webhooks: CreatedWebhooks; onDone: () => void }) {
  const [isTesting, setTesting] = useState(false);
  return (
    <Stack>
      <SecretOnce label={t('webhooks.created.secret')} value={webhooks[0]?.secret ?? ''} />
      <Text size="sm">{tn('webhooks.created.text', webhooks.length)}</Text>
      <Group justify="flex-end">
        <Button variant="light" leftSection={<Send size={16} aria-hidden />} onClick={() => setTesting(true)}>
          {t('webhooks.created.test')}
        </Button>
        <Button onClick={onDone} data-autofocus>
          {t('webhooks.created.done')}
        </Button>
      </Group>
      <TestWebhook webhooks={webhooks} isOpen={isTesting} onClose={() => setTesting(false)} />
    </Stack>
  );
}
