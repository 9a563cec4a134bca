import type { Logger } from 'pino';
import type { Database } from '../../database/connection.ts';
import { isDatabaseUnavailable } from '../../database/faults.ts';
import { readEventRange } from './event-range.ts';
import { makeStep, type StepResult } from './replay-steps.ts';
import { endReplay, findReplayUnderWay } from './replay-store.ts';

/** Brings a replay as far as it may go now. It never waits: each step enqueues the next. */
export async function runReplay(
  database: Database,
  replayId: number,
  { log, signal }: { log: Logger; signal?: AbortSignal },
): Promise<void> {
  try {
    const replay = await findReplayUnderWay(database.pool, replayId);
    if (!replay) return;
    const events = await readEventRange(database.pool, replay);
    let result: StepResult = 'AGAIN';
    let steps = 0;
    for (; result === 'AGAIN' && !signal?.aborted; steps++) {
      result = await database.transaction((transaction) => makeStep(transaction, replayId, events));
    }
    log.info({ event: 'replay.advanced', replayId, webhookId: replay.webhookId, steps, result });
  } catch (error) {
    // A database that is away comes back, and the job is tried again.
    if (isDatabaseUnavailable(error)) throw error;
    log.error({ event: 'replay.failed', replayId, err: error });
    await endReplay(
      database.pool,
      replayId,
      'FAILED',
      'It stopped because of a fault on our side. What it had queued is still sent; a new replay finds the rest.',
    );
  }
}
