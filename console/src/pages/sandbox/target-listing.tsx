import { Alert, Select, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useApi } from '../../api/use-api.ts';
import { locationFinder, SearchedOne } from '../../parts/searched-choice.tsx';
import { Section } from '../../parts/section.tsx';
import { TryAgain } from '../../parts/try-again.tsx';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t } from '../../texts/t.ts';

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

export function TargetListing({ target }: { target: ReturnType<typeof useTarget> }) {
  const change = useSearchChange<{ location?: number | undefined; listing?: number | undefined }>();
  const { locationId, listings, listing, failed, isLoading } = target;
  return (
    <Section title={t('sandbox.where')}>
      <Stack>
        <SearchedOne
          label={t('sandbox.location')}
          placeholder={t('sandbox.locationPlaceholder')}
          find={locationFinder}
          value={locationId}
          onChange={(location) => change({ location, listing: undefined })}
        />
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
