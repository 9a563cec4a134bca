import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger, runMigrations } from 'graphile-worker';
import { Database, type Sql } from './connection.ts';
import { DatabaseProblem } from './faults.ts';

const folder = new URL('./migrations/', import.meta.url);
// An arbitrary advisory lock id.
const migrationLock = 7_203_881_144;
// Partitions are created this many days ahead, so that a stopped maintenance job is noticed in time.
const daysAhead = 7;
// Other statements queue behind a waiting lock.
const lockTimeout = '3s';
const maxLockTries = 100;

const silent = new Logger(() => () => {});

/** Applies pending migrations. Concurrent processes wait for each other. */
export async function migrate({ url }: Pick<Database, 'url'>): Promise<string[]> {
  const names = await migrationNames();
  const database = new Database(url, { connections: 1, name: 'waypost migrations', statementLimit: 'migration' });
  try {
    const fresh = await applyMigrations(database, names);
    // API processes enqueue jobs too, so the job tables are created here. With our own pool, because graphile-worker
    // does not wait until its pool has closed.
    await runMigrations({ pgPool: database.pool, logger: silent });
    return fresh;
  } finally {
    await database.close();
  }
}

/** Processes of the previous release may still use the tables: they go on while the migration waits for its turn. */
async function applyMigrations(database: Database, names: readonly string[]): Promise<string[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await database.transaction((sql) => applyPending(sql, names));
    } catch (error) {
      if (!isLockConflict(error)) throw error;
      if (tries === maxLockTries) {
        throw new DatabaseProblem(
          'The tables could not be changed because other processes use them. Stop the other Waypost processes and start again.',
        );
      }
      await pause(1000);
    }
  }
}

/** A lock timeout or a deadlock. */
const isLockConflict = (error: unknown): boolean =>
  ['55P03', '40P01'].includes((error as { code?: string }).code ?? '');

async function applyPending(sql: Sql, names: readonly string[]): Promise<string[]> {
  await sql.query('select pg_advisory_xact_lock($1)', [migrationLock]);
  await sql.query(`set local lock_timeout = '${lockTimeout}'`);
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
      `This database was migrated by a newer version of Waypost (${unknown.join(', ')}). Update this installation.`,
    );
  }
  for (const row of known.rows) await checkHash(row.name, row.hash);
  const fresh = names.filter((name) => !applied.has(name));
  for (const name of fresh) {
    const text = await readMigration(name);
    await sql.query(text);
    await sql.query('insert into migrations (name, hash) values ($1, $2)', [name, hashOf(text)]);
  }
  await ensurePartitions(sql);
  return fresh;
}

const readMigration = (name: string) => readFile(new URL(name, folder), 'utf8');
const hashOf = (text: string) => hash('sha256', text);

/** Released migrations never change; before the first release they did. */
async function checkHash(name: string, known: string | null): Promise<void> {
  if (known === hashOf(await readMigration(name))) return;
  throw new DatabaseProblem(
    `This database was created by an unreleased version of Waypost with a different schema (${name}). ` +
      'Set WAYPOST_DATA_DIR or DATABASE_URL to a new database, or remove the data folder.',
  );
}

/** The migrations that are not applied yet. */
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

/** Drops day partitions that end before a date, without blocking readers or writers. Returns their names. */
export async function dropPartitionsBefore(sql: Sql, parents: readonly string[], before: Date): Promise<string[]> {
  const dropped: string[] = [];
  for (const parent of parents) {
    for (const { name, detached, pending } of await partitionsBefore(sql, parent, before)) {
      // DETACH CONCURRENTLY waits for running queries without blocking new ones.
      if (pending) await sql.query(`alter table ${parent} detach partition ${name} finalize`);
      else if (!detached) await sql.query(`alter table ${parent} detach partition ${name} concurrently`);
      await sql.query(`set lock_timeout = '${lockTimeout}'; drop table ${name}; reset lock_timeout`);
      dropped.push(name);
    }
  }
  return dropped;
}

interface Partition {
  name: string;
  detached: boolean;
  pending: boolean;
}

/** Found by name, to include partitions that an interrupted run detached but did not drop. */
async function partitionsBefore(sql: Sql, parent: string, before: Date): Promise<Partition[]> {
  const { rows } = await sql.query<Partition>(
    `select child.relname as name, inherits.inhrelid is null as detached,
       coalesce(inherits.inhdetachpending, false) as pending
     from pg_class child
     left join pg_inherits inherits on inherits.inhrelid = child.oid
     where child.relkind = 'r' and child.relnamespace = 'public'::regnamespace
       and child.relname ~ ('^' || $1 || '_[0-9]{8}$')
       and to_date(right(child.relname, 8), 'YYYYMMDD') + 1 <= $2::timestamptz at time zone 'UTC'
     order by child.relname`,
    [parent, before],
  );
  return rows;
}
