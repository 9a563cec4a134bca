import { Alert, SimpleGrid, Stack } from '@mantine/core';
import { useApi } from '../../api/use-api.ts';
import { FigureCard } from '../../parts/figure-card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { numberText } from '../../parts/number-text.ts';
import { Section } from '../../parts/section.tsx';
import { TryAgain } from '../../parts/try-again.tsx';
import { useDirectoryName } from '../../parts/use-directories.ts';
import { t } from '../../texts/t.ts';
import type { DashboardQuery } from './dashboard-query.ts';

/** Listings and locations by their state. Independent of the selected period. */
export function HealthSection({ query: { scope } }: { query: DashboardQuery }) {
  const nameOf = useDirectoryName();
  const health = useApi('GET /api/dashboard/listing-health', { query: scope }, { keepPrevious: true });
  const duplicates = useApi('GET /api/dashboard/suppressed-duplicates', { query: scope }, { keepPrevious: true });
  return (
    <Section title={t('dashboard.health.title')} text={t('dashboard.health.text')}>
      <Loaded query={health} height={220}>
        {(figures) => (
          <Stack gap="sm">
            <SimpleGrid cols={{ base: 2, sm: 4, lg: 2, xl: 4 }} spacing="sm">
              <FigureCard label={t('dashboard.health.linked')} value={numberText(figures.countListingsLinked)} />
              <FigureCard label={t('dashboard.health.inSync')} value={numberText(figures.countListingsInSync)} />
              <FigureCard label={t('dashboard.health.submitted')} value={numberText(figures.countListingsSubmitted)} />
              <FigureCard
                label={t('dashboard.health.updating')}
                value={numberText(figures.countListingsBeingUpdated)}
              />
              <FigureCard
                label={t('dashboard.health.action')}
                value={numberText(figures.countListingsActionRequired)}
              />
              <FigureCard
                label={t('dashboard.health.needSync')}
                value={numberText(figures.countLocationsRequireSync)}
              />
              <FigureCard
                label={t('dashboard.health.needReview')}
                value={numberText(figures.countLocationsNeedsReview)}
              />
              <FigureCard
                label={t('dashboard.health.duplicates')}
                value={duplicates.data ? numberText(duplicates.data.totalCount) : '–'}
              />
            </SimpleGrid>
            {duplicates.error && <TryAgain error={duplicates.error} onRetry={duplicates.refetch} />}
            {figures.directoriesMissingConnect.length > 0 && (
              <Alert color="orange">
                {t('dashboard.health.connect', {
                  directories: figures.directoriesMissingConnect.map(nameOf).join(', '),
                })}
              </Alert>
            )}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}
