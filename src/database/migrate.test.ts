import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Database } from './connection.ts';
import { migrate } from './migrate.ts';

let database: Database;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.close());

test('what has been done is not done again', async () => {
  expect(await migrate(database)).toEqual([]);
});

test('a database of a newer Waypost is left alone', async () => {
  await database.pool.query("insert into migrations (name) values ('9999-of-tomorrow.sql')");
  await expect(migrate(database)).rejects.toThrow('written by a newer Waypost (it has 9999-of-tomorrow.sql)');
});

test('a database with other tables than these is refused with what to do', async () => {
  await database.pool.query("update migrations set hash = 'another' where name = '0002-users.sql'");
  await expect(migrate(database)).rejects.toThrow(
    /tables were others \(0002-users\.sql\)\. Begin anew: .*WAYPOST_DATA_DIR/,
  );
});
