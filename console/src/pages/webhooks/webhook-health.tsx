import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { KeyRound, Power, TriangleAlert } from 'lucide-react';
import { useCallback } from 'react';
import { useApi } from '../../api/use-api.ts';
import { Countdown } from '../../parts/countdown.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { absoluteTime } from '../../parts/time-text.ts';
import { t, tn } from '../../texts/t.ts';
import type { Resume } from './use-resume.ts';
import type { Webhook } from './webhook-values.ts';

/** When a failing webhook will be disabled. */
function useDisableTime({ id }: Webhook): string | undefined {
  const query = { state: 'OPEN', webhookId: id } as const;
  const { data } = useApi('GET /api/sales-partners/webhooks/alerts', { query }, { refetchInterval: alertPollMs });
  return data?.alerts.find(({ cause }) => failing.includes(cause))?.deadline;
}

const alertPollMs = 15_000;
const failing: readonly string[] = ['FAILING', 'PAUSED', 'DISABLED_SOON'];

interface Props {
  webhook: Webhook;
  resuming: Resume;
  onEnable: () => void;
  onSeeFailed: () => void;
}

export function WebhookHealth({ webhook, resuming, onEnable, onSeeFailed }: Props) {
  const { health, previousSecretSignsUntil } = webhook;
  const queries = useQueryClient();
  const deadline = useDisableTime(webhook);
  const readAgain = useCallback(() => {
    void queries.invalidateQueries({ queryKey: ['GET /api/sales-partners/webhooks/{id}'] });
  }, [queries]);
  return (
    <>
      {health.state === 'OFF' && (
        <Alert color="gray" icon={<Power size={18} aria-hidden />} title={t('webhook.disabled')}>
          <Group justify="space-between" gap="sm">
            <Text size="sm">
              {health.reason} {t('webhook.disabledText')}
            </Text>
            <Button size="compact-sm" onClick={onEnable}>
              {tn('webhooks.actions.enable', 1)}
            </Button>
          </Group>
        </Alert>
      )}
      {(health.state === 'FAILING' || health.state === 'PAUSED') && (
        <Alert
          color={health.state === 'PAUSED' ? 'orange' : 'red'}
          icon={<TriangleAlert size={18} aria-hidden />}
          title={t(health.state === 'PAUSED' ? 'webhook.paused' : 'webhook.failing')}
        >
          <Stack gap={4}>
            {health.lastError && <Text size="sm">{health.lastError}</Text>}
            {deadline && <Text size="sm">{t('alerts.disables', { time: absoluteTime(new Date(deadline)) })}</Text>}
            {health.pausedUntil && (
              <Text size="sm">
                <Countdown
                  until={health.pausedUntil}
                  text={(time) => t('webhook.pausedText', { time })}
                  onEnd={readAgain}
                />
              </Text>
            )}
            <Text size="sm">
              {tn('webhook.failures', health.consecutiveFailures)}
              {health.since && (
                <>
                  {' · '}
                  <TimeAgo at={health.since} />
                </>
              )}
              {' · '}
              <Anchor component="button" type="button" size="sm" underline="always" c="inherit" onClick={onSeeFailed}>
                {t('webhook.seeFailed')}
              </Anchor>
            </Text>
            <Group gap="xs" mt={4}>
              {health.state === 'PAUSED' && (
                <Button size="compact-sm" loading={resuming.isResuming} onClick={resuming.resume}>
                  {t('webhook.resume')}
                </Button>
              )}
              <Button size="compact-sm" variant="default" loading={resuming.isRetrying} onClick={resuming.retryFailed}>
                {t('webhook.retryFailed')}
              </Button>
            </Group>
          </Stack>
        </Alert>
      )}
      {previousSecretSignsUntil && (
        <Alert
          color="blue"
          icon={<KeyRound size={18} aria-hidden />}
          title={
            <Countdown
              until={previousSecretSignsUntil}
              text={(time) => t('webhooks.rotate.counting', { time })}
              onEnd={readAgain}
            />
          }
        >
          {t('webhooks.rotate.countingText')}
        </Alert>
      )}
    </>
  );
}
