import { Card, Group, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { ArrowDownRight, ArrowRight, ArrowUpRight } from 'lucide-react';
import { dayText } from '../../parts/time-text.ts';
import { t } from '../../texts/t.ts';
import classes from './home.module.css';
import { changeText, type KeyMetric, metricNumber, unitText } from './metric-text.ts';

const arrows = { UP: ArrowUpRight, DOWN: ArrowDownRight, STABLE: ArrowRight, UNKNOWN: undefined } as const;

export function MetricCard({ metric, endDate }: { metric: KeyMetric; endDate: string }) {
  const { title, unit, value, previousValue, trend, isBetter, countedUntil, previousUntil } = metric;
  const changed = changeText(metric);
  const isSame = changed === t('home.metrics.same');
  const Arrow = arrows[isSame ? 'STABLE' : trend];
  const before = previousValue === null ? undefined : `${metricNumber(previousValue, unit)} ${unitText(unit)}`.trim();
  return (
    <Card padding="md" className={classes.metric} role="group" aria-label={title}>
      <Text size="sm" c="dimmed" lineClamp={2}>
        {title}
      </Text>
      {value === null ? (
        <Text className={classes.missing}>{t('home.metrics.noValue')}</Text>
      ) : (
        <Group gap={6} align="baseline" wrap="nowrap">
          <Text className={classes.figure}>{metricNumber(value, unit)}</Text>
          <Text size="sm" c="dimmed">
            {unitText(unit)}
          </Text>
        </Group>
      )}
      <Tooltip label={before} disabled={before === undefined}>
        <Group
          gap={4}
          wrap="nowrap"
          className={classes.change}
          data-better={isSame ? 'unknown' : (isBetter ?? 'unknown')}
        >
          {Arrow && <Arrow size={16} aria-hidden />}
          <Text size="sm" fw={550}>
            {changed}
          </Text>
          {isBetter !== null && !isSame && (
            <VisuallyHidden>{t(isBetter ? 'home.metrics.better' : 'home.metrics.worse')}</VisuallyHidden>
          )}
        </Group>
      </Tooltip>
      {countedUntil !== undefined && previousUntil !== undefined && countedUntil < endDate && (
        <Text size="xs" c="dimmed">
          {t('home.metrics.until', { day: dayText(countedUntil), before: dayText(previousUntil) })}
        </Text>
      )}
    </Card>
  );
}
