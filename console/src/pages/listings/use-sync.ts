import { useState } from 'react';
import { useApiWrite } from '../../api/use-api.ts';
import { notifyProblem } from '../../parts/notify.tsx';
import type { Listing } from './listing-values.ts';
import { useLocationListings } from './use-location-listings.ts';

export interface Syncing {
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
