import type { Sql } from '../database/connection.ts';
import type { Transaction } from '../database/transaction.ts';
import { defineJob } from '../jobs/job.ts';
import type { FileStore } from './file-store.ts';

/**
 * Bytes and rows are not written in one transaction. So a name is written down before its bytes are, and again when
 * its row goes: whatever instant a process dies at, what is left over is known and can be removed.
 *
 *   registerFiles → FileStore.put → confirmFiles, in the transaction of the row that names them
 *   releaseFiles, in the transaction that deletes that row → the sweep removes the bytes
 */
export const sweepFilesJob = defineJob('storage.sweep', { key: () => 'storage.sweep', schedule: '*/10 * * * *' });

/** In a statement of its own, before the bytes are put. */
export async function registerFiles(sql: Sql, names: readonly string[]): Promise<void> {
  await sql.query(`insert into unsettled_files (name, state) select unnest($1::text[]), 'ARRIVING'`, [names]);
}

/** A name that was announced too long ago may be gone from the store already, and is not taken any more. */
export async function confirmFiles(transaction: Transaction, names: readonly string[]): Promise<void> {
  const { rowCount } = await transaction.query(
    `delete from unsettled_files where name = any ($1::text[]) and state = 'ARRIVING'`,
    [names],
  );
  if (rowCount !== names.length) throw new Error('The files took too long to arrive and are swept away.');
}

/** Nothing names them any more once this has committed. */
export async function releaseFiles(sql: Sql, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await sql.query(
    `insert into unsettled_files (name, state) select unnest($1::text[]), 'LEAVING'
     on conflict (name) do update set state = 'LEAVING', since = now()`,
    [names],
  );
  await sweepFilesJob.enqueue(sql, {});
}

/** Removes what has left, and what was announced before a moment and never kept. Two may do it at once. */
export async function sweepFiles(sql: Sql, files: FileStore, announcedBefore: Date): Promise<number> {
  await sql.query(`update unsettled_files set state = 'LEAVING' where state = 'ARRIVING' and since < $1`, [
    announcedBefore,
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
