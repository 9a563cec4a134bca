import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { Logger, runMigrations } from 'graphile-worker';
import { Database } from './connection.ts';
import { DatabaseProblem } from './database-problem.ts';

const folder = new URL('./migrations/', import.meta.url);
// Any number that no other program of this database uses as its advisory lock.
const migrationLock = 7_203_881_144;
// Days that have a partition before they begin, so that a stopped upkeep has time to be noticed.
const daysAhead = 7;

const silent = new Logger(() => () => {});

/** Brings the database to today's schema. Processes that start together wait for each other. */
export async function migrate({ url }: Pick<Database, 'url'>): Promise<string[]> {
  const names = await migrationNames();
  const database = new Database(url, { connections: 1, name: 'waypost migrations', statementLimit: 'migration' });
  try {
    const fresh = await applyMigrations(database, names);
    // Every process asks for jobs, also where none are done: their tables must not wait for the first that does them.
    // Through our own connections: the library does not wait for the end of its own, which a server that stops would break.
    await runMigrations({ pgPool: database.pool, logger: silent });
    return fresh;
  } finally {
    await database.close();
  }
}

function applyMigrations(database: Database, names: readonly string[]): Promise<string[]> {
  return database.transaction(async (sql) => {
    await sql.query('select pg_advisory_xact_lock($1)', [migrationLock]);
    await sql.query(
      `create table if not exists migrations
         (name text primary key, hash text, applied_at timestamptz not null default now());
       alter table migrations add column if not exists hash text`,
    );
    const known = await sql.query<{ name: string; hash: string | null }>(
      'select name, hash from migrations order by name',
    );
    const applied = new Set(known.rows.map((row) => row.name));
    const unknown = [...applied].filter((name) => !names.includes(name));
    if (unknown.length > 0) {
      throw new DatabaseProblem(
        `This database was written by a newer Waypost (it has ${unknown.join(', ')}). Update this copy.`,
      );
    }
    for (const row of known.rows) await refuseOther(row.name, row.hash);
    const fresh = names.filter((name) => !applied.has(name));
    for (const name of fresh) {
      const text = await readMigration(name);
      await sql.query(text);
      await sql.query('insert into migrations (name, hash) values ($1, $2)', [name, hashOf(text)]);
    }
    await ensurePartitions(sql);
    return fresh;
  });
}

const readMigration = (name: string) => readFile(new URL(name, folder), 'utf8');
const hashOf = (text: string) => hash('sha256', text);

/** What was released never changes; before that, a database may have been made by tables that were thought better of. */
async function refuseOther(name: string, known: string | null): Promise<void> {
  if (known === hashOf(await readMigration(name))) return;
  throw new DatabaseProblem(
    `This database was made by a Waypost from before the first release, whose tables were others (${name}). ` +
      'Begin anew: with another WAYPOST_DATA_DIR or DATABASE_URL, or after removing the data folder.',
  );
}

/** What this copy of Waypost expects of the database and does not find. */
export async function missingMigrations(sql: Pick<Database['pool'], 'query'>): Promise<string[]> {
  const { rows } = await sql.query<{ name: string }>('select name from migrations');
  const applied = new Set(rows.map(({ name }) => name));
  return (await migrationNames()).filter((name) => !applied.has(name));
}

async function migrationNames(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
}

export async function ensurePartitions(sql: Pick<Database['pool'], 'query'>): Promise<void> {
  for (const parent of ['events', 'attempts']) {
    await sql.query('select ensure_day_partitions($1, current_date - 1, current_date + $2::integer)', [
      parent,
      daysAhead,
    ]);
  }
}
