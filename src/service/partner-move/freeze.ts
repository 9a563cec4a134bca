import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from '../../database/connection.ts';
import { withinLockTimeout } from '../../database/migrate.ts';
import { setMovingPartners } from '../../database/partner-moves.ts';
import { holdWebhooks, releaseHeldWebhooks, webhooksOf } from '../../events/delivery/leases.ts';
import { idList, type PartnerTable } from './partner-tables.ts';

/** Reads write to these tables: a few seconds of use counts are lost, and the last use of a session. */
const unfrozen = new Set(['deprecated_use']);
const onlyUpdatedByReads = new Set(['user_sessions']);

/** Runs before the other tables are frozen: while webhooks cannot be created, all deliveries can be held back. */
const frozenFirst = ['sales_partners', 'webhooks'];

const triggerName = (rootId: number, kind: 'write' | 'delete') => `partner_move_${rootId}_${kind}`;

/**
 * Freezes a root partner with triggers that refuse changes of its rows. A trigger is created when the open transactions on
 * its table have ended, so no change is under way afterwards. Returns the ids of the partners. May be repeated.
 */
export async function freeze(sql: Sql, rootId: number, tables: readonly PartnerTable[]): Promise<number[]> {
  const first = frozenFirst.map((name) => tables.find(({ table }) => table === name) as PartnerTable);
  const [partners, webhooks] = first as [PartnerTable, PartnerTable];
  await createTriggers(sql, rootId, partners, (row) => `${row}.lineage[1] = ${rootId}`);
  const { rows } = await sql.query<{ id: number }>(
    `select id from ${partners.name} where lineage[1] = $1 order by id`,
    [rootId],
  );
  const partnerIds = rows.map(({ id }) => id);
  await setMovingPartners(sql, rootId, partnerIds);
  const ofPartners = (row: string) => `${row}.partner_id = any (${idList(partnerIds)})`;
  await createTriggers(sql, rootId, webhooks, ofPartners);
  const webhookIds = await webhooksOf(sql, partnerIds);
  await pause(1000 * (await holdWebhooks(sql, webhookIds)));
  for (const table of tables) {
    if (unfrozen.has(table.table) || first.includes(table)) continue;
    if (table.owner === undefined) await createTriggers(sql, rootId, table, ofPartners);
    else if (table.owner === 'webhooks')
      await createTriggers(sql, rootId, table, (row) => `${row}.webhook_id = any (${idList(webhookIds)})`);
    else await createTriggers(sql, rootId, table);
  }
  return partnerIds;
}

/** Without a condition on the row, the trigger looks up the partner in the table of the owner. */
async function createTriggers(
  sql: Sql,
  rootId: number,
  { table, name, column, owner }: PartnerTable,
  condition?: (row: 'new' | 'old') => string,
): Promise<void> {
  const values = condition ? [rootId] : [rootId, column, owner];
  const call = `refuse_moving_partner(${values.map((value) => `'${value}'`).join(', ')})`;
  const when = (row: 'new' | 'old') => (condition ? `when (${condition(row)})` : '');
  const writes = onlyUpdatedByReads.has(table) ? 'insert' : 'insert or update';
  await withinLockTimeout(sql, () =>
    sql.query(`create or replace trigger ${triggerName(rootId, 'write')} before ${writes} on ${name}
       for each row ${when('new')} execute function ${call};
     create or replace trigger ${triggerName(rootId, 'delete')} before delete on ${name}
       for each row ${when('old')} execute function ${call}`),
  );
}

/** Removes the triggers, then lets the workers send again. */
export async function unfreeze(sql: Sql, rootId: number, partnerIds: readonly number[]): Promise<void> {
  const { rows } = await sql.query<{ name: string; table: string }>(
    `select tgname as name, tgrelid::regclass::text as table from pg_trigger
     where tgname = any ($1) and tgparentid = 0 order by 2, 1`,
    [[triggerName(rootId, 'write'), triggerName(rootId, 'delete')]],
  );
  for (const { name, table } of rows) await withinLockTimeout(sql, () => sql.query(`drop trigger ${name} on ${table}`));
  await releaseHeldWebhooks(sql, await webhooksOf(sql, partnerIds));
}
