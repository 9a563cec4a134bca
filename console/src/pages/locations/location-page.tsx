import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useMayDo } from '../../api/session.ts';
import { useApi } from '../../api/use-api.ts';
import { numberText } from '../../parts/number-text.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { dayText } from '../../parts/time-text.ts';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { PageLoading } from '../../shell/page-loading.tsx';
import { t } from '../../texts/t.ts';
import { LocationListings } from '../listings/location-listings.tsx';
import { useLocationListings } from '../listings/use-location-listings.ts';
import { LocationHistory } from './location-history.tsx';
import { LocationStatusBadge } from './location-status.tsx';
import { addressText, countryName, locationTabs } from './location-values.ts';
import { ProfileEditor } from './profile/profile-editor.tsx';
import { StatusMenu } from './status-menu.tsx';

const route = getRouteApi('/shell/locations/$locationId');

export function LocationPage() {
  const { locationId } = route.useParams();
  const search = route.useSearch();
  const { tab = 'profile' } = search;
  const change = useSearchChange<typeof search>();
  const mayWrite = useMayDo('LOCATION_WRITE');
  const id = Number(locationId);
  const found = useApi('GET /api/locations/{id}', { path: { id } }, { refetchInterval: 15_000 });
  const listings = useLocationListings(id, { refetchInterval: 15_000 });
  const businessId = found.data?.businessId;
  const business = useApi(
    'GET /api/businesses/{id}',
    { path: { id: businessId ?? 0 } },
    { enabled: businessId !== undefined },
  );
  if (found.error && !found.data) throw found.error;
  if (!found.data) return <PageLoading />;
  const location = found.data;
  const open = (next: string | null) =>
    change({ tab: next === 'profile' ? undefined : (next as typeof tab), listing: undefined });
  return (
    <>
      <PageHeader
        title={location.name ?? ''}
        trail={[{ label: t('locations.title'), to: '/locations' }]}
        aside={<LocationStatusBadge status={location.status} />}
        text={[
          [addressText(location), countryName(location.country)].filter(Boolean).join(', '),
          business.data?.name,
          location.endDate && t('locations.ends', { date: dayText(location.endDate) }),
        ]
          .filter(Boolean)
          .join(' · ')}
        actions={mayWrite && <StatusMenu location={location} />}
      />
      <Tabs value={tab} onChange={open} keepMounted={false}>
        <Tabs.List mb="lg" aria-label={t('locations.tabsLabel')}>
          {locationTabs.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`locations.tabs.${one}`)}
              {one === 'listings' && (listings.data?.count ?? 0) > 0 && ` (${numberText(listings.data?.count ?? 0)})`}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {/* Stays mounted on other tabs, so unsaved changes are kept. */}
        <Tabs.Panel value="profile" keepMounted>
          <ProfileEditor key={id} location={location} />
        </Tabs.Panel>
        <Tabs.Panel value="listings">
          <LocationListings location={location} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <LocationHistory locationId={id} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
