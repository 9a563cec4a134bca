import { Anchor, Group, Text, Timeline } from '@mantine/core';
import { Check, X } from 'lucide-react';
import { useState } from 'react';
import { absoluteTime } from '../../parts/time-text.ts';
import { t } from '../../texts/t.ts';
import { PhaseBar } from './phase-bar.tsx';
import { isQueue } from './queue.ts';
import { RequestView } from './request-view.tsx';
import { ResponseView } from './response-view.tsx';
import { type Attempt, outcomeText } from './webhook-values.ts';
import classes from './webhooks.module.css';

interface Props {
  attempts: readonly Attempt[];
  /** The body with the signature of the current private key. */
  body: string | undefined;
}

export function AttemptLine({ attempts, body }: Props) {
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
          <AttemptDetails attempt={attempt} body={body} isOpenFirst={index === 0} />
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

const titleOf = (attempt: Attempt) =>
  `${t('webhook.delivery.attempt', { number: attempt.number })} · ${outcomeText(attempt)}`;

type Part = 'response' | 'request';
const queueParts = { response: 'confirmation', request: 'message' } as const;

interface DetailsProps {
  attempt: Attempt;
  body: string | undefined;
  isOpenFirst: boolean;
}

function AttemptDetails({ attempt, body, isOpenFirst }: DetailsProps) {
  const [shown, setShown] = useState<Part | undefined>(isOpenFirst ? 'response' : undefined);
  const { at, url, error, verdict, replayId, durations, statusCode, request } = attempt;
  const parts: readonly Part[] = request ? ['response', 'request'] : ['response'];
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
      {durations.firstByteMs === undefined && (
        <Text size="sm" mt={4}>
          {t('webhook.delivery.notSent')}
        </Text>
      )}
      <Group mt={6} mb={6}>
        {parts.map((part) => (
          <Anchor
            key={part}
            component="button"
            type="button"
            size="sm"
            aria-expanded={shown === part}
            onClick={() => setShown(shown === part ? undefined : part)}
          >
            {t(`webhook.delivery.${shown === part ? 'hide' : 'show'}.${isQueue(url) ? queueParts[part] : part}`)}
          </Anchor>
        ))}
      </Group>
      {shown === 'response' && <ResponseView attempt={attempt} />}
      {shown === 'request' && request && <RequestView url={url} request={request} body={body} />}
      {!shown && <PhaseBar durations={durations} isRead={statusCode !== undefined} isQueue={isQueue(url)} />}
    </>
  );
}
