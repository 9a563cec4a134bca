import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { Database } from '../../src/database/connection.ts';
import { ensurePartitions } from '../../src/database/partitions.ts';

/** A migrated database for a test file; closing it drops it. */
export async function createTestDatabase(options: { connections?: number } = {}): Promise<Database> {
  const name = `waypost_test_${process.pid}_${randomBytes(6).toString('hex')}`;
  // FILE_COPY takes a quarter of the time of the default WAL_LOG.
  await administer(`create database ${name} template ${inject('databaseTemplate')} strategy file_copy`);
  const url = databaseOn(inject('databaseServer'), name);
  const database = new TestDatabase(url, { connections: options.connections ?? 10, name: 'waypost tests' });
  // The template has the partitions of its day, as after the last upkeep; a run can continue on the next day.
  if (!inject('databaseTemplate').startsWith(templatePrefix(new Date()))) await ensurePartitions(database.pool);
  return database;
}

/** Of the templates of a day, by UTC. */
export const templatePrefix = (day: Date): string =>
  `waypost_template_${day.toISOString().slice(0, 10).replaceAll('-', '')}`;

/** The URL of an empty database, dropped after the test. */
export async function createEmptyDatabase(): Promise<string> {
  const name = `waypost_test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await administer(`create database ${name}`);
  onTestFinished(() => administer(`drop database if exists ${name} with (force)`));
  return databaseOn(inject('databaseServer'), name);
}

/** The URL of an empty database whose owner is a role without special rights, dropped after the test. */
export async function createPlainDatabase(): Promise<string> {
  const name = `waypost_test_${process.pid}_${randomBytes(6).toString('hex')}`;
  onTestFinished(async () => {
    await administer(`drop database if exists ${name} with (force)`);
    await administer(`drop role if exists ${name}`);
  });
  await administer(`create role ${name} login password 'plain'`);
  await administer(`create database ${name} owner ${name}`);
  const url = new URL(databaseOn(inject('databaseServer'), name));
  url.username = name;
  url.password = 'plain';
  return url.href;
}

/** The URL of another database on the same server. */
export function databaseOn(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

/** The same database as the superuser of the embedded server. */
export async function asSuperuser(url: string, dataDir: string): Promise<string> {
  const address = new URL(url);
  address.username = 'waypost';
  address.password = (await readFile(join(dataDir, 'postgres/password'), 'utf8')).trim();
  return address.href;
}

class TestDatabase extends Database {
  override async close(): Promise<void> {
    await super.close();
    await administer(`drop database if exists ${new URL(this.url).pathname.slice(1)} with (force)`);
  }
}

/** Runs a statement as the superuser. */
export async function administer(statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('databaseServer') });
  await admin.connect();
  await admin.query(statement).finally(() => admin.end());
}
