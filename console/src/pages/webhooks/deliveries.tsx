import { Button, Group, Stack, Text } from '@mantine/core';
import { Pause, Play, RotateCcw, Send } from 'lucide-react';
import type { Column } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { FilterControls } from '../../parts/filter-controls.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { durationText } from '../../parts/time-text.ts';
import { t, textOrWords } from '../../texts/t.ts';
import { type DeliverySearch, deliveryFilters } from './delivery-filters.ts';
import { useDeliveries } from './use-deliveries.ts';
import type { Resume } from './use-resume.ts';
import { type Delivery, deliveryTones } from './webhook-values.ts';
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
  const isLive = search.live !== false && search.order === undefined;
  const source = useDeliveries(webhookId, search, isLive, () => change({ live: false }));
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
          <Button
            size="compact-sm"
            variant="default"
            leftSection={isLive ? <Pause size={14} aria-hidden /> : <Play size={14} aria-hidden />}
            onClick={() => change({ live: isLive ? false : undefined, order: undefined })}
          >
            {t(isLive ? 'webhook.deliveries.pause' : 'webhook.deliveries.resume')}
          </Button>
        </Group>
      </Group>
      <DataList
        label={t('webhook.deliveries.title')}
        source={source}
        columns={columns}
        rowKey={({ id }) => id}
        open={{ run: ({ id }) => change({ delivery: id }) }}
        filters={
          <Group gap="sm">
            <FilterControls filters={deliveryFilters} search={search} onChange={change} />
          </Group>
        }
        isFiltered={deliveryFilters.isFiltered(search)}
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

const columns: Column<Delivery>[] = [
  {
    key: 'event',
    title: t('webhook.deliveries.event'),
    width: 150,
    render: ({ eventId }) => t('webhook.deliveries.eventId', { id: eventId }),
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

function ResponseCell({ lastAttempt, heldUp, nextTry }: Delivery) {
  const failed = lastAttempt && lastAttempt.outcome !== 'DELIVERED';
  return (
    <Stack gap={0}>
      <Text span size="sm" className={classes.clamped}>
        {failed
          ? lastAttempt.error
          : lastAttempt
            ? `HTTP ${lastAttempt.statusCode}`
            : heldUp
              ? t(`webhook.deliveries.heldUp.${heldUp.reason}`)
              : '–'}
      </Text>
      {nextTry && failed && (
        <Text span size="xs" c="dimmed">
          {t('webhook.deliveries.nextAttempt')} <TimeAgo at={nextTry} />
        </Text>
      )}
    </Stack>
  );
}
