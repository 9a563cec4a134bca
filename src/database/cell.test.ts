import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { claimCell, readCellState } from './cell.ts';
import type { Database } from './connection.ts';

async function newDatabase(): Promise<Database> {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  return database;
}

/** The next id of every sequence of records. */
async function nextIds({ pool }: Database): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>(
    `select nextval(format('%I.%I', schemaname, sequencename)) as id from pg_sequences
     where schemaname = 'public' and data_type = 'bigint'::regtype and not cycle`,
  );
  return rows.map(({ id }) => id);
}

const insertPartner = ({ pool }: Database) =>
  pool.query(
    `insert into sales_partners (identifier, name, api_version, lineage, public_key)
     values ('one', 'One', '20260713', '{}', 'key')`,
  );

test('the ids of cells are disjoint and below 2^53', async () => {
  const ranges = [];
  for (const cell of [0, 1, 254, 255]) {
    const database = await newDatabase();
    await claimCell(database, cell);
    const ids = await nextIds(database);
    expect(ids.length).toBeGreaterThan(40);
    ranges.push({ least: Math.min(...ids), most: Math.max(...ids) });
  }
  expect(ranges[0]).toEqual({ least: 1, most: 1 });
  expect(ranges[1]).toEqual({ least: 2 ** 45 + 1, most: 2 ** 45 + 1 });
  expect(ranges[3]).toEqual({ least: 255 * 2 ** 45 + 1, most: 255 * 2 ** 45 + 1 });
  expect(Number.isSafeInteger(256 * 2 ** 45 - 1)).toBe(true);
});

test('a cell never issues ids of the next one', async () => {
  const database = await newDatabase();
  await claimCell(database, 1);
  await database.pool.query("select setval('event_id', $1)", [2 ** 46 - 1]);
  await expect(database.pool.query("select nextval('event_id')")).rejects.toThrow('reached maximum value');
  expect(await readCellState(database.pool)).toMatchObject({ cell: 1, usedShare: expect.closeTo(1) });
});

test('a later start continues, and moves the sequences of new tables', async () => {
  const database = await newDatabase();
  await Promise.all([claimCell(database, 3), claimCell(database, 3)]);
  const before = await nextIds(database);
  await database.pool.query('create table added (id bigint generated always as identity)');
  await claimCell(database, 3);
  const after = await nextIds(database);
  expect(after).toHaveLength(before.length + 1);
  expect(Math.min(...after)).toBe(3 * 2 ** 45 + 1);
  expect(Math.max(...after)).toBe(3 * 2 ** 45 + 2);
  expect(after.filter((id) => id === 3 * 2 ** 45 + 1)).toHaveLength(1);
});

test('rejects the database of another cell', async () => {
  const database = await newDatabase();
  await claimCell(database, 3);
  for (const cell of [0, 4]) {
    await expect(claimCell(database, cell)).rejects.toThrow(
      `The database was created for cell 3, and WAYPOST_CELL is ${cell}. Set WAYPOST_CELL to 3, or use the database of cell ${cell}`,
    );
  }
  expect(await nextIds(database)).toContain(3 * 2 ** 45 + 1);
});

test('a database with partners stays cell 0', async () => {
  const database = await newDatabase();
  await insertPartner(database);
  await expect(claimCell(database, 1)).rejects.toThrow('was created for cell 0, and WAYPOST_CELL is 1');
  await claimCell(database, 0);
  expect(await nextIds(database)).toContain(1);
});

test('two cells started on one database: the first one keeps it', async () => {
  const database = await newDatabase();
  const results = await Promise.allSettled([claimCell(database, 1), claimCell(database, 2)]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});
