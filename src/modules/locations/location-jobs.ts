import { databaseNow } from '../../database/database-clock.ts';
import type { Transaction } from '../../database/transaction.ts';
import { defineJob, type JobContext } from '../../jobs/job.ts';
import { dayIn } from '../../values/calendar.ts';
import { dayOf } from '../../values/span.ts';
import { systemActor } from '../accounts/index.ts';
import { cleanseJob, locationChanged, writeChanges } from './change-location.ts';
import { transitionLocations } from './change-status.ts';
import { cleanse } from './cleansing.ts';
import { runDownload } from './download-job.ts';
import {
  lockEnded,
  lockPendingLocation,
  lockPendingLocations,
  partnerOfPendingLocation,
  partnersWithEndedLocations,
  partnersWithPendingLocations,
  setCleansingStatus,
  zonesOfEnding,
} from './location-status-store.ts';
import type { LockedLocation } from './location-store.ts';

const batch = 500;
// The job enqueues itself again after this time.
const maxRunMs = 30_000;

type Partner = { id: number; identifier: string };

/** Makes cancelled locations inactive after their end date, in their own time zone. */
async function endLocations({ database, log, signal }: JobContext): Promise<void> {
  const now = await databaseNow(database.pool);
  // An end date up to today in UTC covers all time zones: none is more than a day ahead.
  const zones = await zonesOfEnding(database.pool, dayOf(now));
  const days = new Map(zones.map((zone) => [zone, dayIn(zone, now)]));
  for (const partner of await partnersWithEndedLocations(database.pool, days)) {
    let ended = 0;
    do {
      ended = await database.transaction(async (transaction) => {
        const locations = await lockEnded(transaction, partner.id, days, batch);
        const move = { to: 'INACTIVE', by: 'end date', now } as const;
        if (locations.length > 0) await transitionLocations(transaction, systemActor(partner), locations, move);
        return locations.length;
      });
      if (ended > 0) log.info({ event: 'locations.ended', partner: partner.identifier, count: ended });
    } while (ended === batch && !signal.aborted);
  }
}

async function cleanseOne(locationId: number, { database }: JobContext): Promise<void> {
  for (const partner of await partnerOfPendingLocation(database.pool, locationId)) {
    await database.transaction(async (transaction) =>
      cleanseLocked(transaction, partner, await lockPendingLocation(transaction, partner.id, locationId)),
    );
  }
}

/** Cleanses all pending locations in batches. */
async function cleanseAll({ database, signal }: JobContext): Promise<void> {
  const until = Date.now() + maxRunMs;
  for (const partner of await partnersWithPendingLocations(database.pool)) {
    let cleansed = 0;
    do {
      if (signal.aborted || Date.now() >= until) {
        await cleanseJob.enqueue(database.pool, {});
        return;
      }
      cleansed = await database.transaction(async (transaction) => {
        const locations = await lockPendingLocations(transaction, partner.id, batch);
        await cleanseLocked(transaction, partner, locations);
        return locations.length;
      });
    } while (cleansed === batch);
  }
}

async function cleanseLocked(
  transaction: Transaction,
  partner: Partner,
  locations: readonly LockedLocation[],
): Promise<void> {
  const results = locations.map((location) => ({ location, ...cleanse(location) }));
  const rewritten = results.filter(({ changes }) => Object.keys(changes).length > 0);
  const patches = rewritten.map(({ location, changes }) => ({ before: location, patch: changes }));
  await writeChanges(transaction, systemActor(partner), patches);
  for (const status of ['CLEANSED', 'INVALID_DATA'] as const) {
    const ids = results.filter((result) => result.status === status).map(({ location }) => location.id);
    if (ids.length > 0) await setCleansingStatus(transaction, status, ids);
  }
  // Some directories require a cleansed address: their listings can be submitted now.
  const waiting = results
    .filter(({ location, status }) => status === 'CLEANSED' && location.lastSyncStarted !== null && location.autoSync)
    .map(({ location }) => ({ locationId: location.id, partnerId: partner.id }));
  await locationChanged.enqueueMany(transaction, waiting);
}

export const locationJobs = [
  defineJob('locations.end', { schedule: '*/5 * * * *' }).implement((_, context) => endLocations(context)),
  cleanseJob.implement(({ locationId }, context) =>
    locationId === undefined ? cleanseAll(context) : cleanseOne(locationId, context),
  ),
  runDownload,
];
