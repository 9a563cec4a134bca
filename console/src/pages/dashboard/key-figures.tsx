import { SimpleGrid, Stack, Title } from '@mantine/core';
import { useApi } from '../../api/use-api.ts';
import { Delta } from '../../parts/delta.tsx';
import { FigureCard } from '../../parts/figure-card.tsx';
import { numberText } from '../../parts/number-text.ts';
import { TryAgain } from '../../parts/try-again.tsx';
import { t } from '../../texts/t.ts';
import type { DashboardQuery } from './dashboard-query.ts';
import { hoursText, pointsText, ratingText, shareText } from './figure-text.ts';

export function KeyFigures({ query: { scope, span, before } }: { query: DashboardQuery }) {
  const options = { keepPrevious: true };
  const now = useApi('GET /api/dashboard/customer-feedback', { query: { ...scope, ...span } }, options);
  const then = useApi('GET /api/dashboard/customer-feedback', { query: { ...scope, ...before } });
  const response = useApi('GET /api/dashboard/review-response-time', { query: { ...scope, ...span } }, options);
  const completeness = useApi('GET /api/dashboard/profile-completeness', { query: scope }, options);
  const failed = [now, then, response, completeness].filter(({ error }) => error);
  const isComparing = now.isPlaceholderData || then.isPending;
  const [is, was] = [now.data, then.data];
  return (
    <Stack component="section" gap="sm" aria-labelledby="at-a-glance">
      <Title order={2} id="at-a-glance">
        {t('dashboard.key.title')}
      </Title>
      {failed[0]?.error && <TryAgain error={failed[0].error} onRetry={() => failed.map(({ refetch }) => refetch())} />}
      <SimpleGrid cols={{ base: 2, sm: 3, xl: 6 }} spacing="sm" aria-busy={now.isFetching}>
        <FigureCard label={t('dashboard.key.rating')} value={ratingText(is?.averageRating)}>
          <Delta now={is?.averageRating} before={was?.averageRating} format={ratingText} isLoading={isComparing} />
        </FigureCard>
        <FigureCard label={t('dashboard.key.ratings')} value={countText(is?.ratingCount)}>
          <Delta now={is?.ratingCount} before={was?.ratingCount} isLoading={isComparing} />
        </FigureCard>
        <FigureCard label={t('dashboard.key.interactions')} value={countText(is?.interactionCount)}>
          <Delta now={is?.interactionCount} before={was?.interactionCount} isLoading={isComparing} />
        </FigureCard>
        <FigureCard label={t('dashboard.key.replied')} value={shareText(response.data?.responseRate)}>
          <Delta
            now={response.data?.responseRate}
            before={response.data?.previous.responseRate}
            format={shareText}
            formatChange={pointsText}
          />
        </FigureCard>
        <FigureCard label={t('dashboard.key.responseTime')} value={hoursText(response.data?.medianHours)}>
          <Delta
            now={response.data?.medianHours}
            before={response.data?.previous.medianHours}
            format={hoursText}
            better="less"
          />
        </FigureCard>
        <FigureCard
          label={t('dashboard.key.completeness')}
          value={shareText(completeness.data?.averageProfileCompleteness)}
        />
      </SimpleGrid>
    </Stack>
  );
}

const countText = (count: number | undefined) => (count === undefined ? t('dashboard.key.none') : numberText(count));
