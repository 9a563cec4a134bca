import { enqueueJob } from '../../database/job-queue.ts';
import { systemActor } from '../actor.ts';
import { type JobContext, platformJob } from '../platform-job.ts';
import { writeChanges } from './change-location.ts';
import { dayOf, moveLocations } from './change-status.ts';
import { cleanse, cleansingTask } from './cleansing.ts';
import {
  lockPendingLocation,
  lockPendingLocations,
  partnersWithPendingLocations,
  setCleansingStatus,
} from './cleansing-store.ts';
import { downloadJob } from './download-job.ts';
import { lockEnded, partnersWithEndedLocations } from './location-status-store.ts';

const batch = 500;

/** At the end date a cancelled location becomes inactive by itself. */
export async function endLocations({ database, log, signal }: JobContext, now: Date): Promise<void> {
  const today = dayOf(now);
  for (const partner of await partnersWithEndedLocations(database.pool, today)) {
    let ended = 0;
    do {
      ended = await database.transaction(async (transaction) => {
        const locations = await lockEnded(transaction, partner.id, today, batch);
        const move = { to: 'INACTIVE', by: 'end date', today } as const;
        if (locations.length > 0) await moveLocations(transaction, systemActor(partner), locations, move);
        return locations.length;
      });
      if (ended > 0) log.info({ event: 'locations.ended', partner: partner.identifier, count: ended });
    } while (ended === batch && !signal.aborted);
  }
}

/** Cleanses the addresses that wait for it: one location's, or all of them, some hundred in one transaction. */
async function cleanseLocations(locationId: number | undefined, { database, signal }: JobContext): Promise<void> {
  for (const partner of await partnersWithPendingLocations(database.pool, locationId)) {
    let cleansed = 0;
    do {
      cleansed = await database.transaction(async (transaction) => {
        const locations =
          locationId === undefined
            ? await lockPendingLocations(transaction, partner.id, batch)
            : await lockPendingLocation(transaction, partner.id, locationId);
        const results = locations.map((location) => ({ location, result: cleanse(location) }));
        const rewritten = results.filter(({ result }) => Object.keys(result.changes).length > 0);
        if (rewritten.length > 0) {
          const changes = rewritten.map(({ location, result }) => ({ before: location, patch: result.changes }));
          await writeChanges(transaction, systemActor(partner), changes);
        }
        for (const status of ['CLEANSED', 'INVALID_DATA'] as const) {
          const ids = results.filter(({ result }) => result.status === status).map(({ location }) => location.id);
          if (ids.length > 0) await setCleansingStatus(transaction, status, ids);
        }
        return locations.length;
      });
    } while (cleansed === batch && !signal.aborted);
  }
  if (signal.aborted) await enqueueJob(database.pool, cleansingTask, {});
}

export const locationJobs = [
  platformJob({
    task: 'locations.end',
    schedule: '*/5 * * * *',
    run: (_, context) => endLocations(context, new Date()),
  }),
  platformJob<{ locationId?: number }>({
    task: cleansingTask,
    // What was passed over because somebody was at it.
    schedule: '*/10 * * * *',
    run: ({ locationId }, context) => cleanseLocations(locationId, context),
  }),
  downloadJob,
];
