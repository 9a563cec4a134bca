import { Alert, Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CircleCheck, Clock, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { AttemptCountdown } from '../../parts/attempt-countdown.tsx';
import { absoluteTime } from '../../parts/time-text.ts';
import { t, tn } from '../../texts/t.ts';
import type { DeliveryStory } from './webhook-values.ts';

export function DeliveryStatus({ story }: { story: DeliveryStory }) {
  const { state, history, attempts, lastAttempt } = story;
  if (state === 'DELIVERED') {
    const last = history.findLast(({ verdict }) => verdict === 'DELIVERED');
    if (!last) return null;
    return (
      <Alert color="teal" icon={<CircleCheck size={18} aria-hidden />} title={t('webhook.delivery.done')}>
        {t('webhook.delivery.doneText', { number: last.number, time: absoluteTime(new Date(last.at)) })}
      </Alert>
    );
  }
  if (state === 'CANCELLED') return <Alert color="gray">{t('webhook.delivery.cancelledText')}</Alert>;
  if (!lastAttempt?.error) {
    return (
      <Alert color="blue" icon={<Clock size={18} aria-hidden />}>
        {heldUpText(story) ?? t('webhook.delivery.waitingText')}
        <NextAttempt story={story} />
      </Alert>
    );
  }
  return (
    <Alert
      color={state === 'DISCARDED' ? 'red' : 'orange'}
      icon={<TriangleAlert size={18} aria-hidden />}
      title={t('webhook.delivery.cause')}
    >
      <Text size="sm" fw={550}>
        {lastAttempt.error}
      </Text>
      {lastAttempt.hint && (
        <Text size="sm" mt={4}>
          {lastAttempt.hint}
        </Text>
      )}
      {state === 'DISCARDED' && (
        <Text size="sm" mt={4}>
          {tn('webhook.delivery.discarded', attempts)}
        </Text>
      )}
      {story.heldUp && (
        <Text component="div" size="sm" mt={4}>
          {heldUpText(story)}
        </Text>
      )}
      <NextAttempt story={story} />
    </Alert>
  );
}

function heldUpText({ heldUp }: DeliveryStory): ReactNode {
  if (!heldUp) return undefined;
  if (heldUp.reason === 'WAITING_FOR_EVENT') return <Awaited id={heldUp.eventId ?? 0} />;
  return t(heldUp.reason === 'PAUSED' ? 'webhook.delivery.pausedText' : 'webhook.delivery.disabledText');
}

function Awaited({ id }: { id: number }) {
  return (
    <>
      <Text size="sm" fw={550}>
        {t('webhook.deliveries.heldUp.WAITING_FOR_EVENT', { id })}
      </Text>
      <Text size="sm" my={4}>
        {t('webhook.delivery.orderText', { id })}
      </Text>
      <Anchor component={Link} to={`/events/${id}`} size="sm">
        {t('webhook.delivery.openAwaited', { id })}
      </Anchor>
    </>
  );
}

function NextAttempt({ story: { nextTry } }: { story: DeliveryStory }) {
  if (!nextTry) return null;
  return (
    <Text size="sm" mt={4} fw={550}>
      <AttemptCountdown at={nextTry} />
    </Text>
  );
}
