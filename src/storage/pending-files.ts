import type { Sql } from '../database/connection.ts';
import { databaseNow } from '../database/database-clock.ts';
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

/** Must be committed before the file is written. */
export async function registerFiles(sql: Sql, names: readonly string[]): Promise<void> {
  await sql.query(`insert into unsettled_files (name, state) select unnest($1::text[]), 'ARRIVING'`, [names]);
}

/** Fails if the sweep has already removed the file. */
export async function confirmFiles(transaction: Transaction, names: readonly string[]): Promise<void> {
  const { rowCount } = await transaction.query(
    `delete from unsettled_files where name = any ($1::text[]) and state = 'ARRIVING'`,
    [names],
  );
  if (rowCount !== names.length) throw new Error('The upload took too long and its files were removed.');
}

/** Call in the transaction that deletes the row. */
export async function releaseFiles(sql: Sql, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await sql.query(
    `insert into unsettled_files (name, state) select unnest($1::text[]), 'LEAVING'
     on conflict (name) do update set state = 'LEAVING', since = now()`,
    [names],
  );
  await sweepFilesJob.enqueue(sql, {});
}

/** Removes released files, and files that were registered before a date and never confirmed. Safe to run concurrently. */
export async function sweepFiles(sql: Sql, files: FileStore, registeredBefore: Date): Promise<number> {
  await sql.query(`update unsettled_files set state = 'LEAVING' where state = 'ARRIVING' and since < $1`, [
    registeredBefore,
  ]);
  let removed = 0;
  for (;;) {
    const { rows } = await sql.query<{ name: string }>(
      `select name from unsettled_files where state = 'LEAVING' order by since, name limit 100`,
    );
    if (rows.length === 0) return removed;
    for (const { name } of rows) {
      await files.remove(name);
      await sql.query(`delete from unsettled_files where name = $1 and state = 'LEAVING'`, [name]);
      removed += 1;
    }
  }
}

/** Uploads and exports take less than half of this from their first byte to their row. */
const maxArrivalMs = 24 * 3_600_000;

/** Removes files that no row references, and partial uploads of processes that died. */
export const storageJob = sweepFilesJob.implement(async (_, { database, files, config, log }) => {
  const now = await databaseNow(database.pool);
  const removed = await sweepFiles(database.pool, files, new Date(now.getTime() - maxArrivalMs));
  // File timestamps follow the clock of the host, not of the database.
  const before = new Date(Date.now() - maxArrivalMs);
  const abandoned = await removeAbandoned(incomingFolder(config.dataDir), before);
  log.info({ event: 'storage.swept', removed, abandoned });
});
