import type { Database } from '../../database/connection.ts';
import { isDatabaseUnavailable } from '../../database/faults.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { JobContext, JobImplementation } from '../job.ts';
import { hasEnded, type Task } from './task.ts';
import {
  completeStep,
  failTask,
  findTaskById,
  finishTask,
  type StepDone,
  type TaskJob,
  type TaskUnderWay,
  takeStep,
} from './task-store.ts';

// Jobs end within a minute; a task that takes longer goes on in another one.
const longestTurnMs = 30_000;
// Two imports may lock the same rows in a different order; the database lets one of them begin its piece again.
const mostCollisions = 5;

/** One piece of work, written in the transaction that also writes how far the task has come. */
export type Step = (transaction: Transaction) => Promise<StepDone>;

/** In the place of a step: what follows may begin only when everything before it has been written. */
export const allWritten = 'ALL_WRITTEN';

/** In the place of a step: others have to do something first. The rest waits until then, and nobody sits by it. */
export interface Pause {
  pauseSeconds: number;
}

type Piece = Step | typeof allWritten | Pause;

/** The task cannot be done, and why, in words for whoever asked for it. Anything else that is thrown is a bug. */
export class TaskFailure extends Error {}

interface TaskWork {
  /** The handle that `createTask` is given. */
  job: TaskJob;
  /**
   * The pieces of work from the task's position on. They are written in this order, and each once, whichever process
   * comes to it.
   */
  steps(task: TaskUnderWay, context: JobContext): AsyncIterable<Piece>;
  /** How many pieces may be worked on at a time, where one does not need what the one before it writes. */
  atOnce?: number;
  /** Cleans up behind a task that has ended in whatever way; may happen twice. */
  afterEnd?(task: Task, context: JobContext): Promise<void>;
}

/** The job of a kind of task: begins where the work stands, and ends when it is done, cancelled or done by another. */
export function taskJob({ job, steps, atOnce = 1, afterEnd }: TaskWork): JobImplementation {
  return job.implement(async ({ taskId }, context) => {
    const { database, log } = context;
    const task = await findTaskById(database.pool, taskId);
    if (!task) return;
    try {
      if (!hasEnded(task)) await takeTurn({ job, atOnce }, task, steps(task, context), context);
    } catch (error) {
      // A database that is away comes back, and the job is tried again.
      if (isDatabaseUnavailable(error)) throw error;
      if (!(error instanceof TaskFailure)) log.error({ event: 'task.failed', taskId, type: task.type, err: error });
      await failTask(database.pool, taskId, reasonOf(error));
    }
    const left = await findTaskById(database.pool, taskId);
    if (left && hasEnded(left)) await afterEnd?.(left, context);
  });
}

const reasonOf = (error: unknown) =>
  error instanceof TaskFailure
    ? error.message
    : 'It stopped because of a fault on our side. What it had done stays done; a new task does the rest.';

async function takeTurn(
  { job, atOnce }: { job: TaskJob; atOnce: number },
  task: TaskUnderWay,
  steps: AsyncIterable<Piece>,
  { database, log, signal }: JobContext,
): Promise<void> {
  const until = Date.now() + longestTurnMs;
  const pipeline = new Pipeline(database, task);
  try {
    for await (const piece of steps) {
      const isStep = typeof piece === 'function';
      if (isStep) pipeline.begin(piece);
      if (!(await pipeline.settle(isStep ? atOnce - 1 : 0))) return;
      const delaySeconds = typeof piece === 'object' ? piece.pauseSeconds : undefined;
      if (delaySeconds !== undefined || signal.aborted || Date.now() >= until) {
        if (await pipeline.settle(0)) await job.enqueue(database.pool, { taskId: task.id }, { delaySeconds });
        return;
      }
    }
    if (!(await pipeline.settle(0))) return;
  } finally {
    // Whatever ends the turn, nothing is still under way behind it.
    await pipeline.end();
  }
  const { step } = pipeline;
  const finished = await database.transaction(
    async (transaction) => (await takeStep(transaction, task.id, step)) && finishTask(transaction, task.id),
  );
  if (finished) log.info({ event: 'task.finished', taskId: task.id, type: task.type, steps: step });
}

/** Pieces that are worked on at the same time and written in their order. */
class Pipeline {
  readonly #database: Database;
  readonly #taskId: number;
  readonly #underWay: Promise<boolean>[] = [];
  /** The number of the next piece. */
  step: number;

  constructor(database: Database, { id, step }: TaskUnderWay) {
    this.#database = database;
    this.#taskId = id;
    this.step = step;
  }

  begin(work: Step): void {
    const begun = doStep(this.#database, this.#taskId, this.step, work, this.#underWay.at(-1));
    // Whoever settles it hears of its failure.
    begun.catch(() => {});
    this.#underWay.push(begun);
    this.step += 1;
  }

  /** Waits until no more than so many are under way; false when the task is no longer ours. */
  async settle(most: number): Promise<boolean> {
    while (this.#underWay.length > most) if (!(await this.#underWay.shift())) return false;
    return true;
  }

  async end(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }
}

/** The task was cancelled, or another process has come to this piece first: what was done of it here is taken back. */
class Superseded extends Error {}

/**
 * Does a piece and writes it behind the one before. While that is still under way the task's row cannot be locked, so
 * whether the piece is still to be done shows at the end.
 */
async function doStep(
  database: Database,
  id: number,
  step: number,
  work: Step,
  previous: Promise<boolean> | undefined,
): Promise<boolean> {
  for (let collisions = 0; ; collisions += 1) {
    try {
      return await database.transaction(async (transaction) => {
        const early = previous ? undefined : await mustTakeStep(transaction, id, step);
        const done = await work(transaction);
        if (previous && !(await previous)) throw new Superseded();
        await completeStep(transaction, early ?? (await mustTakeStep(transaction, id, step)), done);
        return true;
      });
    } catch (error) {
      if (error instanceof Superseded) return false;
      if (isCollision(error) && collisions < mostCollisions) continue;
      // Two that do the same piece can trip over each other; what the first has written stands.
      if (!isPassing(error) && (await findTaskById(database.pool, id))?.step !== step) return false;
      throw error;
    }
  }
}

async function mustTakeStep(transaction: Transaction, id: number, step: number): Promise<TaskUnderWay> {
  const task = await takeStep(transaction, id, step);
  if (!task) throw new Superseded();
  return task;
}

/** Whether what went wrong says nothing about the work: it can be done again as it is. */
export const isPassing = (error: unknown) => isCollision(error) || isDatabaseUnavailable(error);

/** Deadlock, or a row that was written at the same time. */
const isCollision = (error: unknown) => ['40P01', '40001'].includes((error as { code?: string }).code ?? '');
