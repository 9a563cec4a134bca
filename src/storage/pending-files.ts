import type { Sql } from '../database/connection.ts';
import { databaseNow } from '../database/database-clock.ts';
import { anyOf, db, raw } from '../database/query-builder.ts';
import { defineStatement, run } from '../database/statement.ts';
import type { Transaction } from '../database/transaction.ts';
import { defineJob } from '../jobs/job.ts';
import type { FileStore } from './file-store.ts';
import { incomingFolder, removeAbandoned } from './received-file.ts';

/**
 * Files and rows are not written in one transaction. Names of files without a row are tracked, so that the sweep can
 * remove files after a crash:
 *
 *   registerFiles → FileStore.put → confirmFiles, in the transaction that inserts the row
 *   releaseUnconfirmedFiles, if that transaction is not reached or fails
 *   releaseFiles, in the transaction that deletes the row → sweepFiles removes the file
 */
const sweepFilesJob = defineJob('storage.sweep', { key: () => 'storage.sweep', schedule: '*/10 * * * *' });

const trackFiles = defineStatement({
  name: 'track-files',
  text: `insert into unsettled_files (name, state) select unnest($1::text[]), $2
         on conflict (name) do update set state = excluded.state, since = now()`,
});

const isRegistered = (names: readonly string[]) => raw<boolean>`name = ${anyOf(names, 'text')} and state = 'ARRIVING'`;

/** Must be committed before the file is written. */
export async function registerFiles(sql: Sql, names: readonly string[]): Promise<void> {
  await run(sql, trackFiles, [names, 'ARRIVING']);
}

/** Fails if the sweep has already removed the file. */
export async function confirmFiles(transaction: Transaction, names: readonly string[]): Promise<void> {
  const { numDeletedRows } = await db(transaction)
    .deleteFrom('unsettledFiles')
    .where(isRegistered(names))
    .executeTakeFirst();
  if (Number(numDeletedRows) !== names.length) {
    throw new Error('The files were not confirmed within 24 hours and were removed. Repeat the upload or export.');
  }
}

/** Removes files that were registered and not confirmed. */
export async function discardFiles(sql: Sql, files: FileStore, names: readonly string[]): Promise<void> {
  const registered = await db(sql).selectFrom('unsettledFiles').select('name').where(isRegistered(names)).execute();
  for (const { name } of registered) await files.remove(name);
  await db(sql).deleteFrom('unsettledFiles').where(isRegistered(names)).execute();
}

/** Call in the transaction that deletes the row. */
export async function releaseFiles(sql: Sql, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await run(sql, trackFiles, [names, 'LEAVING']);
  await sweepFilesJob.enqueue(sql, {});
}

/** After a failure. Files whose transaction was committed, although its response was lost, are kept. */
export async function releaseUnconfirmedFiles(sql: Sql, names: readonly string[]): Promise<void> {
  await db(sql)
    .updateTable('unsettledFiles')
    .set({ state: 'LEAVING', since: raw<Date>`now()` })
    .where(isRegistered(names))
    .execute();
  await sweepFilesJob.enqueue(sql, {});
}

/** After this number of failures, the sweep ends: the store is probably unavailable. */
const maxFailures = 10;
const batchSize = 100;

// An arbitrary advisory lock id.
const keepLock = 5_118_340_227;

/** Files that are released from now on are not removed until this session ends: a backup reads them after its snapshot. */
export async function keepFiles(session: Sql): Promise<void> {
  await session.query('select pg_advisory_lock_shared($1)', [keepLock]);
}

/**
 * Removes released files, and files that were registered before a date and never confirmed. Ends when a backup begins.
 * Files that cannot be removed are retried after all others, in the next sweep; the first error is thrown at the end.
 */
export async function sweepFiles(sql: Sql, files: FileStore, registeredBefore: Date): Promise<number> {
  await db(sql)
    .updateTable('unsettledFiles')
    .set({ state: 'LEAVING' })
    .where('state', '=', 'ARRIVING')
    .where('since', '<', registeredBefore)
    .execute();
  // As text: a Date has no microseconds.
  const { rows } = await sql.query<{ now: string }>('select now()::text');
  const failures: unknown[] = [];
  let removed = 0;
  for (;;) {
    const released = await db(sql)
      .selectFrom('unsettledFiles')
      .select('name')
      .where('state', '=', 'LEAVING')
      .where('since', '<', raw<Date>`${rows[0]?.now}::timestamptz`)
      // For this statement only: the snapshot of a later backup does not reference the selected files.
      .where(raw<boolean>`(select pg_try_advisory_xact_lock(${keepLock}))`)
      .orderBy('since')
      .orderBy('name')
      .limit(batchSize)
      .execute();
    if (released.length === 0) break;
    for (const { name } of released) {
      try {
        await files.remove(name);
      } catch (error) {
        await db(sql).updateTable('unsettledFiles').set({ since: raw<Date>`now()` }).where('name', '=', name).execute();
        if (failures.push(error) === maxFailures) throw error;
        continue;
      }
      await db(sql).deleteFrom('unsettledFiles').where('name', '=', name).where('state', '=', 'LEAVING').execute();
      removed += 1;
    }
  }
  if (failures.length > 0) throw failures[0];
  return removed;
}

/** Uploads and exports take less than half of this from their first byte to their row. */
const maxArrivalMs = 24 * 3_600_000;

/** Removes files that no row references, and partial uploads of processes that died. */
export const storageJob = sweepFilesJob.implement(async (_, { database, files, config, log }) => {
  // File timestamps follow the clock of the host, not of the database.
  const before = new Date(Date.now() - maxArrivalMs);
  const abandoned = await removeAbandoned(incomingFolder(config.dataDir), before);
  const now = await databaseNow(database.pool);
  const removed = await sweepFiles(database.pool, files, new Date(now.getTime() - maxArrivalMs));
  log.info({ event: 'storage.swept', removed, abandoned });
});
