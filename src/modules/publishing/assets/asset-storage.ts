import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { Problem } from '../../../problems.ts';

/** Refuses a file that would not fit into the storage of its partner. */
export async function demandStorage(sql: Sql, partnerId: number, bytes: number, limitMiB: number): Promise<void> {
  const { rows } = await sql.query<{ used: number }>(
    'select coalesce(sum(size_bytes), 0)::float8 as used from assets where partner_id = $1',
    [partnerId],
  );
  const used = rows[0]?.used ?? 0;
  if (used + bytes <= limitMiB * 2 ** 20) return;
  throw new Problem('STORAGE_FULL', {
    message:
      `The file has ${inMiB(bytes)} MiB, and ${inMiB(used)} of ${limitMiB} MiB are used. ` +
      'Delete assets that are not needed any more, or have WAYPOST_STORAGE_LIMIT raised.',
  });
}

/** The same for the rest of the transaction: other uploads of the partner wait until this one is counted. */
export async function reserveStorage(
  sql: Transaction,
  partnerId: number,
  bytes: number,
  limitMiB: number,
): Promise<void> {
  await sql.query('select from sales_partners where id = $1 for no key update', [partnerId]);
  await demandStorage(sql, partnerId, bytes, limitMiB);
}

const inMiB = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
