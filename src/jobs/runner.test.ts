import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { configFor } from '../../test/support/data-folder.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Database } from '../database/connection.ts';
import { Sealer } from '../events/signing/sealer.ts';
import { openDirectories } from '../modules/directories/open-directories.ts';
import { platformJobs } from '../service/service.ts';
import { openFileStore } from '../storage/open-file-store.ts';
import { Job, type JobSet } from './job.ts';
import { Presence } from './presence.ts';
import { PartnerShares, startJobs } from './runner.ts';

let database: Database;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.close());

function start(log = pino({ level: 'silent' }), jobs: JobSet = platformJobs) {
  const config = configFor(database);
  return startJobs(jobs, {
    database,
    config,
    log,
    sealer: new Sealer(Buffer.alloc(32)),
    directories: openDirectories(config, undefined),
    files: openFileStore(config),
  });
}

/** A job locked by a running process; inserted and locked in one transaction. */
const lockedJob = (key: string, by: string, since = '0 s') =>
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

const exists = async (key: string) =>
  (await database.pool.query('select from graphile_worker.jobs where key = $1', [key])).rowCount === 1;

test('runs a job of a killed process in the next process', async () => {
  await (await start()).stop();
  await lockedJob('killed', 'dead');
  await database.pool.query("insert into job_workers values ('dead', 1)");
  await lockedJob('unknown', 'never seen', '1 hour');
  const next = await start();
  await vi.waitFor(
    async () => expect([await exists('killed'), await exists('unknown')]).toEqual([false, false]),
    10_000,
  );
  await next.stop();
});

test('does not release jobs of a live process, except for those that take too long', async () => {
  const one = await start();
  const { rows } = await vi.waitFor(async () => {
    const found = await database.pool.query<{ worker: string }>('select min(worker_id) as worker from job_workers');
    expect(found.rows[0]?.worker).toEqual(expect.any(String));
    return found;
  }, 45_000);
  await lockedJob('busy', rows[0]?.worker ?? '');
  await lockedJob('overdue', rows[0]?.worker ?? '', '1 hour');
  await lockedJob('killed', 'dead');
  await database.pool.query("insert into job_workers values ('dead', 1)");
  const other = await start();
  for (const key of ['killed', 'overdue']) await vi.waitFor(async () => expect(await exists(key)).toBe(false), 45_000);
  expect(await exists('busy')).toBe(true);
  await database.pool.query("delete from graphile_worker._private_jobs where key = 'busy'");
  await Promise.all([one.stop(), other.stop()]);
  expect((await database.pool.query('select from job_workers')).rowCount).toBe(0);
});

test('registers again after a lost connection', async () => {
  const one = await start();
  const present = async () =>
    (
      await database.pool.query<{ present: boolean }>(
        `select bool_and(presence::oid in (select objid from pg_locks where locktype = 'advisory')) as present
         from job_workers`,
      )
    ).rows[0]?.present;
  await vi.waitFor(async () => expect(await present()).toBe(true), 45_000);
  await database.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'waypost presence' and datname = current_database()",
  );
  await vi.waitFor(async () => expect(await present()).toBe(false), 45_000);
  await vi.waitFor(async () => expect(await present()).toBe(true), 45_000);
  await one.stop();
});

test('leaves no connection when it ends while it connects', async () => {
  const presence = new Presence(database.url, pino({ level: 'silent' }));
  const beginning = presence.begin();
  await presence.end();
  await beginning;
  const connections =
    "select from pg_stat_activity where application_name = 'waypost presence' and datname = current_database()";
  // The server ends the session after the client has closed it.
  await expect.poll(async () => (await database.pool.query(connections)).rows).toEqual([]);
});

test('registers a pool that is added while the connection is opened', async () => {
  const presence = new Presence(database.url, pino({ level: 'silent' }));
  const blocking = await database.pool.connect();
  await blocking.query('begin; lock table job_workers in share mode');
  presence.add('early');
  const beginning = presence.begin();
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(async () => (await database.pool.query(waiting)).rowCount).toBe(1);
  presence.add('late');
  await blocking.query('commit');
  blocking.release();
  await beginning;
  const registered = "select worker_id from job_workers where worker_id in ('early', 'late') order by 1";
  await expect
    .poll(async () => (await database.pool.query(registered)).rows)
    .toEqual([{ worker_id: 'early' }, { worker_id: 'late' }]);
  await presence.end();
});

test('starts when a read-only database becomes writable', async () => {
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
  await vi.waitFor(async () => expect(await exists('after-read-only')).toBe(false), 45_000);
  await jobs.stop();
});

const heldJob = new Job<{ name: string }>('test.held');

test('runs jobs again after the end of a job could not be stored', async () => {
  const started: string[] = [];
  const held = new Map(['first', 'second', 'third', 'fourth'].map((name) => [name, Promise.withResolvers<void>()]));
  const job = heldJob.implement(async ({ name }) => {
    started.push(name);
    await held.get(name)?.promise;
  });
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  const jobs = await start(log, { jobs: [job], releaseLeases: async () => {} });
  await heldJob.enqueueMany(
    database.pool,
    [...held.keys()].map((name) => ({ name })),
  );
  await expect.poll(() => started.length).toBe(4);
  await database.pool.query(
    `create function keep_jobs() returns trigger language plpgsql as $$ begin raise 'kept'; end $$;
     create trigger keep_jobs before delete on graphile_worker._private_jobs execute function keep_jobs()`,
  );
  held.get('first')?.resolve();
  // The error ends the pool of workers, which waits for the other jobs.
  await expect.poll(() => lines.join('')).toContain('Failed to complete jobs');
  await database.pool.query('drop function keep_jobs() cascade');
  const waiting = async () =>
    (await database.pool.query("select from graphile_worker.jobs where task_identifier = 'test.held'")).rowCount;
  held.get('second')?.resolve();
  await expect.poll(waiting).toBe(3);
  held.get('third')?.resolve();
  await expect.poll(waiting).toBe(2);
  held.get('fourth')?.resolve();
  await heldJob.enqueue(database.pool, { name: 'next' });
  await expect.poll(() => started.toSorted()).toEqual(['first', 'first', 'fourth', 'next', 'second', 'third']);
  await jobs.stop();
});

const slowJob = new Job<{ partnerId: number; number: number }>('test.slow');

test('jobs of a partner do not wait for the backlogs of others', async () => {
  const running = new Map<number, number>();
  const released = Promise.withResolvers<void>();
  const slow = slowJob.implement(async ({ partnerId }) => {
    running.set(partnerId, (running.get(partnerId) ?? 0) + 1);
    await released.promise;
  });
  const jobs = await start(undefined, { jobs: [slow], releaseLeases: async () => {} });
  const enqueue = (partnerId: number, count: number) =>
    slowJob.enqueueMany(
      database.pool,
      Array.from({ length: count }, (_, number) => ({ partnerId, number })),
    );
  try {
    for (const partnerId of [1, 2, 3]) {
      await enqueue(partnerId, 100);
      await expect.poll(() => running.get(partnerId)).toBeGreaterThan(0);
    }
    expect(running.get(1)).toBe(8);
  } finally {
    released.resolve();
    await jobs.stop();
  }
});

test('each of n partners gets 1/(n + 1) of the workers, at least one', async () => {
  const shares = new PartnerShares(12);
  const ends: (() => void)[] = [];
  const start = (flag: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(resolve);
    return shares.run([flag], () => promise);
  };
  const runs = [start('a'), start('a'), start('a'), start('a')];
  expect(shares.exhausted()).toEqual([]);
  runs.push(start('b'));
  expect(shares.exhausted()).toEqual(['a']);
  for (let index = 0; index < 14; index++) runs.push(start(`other-${index}`));
  expect(shares.exhausted()).toHaveLength(16);
  for (const end of ends) end();
  await Promise.all(runs);
  expect(shares.exhausted()).toEqual([]);
});
