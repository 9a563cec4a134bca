import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { Problem } from '../../../problems.ts';

/** Throws if the file would exceed the storage limit of the partner. */
export async function requireStorage(sql: Sql, partnerId: number, bytes: number, limitMiB: number): Promise<void> {
  const { rows } = await sql.query<{ used: number }>(
    'select coalesce(sum(size_bytes), 0)::float8 as used from assets where partner_id = $1',
    [partnerId],
  );
  const used = rows[0]?.used ?? 0;
  if (used + bytes <= limitMiB * 2 ** 20) return;
  throw new Problem('STORAGE_FULL', {
    message:
      `The file has ${inMiB(bytes)} MiB. ${inMiB(used)} of ${limitMiB} MiB are used. ` +
      'Delete unused assets, or ask the operator to raise WAYPOST_STORAGE_LIMIT.',
  });
}

/** Locks the partner, so that concurrent uploads are checked one after the other. */
export async function reserveStorage(
  sql: Transaction,
  partnerId: number,
  bytes: number,
  limitMiB: number,
): Promise<void> {
  await sql.query('select from sales_partners where id = $1 for no key update', [partnerId]);
  await requireStorage(sql, partnerId, bytes, limitMiB);
}

const inMiB = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
