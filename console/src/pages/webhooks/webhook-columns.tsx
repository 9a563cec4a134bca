import { Stack, Text } from '@mantine/core';
import type { Column } from '../../parts/data-list/column.ts';
import { numberText, percentText } from '../../parts/number-text.ts';
import { Spark } from '../../parts/spark.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { inWords, t, textOrWords, tn } from '../../texts/t.ts';
import { WebhookMenu } from './webhook-menu.tsx';
import { type Activity, healthStates, healthTones, outcomeText, type Webhook } from './webhook-values.ts';
import classes from './webhooks.module.css';

export interface WebhookRow {
  webhook: Webhook;
  /** Undefined while loading. */
  activity: Activity | undefined;
}

export const columnsOf = (): Column<WebhookRow>[] => [
  {
    key: 'type',
    title: t('webhooks.webhook'),
    sortValue: ({ webhook }) => `${webhook.type} ${webhook.pushUrl}`,
    render: ({ webhook: { type, pushUrl, description } }) => (
      <Stack gap={0}>
        {inWords(type)}
        <Text span size="xs" c="dimmed" fw={400} className={classes.url}>
          {pushUrl}
        </Text>
        {description && (
          <Text span size="xs" c="dimmed" fw={400}>
            {description}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    key: 'health',
    title: t('webhooks.health'),
    sortValue: ({ webhook }) => healthStates.indexOf(webhook.health.state),
    onCard: 'aside',
    render: ({ webhook: { health } }) => (
      <StatusBadge tone={healthTones[health.state]}>{textOrWords('webhooks.states', health.state)}</StatusBadge>
    ),
  },
  {
    key: 'success',
    title: t('webhooks.lastDay'),
    sortValue: ({ activity }) => activity?.successRate ?? 2,
    width: 190,
    render: Success,
  },
  {
    key: 'last',
    title: t('webhooks.lastDelivery'),
    sortValue: ({ activity }) => activity?.lastDelivery?.at ?? '',
    render: LastDelivery,
  },
  {
    key: 'menu',
    title: t('webhooks.actions.label'),
    width: 70,
    onCard: 'aside',
    render: ({ webhook, activity }) => <WebhookMenu webhook={webhook} waiting={activity} />,
  },
];

function Success({ activity }: WebhookRow) {
  if (!activity) return '…';
  const { successRate, delivered, failed, hours } = activity;
  if (successRate === undefined) return <Text size="sm">{t('webhooks.noAttempts')}</Text>;
  const attempts = numberText(delivered + failed);
  // Hours without attempts repeat the previous value.
  let share = successRate;
  const shares = hours.map((hour) => {
    if (hour.delivered + hour.failed > 0) share = hour.delivered / (hour.delivered + hour.failed);
    return share;
  });
  return (
    <span className={classes.spark}>
      <Spark
        values={shares}
        tone={successRate >= 0.99 ? 'good' : successRate >= 0.5 ? 'neutral' : 'bad'}
        label={t('webhooks.sparkLabel', { rate: percentText(successRate), attempts })}
        width={72}
      />
      <Text span size="sm" fw={550}>
        {percentText(successRate)}
      </Text>
    </span>
  );
}

function LastDelivery({ activity }: WebhookRow) {
  const last = activity?.lastDelivery;
  const waiting = activity?.waiting ?? 0;
  return (
    <Stack gap={0}>
      {last ? (
        <Text span size="sm">
          <TimeAgo at={last.at} />
          {last.outcome !== 'DELIVERED' && ` · ${outcomeText(last)}`}
        </Text>
      ) : (
        <Text span size="sm">
          {activity ? t('webhooks.noDelivery') : '…'}
        </Text>
      )}
      {waiting > 0 && (
        <Text span size="xs" c="dimmed">
          {tn('webhooks.waiting', waiting)}
        </Text>
      )}
    </Stack>
  );
}

export function matches(
  { webhook: { type, pushUrl, description = '', health } }: WebhookRow,
  filter: { query: string | undefined; health: readonly string[] | undefined },
): boolean {
  if (filter.health && !filter.health.includes(health.state)) return false;
  const wanted = filter.query?.toLowerCase();
  if (!wanted) return true;
  return [type, inWords(type), pushUrl, description].some((part) => part.toLowerCase().includes(wanted));
}
