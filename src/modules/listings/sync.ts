import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { Reach } from '../../http/access.ts';
import { defineJob } from '../../jobs/job.ts';
import { StepPosition, TaskFailure, taskJob } from '../../jobs/tasks/task-job.ts';
import { type RunningTask, taskDefinition } from '../../jobs/tasks/task-store.ts';
import { Problem } from '../../problems.ts';
import { type Actor, findPartner, systemActor } from '../accounts/index.ts';
import { coverageOf, coveredDirectories } from '../catalog/index.ts';
import { type Directory, directoryList, refusingDirectories } from '../directories/index.ts';
import {
  findLocations,
  type Location,
  listingProfileOf,
  listLocations,
  locationChanged,
  markSynced,
  readLocationFilter,
  servedStatuses,
} from '../locations/index.ts';
import type { Listing } from './listing.ts';
import { ensureListings } from './listing-store.ts';
import { type CheckOptions, checkLocationJob } from './listing-work.ts';
import { removalSteps } from './status-transitions.ts';

/** Why a location cannot be synced to the directories of its plan; undefined when it can. */
function syncProblem(location: Location, covered: readonly Directory[]): Problem | undefined {
  const { id, status, normalizationStatus } = location;
  if (removalSteps(status)) {
    const accepted = servedStatuses.join(', ');
    const message = `Location ${id} is ${status} and cannot be synced. The status must be one of ${accepted}.`;
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
  if (location.status === 'CREATED') await locationChanged.remove(transaction, { locationId, partnerId: partner.id });
  await checkLocationJob.enqueue(transaction, { locationId, partnerId: partner.id, ...options });
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

const batchSize = 100;
/** The result of a task names the first failed locations. */
const maxNamed = 100;

interface Position {
  after: number;
  count: number;
  complete?: boolean;
  /** The first ones. Absent in tasks of earlier versions. */
  failed?: FailedSync[];
}

export const failedSync = (id: number, { status, message }: Problem) => ({ id, status, message });

export type FailedSync = ReturnType<typeof failedSync>;

/** The next locations of a bulk sync, by id. */
export async function findBatch(
  sql: Sql,
  who: Parameters<typeof readLocationFilter>[1],
  { ids, filter = {}, reach }: SyncParameters,
  { after, limit }: { after: number; limit: number },
) {
  const { partnerId } = who;
  const wanted = await readLocationFilter(sql, who, filter);
  const statuses = servedStatuses.filter((status) => wanted.statuses?.includes(status) ?? true);
  const found = await listLocations(
    sql,
    { partnerId, reach, filter: { ...wanted, statuses, ...(ids && { ids }) } },
    { sort: 'id', descending: false },
    { offset: 0, limit, after },
    new Set(),
  );
  const foundIds = found.map(({ id }) => id);
  const checked = await checkSyncable(sql, partnerId, await findLocations(sql, partnerId, foundIds));
  return { ids: foundIds, isLast: found.length < limit, ...checked };
}

/** Divides locations into those that can be synced and those that cannot. */
export async function checkSyncable(sql: Sql, partnerId: number, locations: readonly Location[]) {
  const businessIds = locations.map(({ businessId }) => businessId);
  const covered = await coverageOf(sql, partnerId, businessIds, directoryList);
  const syncable: Location[] = [];
  const failed: FailedSync[] = [];
  for (const location of locations) {
    const problem = syncProblem(location, covered(location.businessId));
    if (problem) failed.push(failedSync(location.id, problem));
    else syncable.push(location);
  }
  return { syncable, failed };
}

/** Starts the syncs in batches. The checks of the locations report to the task. */
export const runSyncMany = taskJob({
  job: syncManyJob,
  finishedByReports: true,
  async *steps(task) {
    const position = new StepPosition<Position>((task.position as Position | null) ?? { after: 0, count: 0 });
    while (!position.current.complete) {
      yield position.step((transaction, from) => syncBatch(transaction, task, from));
    }
  },
});

async function syncBatch(transaction: Transaction, task: RunningTask, { after, count, failed: named = [] }: Position) {
  const { id: taskId, partnerId } = task;
  const parameters = task.parameters as unknown as SyncParameters;
  const { submit } = parameters;
  const partner = await findPartner(transaction, partnerId, partnerId);
  if (!partner) throw new TaskFailure('The partner no longer exists.');
  const batch = await findBatch(transaction, task, parameters, { after, limit: batchSize });
  const { ids, isLast: complete, syncable } = batch;
  // Only a single batch has priority, so that bulk syncs do not delay requests of other partners.
  const isShort = complete && count === 0;
  for (const location of syncable) {
    const options = { taskId, requested: isShort, ...(submit !== undefined && { submit }) };
    await startSync(transaction, systemActor(partner), location, options);
  }
  const failed = [...named, ...batch.failed].slice(0, maxNamed);
  const position: Position = { after: ids.at(-1) ?? after, count: count + ids.length, complete, failed };
  const result = { ...(failed.length > 0 && { failed }), ...(complete && { locations: position.count }) };
  return { position, failed: batch.failed.length, result, ...(complete && { total: position.count }) };
}
