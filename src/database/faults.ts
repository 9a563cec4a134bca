import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Problem } from '../problems.ts';
import type { Sql } from './connection.ts';

// Connection exceptions, insufficient resources, shutdown, timeouts of statements and idle transactions, and read-only (a
// standby, or the former primary after a failover).
const unavailableStates = /^(08...|53...|57P0\d|57014|25P03|25006)$/;
const networkCalls = new Set(['getaddrinfo', 'connect', 'read', 'write']);
// The driver has no codes for these.
const unavailableMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered|Client was closed)/;

// Errors of files and S3 have the same codes, so the connection marks its own errors.
const networkFaults = new WeakSet<Error>();

/** Called for errors of a database connection. */
export function markDatabaseError(error: Error): void {
  if (isNetworkFault(error)) networkFaults.add(error);
}

const isNetworkFault = (error: Error & { syscall?: string }): boolean =>
  error instanceof AggregateError ? error.errors.some(isNetworkFault) : networkCalls.has(error.syscall ?? '');

/** Whether the error means that the database is temporarily unavailable. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as { code?: string };
  return networkFaults.has(error) || unavailableStates.test(code) || unavailableMessages.test(error.message);
}

/** The server rolled the transaction back, because it and another one waited for each other. */
export const isDeadlock = (error: unknown): boolean => (error as { code?: string } | null)?.code === '40P01';

/** Raised by `refuse_moving_partner`: rows of a partner that is being moved to another cell cannot be changed. */
export const isPartnerMoving = (error: unknown): boolean => (error as { code?: string } | null)?.code === 'WP001';

/** Whether the same work can succeed later without a change. */
export const isTemporary = (error: unknown): boolean => isDatabaseUnavailable(error) || isPartnerMoving(error);

/** Whether the statement violated the unique index. */
export function violates(error: unknown, uniqueIndex: string): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && constraint === uniqueIndex;
}

/** Throws the problem if the statement violates the unique index. */
export const rejectDuplicate = <T>(statement: Promise<T>, uniqueIndex: string, problem: () => Problem): Promise<T> =>
  statement.catch((error) => {
    throw violates(error, uniqueIndex) ? problem() : error;
  });

/** The database cannot be used. The message tells the operator what to do. */
export class DatabaseProblem extends Error {}

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
          { event: 'database.unavailable', cause: reasonOf(error) },
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
  const { rows } = await sql.query('show transaction_read_only');
  return rows[0]?.transaction_read_only === 'on';
}
