import { Alert, Button, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Settings2 } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { daysAfter, today } from '../../parts/days.ts';
import { dayText } from '../../parts/time-text.ts';
import { TryAgain } from '../../parts/try-again.tsx';
import { t } from '../../texts/t.ts';
import type { HomeScope } from './home-values.ts';
import { MetricCard } from './metric-card.tsx';
import { MetricChoice } from './metric-choice.tsx';

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
      {!error && (
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
