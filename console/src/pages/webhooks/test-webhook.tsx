import { Alert, Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { CircleCheck, Send, TriangleAlert } from 'lucide-react';
import { useApiWrite } from '../../api/use-api.ts';
import { FormProblem } from '../../parts/form-problems.tsx';
import { inWords, t } from '../../texts/t.ts';
import { ResponseView } from './response-view.tsx';
import type { Webhook } from './webhook-values.ts';

interface Props {
  webhook: Webhook;
  isOpen: boolean;
  onClose: () => void;
}

export function TestWebhook({ webhook, isOpen, onClose }: Props) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('webhooks.test.title', { type: inWords(webhook.type) })}
      size="lg"
      keepMounted={false}
    >
      <SendTest webhook={webhook} onClose={onClose} />
    </Modal>
  );
}

function SendTest({ webhook: { id, pushUrl }, onClose }: Pick<Props, 'webhook' | 'onClose'>) {
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
