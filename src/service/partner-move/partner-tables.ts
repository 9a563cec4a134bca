import type { Sql } from '../../database/connection.ts';
import { type CopiedTable, tablesToCopy } from '../../database/table-copy.ts';

/** Columns that lead from a table without partner_id to the table with the owner of its rows. */
export const owners: readonly (readonly [column: string, table: string])[] = [
  ['webhook_id', 'webhooks'],
  ['datapoint_id', 'datapoints'],
  ['post_id', 'social_posts'],
  ['listing_id', 'listings'],
  ['location_id', 'locations'],
  ['business_id', 'businesses'],
  ['collection_id', 'content_collections'],
  ['task_id', 'tasks'],
  ['report_id', 'near_me_reports'],
  ['alert_id', 'webhook_alerts'],
  ['user_id', 'users'],
];

/** A table with rows of partners. */
export interface PartnerTable extends CopiedTable {
  /** Without the schema. */
  table: string;
  /** The column that names the partner, or leads to the owner in another table. */
  column: string;
  owner: string | undefined;
}

/** Leases of webhooks hold back the deliveries of a move; moves belong to the cell. */
const ofCell = new Set(['webhook_leases', 'partner_moves']);

/** All tables with rows of partners; a table comes after the tables that it references. */
export async function partnerTables(sql: Sql): Promise<PartnerTable[]> {
  const tables = await tablesToCopy(sql);
  return tables.flatMap((copied): PartnerTable[] => {
    const [schema, table = ''] = copied.name.split('.');
    if (schema !== 'public' || ofCell.has(table)) return [];
    if (table === 'sales_partners') return [{ ...copied, table, column: 'id', owner: undefined }];
    if (copied.columns.includes('partner_id')) return [{ ...copied, table, column: 'partner_id', owner: undefined }];
    const [column, owner] = owners.find(([name]) => copied.columns.includes(name)) ?? [];
    return column === undefined ? [] : [{ ...copied, table, column, owner }];
  });
}

/** A literal. */
export const idList = (ids: readonly number[]): string => `'{${ids.join(',')}}'::bigint[]`;

/** The condition on the rows of these partners. */
export const isOwnedBy = (
  { column, owner }: Pick<PartnerTable, 'column' | 'owner'>,
  partnerIds: readonly number[],
): string =>
  owner === undefined
    ? `${column} = any (${idList(partnerIds)})`
    : `${column} in (select id from ${owner} where partner_id = any (${idList(partnerIds)}))`;
