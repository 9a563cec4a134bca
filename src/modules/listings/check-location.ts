import type { JobContext } from '../../jobs/job.ts';
import { finishTask, isCancelled, reportProgress } from '../../jobs/tasks/task-store.ts';
import { findPartner, systemActor } from '../accounts/index.ts';
import { coveredDirectories } from '../catalog/index.ts';
import { findLocation, markSynced } from '../locations/index.ts';
import { checkListing } from './check-listing.ts';
import type { Listing } from './listing.ts';
import { ensureListings, listingsOfLocation } from './listing-store.ts';
import { type CheckOptions, enqueueCheck, type LocationCheck } from './listing-work.ts';
import { removalSteps } from './status-transitions.ts';

/** Directories read in parallel: slow ones do not block the others, and connections remain for other jobs. */
const concurrency = 6;
const busySeconds = 15;

/** Checks every listing of a location. A failure of one directory does not affect the others. */
export async function checkLocation(context: JobContext, check: LocationCheck): Promise<void> {
  const { database, log } = context;
  const { locationId, taskId } = check;
  if (taskId !== undefined && (await isCancelled(database.pool, taskId))) return;
  try {
    await checkAll(context, check);
  } catch (error) {
    // Without a task the job is retried. A task counts each location once, as done or failed.
    if (taskId === undefined) throw error;
    log.error({ event: 'location.check-failed', locationId, taskId, err: error });
    await report(context, taskId, { failed: 1 });
    return;
  }
  if (taskId !== undefined) await report(context, taskId, { done: 1 });
}

async function checkAll(context: JobContext, { locationId, submit, requested }: LocationCheck): Promise<void> {
  const { database, signal } = context;
  const options = { ...(submit !== undefined && { submit }), ...(requested && { requested }) };
  const queue = (await prepareListings(context, locationId)).filter(({ duplicateOf }) => duplicateOf === null);
  const failures: unknown[] = [];
  const work = async () => {
    for (let listing = queue.shift(); listing; listing = queue.shift()) {
      // On shutdown the remaining listings become jobs of their own.
      if (signal.aborted) await enqueueCheck(database.pool, listing.id, options);
      else await checkOne(context, listing, options).catch((error) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  if (failures.length > 0) throw failures[0];
}

async function checkOne(context: JobContext, listing: Listing, options: CheckOptions): Promise<void> {
  const outcome = await checkListing(context, listing.id, options);
  if (outcome === 'busy') {
    await enqueueCheck(context.database.pool, listing.id, options, { delaySeconds: busySeconds });
  }
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

async function report(
  { database }: JobContext,
  taskId: number,
  progress: { done?: number; failed?: number },
): Promise<void> {
  const task = await reportProgress(database.pool, taskId, progress);
  if (task && task.total !== null && task.done + task.failed >= task.total) await finishTask(database.pool, taskId);
}
