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
import { findPartner, systemActor } from '../accounts/index.ts';
import { coverageOf } from '../catalog/index.ts';
import { directoryList } from '../directories/index.ts';
import { findLocations, type LocationStatus, listLocations, readLocationFilter } from '../locations/index.ts';
import { startSync, syncRefusal } from './start-sync.ts';

export const syncManyJob = defineJob('listings.sync-many', taskDefinition);

type SyncFilter = Parameters<typeof readLocationFilter>[2];

/** What the task of a sync of many locations remembers. */
export interface SyncParameters {
  ids?: number[];
  filter?: SyncFilter;
  reach: Reach;
  submit?: boolean;
}

const syncableStatuses = ['CREATED', 'ACTIVE', 'NEEDS_REVIEW', 'CANCELLED'] as const satisfies LocationStatus[];

const pieceSize = 100;
const turnMs = 20_000;

interface Position {
  after: number;
  count: number;
  complete?: boolean;
}

/** Starts the sync of one location after the other, some at a time; their checks then report to the task. */
export async function syncMany(context: JobContext, taskId: number): Promise<void> {
  const until = Date.now() + turnMs;
  for (;;) {
    const task = await findTaskById(context.database.pool, taskId);
    if (!task || hasEnded(task) || isComplete(task)) return;
    const went = await context.database.transaction((transaction) => takePiece(transaction, task));
    if (!went) return;
    if (context.signal.aborted || Date.now() > until) {
      await syncManyJob.enqueue(context.database.pool, { taskId });
      return;
    }
  }
}

const positionOf = ({ position }: RunningTask): Position => (position as Position | null) ?? { after: 0, count: 0 };

const isComplete = (task: RunningTask) => positionOf(task).complete ?? false;

async function takePiece(transaction: Transaction, task: RunningTask): Promise<boolean> {
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
    { offset: 0, limit: pieceSize, after },
    new Set(),
  );
  const locations = await findLocations(
    transaction,
    task.partnerId,
    found.map(({ id }) => id),
  );
  const businessIds = locations.map(({ businessId }) => businessId);
  const covered = await coverageOf(transaction, task.partnerId, businessIds, directoryList);
  const syncable = locations.filter((location) => !syncRefusal(location, covered(location.businessId)));
  const complete = found.length < pieceSize;
  // A longer one would hold up everything that other partners' users wait for.
  const isShort = complete && count === 0;
  for (const location of syncable) {
    const options = { taskId: task.id, requested: isShort, ...(submit !== undefined && { submit }) };
    await startSync(transaction, systemActor(partner), location, options);
  }
  const refused = locations.length - syncable.length;
  if (refused > 0) await reportProgress(transaction, task.id, { failed: refused });
  const position: Position = { after: found.at(-1)?.id ?? after, count: count + found.length };
  await completeStep(transaction, held, { position: { ...position, ...(complete && { complete }) } });
  if (complete) await close(transaction, task.id, position.count);
  return true;
}

/** Now it is known how many there are; perhaps all of them have been checked by now. */
async function close(transaction: Transaction, taskId: number, total: number): Promise<void> {
  const task = await reportProgress(transaction, taskId, { total });
  if (task && task.done + task.failed >= total) await finishTask(transaction, taskId, { locations: total });
}
