import { Alert, Button, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Settings2 } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { daysAfter, today } from '../../parts/days.ts';
import { ChangeLine } from '../../parts/delta.tsx';
import { dayText } from '../../parts/time-text.ts';
import { TryAgain } from '../../parts/try-again.tsx';
import { t } from '../../texts/t.ts';
import classes from './home.module.css';
import type { HomeScope } from './home-values.ts';
import { MetricChoice } from './metric-choice.tsx';
import { changeText, type KeyMetric, metricNumber, unitText } from './metric-text.ts';

export function KeyMetrics({ scope, days }: { scope: HomeScope; days: number }) {
  const [isChoosing, setChoosing] = useState(false);
  const endDate = daysAfter(today(), -1);
  const found = useApi(
    'GET /api/home/key-metrics',
    { query: { ...scope, startDate: daysAfter(endDate, 1 - days), endDate } },
    { keepPrevious: true },
  );
  const { data, error } = found;
  return (
    <Stack component="section" gap="sm" aria-labelledby="key-metrics">
      <Group justify="space-between" gap="xs">
        <Group gap="sm" align="baseline">
          <Title order={2} id="key-metrics">
            {t('home.metrics.title')}
          </Title>
          {data && (
            <Text size="sm" c="dimmed">
              {t('home.metrics.since', { from: dayText(data.previousStartDate), to: dayText(data.previousEndDate) })}
            </Text>
          )}
        </Group>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<Settings2 size={16} aria-hidden />}
          onClick={() => setChoosing(true)}
        >
          {t('home.metrics.choose')}
        </Button>
      </Group>
      {error && <TryAgain error={error} onRetry={found.refetch} />}
      {data && !data.upToDate && <Alert color="blue">{t('home.counting')}</Alert>}
      {(data || !error) && (
        <SimpleGrid cols={{ base: 2, sm: 3, xl: 6 }} spacing="sm" aria-busy={found.isFetching}>
          {data
            ? data.metrics.map((metric) => <MetricCard key={metric.name} metric={metric} endDate={data.endDate} />)
            : ['a', 'b', 'c', 'd'].map((key) => <Skeleton key={key} height={112} radius="lg" />)}
        </SimpleGrid>
      )}
      <MetricChoice isOpen={isChoosing} onClose={() => setChoosing(false)} />
    </Stack>
  );
}

function MetricCard({ metric, endDate }: { metric: KeyMetric; endDate: string }) {
  const { title, unit, value, previousValue, trend, isBetter, countedUntil, previousUntil } = metric;
  const changed = changeText(metric);
  const isSame = changed === t('home.metrics.same');
  const previous = previousValue === null ? undefined : `${metricNumber(previousValue, unit)} ${unitText(unit)}`.trim();
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
      <ChangeLine
        text={changed}
        trend={isSame ? 'STABLE' : trend}
        isImprovement={isSame ? null : isBetter}
        previous={previous}
      />
      {countedUntil !== undefined && previousUntil !== undefined && countedUntil < endDate && (
        <Text size="xs" c="dimmed">
          {t('home.metrics.until', { day: dayText(countedUntil), before: dayText(previousUntil) })}
        </Text>
      )}
    </Card>
  );
}
