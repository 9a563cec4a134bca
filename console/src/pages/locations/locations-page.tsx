import { Button, Center, Loader, SegmentedControl, Stack } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { FileUp, MapPin, Plus } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useHasPermission } from '../../api/session.ts';
import { useApi } from '../../api/use-api.ts';
import { listOf } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { FilterRow } from '../../parts/filter-controls.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t } from '../../texts/t.ts';
import { locationColumns } from './location-columns.tsx';
import { locationFilters } from './location-filters.ts';

const LocationsMap = lazy(() => import('./map/locations-map.tsx'));

const route = getRouteApi('/shell/locations');
const pageSize = 50;

const listedFields = [
  ...['name', 'identifier', 'businessId', 'street', 'streetNo', 'zip', 'city', 'country', 'status', 'labels'],
  ...['profileCompleteness', 'classification', 'listings', 'listingsInSync', 'averageRating', 'dataPoints'],
  'lastUpdated',
];

export function LocationsPage() {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const mayWrite = useHasPermission('LOCATION_WRITE');
  const mayCreate = useHasPermission('LOCATION_CREATE');
  const isMap = search.view === 'map';
  return (
    <>
      <PageHeader
        title={t('locations.title')}
        text={t('locations.lead')}
        actions={
          <>
            <SegmentedControl
              aria-label={t('locations.view')}
              data={[
                { value: 'table', label: t('locations.asTable') },
                { value: 'map', label: t('locations.asMap') },
              ]}
              value={isMap ? 'map' : 'table'}
              onChange={(value) => change({ view: value === 'map' ? 'map' : undefined })}
            />
            {mayWrite && (
              <Button
                component={Link}
                to="/locations/import"
                variant="default"
                leftSection={<FileUp size={16} aria-hidden />}
              >
                {t('locations.import')}
              </Button>
            )}
            {mayCreate && <AddButton />}
          </>
        }
      />
      {isMap ? (
        <Stack gap="sm">
          <FilterRow filters={locationFilters} search={search} onChange={change} />
          <Suspense
            fallback={
              <Center mih={320}>
                <Loader aria-label={t('app.loading')} />
              </Center>
            }
          >
            <LocationsMap search={search} onClearFilters={() => change(locationFilters.none)} />
          </Suspense>
        </Stack>
      ) : (
        <LocationsTable mayCreate={mayCreate} />
      )}
    </>
  );
}

function AddButton() {
  return (
    <Button component={Link} to="/locations/new" leftSection={<Plus size={16} aria-hidden />}>
      {t('locations.add')}
    </Button>
  );
}

function LocationsTable({ mayCreate }: { mayCreate: boolean }) {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const { sort = 'name', order = 'ASC', offset = 0 } = search;
  const found = useApi(
    'GET /api/locations',
    { query: { ...locationFilters.query(search), sort, order, offset, max: pageSize, fieldMask: listedFields } },
    { keepPrevious: true },
  );
  return (
    <DataList
      label={t('locations.title')}
      source={listOf(found, (page) => page.locations)}
      columns={locationColumns}
      rowKey={({ id }) => id}
      open={{ to: ({ id }) => `/locations/${id}` }}
      filters={<FilterRow filters={locationFilters} search={search} onChange={change} />}
      isFiltered={locationFilters.isFiltered(search)}
      onClearFilters={() => change(locationFilters.none)}
      sort={{ by: sort, isDescending: order === 'DESC' }}
      onSort={({ by, isDescending }) => change({ sort: by as typeof sort, order: isDescending ? 'DESC' : 'ASC' })}
      paging={{ offset, max: pageSize, onChange: (next) => change({ offset: next }) }}
      empty={{
        title: t('locations.none'),
        text: t('locations.noneText'),
        icon: <MapPin aria-hidden />,
        action: mayCreate && <AddButton />,
      }}
    />
  );
}
