import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Database } from './connection.ts';

let database: Database;
beforeAll(async () => {
  database = await createTestDatabase({ connections: 1 });
  await database.pool.query('create table pages (id bigint primary key, title text)');
});
afterAll(() => database.close());

/** Runs a prepared statement three times: the first run also describes the result. */
async function threeTimes(statement: { name: string; text: string; rowMode?: 'array' }, values: unknown[]) {
  const results = [];
  for (const _ of [1, 2, 3]) results.push(await database.pool.query({ ...statement, values }));
  return results;
}

test('returns the same rows on every use', async () => {
  const text = `select $1::bigint as id, null as nothing, array[1, 2]::bigint[] as ids, '{"a": [1]}'::jsonb as json,
                  '2030-01-02T03:04:05Z'::timestamptz as time, true as flag from generate_series(1, 2)`;
  const time = new Date('2030-01-02T03:04:05Z');
  const row = { id: 7, nothing: null, ids: [1, 2], json: { a: [1] }, time, flag: true };
  for (const result of await threeTimes({ name: 'as objects', text }, [7])) {
    expect(result).toMatchObject({ command: 'SELECT', rowCount: 2, rows: [row, row] });
    expect(result.fields.map(({ name }) => name)).toEqual(Object.keys(row));
  }
  for (const { rows } of await threeTimes({ name: 'as arrays', text, rowMode: 'array' }, [7])) {
    expect(rows).toEqual([Object.values(row), Object.values(row)]);
  }
});

test('counts the rows of statements without a result', async () => {
  for (const id of [1, 2, 3]) {
    const statement = { name: 'insert', text: 'insert into pages (id) values ($1), ($1 + 100)', values: [id] };
    expect(await database.pool.query(statement)).toMatchObject({ command: 'INSERT', rowCount: 2, rows: [] });
  }
});

test('is prepared for the next use after an error', async () => {
  const statement = { name: 'divide', text: 'select 6 / $1::integer as result' };
  for (const [divisor, outcome] of [
    [0, 'rejected'],
    [2, 'fulfilled'],
    [0, 'rejected'],
    [3, 'fulfilled'],
  ] as const) {
    const [{ status }] = await Promise.allSettled([database.pool.query({ ...statement, values: [divisor] })]);
    expect(status).toBe(outcome);
  }
});

test('rejects values that cannot be sent', async () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const statement = { name: 'echo', text: 'select $1::jsonb as value' };
  for (const _ of [1, 2]) {
    expect((await database.pool.query({ ...statement, values: [{ a: 1 }] })).rows).toEqual([{ value: { a: 1 } }]);
    await expect(database.pool.query({ ...statement, values: [circular] })).rejects.toThrow('circular');
  }
});

test('rejects a statement whose result columns have changed', async () => {
  const statement = { name: 'titles', text: 'select title from pages where id < $1', values: [1000] };
  for (const _ of [1, 2]) expect((await database.pool.query(statement)).rowCount).toBe(6);
  await database.pool.query('alter table pages alter title type bigint using null');
  await expect(database.pool.query(statement)).rejects.toThrow('cached plan must not change result type');
});
