import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { ConfigurationProblem } from '../../config.ts';
import type { Sql } from '../../database/connection.ts';
import { withinLockTimeout } from '../../database/migrate.ts';
import { type CopiedTable, createPartitions, readPartitionDays, tablesToCopy } from '../../database/table-copy.ts';
import { releaseHeldWebhooks, webhooksOf } from '../../events/delivery/leases.ts';
import { copyWords, type WordColumn, wordColumns } from '../../modules/analytics/index.ts';
import { fileColumnsOf } from '../shared-files.ts';

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

interface Clients {
  source: pg.Client;
  target: pg.Client;
}

/** Adds the day partitions and the words of the dictionary that the rows refer to. */
export async function prepareTarget(
  { source, target }: Clients,
  tables: readonly PartnerTable[],
  partnerIds: readonly number[],
): Promise<void> {
  const days = await readPartitionDays(source);
  await withinLockTimeout(target, () => createPartitions(target, days));
  const conditions = Object.keys(wordColumns).map((name) => {
    const table = tables.find(({ table }) => table === name) as PartnerTable;
    return [name, isOwnedBy(table, partnerIds)] as const;
  });
  await copyWords(source, target, Object.fromEntries(conditions));
}

/** Copies the rows of a table in the open transactions. */
export async function copyTable(clients: Clients, table: PartnerTable, partnerIds: readonly number[]): Promise<void> {
  const columns = wordColumns[table.table];
  try {
    if (columns) await copyWithWords(clients, table, partnerIds, columns);
    else await copyPlain(clients, table, partnerIds);
  } catch (error) {
    throw explained(error, table.table);
  }
}

/** Compares the rows of both sides and returns their number. All tables must be copied, also those of the owners. */
export async function compareTable(
  { source, target }: Clients,
  table: PartnerTable,
  partnerIds: readonly number[],
): Promise<number> {
  const expected = await digest(source, table, partnerIds);
  const found = await digest(target, table, partnerIds);
  if (found.count !== expected.count || found.checksum !== expected.checksum) {
    throw new ConfigurationProblem(
      `The copy of ${table.table} is different: ${found.count} rows with the checksum ${found.checksum} instead of ` +
        `${expected.count} rows with ${expected.checksum}. Nothing was changed on the other cell.`,
    );
  }
  return Number(expected.count);
}

const select = (table: PartnerTable, partnerIds: readonly number[], expressions: readonly string[]) =>
  `select ${expressions.join(', ')} from ${table.name} where ${isOwnedBy(table, partnerIds)}`;

const copy = ({ source, target }: Clients, rows: string, into: string): Promise<void> =>
  pipeline(source.query(copyTo(`copy (${rows}) to stdout`)), target.query(copyFrom(`copy ${into} from stdin`)));

const copyPlain = (clients: Clients, table: PartnerTable, partnerIds: readonly number[]): Promise<void> =>
  copy(clients, select(table, partnerIds, table.columns), `${table.name} (${table.columns.join(', ')})`);

type WordColumns = Readonly<Record<string, WordColumn>>;

/** By a temporary table with texts instead of ids of words. */
async function copyWithWords(
  clients: Clients,
  table: PartnerTable,
  partnerIds: readonly number[],
  words: WordColumns,
): Promise<void> {
  const { name, columns } = table;
  const staged = `moving_${table.table}`;
  const { target } = clients;
  const types = columns.map((column) => (words[column] ? `null::${words[column].type} as ${column}` : column));
  await target.query(
    `create temporary table ${staged} on commit drop as select ${types.join(', ')} from ${name} limit 0`,
  );
  await copy(clients, select(table, partnerIds, textsIn(table)), staged);
  const values = columns.map((column) => words[column]?.idsOf(`${staged}.${column}`) ?? column);
  await target.query(`insert into ${name} (${columns.join(', ')}) select ${values.join(', ')} from ${staged}`);
}

/** The columns, with texts instead of ids of words. */
const textsIn = ({ table, columns, name }: PartnerTable): string[] =>
  columns.map((column) => wordColumns[table]?.[column]?.textsOf(`${name}.${column}`) ?? column);

/** Count and checksum of the rows, whatever their order. */
async function digest(client: pg.Client, table: PartnerTable, partnerIds: readonly number[]) {
  const text = `row(${textsIn(table).join(', ')})::text`;
  const { rows } = await client.query<{ count: string; checksum: string }>(
    `select count(*)::text as count, coalesce(sum(hash), 0)::text as checksum
     from (${select(table, partnerIds, [`hashtextextended(${text}, 0) as hash`])}) as hashed`,
  );
  return rows[0] as { count: string; checksum: string };
}

/** A unique value of the partner, such as its identifier, exists on the other cell. */
function explained(error: unknown, table: string): unknown {
  const { code, detail } = error as { code?: string; detail?: string };
  if (code !== '23505') return error;
  return new ConfigurationProblem(
    `A row of ${table} exists on the other cell already. ${detail} Change or delete one of them, after "--undo".`,
  );
}

/** Rows per transaction. */
const batch = 5000;

/** Without triggers and foreign keys: these rows are no longer counted here, and all that refer to each other are deleted. */
export const withoutTriggers = 'set local session_replication_role = replica';

/** Called in the transaction that deletes the rows with the files. */
type ReleaseFiles = (names: readonly string[]) => Promise<void>;

/** Deletes the rows of partners in short transactions. May be repeated. */
export async function deletePartner(
  client: pg.Client,
  tables: readonly PartnerTable[],
  partnerIds: readonly number[],
  release: ReleaseFiles,
): Promise<number> {
  let deleted = 0;
  const deleteFrom = (table: PartnerTable) => deleteRows(client, table, isOwnedBy(table, partnerIds), release);
  const isPart = ({ owner }: PartnerTable) => owner !== undefined;
  const isPartners = ({ table }: PartnerTable) => table === 'sales_partners';
  // Rows whose owner is found in another table first, the partners last.
  for (const table of tables.filter(isPart)) deleted += await deleteFrom(table);
  // The queue is empty now.
  await releaseHeldWebhooks(client, await webhooksOf(client, partnerIds));
  const others = tables.filter((table) => !isPart(table) && !isPartners(table));
  for (const table of [...others, ...tables.filter(isPartners)]) deleted += await deleteFrom(table);
  return deleted;
}

async function deleteRows(
  client: pg.Client,
  { table, name }: PartnerTable,
  condition: string,
  release: ReleaseFiles,
): Promise<number> {
  const files = fileColumnsOf(table);
  const returning = files.length > 0 ? `returning ${files.join(', ')}` : '';
  for (let total = 0; ; ) {
    await client.query(`begin; ${withoutTriggers}`);
    // With the condition, because partitions have rows with the same ctid.
    const { rowCount, rows } = await client.query<Record<string, string | null>>(
      `delete from ${name}
       where ctid = any (array(select ctid from ${name} where ${condition} limit ${batch})) and ${condition} ${returning}`,
    );
    await release(rows.flatMap((row) => Object.values(row)).filter((file) => file !== null));
    await client.query('commit');
    if (!rowCount) return total;
    total += rowCount;
  }
}
