import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Database } from './connection.ts';

let database: Database;
beforeAll(async () => {
  // One connection: a leaked one would block the next transaction.
  database = await createTestDatabase({ connections: 1 });
  await database.pool.query('create table kept (word text)');
});
afterAll(() => database.close());

const words = async () => (await database.pool.query('select word from kept')).rows.map(({ word }) => word);

test('commits when the work succeeds and rolls back when it fails', async () => {
  await database.transaction((sql) => sql.query("insert into kept values ('one')"));
  const failing = database.transaction(async (sql) => {
    await sql.query("insert into kept values ('two')");
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  expect(await words()).toEqual(['one']);
});

test('fails with the error that aborted it, not with that of the next statement', async () => {
  const failing = database.transaction(async (sql) => {
    const first = async () => {
      // The error arrives first, but takes longer to the caller.
      await sql.query('select 1 / 0').catch(async (error) => {
        for (let ticks = 0; ticks < 20; ticks += 1) await undefined;
        throw error;
      });
    };
    await Promise.all([first(), sql.query('select 1')]);
  });
  await expect(failing).rejects.toThrow('division by zero');
});

test('the connection stays usable when the work fails before its first statement', async () => {
  const failing = database.transaction(() => {
    throw new Error('not even a promise');
  });
  await expect(failing).rejects.toThrow('not even a promise');
  expect(await words()).toEqual(['one']);
});

test('a lost connection fails only its transaction', async () => {
  const other = await createTestDatabase({ connections: 1 });
  onTestFinished(() => other.close());
  for (const statement of ['select pg_terminate_backend(pg_backend_pid())', 'select pg_sleep(0)']) {
    const pid = Promise.withResolvers<number>();
    const killed = Promise.withResolvers<void>();
    const failing = database.transaction(async (sql) => {
      pid.resolve((await sql.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0);
      await killed.promise;
      await sql.query(statement);
    });
    failing.catch(() => {});
    if (statement.includes('sleep'))
      await other.pool.query('select pg_terminate_backend($1, 5000)', [await pid.promise]);
    killed.resolve();
    await expect(failing).rejects.toThrow();
    expect(await words()).toEqual(['one']);
  }
});

test('notifies listeners after a commit, not after a rollback', async () => {
  let woken = 0;
  onTestFinished(
    database.notifications.subscribe('bell', () => {
      woken++;
    }),
  );
  // Called once on subscribing, because notifications may have been missed.
  await expect.poll(() => woken).toBe(1);
  woken = 0;
  await database.transaction(async (sql) => {
    sql.notifyAfterCommit('bell');
    await sql.query('select 1');
    expect(woken).toBe(0);
  });
  expect(woken).toBe(1);
  const failing = database.transaction(async (sql) => {
    sql.notifyAfterCommit('bell');
    await sql.query('select 1 / 0');
  });
  await expect(failing).rejects.toThrow('division by zero');
  expect(woken).toBe(1);
});
