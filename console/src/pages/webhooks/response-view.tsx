import { Group, Stack, Text } from '@mantine/core';
import { JsonView } from '../../parts/json-view.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { durationText } from '../../parts/time-text.ts';
import { t } from '../../texts/t.ts';
import { headersOf } from './curl-command.ts';
import { HeaderTable } from './header-table.tsx';
import { PhaseBar } from './phase-bar.tsx';
import { isQueue } from './queue.ts';
import { type Attempt, outcomeText, type Trial } from './webhook-values.ts';

export function ResponseView({ attempt }: { attempt: Attempt | Trial }) {
  const { url, outcome, statusCode, durations, response, receipt } = attempt;
  const isRead = statusCode !== undefined;
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <StatusBadge tone={outcome === 'DELIVERED' ? 'good' : 'bad'}>{outcomeText(attempt)}</StatusBadge>
        <Text size="sm" c="dimmed">
          {t('webhooks.response.took', { time: durationText(durations.totalMs) })}
        </Text>
      </Group>
      <PhaseBar durations={durations} isRead={isRead} isQueue={isQueue(url)} />
      {response && <ResponseDetails response={response} />}
      {receipt && <HeaderTable label={t('webhooks.response.receipt')} headers={headersOf(receipt)} />}
    </Stack>
  );
}

function ResponseDetails({ response }: { response: NonNullable<Attempt['response']> }) {
  const { body, bodyEncoding, truncated, headers } = response;
  return (
    <>
      {body ? (
        <div>
          <JsonView text={body} label={t('webhooks.response.body')} maxHeight={240} />
          {(truncated || bodyEncoding === 'BASE64') && (
            <Text size="xs" c="dimmed" mt={4}>
              {[bodyEncoding === 'BASE64' && t('webhooks.response.binary'), truncated && t('webhooks.response.cut')]
                .filter(Boolean)
                .join(' ')}
            </Text>
          )}
        </div>
      ) : (
        <Text size="sm" c="dimmed">
          {t('webhooks.response.emptyBody')}
        </Text>
      )}
      <HeaderTable label={t('webhooks.response.headers')} headers={headersOf(headers)} />
    </>
  );
}
