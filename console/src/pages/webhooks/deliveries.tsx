import { Button, Group, Stack, Text } from '@mantine/core';
import { Pause, Play, RotateCcw, Send } from 'lucide-react';
import { useApi, useInfiniteList } from '../../api/use-api.ts';
import { AttemptCountdown } from '../../parts/attempt-countdown.tsx';
import { type Column, listOf, type Source } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { TwoLines } from '../../parts/data-list/two-lines.tsx';
import { locationOf, type Names, summaryOf } from '../../parts/event-summary.ts';
import { FilterControls } from '../../parts/filter-controls.tsx';
import { useFilterQuery } from '../../parts/filters.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { durationText } from '../../parts/time-text.ts';
import { useDirectoryName } from '../../parts/use-directories.ts';
import { useLocationNames } from '../../parts/use-location-names.ts';
import { t, textOrWords } from '../../texts/t.ts';
import { type DeliverySearch, deliveryFilters, isSearch } from './delivery-filters.ts';
import type { Resume } from './use-resume.ts';
import { type Delivery, deliveryTones, heldUpLine } from './webhook-values.ts';
import classes from './webhooks.module.css';

interface Props {
  webhookId: number;
  search: DeliverySearch;
  change: (change: Partial<DeliverySearch>) => void;
  /** Undefined while the webhook is disabled. */
  resuming: Resume | undefined;
}

export function Deliveries({ webhookId, search, change, resuming }: Props) {
  // Oldest-first order needs no live updates.
  const isLive = search.live !== false && search.order === undefined && !isSearch(search);
  const source = useDeliveries(webhookId, search, isLive, () => change({ live: false }));
  const location = useLocationNames((source.rows ?? []).map(({ event }) => locationOf(event ?? {})));
  const directory = useDirectoryName();
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <Group gap={8} role="status">
          <span className={classes.pulse} data-paused={!isLive || undefined} aria-hidden />
          <Text size="sm" c="dimmed">
            {t(isLive ? 'webhook.deliveries.liveText' : 'webhook.deliveries.pausedText')}
          </Text>
        </Group>
        <Group gap="xs">
          {resuming && (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<RotateCcw size={14} aria-hidden />}
              loading={resuming.isRetrying}
              onClick={resuming.retryFailed}
            >
              {t('webhook.retryFailed')}
            </Button>
          )}
          {!isSearch(search) && (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={isLive ? <Pause size={14} aria-hidden /> : <Play size={14} aria-hidden />}
              onClick={() => change({ live: isLive ? false : undefined, order: undefined })}
            >
              {t(isLive ? 'webhook.deliveries.pause' : 'webhook.deliveries.resume')}
            </Button>
          )}
        </Group>
      </Group>
      <DataList
        label={t('webhook.deliveries.title')}
        source={source}
        columns={columnsWith({ location, directory })}
        rowKey={({ id }) => id}
        open={{ run: ({ id }) => change({ delivery: id }) }}
        filters={
          <Group gap="sm">
            <FilterControls filters={deliveryFilters} search={search} onChange={change} />
          </Group>
        }
        isFiltered={deliveryFilters.isFiltered(search)}
        isSearch={isSearch(search)}
        onClearFilters={() => change(deliveryFilters.none)}
        sort={{ by: 'recorded', isDescending: search.order === undefined }}
        onSort={({ isDescending }) => change({ order: isDescending ? undefined : 'ASC' })}
        empty={{
          title: t('webhook.deliveries.none'),
          text: t('webhook.deliveries.noneText'),
          icon: <Send aria-hidden />,
        }}
      />
    </Stack>
  );
}

const columnsWith = (names: Names): Column<Delivery>[] => [
  {
    key: 'event',
    title: t('webhook.deliveries.event'),
    render: ({ eventId, event }) => (
      <TwoLines below={event && t('webhook.deliveries.eventId', { id: eventId })}>
        <Text span size="sm" className={classes.clamped}>
          {event ? summaryOf(event, names) : t('webhook.deliveries.eventId', { id: eventId })}
        </Text>
      </TwoLines>
    ),
  },
  {
    key: 'state',
    title: t('webhook.deliveries.state'),
    width: 130,
    onCard: 'aside',
    render: ({ state }) => (
      <StatusBadge tone={deliveryTones[state] ?? 'neutral'}>
        {textOrWords('webhook.deliveries.states', state)}
      </StatusBadge>
    ),
  },
  { key: 'response', title: t('webhook.deliveries.response'), render: ResponseCell },
  {
    key: 'attempts',
    title: t('webhook.deliveries.attempts'),
    align: 'right',
    width: 70,
    render: ({ attempts }) => attempts,
  },
  {
    key: 'took',
    title: t('webhook.deliveries.took'),
    align: 'right',
    width: 90,
    render: ({ lastAttempt }) => (lastAttempt ? durationText(lastAttempt.durationMs) : '–'),
  },
  {
    key: 'recorded',
    title: t('webhook.deliveries.recorded'),
    isSortable: true,
    width: 150,
    render: ({ recordedAt }) => <TimeAgo at={recordedAt} />,
  },
];

/** Queues confirm deliveries without an HTTP status. */
const responseText = (attempt: NonNullable<Delivery['lastAttempt']>) =>
  attempt.statusCode === undefined ? t('webhook.deliveries.confirmed') : `HTTP ${attempt.statusCode}`;

function ResponseCell({ lastAttempt, heldUp, nextTry }: Delivery) {
  const failed = lastAttempt && lastAttempt.outcome !== 'DELIVERED';
  return (
    <TwoLines below={nextTry && failed && <AttemptCountdown at={nextTry} />}>
      <Text span size="sm" className={classes.clamped}>
        {failed ? lastAttempt.error : lastAttempt ? responseText(lastAttempt) : heldUp ? heldUpLine(heldUp) : '–'}
      </Text>
    </TwoLines>
  );
}

const beatMs = 2000;
const shownLive = 200;
const readAtOnce = 500;

/** Live: polls the newest deliveries. Paused: loads all of them on scroll. Scrolling past the newest pauses. */
function useDeliveries(
  webhookId: number,
  search: DeliverySearch,
  isLive: boolean,
  pause: () => void,
): Source<Delivery> {
  const query = { ...useFilterQuery(deliveryFilters, search), order: search.order };
  const path = { id: webhookId };
  const newest = useApi(
    'GET /api/sales-partners/webhooks/{id}/deliveries',
    { path, query: { ...query, max: shownLive } },
    { enabled: isLive, refetchInterval: isLive && beatMs, keepPrevious: true, staleTime: 0 },
  );
  const all = useInfiniteList(
    'GET /api/sales-partners/webhooks/{id}/deliveries',
    'deliveries',
    { path, query: { ...query, max: readAtOnce } },
    { enabled: !isLive },
  );
  const live: Source<Delivery> = {
    ...listOf(newest, ({ deliveries }) => deliveries),
    isFetching: newest.isPlaceholderData,
    hasMore: newest.data?.after !== undefined,
    loadMore: pause,
  };
  // Keeps the shown rows until the full list is loaded.
  if (isLive || (all.isPending && newest.data)) return live;
  return { ...all, isFetching: all.isFetching && !all.isLoadingMore };
}
