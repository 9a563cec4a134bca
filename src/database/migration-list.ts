import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

const folder = new URL('./migrations/', import.meta.url);

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
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
}

export const readMigration = (name: string) => readFile(new URL(name, folder), 'utf8');

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
