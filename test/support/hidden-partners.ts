import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Database } from '../../src/database/connection.ts';
import { owners } from '../../src/service/partner-move/partner-tables.ts';
import { administer } from './database.ts';

/** Hides the rows of all root partners but one, by row-level security. */
export class HiddenPartners {
  readonly #database: Database;
  readonly #role: string;
  /** Tables whose rows belong to no partner. */
  readonly sharedTables: readonly string[];

  private constructor(database: Database, role: string, sharedTables: readonly string[]) {
    this.#database = database;
    this.#role = role;
    this.sharedTables = sharedTables;
  }

  /** Must be called before the first statement of the database. */
  static async prepare(database: Database): Promise<HiddenPartners> {
    const role = `waypost_tenant_${randomBytes(6).toString('hex')}`;
    const { username, pathname } = new URL(database.url);
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    try {
      // Row-level security does not apply to superusers, so connections act as an ordinary role with the owner's rights.
      await admin.query(`
        create role ${role} in role ${username};
        alter database ${pathname.slice(1)} set role = ${role};
        create table only_root (id bigint);
        create function is_visible(partner bigint) returns boolean language sql security definer as $$
          select partner is null or not exists (select from only_root) or exists (
            select from sales_partners where id = partner and lineage[1] = (select id from only_root))
        $$`);
      return new HiddenPartners(database, role, await addPolicies(admin));
    } finally {
      await admin.end();
    }
  }

  /** After the database was dropped. */
  async close(): Promise<void> {
    await administer(`drop role ${this.#role}`);
  }

  /** Runs the work while only the partners below this root are visible. */
  async onlyRoot<T>(rootId: number, work: () => Promise<T>): Promise<T> {
    await this.#database.pool.query('insert into only_root values ($1)', [rootId]);
    try {
      return await work();
    } finally {
      await this.#database.pool.query('delete from only_root');
    }
  }
}

/** Returns the tables without a policy. */
async function addPolicies(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<{ table: string; columns: string[] }>(
    `select relname as table, array_agg(attname::text) as columns
     from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       and relname <> 'only_root'
     group by relname order by relname`,
  );
  for (const table of new Set(owners.map(([, owner]) => owner))) {
    // A statement can insert a record and its parts at once: the record is not visible yet.
    await admin.query(`
      create function is_visible_in_${table}(record bigint) returns boolean language sql security definer as $$
        select coalesce((select is_visible(partner_id) from ${table} where id = record), true)
      $$`);
  }
  const sharedTables: string[] = [];
  for (const { table, columns } of rows) {
    const rule = visibilityOf(table, columns);
    if (rule === undefined) {
      sharedTables.push(table);
      continue;
    }
    await admin.query(`
      create policy one_root on ${table} using (${rule});
      alter table ${table} enable row level security;
      alter table ${table} force row level security`);
  }
  return sharedTables;
}

function visibilityOf(table: string, columns: readonly string[]): string | undefined {
  if (table === 'sales_partners')
    return 'not exists (select from only_root) or lineage[1] = (select id from only_root)';
  if (columns.includes('partner_id')) return 'is_visible(partner_id)';
  const [column, owner] = owners.find(([name]) => columns.includes(name)) ?? [];
  return column && `is_visible_in_${owner}(${column})`;
}
