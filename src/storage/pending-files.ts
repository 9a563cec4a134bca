import type { Sql } from '../database/connection.ts';
import { databaseNow } from '../database/database-clock.ts';
import { anyOf, db } from '../database/query-builder.ts';
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
 *   releaseFiles, in the transaction that deletes the row → sweepFiles removes the file
 */
const sweepFilesJob = defineJob('storage.sweep', { key: () => 'storage.sweep', schedule: '*/10 * * * *' });

const trackFiles = defineStatement({
  name: 'track-files',
  text: `insert into unsettled_files (name, state) select unnest($1::text[]), $2
         on conflict (name) do update set state = excluded.state, since = now()`,
});

/** Must be committed before the file is written. */
export async function registerFiles(sql: Sql, names: readonly string[]): Promise<void> {
  await run(sql, trackFiles, [names, 'ARRIVING']);
}

/** Fails if the sweep has already removed the file. */
export async function confirmFiles(transaction: Transaction, names: readonly string[]): Promise<void> {
  const { numDeletedRows } = await db(transaction)
    .deleteFrom('unsettledFiles')
    .where('name', '=', anyOf(names, 'text'))
    .where('state', '=', 'ARRIVING')
    .executeTakeFirst();
  if (Number(numDeletedRows) !== names.length) {
    throw new Error('The upload took too long and its files were removed.');
  }
}

/** Removes files that were registered and not confirmed. */
export async function discardFiles(sql: Sql, files: FileStore, names: readonly string[]): Promise<void> {
  const registered = await db(sql)
    .selectFrom('unsettledFiles')
    .select('name')
    .where('name', '=', anyOf(names, 'text'))
    .where('state', '=', 'ARRIVING')
    .execute();
  for (const { name } of registered) await files.remove(name);
  await db(sql)
    .deleteFrom('unsettledFiles')
    .where('name', '=', anyOf(names, 'text'))
    .where('state', '=', 'ARRIVING')
    .execute();
}

/** Call in the transaction that deletes the row. */
export async function releaseFiles(sql: Sql, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await run(sql, trackFiles, [names, 'LEAVING']);
  await sweepFilesJob.enqueue(sql, {});
}

/** More failures mean that the store is not available. */
const maxFailures = 10;

/**
 * Removes released files, and files that were registered before a date and never confirmed. Safe to run concurrently. A
 * file that cannot be removed does not keep the others; its error is thrown at the end.
 */
export async function sweepFiles(sql: Sql, files: FileStore, registeredBefore: Date): Promise<number> {
  await db(sql)
    .updateTable('unsettledFiles')
    .set({ state: 'LEAVING' })
    .where('state', '=', 'ARRIVING')
    .where('since', '<', registeredBefore)
    .execute();
  const failures: unknown[] = [];
  let removed = 0;
  for (;;) {
    const leaving = await db(sql)
      .selectFrom('unsettledFiles')
      .select('name')
      .where('state', '=', 'LEAVING')
      .orderBy('since')
      .orderBy('name')
      // Files that could not be removed are still the first.
      .offset(failures.length)
      .limit(100)
      .execute();
    if (leaving.length === 0) break;
    for (const { name } of leaving) {
      try {
        await files.remove(name);
      } catch (error) {
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

// An arbitrary advisory lock id.
const keepLock = 5_118_340_227;

/** Files are not removed until this session ends: a backup reads them after its snapshot. */
export async function keepFiles(session: Sql): Promise<void> {
  await session.query('select pg_advisory_lock_shared($1)', [keepLock]);
}

async function areFilesKept(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query(
    `select from pg_locks where locktype = 'advisory' and (classid::bigint << 32) + objid::bigint = $1
       and database = (select oid from pg_database where datname = current_database())`,
    [keepLock],
  );
  return rows.length > 0;
}

/** Uploads and exports take less than half of this from their first byte to their row. */
const maxArrivalMs = 24 * 3_600_000;

/** Removes files that no row references, and partial uploads of processes that died. */
export const storageJob = sweepFilesJob.implement(async (_, { database, files, config, log }) => {
  if (await areFilesKept(database.pool)) return log.info({ event: 'storage.sweep-postponed' });
  const now = await databaseNow(database.pool);
  const removed = await sweepFiles(database.pool, files, new Date(now.getTime() - maxArrivalMs));
  // File timestamps follow the clock of the host, not of the database.
  const before = new Date(Date.now() - maxArrivalMs);
  const abandoned = await removeAbandoned(incomingFolder(config.dataDir), before);
  log.info({ event: 'storage.swept', removed, abandoned });
});
