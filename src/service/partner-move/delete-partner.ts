import type pg from 'pg';
import { releaseHeldWebhooks, webhooksOf } from '../../events/delivery/leases.ts';
import { isOwnedBy, type PartnerTable } from './partner-tables.ts';

/** Rows per transaction. */
const batch = 5000;

/** Without triggers and foreign keys: these rows are no longer counted here, and all that refer to each other are deleted. */
export const withoutTriggers = 'set local session_replication_role = replica';

/** Deletes the rows of partners in short transactions. May be repeated. */
export async function deletePartner(
  client: pg.Client,
  tables: readonly PartnerTable[],
  partnerIds: readonly number[],
): Promise<number> {
  let deleted = 0;
  const isPart = ({ owner }: PartnerTable) => owner !== undefined;
  const isPartners = ({ table }: PartnerTable) => table === 'sales_partners';
  // Rows whose owner is found in another table first, the partners last.
  for (const table of tables.filter(isPart)) deleted += await deleteRows(client, table, partnerIds);
  // The queue is empty now.
  await releaseHeldWebhooks(client, await webhooksOf(client, partnerIds));
  const others = tables.filter((table) => !isPart(table) && !isPartners(table));
  for (const table of [...others, ...tables.filter(isPartners)]) deleted += await deleteRows(client, table, partnerIds);
  return deleted;
}

async function deleteRows(client: pg.Client, table: PartnerTable, partnerIds: readonly number[]): Promise<number> {
  const condition = isOwnedBy(table, partnerIds);
  for (let total = 0; ; ) {
    await client.query(`begin; ${withoutTriggers}`);
    // With the condition, because partitions have rows with the same ctid.
    const { rowCount } = await client.query(
      `delete from ${table.name}
       where ctid = any (array(select ctid from ${table.name} where ${condition} limit ${batch})) and ${condition}`,
    );
    await client.query('commit');
    if (!rowCount) return total;
    total += rowCount;
  }
}
