import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';

interface Limit {
  /** The name in the log. */
  part: string;
  limitMs: number;
  log: Logger;
}

/** Returns whether the part stopped in time and without an error. */
export async function withinLimit({ part, limitMs, log }: Limit, stop: () => Promise<unknown>): Promise<boolean> {
  const timeout = new AbortController();
  const overdue = wait(limitMs, 'overdue', { signal: timeout.signal }).catch(() => 'overdue');
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
    timeout.abort();
  }
}
