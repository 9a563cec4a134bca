import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import type { Location } from '../../api/api-types.ts';
import { useMayDo } from '../../api/session.ts';
import { listOf } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { WorkProgress } from '../../parts/task-progress.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t, textOrWords } from '../../texts/t.ts';
import { columnsOfLocation } from './listing-columns.tsx';
import { ListingDrawer } from './listing-drawer.tsx';
import { useLocationListings } from './use-location-listings.ts';
import { type Syncing, useSync } from './use-sync.ts';

const route = getRouteApi('/shell/locations/$locationId');

export function LocationListings({ location }: { location: Location }) {
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  const mayWrite = useMayDo('LOCATION_WRITE');
  const sync = useSync(location.id);
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
        empty={{ title: t('listings.noneHere'), text: t('listings.noneHereText'), action: syncNow }}
      />
      <ListingDrawer id={search.listing} onClose={() => open(undefined)} onOpen={open} />
    </Stack>
  );
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
