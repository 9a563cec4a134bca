import { createHash } from 'node:crypto';
import { readdir, readFile, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { Database } from '../../src/database/connection.ts';
import { startEmbeddedServer } from '../../src/database/embedded-server.ts';
import { migrate } from '../../src/database/migrate.ts';
import { databaseOn, templatePrefix } from './database.ts';

const migrations = new URL('../../src/database/migrations/', import.meta.url);

/** Four times the usage of a run. */
const minMemory = 1024 ** 3;

declare module 'vitest' {
  interface ProvidedContext {
    databaseServer: string;
    databaseTemplate: string;
  }
}

/** One server for the whole run, with a migrated template database that every test file copies. */
export default async function providePostgres(project: TestProject): Promise<() => Promise<void>> {
  const server = process.env.DATABASE_URL ? undefined : await startServer(project.config.root);
  // Test files create databases and roles.
  const url = server?.superuserUrl ?? (process.env.DATABASE_URL as string);
  project.provide('databaseServer', url);
  project.provide('databaseTemplate', await prepareTemplate(url));
  return async () => server?.stop();
}

async function startServer(root: string) {
  // The folder is kept: the next run starts faster and cleans up after a killed one.
  const name = `waypost-tests-${createHash('sha256').update(root).digest('hex').slice(0, 12)}`;
  return startEmbeddedServer({
    dataDir: join(await dataRoot(), name),
    log: pino({ level: 'warn' }, pino.destination(2)),
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '400', autovacuum_naptime: '1min' },
  });
}

/** In memory if possible: each test file copies and deletes 1000 files, which can be ten times slower on disk. */
async function dataRoot(): Promise<string> {
  const memory = '/dev/shm';
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize > minMemory ? memory : tmpdir();
}

async function prepareTemplate(url: string): Promise<string> {
  // A new template every day, because it has partitions for one week only.
  const today = templatePrefix(new Date());
  const name = `${today}_${await fingerprint()}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  // Concurrent runs wait for each other.
  await admin.query("select pg_advisory_lock(hashtext('waypost tests'))");
  await dropLeftovers(admin, today);
  const existing = await admin.query('select from pg_database where datname = $1', [name]);
  if (existing.rowCount === 0) {
    const unfinished = 'waypost_template_unfinished';
    await admin.query(`drop database if exists ${unfinished}`);
    await admin.query(`create database ${unfinished}`);
    const database = new Database(databaseOn(url, unfinished), { connections: 1, name: 'waypost tests' });
    await migrate(database).finally(() => database.close());
    await admin.query(`alter database ${unfinished} rename to ${name}`);
  }
  await admin.end();
  return name;
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(migrations)).sort()) hash.update(await readFile(new URL(name, migrations)));
  hash.update(await readFile(new URL('../migrate.ts', migrations)));
  return hash.digest('hex').slice(0, 12);
}

/** Databases of killed runs and templates of earlier days. */
async function dropLeftovers(admin: pg.Client, today: string): Promise<void> {
  const leftovers = await admin.query<{ name: string; owner: number | null }>(
    `select datname as name, substring(datname from '^waypost_test_([0-9]+)_')::integer as owner from pg_database
     where datname ~ '^waypost_(test|template)_' and not starts_with(datname, $1)`,
    [today],
  );
  for (const { name, owner } of leftovers.rows) {
    if (owner === null || !isAlive(owner)) await admin.query(`drop database if exists ${name} with (force)`);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
