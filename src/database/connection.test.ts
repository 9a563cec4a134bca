import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { Database } from './connection.ts';

let database: Database;

beforeAll(async () => {
  database = await createTestDatabase({ connections: 6 });
  await database.pool.query('create table notes (id integer primary key)');
});

afterAll(() => database.close());

const insert = (id: number) =>
  database.alone.query({ name: 'note', text: 'insert into notes values ($1)', values: [id] });

test('runs many autocommit statements on a few connections', async () => {
  await Promise.all(Array.from({ length: 50 }, (_, id) => insert(id)));
  const outcomes = await Promise.allSettled([insert(1), insert(100), insert(2), insert(101)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
  const { rows } = await database.pool.query('select count(*) from notes');
  expect(rows[0].count).toBe(52);
  expect(database.pool.totalCount - database.pool.idleCount).toBe(2);
});

test('returns rows as arrays', async () => {
  const { rows } = await database.alone.query({ text: 'select $1::text, 2', values: ['one'], rowMode: 'array' });
  expect(rows).toEqual([['one', 2]]);
});

test('returns times in ISO format and UTC with any settings of the database', async () => {
  const { rows } = await database.pool.query<{ name: string }>('select current_database() as name');
  const { name } = rows[0] ?? { name: '' };
  await database.pool.query(`alter database ${name} set timezone = 'Asia/Kolkata'`);
  await database.pool.query(`alter database ${name} set datestyle = 'German'`);
  const other = new Database(database.url, { connections: 1, name: 'other' });
  const time = await other.pool.query("select '2026-07-13T08:30:00.25Z'::timestamptz::text as text");
  await other.close();
  expect(time.rows).toEqual([{ text: '2026-07-13 08:30:00.25+00' }]);
});

test('replaces connections that the server closes', async () => {
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  const read = () => database.alone.query('select count(*) from notes');
  // Statements of different iterations of the event loop use both connections.
  await vi.waitFor(async () => {
    await read();
    await read();
  }, 10_000);
});
