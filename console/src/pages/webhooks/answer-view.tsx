import { Group, Stack, Text } from '@mantine/core';
import { JsonView } from '../../parts/json-view.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { durationText } from '../../parts/time-text.ts';
import { t } from '../../texts/t.ts';
import { HeaderTable } from './header-table.tsx';
import { PhaseBar } from './phase-bar.tsx';
import { type Attempt, outcomeText, type Trial } from './webhook-values.ts';

export function AnswerView({ answer }: { answer: Attempt | Trial }) {
  const { outcome, statusCode, durations, response } = answer;
  const isRead = statusCode !== undefined;
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <StatusBadge tone={outcome === 'DELIVERED' ? 'good' : 'bad'}>{outcomeText(answer)}</StatusBadge>
        <Text size="sm" c="dimmed">
          {t('webhooks.answer.took', { time: durationText(durations.totalMs) })}
        </Text>
      </Group>
      <PhaseBar durations={durations} isRead={isRead} />
      {response && <Answer response={response} />}
    </Stack>
  );
}

function Answer({ response }: { response: NonNullable<Attempt['response']> }) {
  const { body, bodyEncoding, truncated, headers } = response;
  return (
    <>
      {body ? (
        <div>
          <JsonView text={body} label={t('webhooks.answer.body')} maxHeight={240} />
          {(truncated || bodyEncoding === 'BASE64') && (
            <Text size="xs" c="dimmed" mt={4}>
              {[bodyEncoding === 'BASE64' && t('webhooks.answer.binary'), truncated && t('webhooks.answer.cut')]
                .filter(Boolean)
                .join(' ')}
            </Text>
          )}
        </div>
      ) : (
        <Text size="sm" c="dimmed">
          {t('webhooks.answer.emptyBody')}
        </Text>
      )}
      <HeaderTable label={t('webhooks.answer.headers')} headers={headers} />
    </>
  );
}
