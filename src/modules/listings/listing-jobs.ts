import { defineJob, type JobContext, type JobImplementation } from '../../jobs/job.ts';
import { claimDueForCheck, locationChanged } from '../locations/index.ts';
import { checkListing } from './check-listing.ts';
import { checkLocation } from './check-location.ts';
import { checkListingJob, checkLocationJob, enqueueCheck, submitListingJob } from './listing-work.ts';
import { submitListing } from './submit-listing.ts';
import { syncMany, syncManyJob } from './sync-many.ts';

const checkEverySeconds = 24 * 3600;
/** 1500 checks per minute are capacity for two million locations a day. */
const maxPerRound = 1500;
const roundSeconds = 60;
const busySeconds = 10;

/** Enqueues the checks that are due, spread over the time until the next run. */
async function scheduleChecks({ database, log }: JobContext): Promise<void> {
  const due = await database.transaction(async (transaction) => {
    const locations = await claimDueForCheck(transaction, { limit: maxPerRound, intervalSeconds: checkEverySeconds });
    for (const { id } of locations) {
      const delaySeconds = Math.random() * roundSeconds;
      await checkLocationJob.enqueue(transaction, { locationId: id }, { delaySeconds });
    }
    return locations.length;
  });
  if (due > 0) log.info({ event: 'listings.scheduled', locations: due });
}

export const listingJobs: readonly JobImplementation[] = [
  checkLocationJob.implement((check, context) => checkLocation(context, check)),
  locationChanged.implement(({ locationId }, context) => checkLocation(context, { locationId })),
  checkListingJob.implement(async ({ listingId, ...options }, context) => {
    const outcome = await checkListing(context, listingId, options);
    if (outcome === 'busy')
      await enqueueCheck(context.database.pool, listingId, options, { delaySeconds: busySeconds });
  }),
  submitListingJob.implement(async ({ listingId }, context) => {
    const outcome = await submitListing(context, listingId);
    if (outcome === 'busy')
      await submitListingJob.enqueue(context.database.pool, { listingId }, { delaySeconds: busySeconds });
  }),
  syncManyJob.implement(({ taskId }, context) => syncMany(context, taskId)),
  defineJob('listings.schedule', { schedule: '* * * * *' }).implement((_, context) => scheduleChecks(context)),
];
