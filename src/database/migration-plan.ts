import type { Sql } from './connection.ts';
import { type LockMode, migrationLocks } from './migration-list.ts';
import { readSchemaState } from './schema-state.ts';

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
