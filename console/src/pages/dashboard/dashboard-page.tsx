import { Alert, Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { ListState } from '../../parts/data-list/list-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { dayText } from '../../parts/time-text.ts';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t, tn } from '../../texts/t.ts';
import { CompletenessSection } from './completeness-section.tsx';
import { DashboardFilters } from './dashboard-filters.tsx';
import { type DashboardQuery, queryOf } from './dashboard-query.ts';
import { ExportDrawer } from './exports/export-drawer.tsx';
import { FeedbackSection } from './feedback-section.tsx';
import { HealthSection } from './health-section.tsx';
import { InsightSection } from './insight-section.tsx';
import { KeyFigures } from './key-figures.tsx';
import { KeywordSection } from './keyword-section.tsx';
import { ResponseSection } from './response-section.tsx';
import { SearchSection } from './search-section.tsx';
import { VisibilitySection } from './visibility-section.tsx';

const route = getRouteApi('/shell/dashboard');

export function DashboardPage() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const [isExporting, setExporting] = useState(false);
  const query = queryOf(search);
  return (
    <>
      <PageHeader
        title={t('dashboard.title')}
        actions={
          <Button leftSection={<Download size={16} aria-hidden />} onClick={() => setExporting(true)}>
            {t('dashboard.export')}
          </Button>
        }
      />
      <Stack gap="lg">
        <DashboardFilters search={search} onChange={change} />
        {query ? (
          <Sections query={query} directory={search.directory} metrics={search.metric} onChange={change} />
        ) : (
          <Alert color="red" role="alert">
            {t('dashboard.badDates')}
          </Alert>
        )}
      </Stack>
      {query && <ExportDrawer isOpen={isExporting} query={query} onClose={() => setExporting(false)} />}
    </>
  );
}

interface SectionsProps {
  query: DashboardQuery;
  directory: string | undefined;
  metrics: readonly string[] | undefined;
  onChange: ReturnType<typeof useSearchChange>;
}

function Sections({ query, ...insights }: SectionsProps) {
  const { scope, span, before } = query;
  const feedback = useApi(
    'GET /api/dashboard/customer-feedback',
    { query: { ...scope, ...span } },
    { keepPrevious: true },
  );
  const locationCount = feedback.data?.matchedLocationsCount;
  if (locationCount === 0 || (feedback.error && !feedback.data)) {
    return (
      <ListState
        source={{ rows: [], error: feedback.error, isPending: false, refetch: feedback.refetch }}
        isNarrow={false}
        empty={{ title: t('dashboard.noLocations'), text: t('dashboard.noLocationsText') }}
      />
    );
  }
  return (
    <>
      {locationCount !== undefined && (
        <Text size="sm" c="dimmed" role="status">
          {tn('dashboard.about', locationCount, {
            from: dayText(span.startDate),
            to: dayText(span.endDate),
            beforeFrom: dayText(before.startDate),
            beforeTo: dayText(before.endDate),
          })}
        </Text>
      )}
      <KeyFigures query={query} />
      <FeedbackSection query={query} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <ResponseSection query={query} />
        <KeywordSection query={query} />
      </SimpleGrid>
      <InsightSection query={query} {...insights} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <SearchSection query={query} />
        <Stack gap="lg">
          <HealthSection query={query} />
          <CompletenessSection query={query} />
        </Stack>
      </SimpleGrid>
      <VisibilitySection query={query} />
    </>
  );
}
