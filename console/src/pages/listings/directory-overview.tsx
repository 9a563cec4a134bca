import { Group, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ResponseOf } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { type Column, listOf } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import type { FilterSearch } from '../../parts/filters.ts';
import { numberText, percentText } from '../../parts/number-text.ts';
import { PercentBar } from '../../parts/percent-bar.tsx';
import { BusinessesChoice } from '../../parts/searched-choice.tsx';
import { useDirectoryName } from '../../parts/use-directories.ts';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t } from '../../texts/t.ts';
import { listingFilters } from './listing-filters.ts';

type DirectoryCounts = ResponseOf<'GET /api/listings/by-directory'>['directories'][number];

const route = getRouteApi('/shell/listings');

/** The listings that the overview counts. */
const counted = { ...listingFilters.none, flow: ['COUNTED'], duplicates: false } satisfies FilterSearch<
  typeof listingFilters.all
>;

export function DirectoryOverview() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const nameOf = useDirectoryName();
  const found = useApi(
    'GET /api/listings/by-directory',
    { query: { businessIds: search.business } },
    { keepPrevious: true, refetchInterval: 30_000 },
  );
  const byName = (a: DirectoryCounts, b: DirectoryCounts) =>
    nameOf(a.directoryType).localeCompare(nameOf(b.directoryType));
  return (
    <DataList
      label={t('listings.byDirectory')}
      source={listOf(found, (page) => page.directories.toSorted(byName))}
      columns={columnsFor(nameOf)}
      rowKey={({ directoryType }) => directoryType}
      open={{
        run: ({ directoryType }) =>
          change({ view: undefined, ...counted, business: search.business, directory: [directoryType] }),
      }}
      filters={
        <Group gap="sm">
          <BusinessesChoice
            aria-label={t('parts.filters.business')}
            placeholder={t('parts.filters.allBusinesses')}
            value={search.business}
            onChange={(business) => change({ business })}
            flex="0 1 20rem"
          />
        </Group>
      }
      isFiltered={search.business !== undefined}
      onClearFilters={() => change({ business: undefined })}
      empty={{ title: t('listings.none'), text: t('listings.noneText') }}
      withCount={false}
    />
  );
}

/** Undefined for directories that have no online listings or accept no location data. */
function shareInSync({ inSync, notInSync, notFound, technicalProblems }: DirectoryCounts): number | undefined {
  const compared = inSync + notInSync + notFound + technicalProblems;
  return compared === 0 ? undefined : inSync / compared;
}

const columnsFor = (nameOf: (type: string) => string): Column<DirectoryCounts>[] => {
  const count = (key: keyof DirectoryCounts & string, title: string): Column<DirectoryCounts> => ({
    key,
    title,
    align: 'right',
    sortValue: (row) => Number(row[key]),
    render: (row) => (row[key] === 0 ? '–' : numberText(Number(row[key]))),
  });
  return [
    {
      key: 'directory',
      title: t('listings.directory'),
      sortValue: ({ directoryType }) => nameOf(directoryType),
      render: ({ directoryType }) => nameOf(directoryType),
    },
    {
      key: 'share',
      title: t('listings.sync.IN_SYNC'),
      width: 190,
      sortValue: (row) => shareInSync(row) ?? -1,
      render: (row) => {
        const share = shareInSync(row);
        if (share === undefined) return '–';
        return (
          <Group gap={8} wrap="nowrap">
            <PercentBar
              size="sm"
              flex={1}
              miw={50}
              percent={share * 100}
              color={share >= 0.9 ? 'teal' : share >= 0.5 ? 'harbour' : 'orange'}
              label={t('listings.inSyncOn', { directory: nameOf(row.directoryType) })}
            />
            <Text size="sm" miw={48} ta="end" style={{ whiteSpace: 'nowrap' }}>
              {percentText(share)}
            </Text>
          </Group>
        );
      },
    },
    count('listings', t('listings.title')),
    count('notInSync', t('listings.sync.NOT_IN_SYNC')),
    count('notFound', t('listings.sync.NOT_FOUND')),
    count('technicalProblems', t('listings.sync.TECHNICAL_PROBLEMS')),
    count('actionRequired', t('listings.actionRequired')),
  ];
};
