import { Text } from '@mantine/core';
import type { Column } from '../../parts/data-list/column.ts';
import { TwoLines } from '../../parts/data-list/two-lines.tsx';
import { numberText, percentText } from '../../parts/number-text.ts';
import { Sparkline } from '../../parts/sparkline.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { inWords, t, textOrWords, tn } from '../../texts/t.ts';
import { TypeChips } from './type-chips.tsx';
import type { WebhookAction } from './webhook-dialog.tsx';
import { valuesOf } from './webhook-form-values.ts';
import { WebhookMenu } from './webhook-menu.tsx';
import { type Destination, healthStates, healthTones, outcomeText } from './webhook-values.ts';
import classes from './webhooks.module.css';

export const columnsOf = (
  onAction: (destination: Destination, action: WebhookAction) => void,
): Column<Destination>[] => [
  {
    key: 'url',
    title: t('webhooks.destination'),
    sortValue: ({ pushUrl }) => pushUrl,
    width: '30%',
    render: DestinationName,
  },
  {
    key: 'type',
    title: t('webhooks.types'),
    sortValue: ({ types }) => types.toSorted().join(' '),
    width: '27%',
    onCard: 'text',
    render: ({ webhooks }) => <TypeChips webhooks={webhooks} />,
  },
  {
    key: 'health',
    title: t('webhooks.health'),
    sortValue: ({ health }) => healthStates.indexOf(health.state),
    onCard: 'aside',
    render: ({ health }) => (
      <StatusBadge tone={healthTones[health.state]}>{textOrWords('webhooks.states', health.state)}</StatusBadge>
    ),
  },
  {
    key: 'success',
    title: t('webhooks.lastDay'),
    sortValue: ({ successRate }) => successRate ?? 2,
    width: 150,
    render: Success,
  },
  {
    key: 'last',
    title: t('webhooks.lastDelivery'),
    sortValue: ({ lastDelivery }) => lastDelivery?.at ?? '',
    render: LastDelivery,
  },
  {
    key: 'menu',
    title: t('webhooks.actions.label'),
    width: 70,
    onCard: 'aside',
    render: (destination) => <WebhookMenu target={destination} onAction={(action) => onAction(destination, action)} />,
  },
];

function DestinationName({ pushUrl, webhooks }: Destination) {
  const { description } = valuesOf(webhooks);
  return (
    <TwoLines below={description}>
      <Text span className={classes.url} fw={550}>
        {pushUrl}
      </Text>
    </TwoLines>
  );
}

function Success({ successRate, delivered, failed, hours }: Destination) {
  if (successRate === undefined) return <Text size="sm">{t('webhooks.noAttempts')}</Text>;
  const attempts = numberText(delivered + failed);
  // Hours without attempts repeat the previous value.
  let share = successRate;
  const shares = hours.map((hour) => {
    if (hour.delivered + hour.failed > 0) share = hour.delivered / (hour.delivered + hour.failed);
    return share;
  });
  return (
    <span className={classes.sparkline}>
      <Sparkline
        values={shares}
        tone={successRate >= 0.99 ? 'good' : successRate >= 0.5 ? 'neutral' : 'bad'}
        label={t('webhooks.sparklineLabel', { rate: percentText(successRate), attempts })}
      />
      <Text span size="sm" fw={550}>
        {percentText(successRate)}
      </Text>
    </span>
  );
}

function LastDelivery({ lastDelivery: last, waiting }: Destination) {
  return (
    <TwoLines below={waiting > 0 && tn('webhooks.waiting', waiting)}>
      <Text span size="sm">
        {last ? <TimeAgo at={last.at} /> : t('webhooks.noDelivery')}
        {last && last.outcome !== 'DELIVERED' && ` · ${outcomeText(last)}`}
      </Text>
    </TwoLines>
  );
}

export function matches(
  { pushUrl, health, webhooks }: Destination,
  filter: { query: string | undefined; health: readonly string[] | undefined },
): boolean {
  if (filter.health && !filter.health.includes(health.state)) return false;
  const wanted = filter.query?.toLowerCase();
  if (!wanted) return true;
  const texts = webhooks.flatMap(({ type, description = '' }) => [type, inWords(type), description]);
  return [pushUrl, ...texts].some((text) => text.toLowerCase().includes(wanted));
}
