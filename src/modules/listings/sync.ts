import type { Transaction } from '../../database/transaction.ts';
import type { Reach } from '../../http/access.ts';
import { defineJob, type JobContext } from '../../jobs/job.ts';
import { hasEnded } from '../../jobs/tasks/task.ts';
import {
  claimStep,
  completeStep,
  findTaskById,
  finishTask,
  type RunningTask,
  reportProgress,
  taskDefinition,
} from '../../jobs/tasks/task-store.ts';
import { Problem } from '../../problems.ts';
import { type Actor, findPartner, systemActor } from '../accounts/index.ts';
import { coverageOf, coveredDirectories } from '../catalog/index.ts';
import { type Directory, directoryList, refusingDirectories } from '../directories/index.ts';
import {
  findLocations,
  type Location,
  type LocationStatus,
  listingProfileOf,
  listLocations,
  locationChanged,
  markSynced,
  readLocationFilter,
} from '../locations/index.ts';
import type { Listing } from './listing.ts';
import { ensureListings } from './listing-store.ts';
import { type CheckOptions, checkLocationJob } from './listing-work.ts';
import { removalSteps } from './status-transitions.ts';

/** Why a location cannot be synced to the directories of its plan; undefined when it can. */
export function syncProblem(location: Location, covered: readonly Directory[]): Problem | undefined {
  const { id, status, normalizationStatus } = location;
  if (removalSteps(status)) {
    const message = `Location ${id} is ${status} and cannot be synced. The status must be CREATED, ACTIVE, NEEDS_REVIEW or CANCELLED.`;
    return new Problem('INACTIVE', { message });
  }
  if (normalizationStatus !== 'NORMALIZED') {
    const message = `The address of location ${id} is incomplete: zip is required in ${location.country}. Add zip and sync again.`;
    return new Problem('NOT_SYNCABLE', { message });
  }
  const refusing = refusingDirectories(covered, listingProfileOf(location));
  if (refusing.length === 0) return undefined;
  const reasons = refusing.map(({ directory, missing }) => `${directory.name} requires ${missing.join(', ')}`);
  const message = `Location ${id} is incomplete for every directory of its plan: ${reasons.join('; ')}. Add the fields of at least one directory and sync again.`;
  return new Problem('NOT_SYNCABLE', { message });
}

/** Creates missing listings and enqueues their checks. The first sync activates the location. Returns the listings. */
export async function startSync(
  transaction: Transaction,
  { partner }: Actor,
  location: Location,
  options: CheckOptions & { taskId?: number } = {},
): Promise<Listing[]> {
  const covered = await coveredDirectories(transaction, partner.id, location.businessId, directoryList);
  const problem = syncProblem(location, covered);
  if (problem) throw problem;
  const types = new Set(covered.map(({ type }) => type));
  const listings = await ensureListings(transaction, partner.id, location.id, [...types]);
  await markSynced(transaction, systemActor(partner), location.id);
  const locationId = location.id;
  // The first sync activates the location, which enqueues another check; the one below replaces it.
  if (location.status === 'CREATED') await locationChanged.remove(transaction, { locationId });
  await checkLocationJob.enqueue(transaction, { locationId, ...options }, { requested: options.requested });
  return listings.filter((listing) => listing.duplicateOf === null && types.has(listing.directoryType));
}

export const syncManyJob = defineJob('listings.sync-many', taskDefinition);

type SyncFilter = Parameters<typeof readLocationFilter>[2];

/** Stored parameters of the task. */
export interface SyncParameters {
  ids?: number[];
  filter?: SyncFilter;
  reach: Reach;
  submit?: boolean;
}

const syncableStatuses = ['CREATED', 'ACTIVE', 'NEEDS_REVIEW', 'CANCELLED'] as const satisfies LocationStatus[];

const batchSize = 100;
const maxRunMs = 20_000;

interface Position {
  after: number;
  count: number;
  complete?: boolean;
}

/** Starts the syncs in batches. The checks of the locations report their progress to the task. */
export async function syncMany(context: JobContext, taskId: number): Promise<void> {
  const until = Date.now() + maxRunMs;
  for (;;) {
    const task = await findTaskById(context.database.pool, taskId);
    if (!task || hasEnded(task) || isComplete(task)) return;
    const isCurrent = await context.database.transaction((transaction) => syncBatch(transaction, task));
    if (!isCurrent) return;
    if (context.signal.aborted || Date.now() > until) {
      await syncManyJob.enqueue(context.database.pool, { taskId });
      return;
    }
  }
}

const positionOf = ({ position }: RunningTask): Position => (position as Position | null) ?? { after: 0, count: 0 };

const isComplete = (task: RunningTask) => positionOf(task).complete ?? false;

async function syncBatch(transaction: Transaction, task: RunningTask): Promise<boolean> {
  const held = await claimStep(transaction, task.id, task.step);
  if (!held) return false;
  const { after, count } = positionOf(task);
  const { ids, filter = {}, reach, submit } = task.parameters as unknown as SyncParameters;
  const partner = await findPartner(transaction, task.partnerId, task.partnerId);
  if (!partner) return false;
  const wanted = await readLocationFilter(transaction, task, filter);
  const statuses = syncableStatuses.filter((status) => wanted.statuses?.includes(status) ?? true);
  const found = await listLocations(
    transaction,
    { partnerId: task.partnerId, reach, filter: { ...wanted, statuses, ...(ids && { ids }) } },
    { sort: 'id', descending: false },
    { offset: 0, limit: batchSize, after },
    new Set(),
  );
  const foundIds = found.map(({ id }) => id);
  const locations = await findLocations(transaction, task.partnerId, foundIds);
  const businessIds = locations.map(({ businessId }) => businessId);
  const covered = await coverageOf(transaction, task.partnerId, businessIds, directoryList);
  const syncable = locations.filter((location) => !syncProblem(location, covered(location.businessId)));
  const complete = found.length < batchSize;
  // Only a single batch has priority, so that bulk syncs do not delay requests of other partners.
  const isShort = complete && count === 0;
  for (const location of syncable) {
    const options = { taskId: task.id, requested: isShort, ...(submit !== undefined && { submit }) };
    await startSync(transaction, systemActor(partner), location, options);
  }
  const refused = locations.length - syncable.length;
  if (refused > 0) await reportProgress(transaction, task.id, { failed: refused });
  const position: Position = { after: found.at(-1)?.id ?? after, count: count + found.length };
  await completeStep(transaction, held, { position: { ...position, ...(complete && { complete }) } });
  if (complete) await setTotal(transaction, task.id, position.count);
  return true;
}

/** The total is known after the last batch; all checks may be done already. */
async function setTotal(transaction: Transaction, taskId: number, total: number): Promise<void> {
  const task = await reportProgress(transaction, taskId, { total });
  if (task && task.done + task.failed >= total) await finishTask(transaction, taskId, { locations: total });
}
