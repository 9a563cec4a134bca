import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { DatabaseProxy } from '../../test/support/database-proxy.ts';
import { Database } from './connection.ts';
import { isDatabaseUnavailable } from './faults.ts';

/** One connection through a proxy, with the timeouts of deliveries, which are the shortest. */
async function openDatabase() {
  const server = await createTestDatabase();
  onTestFinished(() => server.close());
  const proxy = await DatabaseProxy.to(server.url);
  const database = new Database(proxy.url, { connections: 1, name: 'waypost tests', statementLimit: 'delivery' });
  onTestFinished(() => database.close());
  return { database, proxy, server };
}

test('the server cancels a statement after its timeout', { timeout: 60_000 }, async () => {
  const { database } = await openDatabase();
  const error = await database.pool.query('select pg_sleep(50)').catch((thrown) => thrown);
  expect(error).toMatchObject({ code: '57014' });
  expect(isDatabaseUnavailable(error)).toBe(true);
});

test('the server ends the transaction of a process that hangs', async () => {
  const { database, server } = await openDatabase();
  expect((await database.pool.query('show idle_in_transaction_session_timeout')).rows).toEqual([
    { idle_in_transaction_session_timeout: '1min' },
  ]);
  const hung = database.transaction(async (sql) => {
    await sql.query('set local idle_in_transaction_session_timeout = 100');
    const open = "select from pg_stat_activity where datname = current_database() and state like 'idle in%'";
    await expect.poll(() => server.pool.query(open)).toMatchObject({ rowCount: 0 });
    await sql.query('select');
  });
  expect(isDatabaseUnavailable(await hung.catch((thrown) => thrown))).toBe(true);
});

const uses = [
  (database: Database) => database.pool.query('select'),
  (database: Database) => database.transaction((sql) => sql.query('select')),
  (database: Database) => database.autocommit.query('select'),
];

test('a statement on an unresponsive connection times out, and the next one succeeds', {
  timeout: 60_000,
}, async () => {
  const failOnSilence = async (run: (typeof uses)[number]) => {
    const { database, proxy } = await openDatabase();
    await run(database);
    proxy.freeze();
    const error = await run(database).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect((await run(database)).rowCount).toBe(1);
  };
  await Promise.all(uses.map(failOnSilence));
});
