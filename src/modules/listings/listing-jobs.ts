import { defineJob, enqueueJobs, type JobContext, type JobImplementation } from '../../jobs/job.ts';
import { isTransient } from '../../jobs/tasks/task-job.ts';
import { isCancelled, reportItems } from '../../jobs/tasks/task-store.ts';
import { findPartner, systemActor } from '../accounts/index.ts';
import { coveredDirectories } from '../catalog/index.ts';
import { claimDueForCheck, findLocation, locationChanged, markSynced } from '../locations/index.ts';
import { checkListing } from './check-listing.ts';
import type { Listing } from './listing.ts';
import { ensureListings, listingsOfLocation } from './listing-store.ts';
import {
  type CheckOptions,
  checkListingJob,
  checkLocationJob,
  enqueueCheck,
  type LocationCheck,
  submitListingJob,
} from './listing-work.ts';
import { removalSteps } from './status-transitions.ts';
import { submitListing } from './submit-listing.ts';
import { runSyncMany } from './sync.ts';

/** Directories read in parallel: slow ones do not block the others, and connections remain for other jobs. */
const concurrency = 6;

/** Checks every listing of a location. A failure of one directory does not affect the others. */
async function checkLocation(context: JobContext, check: LocationCheck): Promise<void> {
  const { database, log, isLastAttempt } = context;
  const { locationId, taskId } = check;
  if (taskId !== undefined && (await isCancelled(database.pool, taskId))) return;
  try {
    await checkAll(context, check);
  } catch (error) {
    // Without a task the job is retried. A task counts each location once, as done or failed.
    if (taskId === undefined || (isTransient(error) && !isLastAttempt)) throw error;
    log.error({ event: 'location.check-failed', locationId, taskId, err: error });
    await reportItems(database.pool, taskId, { failed: 1 });
    return;
  }
  if (taskId !== undefined) await reportItems(database.pool, taskId, { done: 1 });
}

async function checkAll(
  context: JobContext,
  { locationId, submit, requested, partnerId }: LocationCheck,
): Promise<void> {
  const { database, signal } = context;
  const options = { ...(submit !== undefined && { submit }), ...(requested && { requested }), partnerId };
  const queue = (await prepareListings(context, locationId)).filter(({ duplicateOf }) => duplicateOf === null);
  const failures: unknown[] = [];
  const work = async () => {
    for (let listing = queue.shift(); listing; listing = queue.shift()) {
      // On shutdown the remaining listings become jobs of their own.
      if (signal.aborted) await enqueueCheck(database.pool, listing.id, options);
      else await checkOne(context, listing.id, options, 15).catch((error) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  if (failures.length > 0) throw failures[0];
}

/** Enqueues the check again when another job holds the lease. */
async function checkOne(
  context: JobContext,
  listingId: number,
  options: CheckOptions,
  delaySeconds: number,
): Promise<void> {
  const outcome = await checkListing(context, listingId, options);
  if (outcome === 'busy') await enqueueCheck(context.database.pool, listingId, options, { delaySeconds });
}

/** Creates missing listings for directories of the plan. A location that was never synced has no listings. */
async function prepareListings({ database, directories }: JobContext, locationId: number): Promise<Listing[]> {
  const listings = await listingsOfLocation(database.pool, locationId);
  const partnerId = listings[0]?.partnerId;
  if (partnerId === undefined) return [];
  const partner = await findPartner(database.pool, partnerId, partnerId);
  const location = await findLocation(database.pool, partnerId, locationId);
  if (!partner || !location || removalSteps(location.status)) return listings;
  const covered = await coveredDirectories(database.pool, partnerId, location.businessId, directories.list);
  return database.transaction(async (transaction) => {
    const types = covered.map(({ type }) => type);
    const all = await ensureListings(transaction, partnerId, locationId, types);
    await markSynced(transaction, systemActor(partner), locationId);
    return all;
  });
}

const checkEverySeconds = 24 * 3600;
/** 1500 checks per minute are capacity for two million locations a day. */
const maxPerRound = 1500;
const roundSeconds = 60;
const busySeconds = 10;

/** Enqueues the checks that are due, spread over the time until the next run. */
async function scheduleChecks({ database, log }: JobContext): Promise<void> {
  const due = await database.transaction(async (transaction) => {
    const locations = await claimDueForCheck(transaction, { limit: maxPerRound, intervalSeconds: checkEverySeconds });
    const checks = locations.map(({ id, partnerId }) =>
      checkLocationJob.with({ locationId: id, partnerId }, { delaySeconds: Math.random() * roundSeconds }),
    );
    await enqueueJobs(transaction, checks);
    return locations.length;
  });
  if (due > 0) log.info({ event: 'listings.scheduled', locations: due });
}

export const listingJobs: readonly JobImplementation[] = [
  checkLocationJob.implement((check, context) => checkLocation(context, check)),
  locationChanged.implement((location, context) => checkLocation(context, location)),
  checkListingJob.implement(({ listingId, ...options }, context) => checkOne(context, listingId, options, busySeconds)),
  submitListingJob.implement(async (submission, context) => {
    const outcome = await submitListing(context, submission);
    if (outcome === 'busy')
      await submitListingJob.enqueue(context.database.pool, submission, { delaySeconds: busySeconds });
  }),
  runSyncMany,
  defineJob('listings.schedule', { schedule: '* * * * *' }).implement((_, context) => scheduleChecks(context)),
];
