import { setTimeout as pause } from 'node:timers/promises';
import { Logger, runMigrations } from 'graphile-worker';
import type { DatabaseError } from 'pg';
import { version } from '../config.ts';
import { Database, type Sql } from './connection.ts';
import { DatabaseProblem } from './faults.ts';
import { ensurePartitions, lockTimeout, missingPartitions } from './partitions.ts';
import {
  type LockMode,
  migrationHash,
  migrationLocks,
  migrationNames,
  readMigration,
  readSchemaState,
} from './schema-state.ts';

// An arbitrary advisory lock id.
const migrationLock = 7_203_881_144;
// Below the deadlock timeout of the server (1 s): in a deadlock the migration is rolled back, never a request.
const furtherLockTimeout = '50ms';
export const maxLockTries = 100;

const silent = new Logger(() => () => {});

type Progress = (applied: string) => void;

/** Applies pending migrations, each in its own transaction unless the database is empty. Concurrent calls wait for each other. */
export function migrate({ url }: Pick<Database, 'url'>, onApplied: Progress = () => {}): Promise<string[]> {
  return withConnection(url, async (database) => {
    await oneAtATime(database, createMigrationTable);
    const applied: string[] = [];
    for (;;) {
      const names = await applyNext(database);
      if (names.length === 0) break;
      names.forEach(onApplied);
      applied.push(...names);
    }
    await oneAtATime(database, ensurePartitions);
    // API processes enqueue jobs too, so the job tables are created here. With our own pool, because graphile-worker
    // does not wait until its pool has closed.
    await retryLocks(() => runMigrations({ pgPool: database.pool, logger: silent }));
    return applied;
  });
}

/** Creates missing partitions of the coming days. Unlike a migration, this runs at every start. */
export async function preparePartitions({ url, pool }: Pick<Database, 'url' | 'pool'>): Promise<void> {
  // Usually none is missing, and the start does not wait for a migration in progress.
  if ((await missingPartitions(pool)).length === 0) return;
  await withConnection(url, (database) => oneAtATime(database, ensurePartitions));
}

async function withConnection<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = new Database(url, {
    connections: 1,
    name: 'waypost migrations',
    statementLimit: 'migration',
    settings: { lock_timeout: lockTimeout },
  });
  return work(database).finally(() => database.close());
}

/** Runs a schema change while no other process runs one. */
function oneAtATime<T>(database: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  return retryLocks(() =>
    database.transaction(async (sql) => {
      // A migration of another process may take long.
      await sql.query('set local lock_timeout = 0');
      await sql.query('select pg_advisory_xact_lock($1)', [migrationLock]);
      await sql.query(`set local lock_timeout = '${lockTimeout}'`);
      return work(sql);
    }),
  );
}

/** Processes of the previous release may still use the tables: they go on while the migration waits for its turn. */
async function retryLocks<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isLockConflict(error)) throw error;
      if (tries === maxLockTries) {
        throw new DatabaseProblem(
          'The tables could not be changed because other processes use them. Look for long transactions in ' +
            'pg_stat_activity, or stop the other Waypost processes, and run the command again.',
        );
      }
      await pause(1000);
    }
  }
}

/** One transaction on a connection. Its locks wait for a short time only, because other statements queue behind them. */
export const withinLockTimeout = (connection: Sql, work: () => Promise<unknown>): Promise<void> =>
  retryLocks(async () => {
    try {
      await connection.query(`begin; set local lock_timeout = '${lockTimeout}'`);
      await work();
      await connection.query('commit');
    } catch (error) {
      await connection.query('rollback');
      throw error;
    }
  });

/** A lock timeout or a deadlock. */
const isLockConflict = (error: unknown): boolean =>
  ['55P03', '40P01'].includes((error as { code?: string }).code ?? '');

async function createMigrationTable(sql: Sql): Promise<void> {
  const { rows } = await sql.query(
    `select from pg_attribute where attrelid = to_regclass('public.migrations') and attname = 'release'`,
  );
  if (rows.length > 0) return;
  await sql.query(
    `create table if not exists migrations
         (name text primary key, hash text, applied_at timestamptz not null default now());
       alter table migrations add column if not exists hash text, add column release text`,
  );
}

/** Applies the first pending migration, or all of them to an empty database, which no other process uses. */
async function applyNext(database: Database): Promise<string[]> {
  const order = new LockOrder();
  return oneAtATime(database, async (sql) => {
    const { pending, newer } = await readSchemaState(sql);
    if (pending.length === 0) return [];
    if (newer.length > 0) {
      throw new DatabaseProblem(
        `This database was migrated by a newer version of Waypost (${newer.join(', ')}), and ${pending.join(', ')} of ` +
          `version ${version} is missing. Run "waypost migrate" of the newer version.`,
      );
    }
    const isEmpty = pending.length === (await migrationNames()).length;
    const next = isEmpty ? pending : pending.slice(0, 1);
    for (const name of next) {
      if (!isEmpty) await order.lock(sql, await migrationLocks(name));
      await apply(sql, name);
    }
    return next;
  });
}

async function apply(sql: Sql, name: string): Promise<void> {
  await sql.query(await readMigration(name)).catch((error) => {
    throw refusalOf(name, error) ?? error;
  });
  const insert = 'insert into migrations (name, hash, release) values ($1, $2, $3)';
  await sql.query(insert, [name, await migrationHash(name), version]);
}

/** A migration raises an exception with a hint if the operator has to do something before it. */
function refusalOf(name: string, { code, message, hint }: DatabaseError): DatabaseProblem | undefined {
  const isRaised = code === 'P0001' && hint !== undefined;
  return isRaised ? new DatabaseProblem(`${name} was not applied. ${message} ${hint}`) : undefined;
}

/**
 * Locks all tables of a migration before its first change. Only the first lock is waited for, while none is held; a table
 * in use is the first one of the next attempt.
 */
class LockOrder {
  #first: string | undefined;

  async lock(sql: Sql, locks: readonly [table: string, mode: LockMode][]): Promise<void> {
    const ordered = locks.toSorted(([one], [other]) => Number(other === this.#first) - Number(one === this.#first));
    for (const [position, [table, mode]] of ordered.entries()) {
      this.#first = table;
      if (position === 1) await sql.query(`set local lock_timeout = '${furtherLockTimeout}'`);
      await sql.query(`lock table ${table} in ${mode} mode`);
    }
    await sql.query(`set local lock_timeout = '${lockTimeout}'`);
  }
}

interface PlannedLock {
  table: string;
  mode: LockMode;
  blocks: string;
  bytes: number;
  /** An estimate of the server; undefined before its first ANALYZE. */
  rows: number | undefined;
}

export interface PlannedMigration {
  name: string;
  /** On tables that exist now. */
  locks: PlannedLock[];
}

/** The statements that wait while a migration holds a lock. */
const blocked: Record<LockMode, string> = {
  'ACCESS SHARE': 'nothing',
  'ROW SHARE': 'nothing',
  'ROW EXCLUSIVE': 'nothing',
  'SHARE UPDATE EXCLUSIVE': 'vacuum and schema changes',
  SHARE: 'writes',
  'SHARE ROW EXCLUSIVE': 'writes',
  EXCLUSIVE: 'writes',
  'ACCESS EXCLUSIVE': 'reads and writes',
};

/** The pending migrations with their locks, and the size of the locked tables. Changes nothing. */
export async function planMigrations(sql: Sql): Promise<PlannedMigration[]> {
  const { pending } = await readSchemaState(sql);
  const plan: PlannedMigration[] = [];
  for (const name of pending) {
    const locks: PlannedLock[] = [];
    for (const [table, mode] of await migrationLocks(name)) {
      const size = await sizeOf(sql, table);
      if (size) locks.push({ table, mode, blocks: blocked[mode], ...size });
    }
    plan.push({ name, locks });
  }
  return plan;
}

/** The size with indexes, partitions and long values. Undefined for a table that an earlier pending migration creates. */
async function sizeOf(sql: Sql, table: string): Promise<Pick<PlannedLock, 'bytes' | 'rows'> | undefined> {
  const { rows } = await sql.query<{ bytes: number; rows: number | null }>(
    `select coalesce(sum(pg_total_relation_size(part.oid)), 0)::float8 as bytes,
       sum(nullif(part.reltuples, -1))::float8 as rows
     from pg_class as parent
     cross join lateral (
       select parent.oid union select relid from pg_partition_tree(parent.oid) where isleaf
     ) as member (oid)
     join pg_class as part on part.oid = member.oid
     where parent.oid = to_regclass($1)
     having count(*) > 0`,
    [table],
  );
  const [size] = rows;
  return size && { bytes: size.bytes, rows: size.rows ?? undefined };
}
