import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Database } from './connection.ts';
import { run } from './statement.ts';

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

test('prepares defined statements, and plans the statements of the query builder for their values', async () => {
  const statement = { name: 'sum-for-test', text: 'select $1::integer + 1 as sum', columns: { sum: 'int4' } } as const;
  for (const _ of [1, 2]) expect(await run<{ sum: number }>(database.pool, statement, [1])).toEqual([{ sum: 2 }]);
  expect(await prepared(statement.text)).toBe(1);
  for (const _ of [1, 2]) await database.pool.query('select $1::integer + 2 as sum', [1]);
  expect(await prepared('select $1::integer + 2 as sum')).toBe(0);
});
