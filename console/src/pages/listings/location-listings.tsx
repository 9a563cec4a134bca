import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import type { Location } from '../../api/api-types.ts';
import { useHasPermission } from '../../api/session.ts';
import { useApiWrite } from '../../api/use-api.ts';
import { listOf } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { notifyProblem } from '../../parts/notify.tsx';
import { WorkProgress } from '../../parts/task-progress.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t, textOrWords, tn } from '../../texts/t.ts';
import { columnsOfLocation } from './listing-columns.tsx';
import { ListingDrawer } from './listing-drawer.tsx';
import { isCounted, type Listing } from './listing-values.ts';
import { useLocationListings } from './use-location-listings.ts';

const route = getRouteApi('/shell/locations/$locationId');

export function LocationListings({ location, sync }: { location: Location; sync: Syncing }) {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const mayWrite = useHasPermission('LOCATION_WRITE');
  const found = useLocationListings(location.id, { refetchInterval: sync.isRunning ? 1000 : 10_000 });
  const open = (id: number | undefined) => change({ listing: id });
  const syncNow = mayWrite && (
    <Button
      leftSection={<RefreshCw size={16} aria-hidden />}
      onClick={sync.start}
      loading={sync.isStarting}
      disabled={location.locationSyncable === false}
    >
      {t('listings.syncing.now')}
    </Button>
  );
  const missing = location.missingMandatoryFields ?? [];
  return (
    <Stack>
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed">
          {t('listings.syncing.last')}: <TimeAgo at={location.lastSyncStarted} />
          {found.data && ` · ${countText(found.data.listings)}`}
        </Text>
        {syncNow}
      </Group>
      {location.locationSyncable === false && (
        <Alert color="orange">
          {missing.length > 0
            ? t('listings.syncing.missing', {
                fields: missing.map((field) => textOrWords('locations.fields', field)).join(', '),
              })
            : t('listings.syncing.notSyncable')}
        </Alert>
      )}
      <SyncProgress sync={sync} />
      <DataList
        label={t('listings.title')}
        source={listOf(found, (page) => page.listings)}
        columns={columnsOfLocation}
        rowKey={({ id }) => id}
        open={{ run: ({ id }) => open(id) }}
        withCount={false}
        empty={{ title: t('listings.noneHere'), text: t('listings.noneHereText'), action: syncNow }}
      />
      <ListingDrawer id={search.listing} onClose={() => open(undefined)} onOpen={open} />
    </Stack>
  );
}

function countText(listings: readonly Listing[]): string {
  const counted = listings.filter(isCounted).length;
  const text = tn('listings.counted', counted);
  const others = listings.length - counted;
  return others === 0 ? text : t('listings.uncounted', { counted: text, others });
}

function SyncProgress({ sync }: { sync: Syncing }) {
  if (sync.total === undefined) return null;
  return (
    <Stack gap={4}>
      <WorkProgress
        status={sync.isRunning ? 'RUNNING' : 'FINISHED'}
        progress={sync.total === 0 ? 100 : Math.floor((sync.done / sync.total) * 100)}
        done={sync.done}
        total={sync.total}
      />
      {sync.isRunning && sync.waitingFor.length > 0 && (
        <Text size="xs" c="dimmed">
          {t('listings.syncing.waitingFor', { directories: sync.waitingFor.join(', ') })}
        </Text>
      )}
    </Stack>
  );
}

interface Syncing {
  start: () => void;
  isStarting: boolean;
  isRunning: boolean;
  /** Number of listings; undefined before the sync starts. */
  total: number | undefined;
  done: number;
  /** Directories still pending. */
  waitingFor: string[];
}

interface Started {
  at: string;
  ids: readonly number[];
}

/** A listing is done when it was checked after the start, or when its check failed. */
export function useSync(locationId: number): Syncing {
  const [started, setStarted] = useState<Started>();
  const sync = useApiWrite('POST /api/locations/{id}/sync', {
    changes: ['GET /api/locations/{id}/listings', 'GET /api/locations/{id}', 'GET /api/locations'],
    onSuccess: ({ lastSyncStarted, listings }) =>
      setStarted({ at: lastSyncStarted, ids: listings.map(({ id }) => id) }),
  });
  const { data } = useLocationListings(locationId, { enabled: started !== undefined });
  const watched = started ? (data?.listings ?? []).filter(({ id }) => started.ids.includes(id)) : [];
  const waiting = started ? watched.filter((listing) => !isDone(listing, started.at)) : [];
  const total = started?.ids.length;
  return {
    start: () => sync.mutate({ path: { id: locationId }, body: {} }, { onError: notifyProblem }),
    isStarting: sync.isPending,
    isRunning: started !== undefined && (watched.length < (total ?? 0) || waiting.length > 0),
    total,
    done: watched.length - waiting.length,
    waitingFor: waiting.map(({ typeName }) => typeName),
  };
}

/** Listings without an online listing are not awaited. */
function isDone({ lastChecked, syncStatus, nextTry, connectStatus }: Listing, start: string): boolean {
  if (syncStatus === 'NO_ONLINE_LISTING' || syncStatus === 'NOT_SUPPORTED') return true;
  if (connectStatus === 'NOT_CONNECTED' || syncStatus === 'TECHNICAL_PROBLEMS') return true;
  return (lastChecked !== undefined && lastChecked >= start) || (nextTry !== undefined && nextTry > start);
}
