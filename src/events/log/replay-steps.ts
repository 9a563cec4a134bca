import { databaseNow } from '../../database/database-clock.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { EventRange } from './event-range.ts';
import { queueCandidates } from './replay-candidates.ts';
import {
  advanceReplay,
  endReplay,
  hasQueuedDeliveries,
  lockReplayUnderWay,
  type ReplayUnderWay,
  replayJob,
} from './replay-store.ts';

// So far ahead of their time deliveries are queued: the queue stays small, and little is withdrawn by a cancel.
const aheadSeconds = 30;
const chunkSize = 500;
const shortestPauseSeconds = 1;
const longestPauseSeconds = 10;

/** `AGAIN`: another step can be made at once. `LATER`: a job was enqueued for it. */
export type StepResult = 'AGAIN' | 'LATER' | 'OVER';

/**
 * Queues the next deliveries of a replay. The deliveries, the progress and the job of the next step are one
 * transaction: when the process dies, another one continues with that job.
 */
export async function makeStep(transaction: Transaction, id: number, events: EventRange): Promise<StepResult> {
  const replay = await lockReplayUnderWay(transaction, id);
  if (!replay) return 'OVER';
  if (replay.webhookDeleted) {
    await endReplay(transaction, id, 'CANCELLED', 'The webhook was deleted.');
    return 'OVER';
  }
  const rest = { ...events, first: Math.max(events.first, replay.afterEventId + 1) };
  if (rest.first > rest.last) return awaitEnd(transaction, replay);
  const room = replay.ratePerSecond * aheadSeconds - replay.unsent;
  const found = room > 0 ? await queueChunk(transaction, replay, rest, Math.min(room, chunkSize)) : 0;
  await replayJob.enqueue(transaction, { replayId: id }, { delaySeconds: longestPauseSeconds });
  return found < room ? 'AGAIN' : 'LATER';
}

async function queueChunk(
  transaction: Transaction,
  replay: ReplayUnderWay,
  events: EventRange,
  limit: number,
): Promise<number> {
  const { id: replayId, webhookId, states, ratePerSecond, nextDueAt } = replay;
  const chunk = await queueCandidates(
    transaction,
    { webhookId, states, events },
    { replayId, firstDueAt: nextDueAt, ratePerSecond, limit },
  );
  await advanceReplay(transaction, replayId, {
    queued: chunk.queued,
    afterEventId: chunk.reached,
    nextDueAt: new Date(nextDueAt.getTime() + (chunk.found * 1000) / ratePerSecond),
  });
  return chunk.found;
}

/** Everything has been queued; it is finished when nothing is waiting any more. */
async function awaitEnd(transaction: Transaction, { id, nextDueAt }: ReplayUnderWay): Promise<StepResult> {
  if (!(await hasQueuedDeliveries(transaction, id))) {
    await endReplay(transaction, id, 'FINISHED');
    return 'OVER';
  }
  const left = (nextDueAt.getTime() - (await databaseNow(transaction)).getTime()) / 1000;
  const delaySeconds = Math.min(longestPauseSeconds, Math.max(shortestPauseSeconds, left));
  await replayJob.enqueue(transaction, { replayId: id }, { delaySeconds });
  return 'LATER';
}
