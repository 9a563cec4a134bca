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
  return { database, proxy };
}

test('the server cancels a statement after its timeout', { timeout: 60_000 }, async () => {
  const { database } = await openDatabase();
  const error = await database.pool.query('select pg_sleep(50)').catch((thrown) => thrown);
  expect(error).toMatchObject({ code: '57014' });
  expect(isDatabaseUnavailable(error)).toBe(true);
});

const uses = [
  (database: Database) => database.pool.query('select'),
  (database: Database) => database.transaction((sql) => sql.query('select')),
  (database: Database) => database.alone.query('select'),
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
