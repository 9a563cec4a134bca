import type pg from 'pg';
import type { DatabaseClient } from './client.ts';
import type { Sql } from './connection.ts';
import { isDatabaseUnavailable } from './faults.ts';
import type { Notifications } from './notifications.ts';
import { defineStatement, run } from './statement.ts';

export type PooledClient = pg.PoolClient & DatabaseClient;

export interface Transaction extends Sql {
  /** Notifies the listeners of a channel after the commit. */
  notifyAfterCommit(channel: string): void;
}

export async function runTransaction<T>(
  pool: pg.Pool,
  notifications: Notifications,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const client = (await pool.connect()) as PooledClient;
  const channels = new Set<string>();
  let uncork: (() => void) | undefined;
  /** The error that aborted the transaction. Statements after it fail as well, and may reject before it. */
  let failure: unknown;
  /** Statements of the same tick are sent in one packet. */
  const query = (...given: Parameters<typeof client.query>) => {
    if (!uncork) {
      uncork = client.corkWrites();
      process.nextTick(() => {
        uncork?.();
        uncork = undefined;
      });
    }
    const sent: unknown = client.query(...given);
    if (sent instanceof Promise) {
      sent.catch((error) => {
        if (!isAborted(error)) failure = error;
      });
    }
    return sent;
  };
  const transaction: Transaction = {
    query: query as unknown as Transaction['query'],
    notifyAfterCommit: (channel) => channels.add(channel),
  };
  let broken: Error | undefined;
  const lost = (error: Error) => {
    broken = error;
  };
  client.on('error', lost);
  try {
    // Not awaited: sent together with the first statement, which fails as well if BEGIN fails.
    const began = transaction.query('begin');
    began.catch(() => {});
    const result = await work(transaction);
    await began;
    const commit = await client.query('commit');
    if (commit.command !== 'COMMIT') throw new Error('The transaction failed and was rolled back.');
    for (const channel of channels) notifications.raise(channel);
    return result;
  } catch (error) {
    if (isDatabaseUnavailable(error)) broken = error as Error;
    await client.query('rollback').catch((lostError: Error) => {
      broken = lostError;
    });
    throw isAborted(error) ? (failure ?? error) : error;
  } finally {
    client.release(broken);
    client.off('error', lost);
  }
}

/** The statement was not executed, because an earlier one of the transaction failed. */
const isAborted = (error: unknown): boolean => (error as { code?: string } | null)?.code === '25P02';

const lockStatements = {
  exclusive: defineStatement({
    name: 'lock-name',
    text: 'select from pg_advisory_xact_lock(hashtextextended($1, 0))',
  }),
  shared: defineStatement({
    name: 'lock-name-shared',
    text: 'select from pg_advisory_xact_lock_shared(hashtextextended($1, 0))',
  }),
};

/** Waits for the lock with this name. The transaction holds it until it ends. Locks are granted in order of request. */
export async function lockName(
  transaction: Transaction,
  name: string,
  mode: keyof typeof lockStatements = 'exclusive',
): Promise<void> {
  await run(transaction, lockStatements[mode], [name]);
}
