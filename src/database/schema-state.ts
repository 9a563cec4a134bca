import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { version } from '../config.ts';
import type { Sql } from './connection.ts';
import { DatabaseProblem } from './faults.ts';

/** The newest migration of the job tables in this release of graphile-worker; a test compares it. */
export const newestJobMigration = 20;

interface SchemaState {
  /** Migrations of this release that are not applied, in order. */
  pending: string[];
  /** Applied migrations of a newer release. */
  newer: string[];
  /** Whether the tables of graphile-worker are older than this release requires. */
  jobTablesOutdated: boolean;
}

interface AppliedMigration {
  name: string;
  hash: string | null;
  release: string | null;
}

/** Throws a DatabaseProblem if this release cannot use the database, also after a migration. */
export async function readSchemaState(sql: Sql): Promise<SchemaState> {
  const names = await migrationNames();
  const applied = await appliedMigrations(sql);
  for (const { name, hash } of applied) if (names.includes(name)) await checkHash(name, hash);
  const newer = applied.filter(({ name }) => !names.includes(name));
  for (const migration of newer) checkRelease(migration);
  return {
    pending: withoutApplied(names, applied),
    newer: newer.map(({ name }) => name),
    jobTablesOutdated: (await newestAppliedJobMigration(sql)) < newestJobMigration,
  };
}

/** Names and hashes of the applied migrations: they identify the schema. */
export async function appliedHashes(sql: Sql): Promise<Record<string, string>> {
  return Object.fromEntries((await appliedMigrations(sql)).map(({ name, hash }) => [name, hash ?? '']));
}

/** Cheaper than the whole state, for health checks. */
export async function pendingMigrations(sql: Sql): Promise<string[]> {
  return withoutApplied(await migrationNames(), await appliedMigrations(sql));
}

function withoutApplied(names: readonly string[], applied: readonly AppliedMigration[]): string[] {
  const known = new Set(applied.map(({ name }) => name));
  return names.filter((name) => !known.has(name));
}

async function appliedMigrations(sql: Sql): Promise<AppliedMigration[]> {
  if (!(await tableExists(sql, 'public.migrations'))) return [];
  // As JSON, because the column `release` is missing until the next migration of an earlier database.
  const { rows } = await sql.query<AppliedMigration>(
    `select name, hash, to_jsonb(applied) ->> 'release' as release from migrations as applied order by name`,
  );
  return rows;
}

async function newestAppliedJobMigration(sql: Sql): Promise<number> {
  if (!(await tableExists(sql, 'graphile_worker.migrations'))) return 0;
  const { rows } = await sql.query<{ id: number | null }>('select max(id) as id from graphile_worker.migrations');
  return rows[0]?.id ?? 0;
}

export async function tableExists(sql: Sql, name: string): Promise<boolean> {
  const { rows } = await sql.query('select to_regclass($1) is not null as found', [name]);
  return rows[0]?.found === true;
}

/** Released migrations never change; before the first release they did. */
async function checkHash(name: string, known: string | null): Promise<void> {
  if (known === (await migrationHash(name))) return;
  throw new DatabaseProblem(
    `This database was created by an unreleased version of Waypost with a different schema (${name}). ` +
      'Set WAYPOST_DATA_DIR or DATABASE_URL to a new database, or remove the data folder.',
  );
}

/** Migrations of the next minor version keep the tables usable for this one, so that processes can be updated in turn. */
function checkRelease({ name, release }: AppliedMigration): void {
  if (release !== null && isNextMinor(version, release)) return;
  throw new DatabaseProblem(
    `This database was migrated by a newer version of Waypost (${[name, release].filter(Boolean).join(', version ')}), ` +
      `and version ${version} can only use the schema of the next minor version. Update this installation.`,
  );
}

/** Whether `other` has the same major version and the same or the next minor version. */
export function isNextMinor(own: string, other: string): boolean {
  const [ownMajor, ownMinor] = numbersOf(own);
  const [otherMajor, otherMinor] = numbersOf(other);
  return otherMajor === ownMajor && (otherMinor === ownMinor || otherMinor === ownMinor + 1);
}

function numbersOf(release: string): [major: number, minor: number] {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(release) ?? [];
  return [Number(major), Number(minor)];
}

/** Refuses a database that must be migrated first, and logs a newer schema. */
export async function requireMigrated(sql: Sql, log: Logger): Promise<void> {
  const { pending, newer, jobTablesOutdated } = await readSchemaState(sql);
  const outdated = [...pending, ...(jobTablesOutdated ? ['tables of jobs'] : [])];
  if (outdated.length > 0) {
    throw new DatabaseProblem(
      `The database of DATABASE_URL must be migrated first (${summary(outdated)}). Run "waypost migrate" with this ` +
        'version and the same settings; "waypost migrate --plan" shows the changes.',
    );
  }
  if (newer.length > 0) {
    log.warn(
      { event: 'database.newer-schema', newer },
      `The database has migrations of a newer version (${summary(newer)}). Update this process, version ${version}`,
    );
  }
}

const summary = (names: readonly string[]) =>
  names.length > 3 ? `${names.length} migrations, ${names[0]} to ${names.at(-1)}` : names.join(', ');

const migrationsFolder = new URL('./migrations/', import.meta.url);

/** Lock modes of PostgreSQL, weakest first. */
export const lockModes = [
  'ACCESS SHARE',
  'ROW SHARE',
  'ROW EXCLUSIVE',
  'SHARE UPDATE EXCLUSIVE',
  'SHARE',
  'SHARE ROW EXCLUSIVE',
  'EXCLUSIVE',
  'ACCESS EXCLUSIVE',
] as const;

export type LockMode = (typeof lockModes)[number];

/** The names of all migrations of this release, in order. */
export async function migrationNames(): Promise<string[]> {
  return (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).sort();
}

export const readMigration = (name: string) => readFile(new URL(name, migrationsFolder), 'utf8');

const hashes = new Map<string, string>();

/** Identifies the content of a migration. Kept, because every step of a migration compares all of them. */
export async function migrationHash(name: string): Promise<string> {
  const known = hashes.get(name) ?? hash('sha256', await readMigration(name));
  hashes.set(name, known);
  return known;
}

/** The strongest lock of each migration on each table that existed before, as migration-locks.test.ts measured them. */
export async function migrationLocks(name: string): Promise<[table: string, mode: LockMode][]> {
  const file = new URL('./migration-locks.json', import.meta.url);
  const locks: Record<string, Record<string, LockMode>> = JSON.parse(await readFile(file, 'utf8'));
  return Object.entries(locks[name] ?? {});
}
