import { databaseNow } from '../../database/database-clock.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { JobContext } from '../../jobs/job.ts';
import { isTransient } from '../../jobs/tasks/task-job.ts';
import { afterEvent, type EventRange, readEventRange } from './log-page.ts';
import { isRecording, queueCandidates } from './replay-candidates.ts';
import {
  advanceReplay,
  endReplay,
  findRunningReplay,
  hasQueuedDeliveries,
  lockRunningReplay,
  type RunningReplay,
  replayJob,
} from './replay-store.ts';

const maxRunMs = 10_000;

/** Advances a replay as far as its rate allows. It never waits: each step enqueues the next. */
export async function runReplay(
  { replayId }: { replayId: number },
  { database, log, signal }: Pick<JobContext, 'database' | 'log' | 'signal'>,
): Promise<void> {
  try {
    const replay = await findRunningReplay(database.pool, replayId);
    if (!replay) return;
    const payload = { replayId, partnerId: replay.partnerId };
    if (replay.states.includes('SKIPPED') && (await isRecording(database.pool, replay.until))) {
      await replayJob.enqueue(database.pool, payload, { delaySeconds: minPauseSeconds });
      return;
    }
    const events = await readEventRange(database.pool, replay);
    const until = Date.now() + maxRunMs;
    let result: StepResult;
    let steps = 0;
    do {
      result = await database.transaction((transaction) => runStep(transaction, replayId, events));
      steps++;
    } while (result === 'AGAIN' && !signal.aborted && Date.now() < until);
    if (result === 'AGAIN') await replayJob.enqueue(database.pool, payload);
    log.info({ event: 'replay.advanced', replayId, webhookId: replay.webhookId, steps, result });
  } catch (error) {
    // Retried: the database is unavailable, the partner is being moved, or transactions were in conflict.
    if (isTransient(error)) throw error;
    log.error({ event: 'replay.failed', replayId, err: error });
    await endReplay(
      database.pool,
      replayId,
      'FAILED',
      'The replay failed because of an internal error. Queued deliveries are still sent. Start a new replay for the rest.',
    );
  }
}

// Deliveries are queued this far ahead: the queue stays small and a cancel removes few rows.
const queueAheadSeconds = 30;
const chunkSize = 500;
const minPauseSeconds = 1;
const maxPauseSeconds = 10;

/** `AGAIN`: run the next step now. `LATER`: a job was enqueued for it. */
type StepResult = 'AGAIN' | 'LATER' | 'OVER';

/**
 * Queues the next deliveries of a replay. The deliveries, the progress and the job of the next step are one
 * transaction: when the process dies, another one continues with that job.
 */
export async function runStep(transaction: Transaction, id: number, events: EventRange): Promise<StepResult> {
  const replay = await lockRunningReplay(transaction, id);
  if (!replay) return 'OVER';
  if (replay.webhookDeleted) {
    await endReplay(transaction, id, 'CANCELLED', 'The webhook was deleted.');
    return 'OVER';
  }
  const rest = afterEvent(events, replay.afterEventId, false);
  if (rest.first > rest.last) return checkFinished(transaction, replay);
  const capacity = replay.ratePerSecond * queueAheadSeconds - replay.unsent;
  const found = capacity > 0 ? await queueChunk(transaction, replay, rest, Math.min(capacity, chunkSize)) : 0;
  const payload = { replayId: id, partnerId: replay.partnerId };
  await replayJob.enqueue(transaction, payload, { delaySeconds: maxPauseSeconds });
  return found < capacity ? 'AGAIN' : 'LATER';
}

async function queueChunk(
  transaction: Transaction,
  replay: RunningReplay,
  events: EventRange,
  limit: number,
): Promise<number> {
  const { id, ratePerSecond } = replay;
  const { found, queued, cursor } = await queueCandidates(transaction, replay, events, limit);
  const nextDueAt = new Date(replay.nextDueAt.getTime() + (found * 1000) / ratePerSecond);
  await advanceReplay(transaction, id, { queued, afterEventId: cursor, nextDueAt });
  return found;
}

/** All deliveries have been queued. The replay is finished when none is left in the queue. */
async function checkFinished(transaction: Transaction, replay: RunningReplay): Promise<StepResult> {
  const { id, partnerId, nextDueAt } = replay;
  if (!(await hasQueuedDeliveries(transaction, id))) {
    await endReplay(transaction, id, 'FINISHED');
    return 'OVER';
  }
  const left = (nextDueAt.getTime() - (await databaseNow(transaction)).getTime()) / 1000;
  const delaySeconds = Math.min(maxPauseSeconds, Math.max(minPauseSeconds, left));
  await replayJob.enqueue(transaction, { replayId: id, partnerId }, { delaySeconds });
  return 'LATER';
}
