import { SegmentedControl } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import { useHasPermission } from '../../api/session.ts';
import { useApi } from '../../api/use-api.ts';
import { listOf } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { FilterRow } from '../../parts/filter-controls.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useLocationNames } from '../../parts/use-location-names.ts';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t } from '../../texts/t.ts';
import { DirectoryOverview } from './directory-overview.tsx';
import { columnsOfMany } from './listing-columns.tsx';
import { ListingDrawer } from './listing-drawer.tsx';
import { listingFilters } from './listing-filters.ts';
import { listingSorts } from './listing-values.ts';
import { SyncMany } from './sync-many.tsx';

const route = getRouteApi('/shell/listings');
const pageSize = 50;

export function ListingsPage() {
  const { view } = route.useSearch();
  const change = useSearchChange<{ view?: 'directories' | undefined }>();
  const mayWrite = useHasPermission('LOCATION_WRITE');
  return (
    <>
      <PageHeader
        title={t('listings.title')}
        text={t('listings.lead')}
        actions={
          <>
            <SegmentedControl
              aria-label={t('listings.view')}
              data={[
                { value: 'listings', label: t('listings.byLocation') },
                { value: 'directories', label: t('listings.byDirectory') },
              ]}
              value={view ?? 'listings'}
              onChange={(value) => change({ view: value === 'directories' ? 'directories' : undefined })}
            />
            {mayWrite && <SyncMany />}
          </>
        }
      />
      {view === 'directories' ? <DirectoryOverview /> : <ListingsTable />}
    </>
  );
}

function ListingsTable() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const { listing, sort, order, offset = 0 } = search;
  const found = useApi(
    'GET /api/listings',
    { query: { ...listingFilters.query(search), sort, order, offset, max: pageSize } },
    { keepPrevious: true, refetchInterval: 15_000 },
  );
  const nameOf = useLocationNames((found.data?.listings ?? []).map(({ locationId }) => locationId));
  return (
    <>
      <DataList
        label={t('listings.title')}
        source={listOf(found, (page) => page.listings)}
        columns={columnsOfMany(nameOf)}
        rowKey={({ id }) => id}
        open={{ run: ({ id }) => change({ listing: id, ...(offset > 0 && { offset }) }) }}
        filters={<FilterRow filters={listingFilters} search={search} onChange={change} />}
        isFiltered={listingFilters.isFiltered(search)}
        onClearFilters={() => change(listingFilters.none)}
        sort={sort && { by: sort, isDescending: order === 'DESC' }}
        onSort={({ by, isDescending }) =>
          change({ sort: listingSorts.find((key) => key === by), order: isDescending ? 'DESC' : undefined })
        }
        paging={{ offset, max: pageSize, onChange: (next) => change({ offset: next }) }}
        empty={{ title: t('listings.none'), text: t('listings.noneText'), icon: <ListChecks aria-hidden /> }}
      />
      <ListingDrawer
        id={listing}
        onClose={() => change({ listing: undefined, ...(offset > 0 && { offset }) })}
        onOpen={(id) => change({ listing: id, ...(offset > 0 && { offset }) })}
      />
    </>
  );
}
