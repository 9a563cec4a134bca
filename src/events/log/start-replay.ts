import type { Static } from 'typebox';
import type { Transaction } from '../../database/transaction.ts';
import { Problem } from '../../problems.ts';
import { type Replay, type ReplayAnswer, type ReplayOrder, replayResponse } from './replay.ts';
import { findReplay, insertReplay, replayJob, runningReplay } from './replay-store.ts';

/** Starts a replay of a webhook that the transaction has locked: two at once would send events twice. */
export async function startReplay(
  transaction: Transaction,
  webhookId: number,
  order: ReplayOrder,
  count: number,
): Promise<Static<typeof ReplayAnswer>> {
  const running = await runningReplay(transaction, webhookId);
  if (running !== undefined) throw alreadyRunning(webhookId, running);
  const id = await insertReplay(transaction, webhookId, order, count);
  await replayJob.enqueue(transaction, { replayId: id });
  return replayResponse((await findReplay(transaction, webhookId, id)) as Replay);
}

const alreadyRunning = (webhookId: number, replayId: number) =>
  new Problem('CONFLICT', {
    message:
      `Replay ${replayId} of webhook ${webhookId} is still running. Wait for its end, or cancel it with ` +
      `POST /api/sales-partners/webhooks/${webhookId}/replays/${replayId}/cancel.`,
  });
