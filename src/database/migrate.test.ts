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

test('does not block other processes while it waits for a lock', { timeout: 60_000 }, async () => {
  const { rows } = await database.pool.query("select 'events_' || to_char(current_date + 7, 'YYYYMMDD') as missing");
  await database.pool.query(`drop table ${rows[0].missing}`);
  const reader = await database.pool.connect();
  await reader.query('begin; lock table events in access share mode');
  const migrated = migrate(database);
  const waiting = `select from pg_locks where relation = 'events'::regclass and not granted`;
  const soon = { timeout: 20_000, interval: 20 };
  await expect.poll(() => database.pool.query(waiting), soon).toMatchObject({ rowCount: 1 });
  // The migration releases its place in the lock queue.
  await database.pool.query('select from events limit 1');
  await reader.query('commit');
  reader.release();
  expect(await migrated).toEqual([]);
  expect((await database.pool.query(`select to_regclass('${rows[0].missing}') as name`)).rows).toEqual([
    { name: rows[0].missing },
  ]);
});
