import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Sql } from './connection.ts';
import { isDatabaseUnavailable } from './faults.ts';

const againMs = 1000;
const sayEveryMs = 10_000;

interface Waiting {
  log: Pick<Logger, 'warn'>;
  /** Ends the wait. */
  signal: AbortSignal;
}

/** Does work that needs the database as soon as the server can be reached, has started and takes changes. */
export async function waitForDatabase<T>(work: () => Promise<T>, { log, signal }: Waiting): Promise<T> {
  let saidAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      if (performance.now() - saidAt > sayEveryMs) {
        saidAt = performance.now();
        log.warn(
          { event: 'database.awaited', cause: reasonOf(error) },
          `Waiting for the database: ${reasonOf(error)}. Start it, or set DATABASE_URL to another`,
        );
      }
      await pause(againMs, undefined, { signal }).catch(() => {});
      signal.throwIfAborted();
    }
  }
}

/** Several addresses of one host fail together; the first says why. */
export function reasonOf(error: unknown): string {
  const { message } = error instanceof AggregateError ? (error.errors[0] as Error) : (error as Error);
  return message;
}

export async function isReadOnly(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query<{ transaction_read_only: string }>('show transaction_read_only');
  return rows[0]?.transaction_read_only === 'on';
}
