import type { Database } from '../../database/connection.ts';
import { isTemporary } from '../../database/faults.ts';
import type { Transaction } from '../../database/transaction.ts';
import { withTimeout } from '../../values/with-timeout.ts';
import { defineJob, type JobContext, type JobImplementation } from '../job.ts';
import { hasEnded, type Task } from './task.ts';
import {
  claimStalledTasks,
  claimStep,
  completeStep,
  deleteEndedTasks,
  failTask,
  findTaskById,
  finishCounted,
  finishTask,
  hasLostItems,
  type RunningTask,
  type StepResult,
  type TaskJob,
} from './task-store.ts';

// Jobs must end within a minute; a longer task continues in the next job.
const maxRunMs = 30_000;
// Concurrent tasks may lock rows in different orders; the step is repeated after a deadlock.
const maxConflicts = 5;

// Steps that run concurrently take about as long as each other.
const maxWaitMs = 2000;

/** One step of a task. Its writes and the progress of the task are one transaction. */
export type Step = (transaction: Transaction) => Promise<StepResult>;

/** Yielded between steps: the next step starts only after all previous steps are committed. */
export const barrier = 'BARRIER';

/** Yielded between steps: the task continues in another job after this time. */
export interface Pause {
  pauseSeconds: number;
}

type StepItem = Step | typeof barrier | Pause;

/** Position of steps that run one after the other. A step that is repeated after a conflict gets the same position. */
export class StepPosition<Position> {
  current: Position;

  constructor(current: Position) {
    this.current = current;
  }

  step(work: (transaction: Transaction, from: Position) => Promise<StepResult & { position: Position }>): Step {
    const from = this.current;
    return async (transaction) => {
      const result = await work(transaction, from);
      this.current = result.position;
      return result;
    };
  }
}

/** Fails the task with a message for the user. Any other error, or a `cause`, is logged as an internal error. */
export class TaskFailure extends Error {}

interface TaskHandler {
  /** The same handle as in `createTask`. */
  job: TaskJob;
  /**
   * The steps from the task's position on. They are committed in this order, each exactly once.
   */
  steps(task: RunningTask, context: JobContext): AsyncIterable<StepItem>;
  /** Steps that may run concurrently, if a step does not depend on the writes of the previous one. */
  concurrency?: number;
  /** The steps start items, whose jobs call `reportItems`. By default, the task is finished after the last step. */
  finishedByReports?: boolean;
  /** Cleans up after the task has finished, failed or been cancelled; may run twice. */
  afterEnd?(task: Task, context: JobContext): Promise<void>;
}

/** Implements the job of a task type: continues at the task's position until the task is finished or cancelled. */
export function taskJob(handler: TaskHandler): JobImplementation {
  const { job, steps, afterEnd } = handler;
  return job.implement(async ({ taskId }, context) => {
    const { database, log } = context;
    const task = await findTaskById(database.pool, taskId);
    if (!task) return;
    try {
      if (!hasEnded(task)) await runSteps(handler, task, steps(task, context), context);
    } catch (error) {
      // Retried: the database is unavailable, or the partner is being moved.
      if (isTemporary(error)) throw error;
      const advice = 'Completed steps are kept. Start a new task for the rest.';
      await failTask(database.pool, taskId, failureMessage(task, error, log, advice));
    }
    const left = await findTaskById(database.pool, taskId);
    if (left && hasEnded(left)) await afterEnd?.(left, context);
  });
}

/** The message for the user. Logs the error, unless the user can solve it. */
export function failureMessage({ id, type }: Task, error: unknown, log: JobContext['log'], advice: string): string {
  const err = error instanceof TaskFailure ? error.cause : error;
  if (err !== undefined) log.error({ event: 'task.failed', taskId: id, type, err });
  if (error instanceof TaskFailure) return error.message;
  return `The task failed because of an internal error. ${advice}`;
}

async function runSteps(
  { job, concurrency = 1, finishedByReports = false }: TaskHandler,
  task: RunningTask,
  steps: AsyncIterable<StepItem>,
  { database, log, signal }: JobContext,
): Promise<void> {
  const until = Date.now() + maxRunMs;
  const pipeline = new Pipeline(database, task);
  try {
    for await (const piece of steps) {
      const isStep = typeof piece === 'function';
      if (isStep) pipeline.begin(piece);
      if (!(await pipeline.settle(isStep ? concurrency - 1 : 0))) return;
      const delaySeconds = typeof piece === 'object' ? piece.pauseSeconds : undefined;
      if (delaySeconds !== undefined || signal.aborted || Date.now() >= until) {
        if (await pipeline.settle(0))
          await job.enqueue(database.pool, { taskId: task.id, partnerId: task.partnerId }, { delaySeconds });
        return;
      }
    }
    if (!(await pipeline.settle(0))) return;
  } finally {
    // Wait for running steps also after an error.
    await pipeline.end();
  }
  const { step } = pipeline;
  const finished = await database.transaction(async (transaction) => {
    if (!(await claimStep(transaction, task.id, step))) return false;
    if (!finishedByReports) return finishTask(transaction, task.id);
    if (await finishCounted(transaction, task.id)) return true;
    if (await hasLostItems(transaction, task.id)) throw new TaskFailure(lostItemsMessage, { cause: 'lost items' });
    return false;
  });
  if (finished) log.info({ event: 'task.finished', taskId: task.id, type: task.type, steps: step });
}

const lostItemsMessage =
  'The task failed: some items have no result, because their worker crashed repeatedly. The other items are complete. ' +
  'Start a new task for the rest. If that fails too, contact your administrator.';

/** Runs steps concurrently and commits them in order. */
class Pipeline {
  readonly #database: Database;
  readonly #taskId: number;
  readonly #pending: Promise<boolean>[] = [];
  /** Number of the next step. */
  step: number;

  constructor(database: Database, { id, step }: RunningTask) {
    this.#database = database;
    this.#taskId = id;
    this.step = step;
  }

  begin(work: Step): void {
    const begun = runStep(this.#database, this.#taskId, this.step, work, this.#pending.at(-1));
    // The error is thrown by settle().
    begun.catch(() => {});
    this.#pending.push(begun);
    this.step += 1;
  }

  /** Waits until at most this many steps are pending; false if another process runs the task now. */
  async settle(most: number): Promise<boolean> {
    while (this.#pending.length > most) if (!(await this.#pending.shift())) return false;
    return true;
  }

  async end(): Promise<void> {
    await Promise.allSettled(this.#pending);
  }
}

/** Rolls back a step because the task was cancelled or another process has committed the step. */
class Superseded extends Error {}

/** Rolls back a step because the previous one may wait for its locks. */
class Blocking extends Error {}

/**
 * Runs a step and commits it after the previous one. While the previous step is running the task row cannot be locked, so
 * the step is claimed at the end.
 */
async function runStep(
  database: Database,
  id: number,
  step: number,
  work: Step,
  previous: Promise<boolean> | undefined,
): Promise<boolean> {
  for (let conflicts = 0; ; conflicts += 1) {
    try {
      return await database.transaction(async (transaction) => {
        const early = previous ? undefined : await requireStep(transaction, id, step);
        const done = await work(transaction);
        if (previous && !(await endOf(previous))) throw new Superseded();
        await completeStep(transaction, early ?? (await requireStep(transaction, id, step)), done);
        return true;
      });
    } catch (error) {
      if (error instanceof Superseded) return false;
      if (error instanceof Blocking) {
        await Promise.allSettled([previous]);
        continue;
      }
      if (isConflict(error) && conflicts < maxConflicts) continue;
      // Another process may have committed the same step, which can cause errors here, such as unique violations.
      if (!isTransient(error) && (await findTaskById(database.pool, id))?.step !== step) return false;
      throw error;
    }
  }
}

/** Waits for the end of a step, but not long: the database cannot detect that the step waits for the waiting one. */
const endOf = (step: Promise<boolean>): Promise<boolean> =>
  withTimeout(maxWaitMs, step, () => {
    throw new Blocking();
  });

async function requireStep(transaction: Transaction, id: number, step: number): Promise<RunningTask> {
  const task = await claimStep(transaction, id, step);
  if (!task) throw new Superseded();
  return task;
}

/** Whether the same work can be retried without changes. */
export const isTransient = (error: unknown) => isConflict(error) || isTemporary(error);

/** Deadlock or serialization failure. */
const isConflict = (error: unknown) => ['40P01', '40001'].includes((error as { code?: string }).code ?? '');

// Steps take seconds. If one takes longer, the row lock and the step number prevent a second commit.
const stalledSeconds = 120;
const keptDays = 90;
// A task that crashes its process repeatedly must not crash the next one as well.
export const maxRestarts = 10;
const crashLimitMessage =
  'The task failed: its worker crashed 10 times. Start a smaller task. If that fails too, contact your administrator.';

/** Restarts tasks whose process died. */
const restartStalledTasks = defineJob('tasks.take-up', { schedule: '* * * * *' }).implement(
  async (_, { database, log }) => {
    for (const { id, partnerId, job, restarts } of await claimStalledTasks(database.pool, stalledSeconds)) {
      if (restarts > maxRestarts) {
        await failTask(database.pool, id, crashLimitMessage);
        log.error({ event: 'task.restart-limit', taskId: id, job: job.name });
      } else log.info({ event: 'task.restarted', taskId: id, job: job.name });
      // The job cleans up after a failed task.
      await job.enqueue(database.pool, { taskId: id, partnerId });
    }
  },
);

const deleteOldTasks = defineJob('tasks.forget', { schedule: '23 3 * * *' }).implement(async (_, { database, log }) => {
  const deleted = await deleteEndedTasks(database.pool, keptDays);
  log.info({ event: 'tasks.deleted', deleted });
});

export const taskJobs: readonly JobImplementation[] = [restartStalledTasks, deleteOldTasks];
