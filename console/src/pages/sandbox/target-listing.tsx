import { Alert, Select, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { ApiProblem } from '../../api/api-problem.ts';
import { useApi } from '../../api/use-api.ts';
import { Section } from '../../parts/section.tsx';
import { TryAgain } from '../../parts/try-again.tsx';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t } from '../../texts/t.ts';
import type { Listing } from './trigger.ts';

const route = getRouteApi('/shell/sandbox');

/** The listing in the URL, or the first listing. */
export function useTarget() {
  const search = route.useSearch();
  const first = useApi('GET /api/listings', { query: { syncStatus: ['IN_SYNC', 'NOT_IN_SYNC'], max: 1 } });
  const locationId = search.location ?? first.data?.listings[0]?.locationId;
  const found = useApi(
    'GET /api/listings',
    { query: { locationIds: [locationId ?? 0], duplicates: false, max: 100 } },
    { enabled: locationId !== undefined },
  );
  const listings = (found.data?.listings ?? []).filter(({ listingId }) => listingId !== undefined);
  const listing = listings.find(({ id }) => id === search.listing) ?? listings[0];
  const failed = [first, found].filter(({ error }) => error);
  const isLoading = first.isPending || (locationId !== undefined && found.isPending);
  return { locationId, listings, listing, failed, isLoading };
}

interface Target {
  locationId: number | undefined;
  listings: readonly Listing[];
  listing: Listing | undefined;
  failed: readonly { error: ApiProblem | null; refetch(): unknown }[];
  isLoading: boolean;
}

export function TargetListing({ target }: { target: Target }) {
  const change = useSearchChange<{ location?: number; listing?: number }>();
  const { locationId, listings, listing, failed, isLoading } = target;
  return (
    <Section title={t('sandbox.where')}>
      <Stack>
        <LocationSelect value={locationId} onChange={(location) => change({ location, listing: undefined })} />
        <Select
          label={t('sandbox.listing')}
          data={listings.map(({ id, typeName }) => ({ value: String(id), label: typeName }))}
          value={listing ? String(listing.id) : null}
          onChange={(value) => change({ listing: Number(value) })}
          disabled={listings.length === 0}
        />
        {failed[0]?.error && (
          <TryAgain error={failed[0].error} onRetry={() => failed.map(({ refetch }) => refetch())} />
        )}
        {!isLoading && failed.length === 0 && !listing && (
          <Alert color="orange">{t(locationId === undefined ? 'sandbox.noLocations' : 'sandbox.noPages')}</Alert>
        )}
      </Stack>
    </Section>
  );
}

interface LocationSelectProps {
  value: number | undefined;
  onChange: (id: number) => void;
}

function LocationSelect({ value, onChange }: LocationSelectProps) {
  const [typed, setTyped] = useState('');
  const [query] = useDebouncedValue(typed.trim(), 250);
  const fieldMask = ['name', 'city'];
  const chosen = useApi(
    'GET /api/locations',
    { query: { ids: [value ?? 0], fieldMask, max: 1 } },
    { enabled: value !== undefined },
  );
  const found = useApi(
    'GET /api/locations',
    { query: { max: 30, fieldMask, ...(query && { query }) } },
    { keepPrevious: true },
  );
  const offered = [...(chosen.data?.locations ?? []), ...(found.data?.locations ?? [])];
  const options = new Map(offered.map(({ id, name, city }) => [String(id), [name, city].filter(Boolean).join(', ')]));
  return (
    <Select
      label={t('sandbox.location')}
      placeholder={t('sandbox.locationPlaceholder')}
      data={[...options].map(([id, label]) => ({ value: id, label }))}
      value={value === undefined ? null : String(value)}
      onChange={(id) => id && onChange(Number(id))}
      searchable
      onSearchChange={(text) => setTyped(text === options.get(String(value)) ? '' : text)}
      filter={({ options: all }) => all}
    />
  );
}
