import type { Database } from '../../database/connection.ts';
import { isDatabaseAway } from '../../database/faults.ts';
import type { Transaction } from '../../database/transaction.ts';
import { type JobContext, type PlatformJob, platformJob } from '../platform-job.ts';
import { hasEnded, type Task } from './task.ts';
import {
  completeStep,
  enqueueTask,
  failTask,
  findTaskById,
  finishTask,
  type StepDone,
  type TaskUnderWay,
  takeStep,
} from './task-store.ts';

// Jobs end within a minute; a task that takes longer goes on in another one.
const longestTurnMs = 30_000;
// Two imports may lock the same rows in a different order; the database lets one of them begin its piece again.
const mostCollisions = 5;

/** One piece of work, written in the transaction that also writes how far the task has come. */
export type Step = (transaction: Transaction) => Promise<StepDone>;

/** The task cannot be done, and why, in words for whoever asked for it. Anything else that is thrown is a bug. */
export class TaskFailure extends Error {}

interface TaskWork {
  /** The name that `createTask` is given as its job. */
  job: string;
  /** The pieces of work from the task's position on, in order. Each is done once, whichever process comes to it. */
  steps(task: TaskUnderWay, context: JobContext): AsyncIterable<Step>;
  /** Cleans up behind a task that has ended in whatever way; may happen twice. */
  afterEnd?(task: Task, context: JobContext): Promise<void>;
}

/** The job of a kind of task: begins where the work stands, and ends when it is done, cancelled or done by another. */
export function taskJob({ job, steps, afterEnd }: TaskWork): PlatformJob {
  return platformJob<{ taskId: number }>({
    task: job,
    async run({ taskId }, context) {
      const { database, log } = context;
      const task = await findTaskById(database.pool, taskId);
      if (!task) return;
      try {
        if (!hasEnded(task)) await takeTurn(job, task, steps(task, context), context);
      } catch (error) {
        // A database that is away comes back, and the job is tried again.
        if (isDatabaseAway(error)) throw error;
        if (!(error instanceof TaskFailure)) log.error({ event: 'task.failed', taskId, type: task.type, err: error });
        await failTask(database.pool, taskId, reasonOf(error));
      }
      const left = await findTaskById(database.pool, taskId);
      if (left && hasEnded(left)) await afterEnd?.(left, context);
    },
  });
}

const reasonOf = (error: unknown) =>
  error instanceof TaskFailure
    ? error.message
    : 'It stopped because of a fault on our side. What it had done stays done; a new task does the rest.';

async function takeTurn(
  job: string,
  task: TaskUnderWay,
  steps: AsyncIterable<Step>,
  { database, log, signal }: JobContext,
): Promise<void> {
  const until = Date.now() + longestTurnMs;
  let { step } = task;
  for await (const work of steps) {
    const done = await doStep(database, task.id, step, work);
    // Cancelled, or another process has come to this piece first.
    if (!done) return;
    step += 1;
    if (done.goOnAt || signal.aborted || Date.now() >= until) {
      await enqueueTask(database.pool, task.id, job, done.goOnAt);
      return;
    }
  }
  const finished = await database.transaction(
    async (transaction) => (await takeStep(transaction, task.id, step)) && finishTask(transaction, task.id),
  );
  if (finished) log.info({ event: 'task.finished', taskId: task.id, type: task.type, steps: step });
}

async function doStep(database: Database, id: number, step: number, work: Step): Promise<StepDone | undefined> {
  for (let collisions = 0; ; collisions += 1) {
    try {
      return await database.transaction(async (transaction) => {
        if (!(await takeStep(transaction, id, step))) return undefined;
        const done = await work(transaction);
        await completeStep(transaction, id, done);
        return done;
      });
    } catch (error) {
      if (!isCollision(error) || collisions === mostCollisions) throw error;
    }
  }
}

/** Whether what went wrong says nothing about the work: it can be done again as it is. */
export const isPassing = (error: unknown) => isCollision(error) || isDatabaseAway(error);

/** Deadlock, or a row that was written at the same time. */
const isCollision = (error: unknown) => ['40P01', '40001'].includes((error as { code?: string }).code ?? '');
