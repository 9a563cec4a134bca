import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';

interface Limit {
  /** Named in the log when it takes longer. */
  part: string;
  limitMs: number;
  log: Logger;
}

/** Whether a part stopped, in time and without an error. One that does not must not keep the others from stopping. */
export async function withinLimit({ part, limitMs, log }: Limit, stop: () => Promise<unknown>): Promise<boolean> {
  const patience = new AbortController();
  const overdue = wait(limitMs, 'overdue', { signal: patience.signal }).catch(() => 'overdue');
  try {
    const result = await Promise.race([stop().then(() => 'stopped'), overdue]);
    if (result === 'overdue') {
      log.error(
        { event: 'service.stop-overdue', part, limitMs },
        `The ${part} did not stop within ${limitMs / 1000} s`,
      );
    }
    return result === 'stopped';
  } catch (error) {
    log.error({ event: 'service.stop-failed', part, err: error });
    return false;
  } finally {
    patience.abort();
  }
}
