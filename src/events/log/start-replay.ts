import type { Static } from 'typebox';
import type { Transaction } from '../../database/transaction.ts';
import { Problem } from '../../problems.ts';
import { type Replay, type ReplayRequest, type ReplayResponse, replayResponse } from './replay.ts';
import { findReplay, findRunningReplayId, insertReplay, replayJob } from './replay-store.ts';

/** The webhook must be locked: two concurrent replays would send events twice. */
export async function startReplay(
  transaction: Transaction,
  webhookId: number,
  replayRequest: ReplayRequest,
  count: number,
): Promise<Static<typeof ReplayResponse>> {
  const running = await findRunningReplayId(transaction, webhookId);
  if (running !== undefined) throw alreadyRunning(webhookId, running);
  const id = await insertReplay(transaction, webhookId, replayRequest, count);
  await replayJob.enqueue(transaction, { replayId: id });
  return replayResponse((await findReplay(transaction, webhookId, id)) as Replay);
}

const alreadyRunning = (webhookId: number, replayId: number) =>
  new Problem('CONFLICT', {
    message:
      `Replay ${replayId} of webhook ${webhookId} is still running. Wait until it finishes, or cancel it with ` +
      `POST /api/sales-partners/webhooks/${webhookId}/replays/${replayId}/cancel.`,
  });
