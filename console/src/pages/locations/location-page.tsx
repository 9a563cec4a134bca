import { Badge, Button, Group, Menu, Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { ChevronDown, History, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { dayIn } from '../../../../src/values/calendar.ts';
import type { Location } from '../../api/api-types.ts';
import { useHasPermission } from '../../api/session.ts';
import { useApi, useInfiniteList } from '../../api/use-api.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { numberText } from '../../parts/number-text.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { dayText } from '../../parts/time-text.ts';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { PageLoading } from '../../shell/page-loading.tsx';
import { t, textOrWords } from '../../texts/t.ts';
import { actorText } from '../audit/audit-filters.ts';
import { isCounted } from '../listings/listing-values.ts';
import { LocationListings, useSync } from '../listings/location-listings.tsx';
import { useLocationListings } from '../listings/use-location-listings.ts';
import { LocationStatusBadge } from './location-status.tsx';
import { addressText, countryName, type LocationStatus, locationTabs } from './location-values.ts';
import { ProfileEditor } from './profile/profile-editor.tsx';
import { StatusChange } from './status-change.tsx';

const route = getRouteApi('/shell/locations/$locationId');

export function LocationPage() {
  const { locationId } = route.useParams();
  const search = route.useSearch();
  const { tab = 'profile' } = search;
  const change = useSearchChange<typeof search>();
  const mayWrite = useHasPermission('LOCATION_WRITE');
  const id = Number(locationId);
  const found = useApi('GET /api/locations/{id}', { path: { id } }, { refetchInterval: 15_000 });
  const sync = useSync(id);
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
  const counted = (listings.data?.listings ?? []).filter(isCounted).length;
  const open = (next: string | null) =>
    change({ tab: next === 'profile' ? undefined : (next as typeof tab), listing: undefined });
  // The tab shows the progress, or why the location cannot be synced.
  const startSync = () => {
    open('listings');
    if (location.locationSyncable !== false) sync.start();
  };
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
        actions={
          mayWrite && (
            <>
              {location.status === 'CREATED' && (
                <Button leftSection={<RefreshCw size={16} aria-hidden />} onClick={startSync} loading={sync.isStarting}>
                  {t('listings.syncing.now')}
                </Button>
              )}
              <StatusMenu location={location} />
            </>
          )
        }
      />
      <Tabs value={tab} onChange={open} keepMounted={false} keepMountedMode="display-none">
        <Tabs.List mb="lg" aria-label={t('locations.tabsLabel')}>
          {locationTabs.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`locations.tabs.${one}`)}
              {one === 'listings' && counted > 0 && ` (${numberText(counted)})`}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {/* Stays mounted on other tabs, with its effects: unsaved changes are kept, and leaving the page asks. */}
        <Tabs.Panel value="profile" keepMounted>
          <ProfileEditor key={id} location={location} />
        </Tabs.Panel>
        <Tabs.Panel value="listings">
          <LocationListings location={location} sync={sync} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <LocationHistory locationId={id} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function LocationHistory({ locationId }: { locationId: number }) {
  const changes = useInfiniteList('GET /api/locations/{id}/history', 'changes', { path: { id: locationId } });
  return (
    <DataList
      label={t('locations.history.title')}
      source={changes}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'changedBy',
          sortValue: ({ changedBy }) => changedBy,
          title: t('locations.history.by'),
          render: ({ changedBy }) => actorText(changedBy),
        },
        {
          key: 'fields',
          title: t('locations.history.fields'),
          width: '60%',
          render: ({ fields }) => (
            <Group gap={4}>
              {fields.map((field) => (
                <Badge key={field} color="gray">
                  {textOrWords('locations.fields', field)}
                </Badge>
              ))}
            </Group>
          ),
        },
        {
          key: 'changedAt',
          sortValue: ({ changedAt }) => changedAt,
          title: t('locations.history.when'),
          render: ({ changedAt }) => <TimeAgo at={changedAt} />,
        },
      ]}
      empty={{
        title: t('locations.history.none'),
        text: t('locations.history.noneText'),
        icon: <History aria-hidden />,
      }}
    />
  );
}

type Target = Exclude<LocationStatus, 'CREATED'>;

function movesFrom({ status, endDate, timeZone }: Location): Target[] {
  const today = dayIn(timeZone ?? null, new Date());
  switch (status) {
    case 'CREATED':
      return ['DELETED'];
    case 'ACTIVE':
      return ['NEEDS_REVIEW', 'CANCELLED', 'CLOSED'];
    case 'NEEDS_REVIEW':
      return ['ACTIVE', 'CANCELLED'];
    case 'CANCELLED':
      return endDate === undefined || today < endDate ? ['ACTIVE', 'CLOSED'] : ['CLOSED'];
    case 'INACTIVE':
      return endDate === undefined || today > endDate ? ['ACTIVE', 'CLOSED', 'DELETED'] : ['ACTIVE', 'CLOSED'];
    case 'CLOSED':
      return ['ACTIVE'];
    default:
      return [];
  }
}

function StatusMenu({ location }: { location: Location }) {
  const [target, setTarget] = useState<Target>();
  const targets = movesFrom(location);
  if (targets.length === 0) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronDown size={16} aria-hidden />}>
            {t('locations.statusChange.change')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {targets.map((one) => (
            <Menu.Item key={one} color={one === 'DELETED' ? 'red' : undefined} onClick={() => setTarget(one)}>
              {textOrWords('locations.statusChange.to', one)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {target && <StatusChange location={location} target={target} onClose={() => setTarget(undefined)} />}
    </>
  );
}
