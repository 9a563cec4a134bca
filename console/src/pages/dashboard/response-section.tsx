import { SimpleGrid } from '@mantine/core';
import { useApi } from '../../api/use-api.ts';
import { Chart } from '../../parts/chart.tsx';
import { Delta } from '../../parts/delta.tsx';
import { FigureCard } from '../../parts/figure-card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { numberText } from '../../parts/number-text.ts';
import { Section } from '../../parts/section.tsx';
import { t } from '../../texts/t.ts';
import { type DashboardQuery, periodText } from './dashboard-query.ts';
import { hoursText } from './figure-text.ts';

export function ResponseSection({ query: { scope, span, group } }: { query: DashboardQuery }) {
  const found = useApi(
    'GET /api/dashboard/review-response-time',
    { query: { ...scope, ...span, group } },
    { keepPrevious: true },
  );
  return (
    <Section title={t('dashboard.response.title')} text={t('dashboard.response.text')}>
      <Loaded query={found} height={360}>
        {({ previous, byPeriod, ...now }) => (
          <>
            <SimpleGrid cols={{ base: 2, sm: 4, lg: 2, xl: 4 }} spacing="sm" mb="md">
              <FigureCard label={t('dashboard.response.average')} value={hoursText(now.averageHours)}>
                <Delta now={now.averageHours} before={previous.averageHours} format={hoursText} better="less" />
              </FigureCard>
              <FigureCard label={t('dashboard.response.p90')} value={hoursText(now.p90Hours)}>
                <Delta now={now.p90Hours} before={previous.p90Hours} format={hoursText} better="less" />
              </FigureCard>
              <FigureCard label={t('dashboard.response.withReply')} value={numberText(now.respondedCount)}>
                <Delta now={now.respondedCount} before={previous.respondedCount} />
              </FigureCard>
              <FigureCard label={t('dashboard.response.withoutReply')} value={numberText(now.unrespondedCount)}>
                <Delta now={now.unrespondedCount} before={previous.unrespondedCount} better="less" />
              </FigureCard>
            </SimpleGrid>
            <Chart
              kind="line"
              heading={t('dashboard.response.chart')}
              label={t('dashboard.response.chart')}
              rows={byPeriod}
              along="period"
              alongLabel={t('dashboard.periodColumn')}
              alongText={periodText(group)}
              series={[
                { key: 'medianHours', label: t('dashboard.response.median'), color: 'harbour' },
                { key: 'p90Hours', label: t('dashboard.response.p90'), color: 'orange' },
              ]}
              valueText={hoursText}
              height={220}
            />
          </>
        )}
      </Loaded>
    </Section>
  );
}
