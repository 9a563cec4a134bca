import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { DatabaseProxy } from '../../test/support/database-proxy.ts';
import { Database } from './connection.ts';
import { isDatabaseUnavailable } from './faults.ts';
import { Notifications } from './notifications.ts';
import { db, raw } from './query-builder.ts';

let database: Database;

beforeAll(async () => {
  database = await createTestDatabase({ connections: 6 });
  await database.pool.query('create table notes (id integer primary key)');
});

afterAll(() => database.close());

const insert = (id: number) =>
  database.autocommit.query({ name: 'note', text: 'insert into notes values ($1)', values: [id] });

test('runs many autocommit statements on a few connections', async () => {
  await Promise.all(Array.from({ length: 50 }, (_, id) => insert(id)));
  const outcomes = await Promise.allSettled([insert(1), insert(100), insert(2), insert(101)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
  const { rows } = await database.pool.query('select count(*) from notes');
  expect(rows[0].count).toBe(52);
  expect(database.pool.totalCount - database.pool.idleCount).toBe(2);
});

test('returns rows as arrays', async () => {
  const { rows } = await database.autocommit.query({ text: 'select $1::text, 2', values: ['one'], rowMode: 'array' });
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
  const read = () => database.autocommit.query('select count(*) from notes');
  // Statements of different iterations of the event loop use both connections.
  await vi.waitFor(async () => {
    await read();
    await read();
  }, 45_000);
});

test('listens on one connection if a channel is subscribed before the next attempt to connect', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const fakeTimeout = globalThis.setTimeout;
  let timersSet = 0;
  // Not vi.spyOn: vi.restoreAllMocks in a later test file would bring back the fake timers.
  globalThis.setTimeout = ((...args: Parameters<typeof setTimeout>) => {
    timersSet++;
    return fakeTimeout(...args);
  }) as typeof setTimeout;
  onTestFinished(() => {
    globalThis.setTimeout = fakeTimeout;
    vi.useRealTimers();
  });
  let connections = 0;
  // Ends the first connection, and does not respond on others.
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    if (connections === 1) socket.destroy();
    else onTestFinished(() => void socket.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const notifications = new Notifications(`postgres://user@127.0.0.1:${port}/none`, database.pool);
  onTestFinished(() => void notifications.close());
  const timers = vi.getTimerCount();
  notifications.subscribe('one', () => {});
  // The second timer is the wait for the next attempt, after the time limit of the first one.
  await expect.poll(() => timersSet).toBe(2);
  notifications.subscribe('two', () => {});
  await expect.poll(() => connections).toBe(2);
  // The time limit of the second attempt.
  expect(vi.getTimerCount() - timers).toBe(1);
});

describe('a connection that is reset', () => {
  const slow = 'select pg_sleep(20)';
  const ways: [string, (database: Database) => Promise<unknown>][] = [
    ['the pool', ({ pool }) => pool.query(slow)],
    ['the pool with values', ({ pool }) => pool.query(`${slow} where $1`, [true])],
    ['a named statement', ({ pool }) => pool.query({ name: 'slow', text: `${slow} where $1`, values: [true] })],
    ['the shared connections', ({ autocommit }) => autocommit.query({ name: 'slow', text: slow, values: [] })],
    ['a transaction', (database) => database.transaction((sql) => sql.query(slow))],
    ['the query builder', ({ pool }) => raw`select pg_sleep(20)`.execute(db(pool))],
  ];

  test.each(ways)('counts as an unavailable database in a statement of %s', async (_, run) => {
    const target = await createTestDatabase();
    const proxy = await DatabaseProxy.to(target.url);
    const database = new Database(proxy.url, { connections: 3, name: 'waypost reset' });
    onTestFinished(async () => {
      await database.close();
      await target.close();
    });
    const failed = run(database).catch((error: unknown) => error);
    await expect
      .poll(async () => {
        const { rows } = await target.pool.query(
          `select from pg_stat_activity where application_name = 'waypost reset' and query like 'select pg_sleep%' and state = 'active'`,
        );
        return rows.length;
      })
      .toBe(1);
    proxy.reset();
    const error = await failed;
    expect(isDatabaseUnavailable(error), String(error)).toBe(true);
  });
});
