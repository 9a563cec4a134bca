import { Anchor, Group, Text, Timeline } from '@mantine/core';
import { Check, X } from 'lucide-react';
import { useState } from 'react';
import { absoluteTime } from '../../parts/time-text.ts';
import { t } from '../../texts/t.ts';
import { PhaseBar } from './phase-bar.tsx';
import { ResponseView } from './response-view.tsx';
import { type Attempt, outcomeText } from './webhook-values.ts';
import classes from './webhooks.module.css';

export function AttemptLine({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('webhook.delivery.noAttempts')}
      </Text>
    );
  }
  return (
    <Timeline active={attempts.length} bulletSize={24} lineWidth={2}>
      {attempts.toReversed().map((attempt, index) => (
        <Timeline.Item
          key={`${attempt.number} ${attempt.at}`}
          color={attempt.outcome === 'DELIVERED' ? 'teal' : 'red'}
          bullet={attempt.outcome === 'DELIVERED' ? <Check size={14} aria-hidden /> : <X size={14} aria-hidden />}
          title={titleOf(attempt)}
        >
          <AttemptDetails attempt={attempt} isOpenFirst={index === 0} />
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

const titleOf = (attempt: Attempt) =>
  `${t('webhook.delivery.attempt', { number: attempt.number })} · ${outcomeText(attempt)}`;

function AttemptDetails({ attempt, isOpenFirst }: { attempt: Attempt; isOpenFirst: boolean }) {
  const [isOpen, setOpen] = useState(isOpenFirst);
  const { at, url, error, verdict, replayId, durations, statusCode } = attempt;
  return (
    <>
      <Text size="xs" c="dimmed">
        {absoluteTime(new Date(at))}
        {replayId !== undefined && ` · ${t('webhook.delivery.byReplay', { id: replayId })}`}
        {verdict === 'SUPERSEDED' && ` · ${t('webhook.delivery.superseded')}`}
      </Text>
      <Text size="xs" c="dimmed" className={classes.code}>
        {url}
      </Text>
      {error && (
        <Text size="sm" mt={4}>
          {error}
        </Text>
      )}
      <Group mt={6} mb={6}>
        <Anchor component="button" type="button" size="sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? 'webhook.delivery.hideResponse' : 'webhook.delivery.showResponse')}
        </Anchor>
      </Group>
      {isOpen ? (
        <ResponseView attempt={attempt} />
      ) : (
        <PhaseBar durations={durations} isRead={statusCode !== undefined} />
      )}
    </>
  );
}
