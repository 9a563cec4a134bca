import { enqueueJob } from '../../database/job-queue.ts';
import { type JobContext, type PlatformJob, platformJob } from '../../jobs/job.ts';
import { dueForCheck } from '../locations/index.ts';
import { checkListing } from './check-listing.ts';
import { checkLocation, type LocationCheck } from './check-location.ts';
import { type CheckOptions, enqueueCheck, enqueueSubmission, listingTasks } from './listing-work.ts';
import { submitListing } from './submit-listing.ts';
import { syncMany } from './sync-many.ts';

/** A location's listings are looked at once a day. */
const checkEverySeconds = 24 * 3600;
/** What a round begins at most; it comes every minute, so that a day has room for two million locations. */
const mostPerRound = 1500;
const roundSeconds = 60;
const busySeconds = 10;

/** Begins the checks that are due, spread over the time until the next round. */
async function scheduleChecks({ database, log }: JobContext): Promise<void> {
  const due = await database.transaction(async (transaction) => {
    const locations = await dueForCheck(transaction, { limit: mostPerRound, intervalSeconds: checkEverySeconds });
    for (const { id } of locations) {
      const key = `${listingTasks.checkLocation}-${id}`;
      const delaySeconds = Math.random() * roundSeconds;
      await enqueueJob(transaction, listingTasks.checkLocation, { locationId: id }, { key, delaySeconds });
    }
    return locations.length;
  });
  if (due > 0) log.info({ event: 'listings.scheduled', locations: due });
}

export const listingJobs: readonly PlatformJob[] = [
  platformJob<LocationCheck>({
    task: listingTasks.checkLocation,
    run: (check, context) => checkLocation(context, check),
  }),
  platformJob<{ locationId: number }>({
    task: listingTasks.locationChanged,
    run: ({ locationId }, context) => checkLocation(context, { locationId }),
  }),
  platformJob<{ listingId: number } & CheckOptions>({
    task: listingTasks.check,
    async run({ listingId, ...options }, context) {
      const outcome = await checkListing(context, listingId, options);
      if (outcome === 'busy')
        await enqueueCheck(context.database.pool, listingId, options, { delaySeconds: busySeconds });
    },
  }),
  platformJob<{ listingId: number }>({
    task: listingTasks.submit,
    async run({ listingId }, context) {
      const outcome = await submitListing(context, listingId);
      if (outcome === 'busy') await enqueueSubmission(context.database.pool, listingId, { delaySeconds: busySeconds });
    },
  }),
  platformJob<{ taskId: number }>({
    task: listingTasks.syncMany,
    run: ({ taskId }, context) => syncMany(context, taskId),
  }),
  platformJob({ task: listingTasks.schedule, schedule: '* * * * *', run: (_, context) => scheduleChecks(context) }),
];
