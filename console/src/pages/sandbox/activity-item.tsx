import { Anchor, Group, Loader, Spoiler, Text, ThemeIcon, Timeline } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, Radio, Send, Zap } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { ResponseOf } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { durationText } from '../../parts/time-text.ts';
import { t } from '../../texts/t.ts';
import { type Delivery, isSettled, type Trigger } from './trigger.ts';

type Event = ResponseOf<'GET /api/events'>['events'][number];

const followMs = 120_000;
/** Five changes with three events each stay below the rate limit of the API, 600 requests per minute. */
const eventsMs = 2000;
const deliveriesMs = 3000;

export function ActivityItem({ trigger }: { trigger: Trigger }) {
  const { at, text, listingId, concerns, lastEventId } = trigger;
  const [isYoung, setYoung] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setYoung(false), at + followMs - Date.now());
    return () => clearTimeout(timer);
  }, [at]);
  const { data } = useApi(
    'GET /api/events',
    { query: { since: at - 60_000, max: 100 } },
    { refetchInterval: isYoung && eventsMs, staleTime: 0 },
  );
  const events = (data?.events ?? [])
    .filter(({ id, event }) => id > lastEventId && event.listing === listingId)
    .filter(({ type }) => type.includes('DATAPOINT') === (concerns === 'reviews'))
    .sort((a, b) => a.id - b.id);
  return (
    <Timeline bulletSize={28} lineWidth={2}>
      <Step icon={<Zap size={14} aria-hidden />} name={t('sandbox.activity.change')}>
        <Text size="sm">{text}</Text>
        <Text size="xs" c="dimmed">
          <TimeAgo at={new Date(at).toISOString()} />
        </Text>
      </Step>
      {events.length === 0 && (
        <Step icon={<Radio size={14} aria-hidden />} name={t('sandbox.activity.event')}>
          <Group gap="xs">
            {isYoung && <Loader size="xs" />}
            <Text size="sm" c="dimmed">
              {t(isYoung ? 'sandbox.activity.looking' : 'sandbox.activity.noEvent')}
            </Text>
          </Group>
        </Step>
      )}
      {events.map((event) => (
        <EventStep key={event.id} event={event} isYoung={isYoung} />
      ))}
    </Timeline>
  );
}

function EventStep({ event: { id, type, event }, isYoung }: { event: Event; isYoung: boolean }) {
  const { data } = useApi(
    'GET /api/events/{id}',
    { path: { id } },
    { refetchInterval: ({ state }) => isYoung && !isSettled(state.data?.deliveries) && deliveriesMs, staleTime: 0 },
  );
  const sent = data?.deliveries.filter(({ state }) => state !== 'SKIPPED') ?? [];
  return (
    <Step icon={<Radio size={14} aria-hidden />} name={t('sandbox.activity.event')}>
      <Text size="sm">{t('sandbox.activity.recorded', { type, id })}</Text>
      <Spoiler
        maxHeight={0}
        showLabel={t('sandbox.activity.body')}
        hideLabel={t('parts.notice.close')}
        styles={{ control: { fontSize: 'var(--mantine-font-size-sm)' } }}
      >
        <JsonView value={event} label={t('sandbox.activity.body')} maxHeight={260} />
      </Spoiler>
      {data && sent.length === 0 && (
        <Text size="sm" c="dimmed" mt={4}>
          {t('sandbox.activity.noWebhook')}{' '}
          <Anchor component={Link} to="/settings" size="sm">
            {t('sandbox.activity.addWebhook')}
          </Anchor>
        </Text>
      )}
      {sent.map((delivery) => (
        <DeliveryStep key={delivery.webhookId} delivery={delivery} />
      ))}
    </Step>
  );
}

function DeliveryStep({ delivery }: { delivery: Delivery }) {
  const { pushUrl: url, state, lastAttempt, deliveryId } = delivery;
  const isDelivered = state === 'DELIVERED';
  const Icon = isDelivered ? CircleCheck : lastAttempt ? CircleAlert : Send;
  const time = lastAttempt ? durationText(lastAttempt.durationMs) : '';
  const words = isDelivered
    ? t('sandbox.activity.delivered', { url, time })
    : lastAttempt
      ? t('sandbox.activity.failed', { url, reason: lastAttempt.error ?? `HTTP ${lastAttempt.statusCode}` })
      : t('sandbox.activity.waiting', { url });
  return (
    <Group gap="xs" mt="sm" wrap="nowrap" align="start">
      <Text c={isDelivered ? 'teal' : lastAttempt ? 'red' : 'dimmed'} lh={1} mt={2} component="span">
        <Icon size={18} aria-hidden />
      </Text>
      <div>
        <Text size="sm" fw={550}>
          {t('sandbox.activity.delivery')}
        </Text>
        <Text size="sm">{words}</Text>
        {lastAttempt?.hint && (
          <Text size="sm" c="dimmed">
            {lastAttempt.hint}
          </Text>
        )}
        {deliveryId && lastAttempt && <ReceiverResponse deliveryId={deliveryId} attempts={delivery.attempts ?? 0} />}
      </div>
    </Group>
  );
}

const Step = ({ icon, name, children }: { icon: ReactNode; name: string; children: ReactNode }) => (
  <Timeline.Item
    bullet={
      <ThemeIcon size={28} radius="xl" variant="light">
        {icon}
      </ThemeIcon>
    }
    title={name}
  >
    {children}
  </Timeline.Item>
);

/** Response to the last attempt; loaded again for a new attempt. */
function ReceiverResponse({ deliveryId, attempts }: { deliveryId: string; attempts: number }) {
  const { data, refetch, isFetching } = useApi('GET /api/deliveries/{id}', { path: { id: deliveryId } });
  if (data && data.history.length < attempts && !isFetching) void refetch();
  const last = data?.history.at(-1);
  if (!last?.response) return null;
  return (
    <>
      <Text size="sm" fw={550} mt="xs" mb={4}>
        {t('sandbox.activity.response')} · {t('sandbox.activity.httpStatus', { code: last.statusCode ?? 0 })}
      </Text>
      {last.response.body ? (
        <JsonView text={last.response.body} label={t('sandbox.activity.responseBody')} maxHeight={160} />
      ) : (
        <Text size="sm" c="dimmed">
          {t('sandbox.activity.emptyResponse')}
        </Text>
      )}
    </>
  );
}
