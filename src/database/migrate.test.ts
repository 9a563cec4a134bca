import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Database } from './connection.ts';
import { migrate } from './migrate.ts';

let database: Database;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.close());

test('applies each migration once', async () => {
  expect(await migrate(database)).toEqual([]);
});

test('refuses a database of a newer version', async () => {
  await database.pool.query("insert into migrations (name) values ('9999-of-tomorrow.sql')");
  await expect(migrate(database)).rejects.toThrow('migrated by a newer version of Waypost (9999-of-tomorrow.sql)');
});

test('refuses a database of an unreleased version', async () => {
  await database.pool.query("update migrations set hash = 'another' where name = '0002-users.sql'");
  await expect(migrate(database)).rejects.toThrow(/different schema \(0002-users\.sql\)\. Set WAYPOST_DATA_DIR/);
});
