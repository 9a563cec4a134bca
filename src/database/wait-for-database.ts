import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Sql } from './connection.ts';
import { isDatabaseUnavailable } from './faults.ts';

const retryMs = 1000;
const logEveryMs = 10_000;

interface Waiting {
  log: Pick<Logger, 'warn'>;
  /** Stops waiting. */
  signal: AbortSignal;
}

/** Retries the work until the database is reachable and writable. */
export async function waitForDatabase<T>(work: () => Promise<T>, { log, signal }: Waiting): Promise<T> {
  let loggedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      if (performance.now() - loggedAt > logEveryMs) {
        loggedAt = performance.now();
        log.warn(
          { event: 'database.awaited', cause: reasonOf(error) },
          `Waiting for the database: ${reasonOf(error)}. Start it, or change DATABASE_URL`,
        );
      }
      await pause(retryMs, undefined, { signal }).catch(() => {});
      signal.throwIfAborted();
    }
  }
}

/** An AggregateError has one error per address of the host; the first is enough. */
export function reasonOf(error: unknown): string {
  const { message } = error instanceof AggregateError ? (error.errors[0] as Error) : (error as Error);
  return message;
}

export async function isReadOnly(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query<{ transaction_read_only: string }>('show transaction_read_only');
  return rows[0]?.transaction_read_only === 'on';
}
