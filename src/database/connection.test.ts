import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Database } from './connection.ts';

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

test('replaces connections that the server closes', async () => {
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  await vi.waitFor(async () => {
    await insert(200);
    await insert(201);
  }, 10_000);
});
