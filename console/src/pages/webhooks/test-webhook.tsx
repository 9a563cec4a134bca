import { Alert, Button, Group, Loader, Modal, Select, Stack, Text } from '@mantine/core';
import { CircleCheck, Send, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useApiWrite } from '../../api/use-api.ts';
import { FormProblem } from '../../parts/form-problems.tsx';
import { inWords, t } from '../../texts/t.ts';
import { ResponseView } from './response-view.tsx';
import type { Webhook } from './webhook-values.ts';

interface Props {
  /** The user chooses one of them. */
  webhooks: readonly Webhook[];
  isOpen: boolean;
  onClose: () => void;
}

export function TestWebhook({ webhooks, isOpen, onClose }: Props) {
  const [chosenId, setChosenId] = useState<number>();
  const chosen = webhooks.find(({ id }) => id === chosenId) ?? webhooks[0];
  if (!chosen) return null;
  return (
    <Modal opened={isOpen} onClose={onClose} title={t('webhooks.test.title', { type: inWords(chosen.type) })} size="lg">
      <Stack>
        {webhooks.length > 1 && (
          <Select
            label={t('webhooks.test.type')}
            data={webhooks.map(({ id, type }) => ({ value: String(id), label: inWords(type) }))}
            value={String(chosen.id)}
            onChange={(id) => setChosenId(Number(id))}
          />
        )}
        <SendTest key={chosen.id} webhook={chosen} onClose={onClose} />
      </Stack>
    </Modal>
  );
}

function SendTest({ webhook: { id, pushUrl }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const test = useApiWrite('POST /api/sales-partners/webhooks/{id}/test');
  const { data: trial } = test;
  return (
    <Stack>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {t('webhooks.test.text', { url: pushUrl })}
      </Text>
      <div aria-live="polite">
        {test.isPending && (
          <Group gap="sm">
            <Loader size="sm" aria-hidden />
            <Text size="sm">{t('webhooks.test.sending')}</Text>
          </Group>
        )}
        {trial && !test.isPending && (
          <Stack>
            <Alert
              color={trial.delivered ? 'teal' : 'red'}
              icon={trial.delivered ? <CircleCheck size={18} aria-hidden /> : <TriangleAlert size={18} aria-hidden />}
              title={t(trial.delivered ? 'webhooks.test.good' : 'webhooks.test.bad')}
            >
              {trial.error && (
                <>
                  {trial.error}
                  {trial.hint && (
                    <Text size="sm" mt={4}>
                      {trial.hint}
                    </Text>
                  )}
                </>
              )}
            </Alert>
            <ResponseView attempt={trial} />
          </Stack>
        )}
      </div>
      <FormProblem message={test.error?.message} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('webhooks.test.close')}
        </Button>
        <Button
          leftSection={<Send size={16} aria-hidden />}
          loading={test.isPending}
          onClick={() => test.mutate({ path: { id } })}
          data-autofocus
        >
          {t(trial ? 'webhooks.test.again' : 'webhooks.test.send')}
        </Button>
      </Group>
    </Stack>
  );
}
