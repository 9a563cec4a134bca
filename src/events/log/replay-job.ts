import type { Logger } from 'pino';
import type { Database } from '../../database/connection.ts';
import { isDatabaseUnavailable } from '../../database/faults.ts';
import { readEventRange } from './event-range.ts';
import { runStep, type StepResult } from './replay-steps.ts';
import { endReplay, findRunningReplay } from './replay-store.ts';

/** Advances a replay as far as its rate allows. It never waits: each step enqueues the next. */
export async function runReplay(
  database: Database,
  replayId: number,
  { log, signal }: { log: Logger; signal?: AbortSignal },
): Promise<void> {
  try {
    const replay = await findRunningReplay(database.pool, replayId);
    if (!replay) return;
    const events = await readEventRange(database.pool, replay);
    let result: StepResult = 'AGAIN';
    let steps = 0;
    for (; result === 'AGAIN' && !signal?.aborted; steps++) {
      result = await database.transaction((transaction) => runStep(transaction, replayId, events));
    }
    log.info({ event: 'replay.advanced', replayId, webhookId: replay.webhookId, steps, result });
  } catch (error) {
    // The job is retried after a database outage.
    if (isDatabaseUnavailable(error)) throw error;
    log.error({ event: 'replay.failed', replayId, err: error });
    await endReplay(
      database.pool,
      replayId,
      'FAILED',
      'The replay failed because of an internal error. Queued deliveries are still sent. Start a new replay for the rest.',
    );
  }
}
