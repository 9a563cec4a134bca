import { Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useApi } from '../../api/use-api.ts';
import { Chart, type Series } from '../../parts/chart.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { numberText } from '../../parts/number-text.ts';
import { PercentBar } from '../../parts/percent-bar.tsx';
import { Section } from '../../parts/section.tsx';
import { TryAgain } from '../../parts/try-again.tsx';
import { t, tn } from '../../texts/t.ts';
import { type DashboardQuery, periodText } from './dashboard-query.ts';
import { drawnInBoth, drawnPeriods } from './drawn-periods.ts';
import { beside, ratingText } from './figure-text.ts';

type Row = ReturnType<typeof beside>[number];

const nowAndBefore: readonly Series<Row>[] = [
  { key: 'now', label: t('dashboard.now'), color: 'harbour' },
  { key: 'before', label: t('dashboard.before'), color: 'gray' },
];

export function FeedbackSection({ query: { scope, span, before, group } }: { query: DashboardQuery }) {
  const options = { keepPrevious: true };
  const now = useApi(
    'GET /api/dashboard/customer-feedback/by-period',
    { query: { ...scope, ...span, group } },
    options,
  );
  const then = useApi('GET /api/dashboard/customer-feedback/by-period', { query: { ...scope, ...before, group } });
  const previous = now.isPlaceholderData ? undefined : then.data;
  const totals = useApi('GET /api/dashboard/customer-feedback', { query: { ...scope, ...span } }, options);
  const along = { along: 'period', alongLabel: t('dashboard.periodColumn'), alongText: periodText(group) } as const;
  return (
    <Section title={t('dashboard.feedback.title')} text={t('dashboard.feedback.text')}>
      {then.error && !now.error && <TryAgain error={then.error} onRetry={then.refetch} />}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <div>
          <Loaded query={now}>
            {({ interactionCountByPeriod }) => (
              <Chart
                kind="bar"
                heading={t('dashboard.feedback.interactions')}
                label={t('dashboard.feedback.interactions')}
                rows={beside(interactionCountByPeriod, previous?.interactionCountByPeriod, ({ count }) => count)}
                drawn={drawnInBoth(
                  drawnPeriods(interactionCountByPeriod, group, span),
                  drawnPeriods(previous?.interactionCountByPeriod ?? interactionCountByPeriod, group, before),
                )}
                series={nowAndBefore}
                {...along}
              />
            )}
          </Loaded>
        </div>
        <div>
          <Loaded query={now}>
            {({ averageRatingByPeriod }) => (
              <Chart
                kind="line"
                heading={t('dashboard.feedback.rating')}
                label={t('dashboard.feedback.rating')}
                rows={beside(averageRatingByPeriod, previous?.averageRatingByPeriod, ({ value }) => value)}
                series={nowAndBefore}
                scale={[0, 5]}
                valueText={ratingText}
                {...along}
              />
            )}
          </Loaded>
        </div>
      </SimpleGrid>
      <Title order={3} mt="lg" mb="sm">
        {t('dashboard.feedback.distribution')}
      </Title>
      <Loaded query={totals} height={140}>
        {({ countByRating, ratingCount, averageRating }) => (
          <Stack gap={6} maw={640}>
            <Text size="sm" c="dimmed">
              {ratingCount === 0
                ? t('dashboard.feedback.none')
                : t('dashboard.feedback.average', {
                    rating: ratingText(averageRating),
                    count: numberText(ratingCount),
                  })}
            </Text>
            {[...countByRating]
              .sort((a, b) => b.rating - a.rating)
              .map((one) => (
                <Stars key={one.rating} {...one} all={ratingCount} />
              ))}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

const colors: Record<number, string> = { 5: 'teal', 4: 'lime', 3: 'yellow', 2: 'orange', 1: 'red' };

function Stars({ rating, count, all }: { rating: number; count: number; all: number }) {
  const label = tn('dashboard.feedback.stars', rating);
  return (
    <Group gap="sm" wrap="nowrap">
      <Text size="sm" w={64}>
        {label}
      </Text>
      <PercentBar
        size="lg"
        flex={1}
        percent={all > 0 ? (count / all) * 100 : 0}
        color={colors[Math.round(rating)] ?? 'gray'}
        label={label}
      />
      <Text size="sm" w={56} ta="right">
        {numberText(count)}
      </Text>
    </Group>
  );
}
