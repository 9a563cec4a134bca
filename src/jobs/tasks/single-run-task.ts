import type { UpdateObject } from 'kysely';
import type { Sql } from '../../database/connection.ts';
import { db, raw } from '../../database/query-builder.ts';
import type { DB } from '../../database/schema.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { JobContext, JobImplementation } from '../job.ts';
import { failureMessage, isTransient, maxRestarts } from './task-job.ts';
import {
  claimStep,
  failTask,
  findTaskById,
  finishTask,
  type Narrowed,
  now,
  type RunningTask,
  runningColumns,
  type TaskJob,
} from './task-store.ts';

const heartbeatMs = 500;
/** A worker without a heartbeat for this time is considered dead: 20 missed heartbeats. */
const deadAfterSeconds = 10;

interface RunProgress {
  done: number;
  total: number;
}

interface RunControl<Progress> {
  /** Written with every heartbeat. */
  progress: Progress;
  /** Aborted when the task was cancelled or claimed by another process, or this process stops. */
  signal: AbortSignal;
  /** Commits the writes and finishes the task. False if it was cancelled or claimed by another process. */
  finish(write: (transaction: Transaction) => Promise<object>): Promise<boolean>;
}

interface SingleRunHandler<Progress> {
  job: TaskJob;
  createProgress(): Progress;
  /** Removes its external effects if it throws, or if `finish` returns false. */
  run(task: RunningTask, control: RunControl<Progress>, context: JobContext): Promise<void>;
}

/**
 * Implements a task that cannot be divided into steps: it runs outside a transaction with two heartbeats per second. After
 * a crash it starts again from the beginning.
 */
export function singleRunTaskJob<Progress extends RunProgress>({
  job,
  createProgress,
  run,
}: SingleRunHandler<Progress>): JobImplementation {
  return job.implement(async (payload, context) => {
    const { taskId } = payload;
    const { database, log } = context;
    const task = await claimRun(database.pool, taskId);
    if (!task) {
      const found = await findTaskById(database.pool, taskId);
      // Its process may have just died, or this is the retry of a run that sent a heartbeat moments ago.
      if (found?.status === 'RUNNING') await job.enqueue(database.pool, payload, { delaySeconds: deadAfterSeconds });
      return;
    }
    if (task.takeUps > maxRestarts) {
      await failTask(database.pool, taskId, restartLimitMessage);
      log.error({ event: 'task.restart-limit', taskId, job: job.name });
      return;
    }
    const progress = createProgress();
    const superseded = new AbortController();
    const stopHeartbeat = startHeartbeat(database.pool, task, progress, superseded);
    const finish: RunControl<Progress>['finish'] = (write) =>
      database.transaction(async (transaction) => {
        if (!(await claimStep(transaction, taskId, task.step))) return false;
        const result = await write(transaction);
        // The last heartbeat is up to 500 ms old, and short runs have none.
        await sendHeartbeat(transaction, task, progress);
        return finishTask(transaction, taskId, result);
      });
    try {
      await run(task, { progress, signal: AbortSignal.any([context.signal, superseded.signal]), finish }, context);
    } catch (error) {
      // Retried: the database is unavailable, the partner is being moved, or transactions were in conflict.
      if (isTransient(error)) throw error;
      await database.transaction(async (transaction) => {
        if (context.signal.aborted) await releaseRun(transaction, task, job);
        else if (!superseded.signal.aborted && (await claimStep(transaction, taskId, task.step)))
          await failTask(transaction, taskId, failureMessage(task, error, log, 'Start a new task.'));
      });
    } finally {
      stopHeartbeat();
    }
  });
}

const restartLimitMessage =
  'The task failed repeatedly: its worker crashed, or the database did not respond in time. Start a smaller task. If ' +
  'that fails too, contact your administrator.';

/** Claims a new task, or a running one without a heartbeat in the last 10 seconds, which counts as a restart. */
function claimRun(sql: Sql, id: number): Promise<(RunningTask & { takeUps: number }) | undefined> {
  const staleBefore = raw<Date>`now() - make_interval(secs => ${deadAfterSeconds})`;
  return db(sql)
    .updateTable('tasks')
    .set(
      ({ eb, fn }) =>
        ({
          step: eb('step', '+', 1),
          status: 'RUNNING',
          done: 0,
          failed: 0,
          lastProgress: now,
          takeUps: raw<number>`take_ups + (status = 'RUNNING')::integer`,
          dateStarted: fn.coalesce('dateStarted', now),
        }) satisfies UpdateObject<DB, 'tasks'>,
    )
    .where('id', '=', id)
    .where((eb) =>
      eb('status', '=', 'CREATED').or(
        eb('status', '=', 'RUNNING').and(eb.fn.coalesce('lastProgress', 'dateCreated'), '<', staleBefore),
      ),
    )
    .returning([...runningColumns, 'takeUps'])
    .$narrowType<Narrowed>()
    .executeTakeFirst();
}

/** Returns false if the task was cancelled or claimed by another process. */
async function updateRun(sql: Sql, { id, step }: RunningTask, values: UpdateObject<DB, 'tasks'>): Promise<boolean> {
  const { numUpdatedRows } = await db(sql)
    .updateTable('tasks')
    .set({ ...values, lastProgress: now })
    .where('id', '=', id)
    .where('step', '=', step)
    .where('status', '=', 'RUNNING')
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

const sendHeartbeat = (sql: Sql, task: RunningTask, { done, total }: RunProgress): Promise<boolean> =>
  updateRun(sql, task, { done, total });

/** For a process that stops: another process starts the task again. */
async function releaseRun(transaction: Transaction, task: RunningTask, job: TaskJob): Promise<void> {
  const isReleased = await updateRun(transaction, task, { status: 'CREATED', done: 0 });
  if (isReleased) await job.enqueue(transaction, { taskId: task.id, partnerId: task.partnerId });
}

/** Stores the progress, and aborts `superseded` if the task was cancelled or claimed by another process. */
function startHeartbeat(sql: Sql, task: RunningTask, progress: RunProgress, superseded: AbortController): () => void {
  let isReporting = false;
  const timer = setInterval(async () => {
    if (isReporting) return;
    isReporting = true;
    // Database failures surface in the run itself.
    const isCurrent = await sendHeartbeat(sql, task, progress).catch(() => true);
    isReporting = false;
    if (!isCurrent) superseded.abort();
  }, heartbeatMs);
  return () => clearInterval(timer);
}
