import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { configFor } from '../../test/support/data-folder.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Database } from '../database/connection.ts';
import { openDirectories } from '../platform/directories/open-directories.ts';
import { openFileStore } from '../storage/open-file-store.ts';
import { startJobs } from './runner.ts';

let database: Database;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.close());

function start(log = pino({ level: 'silent' })) {
  const config = configFor(database);
  return startJobs({
    database,
    config,
    log,
    directories: openDirectories(config, undefined),
    files: openFileStore(config),
  });
}

/** A job as somebody leaves it who is in the midst of it: nobody sees it before it is taken. */
const taken = (key: string, by: string, since = '0 s') =>
  database.transaction(async (sql) => {
    await sql.query("select graphile_worker.add_job('upkeep', '{}', queue_name := $1, job_key := $1)", [key]);
    await sql.query(
      `update graphile_worker._private_jobs set locked_at = now() - $2::interval, locked_by = $3, attempts = 1 where key = $1`,
      [key, since, by],
    );
    await sql.query(
      `update graphile_worker._private_job_queues set locked_at = now() - $2::interval, locked_by = $3 where queue_name = $1`,
      [key, since, by],
    );
  });

const isLeft = async (key: string) =>
  (await database.pool.query('select from graphile_worker.jobs where key = $1', [key])).rowCount === 1;

test('a job that a killed process had taken is done by the next one to start', async () => {
  await (await start()).stop();
  await taken('killed', 'dead');
  await database.pool.query("insert into job_workers values ('dead', 1)");
  await taken('unknown', 'never seen', '1 hour');
  const next = await start();
  await vi.waitFor(
    async () => expect([await isLeft('killed'), await isLeft('unknown')]).toEqual([false, false]),
    10_000,
  );
  await next.stop();
});

test('a job stays with a process that is there', async () => {
  const one = await start();
  const { rows } = await vi.waitFor(async () => {
    const found = await database.pool.query<{ worker: string }>('select min(worker_id) as worker from job_workers');
    expect(found.rows[0]?.worker).toEqual(expect.any(String));
    return found;
  }, 10_000);
  await taken('busy', rows[0]?.worker ?? '');
  await taken('killed', 'dead');
  await database.pool.query("insert into job_workers values ('dead', 1)");
  const other = await start();
  await vi.waitFor(async () => expect(await isLeft('killed')).toBe(false), 10_000);
  expect(await isLeft('busy')).toBe(true);
  await database.pool.query("delete from graphile_worker._private_jobs where key = 'busy'");
  await Promise.all([one.stop(), other.stop()]);
  expect((await database.pool.query('select from job_workers')).rowCount).toBe(0);
});

test('a process whose connection broke shows again that it is there', async () => {
  const one = await start();
  const present = async () =>
    (
      await database.pool.query<{ present: boolean }>(
        `select bool_and(presence::oid in (select objid from pg_locks where locktype = 'advisory')) as present
         from job_workers`,
      )
    ).rows[0]?.present;
  await vi.waitFor(async () => expect(await present()).toBe(true), 10_000);
  await database.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'waypost presence' and datname = current_database()",
  );
  await vi.waitFor(async () => expect(await present()).toBe(false), 10_000);
  await vi.waitFor(async () => expect(await present()).toBe(true), 10_000);
  await one.stop();
});

test('a runner that cannot start while the database is read-only starts once it is writable', async () => {
  const name = new URL(database.url).pathname.slice(1);
  const lines: string[] = [];
  await database.pool.query(`alter database ${name} set default_transaction_read_only = on`);
  const jobs = await start(pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }));
  expect(lines.join('')).toContain('jobs.not-started');
  await database.pool.query(`alter database ${name} reset default_transaction_read_only`);
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name in ('waypost jobs', 'waypost job runner', 'waypost presence')`,
  );
  await database.pool.query("select graphile_worker.add_job('upkeep', job_key := 'after-read-only')");
  await vi.waitFor(async () => expect(await isLeft('after-read-only')).toBe(false), 15_000);
  await jobs.stop();
});
