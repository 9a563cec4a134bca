import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { StatementNames } from './client.ts';
import type { Database } from './connection.ts';
import { unprepared } from './query-builder.ts';

let database: Database;
beforeAll(async () => {
  database = await createTestDatabase({ connections: 1 });
});
afterAll(() => database.close());

const prepared = async (text: string) => {
  const { rows } = await database.pool.query('select count(*) from pg_prepared_statements where statement = $1', [
    text,
  ]);
  return rows[0].count;
};

test('prepares a statement on its second use', async () => {
  const text = 'select $1::integer + 1 as sum';
  for (const [given, count] of [
    [1, 0],
    [2, 1],
    [3, 1],
  ] as const) {
    const { rows } = await database.pool.query(text, [given]);
    expect(rows).toEqual([{ sum: given + 1 }]);
    expect(await prepared(text)).toBe(count);
  }
});

test('shares prepared statements with transactions', async () => {
  const text = 'select $1::text as word';
  await database.pool.query(text, ['outside']);
  const { rows } = await database.transaction((transaction) => transaction.query(text, ['inside']));
  expect(rows).toEqual([{ word: 'inside' }]);
  expect(await prepared(text)).toBe(1);
});

test('plans unprepared statements for their values', async () => {
  const text = 'select $1::integer + 3 as sum';
  for (const _ of [1, 2, 3]) {
    const { rows } = await unprepared(database.pool).query(text, [1]);
    expect(rows).toEqual([{ sum: 4 }]);
  }
  expect(await prepared(text)).toBe(0);
});

test('counts prepared statements per connection', async () => {
  const other = await createTestDatabase({ connections: 1 });
  for (let n = 0; n < 501; n++) {
    for (const _ of [1, 2]) await other.pool.query(`select $1::integer + ${n}`, [1]);
  }
  await other.close();
  const text = 'select $1::boolean';
  for (const _ of [1, 2]) await database.pool.query(text, [true]);
  expect(await prepared(text)).toBe(1);
});

test('prepares at most 500 statements per connection', () => {
  const names = new StatementNames();
  const texts = Array.from({ length: 1000 }, (_, n) => `select ${n}`);
  for (const text of texts) expect(names.of(text)).toBeUndefined();
  const given = texts.flatMap((text) => [names.of(text), names.of(text)]).filter((name) => name !== undefined);
  expect(new Set(given).size).toBe(500);
  expect(names.of('select 0')).toBe(given[0]);
});
