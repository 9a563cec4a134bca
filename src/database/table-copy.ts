import type { Readable, Writable } from 'node:stream';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { clientSettings, types } from './client.ts';
import type { Sql } from './connection.ts';

/** A table whose rows are part of a backup. */
export interface CopiedTable {
  /** With its schema. */
  name: string;
  columns: string[];
}

interface TableRow extends CopiedTable {
  references: string[];
}

// The tables of migrations belong to the schema, not to its data. Detached partitions wait for their removal.
const everyTable = `
  select format('%I.%I', nspname, relname) as name,
    array(
      select format('%I', attname) from pg_attribute
      where attrelid = class.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum
    ) as columns,
    array(
      select format('%I.%I', other.relnamespace::regnamespace::text, other.relname) from pg_constraint
      join pg_class as other on other.oid = confrelid
      where conrelid = class.oid and contype = 'f' and confrelid <> class.oid
    ) as references
  from pg_class as class join pg_namespace on pg_namespace.oid = relnamespace
  where nspname in ('public', 'graphile_worker') and relkind in ('r', 'p') and not relispartition
    and relname <> 'migrations' and relname !~ '^(events|attempts)_[0-9]{8}$'
  order by name`;

/** All tables with data; a table comes after the tables that it references. */
export async function tablesToCopy(sql: Sql): Promise<CopiedTable[]> {
  const { rows } = await sql.query<TableRow>(everyTable);
  const ordered: CopiedTable[] = [];
  const waiting = new Map(rows.map((row) => [row.name, row]));
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter(({ references }) => !references.some((name) => waiting.has(name)));
    if (ready.length === 0) throw new Error(`These tables reference each other: ${[...waiting.keys()].join(', ')}.`);
    for (const { name, columns } of ready) {
      ordered.push({ name, columns });
      waiting.delete(name);
    }
  }
  return ordered;
}

// The text of values depends on these; the last one keeps the order of rows.
const copySettings = {
  timezone: 'UTC',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  synchronize_seqscans: 'off',
};

/** A connection for COPY, which is not possible in the pipeline mode of the pool. */
export async function connectForCopy(url: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...clientSettings(url, {
      name,
      statementLimit: 'migration',
      settings: copySettings,
    }),
    pipeline: false,
    types,
    // The server has the same limit.
    query_timeout: undefined,
  } as pg.ClientConfig);
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** `rowCount` is known when the next statement has completed. */
export const readTable = (client: pg.Client, { name, columns }: CopiedTable): Readable & { rowCount: number } =>
  client.query(copyTo(`copy (select ${columns.join(', ')} from ${name}) to stdout`));

export const writeTable = (client: pg.Client, { name, columns }: CopiedTable): Writable & { rowCount: number } =>
  client.query(copyFrom(`copy ${name} (${columns.join(', ')}) from stdin`));

/** Names and values of all sequences that were used. Newer than every id that a snapshot contains. */
export async function readSequences(sql: Sql): Promise<Record<string, string>> {
  const { rows } = await sql.query<{ name: string; value: string }>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as value from pg_sequences
     where schemaname in ('public', 'graphile_worker') and last_value is not null order by name`,
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

export async function writeSequences(sql: Sql, sequences: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(sequences)) {
    await sql.query('select setval($1::regclass, $2::bigint)', [name, value]);
  }
}

/** The first and last day that partitions exist for. */
export async function readPartitionDays(sql: Sql): Promise<{ first: string; last: string }> {
  const { rows } = await sql.query<{ first: string; last: string }>(
    `select min(right(relname, 8)) as first, max(right(relname, 8)) as last from pg_class
     where relispartition and relkind = 'r' and relnamespace = 'public'::regnamespace and relname ~ '_[0-9]{8}$'`,
  );
  return rows[0] as { first: string; last: string };
}

export async function createPartitions(sql: Sql, { first, last }: { first: string; last: string }): Promise<void> {
  await sql.query(
    `select ensure_day_partitions(parent, to_date($1, 'YYYYMMDD'), to_date($2, 'YYYYMMDD'))
     from unnest('{events,attempts}'::text[]) as parent`,
    [first, last],
  );
}
