import { afterAll, beforeAll, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { TestApi } from '../../test/support/api.ts';
import { runTasks } from '../../test/support/jobs.ts';
import { platformJobs } from '../service/service.ts';
import { composeJobs, defineJob, deleteReplaced, Job } from './job.ts';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start();
});
beforeEach(() => api.database.pool.query('truncate graphile_worker._private_jobs'));
afterAll(() => api.close());

const listing = new Job<{ listingId: number; requested?: boolean }>('listing', {
  key: ({ listingId, requested }) => `listing-${listingId}${requested ? '-requested' : ''}`,
  queue: 'listings',
});
const report = new Job('report', { requested: true, maxAttempts: 1 });
const run = async () => {};

const queued = async () => {
  const { rows } = await api.database.pool.query(
    `select task_identifier as name, payload, key, queue_name as queue, max_attempts as "maxAttempts", priority,
       round(extract(epoch from run_at - created_at))::int as seconds
     from graphile_worker._private_jobs jobs
     join (select id, task_identifier, queue_name from graphile_worker.jobs) shown using (id) order by id`,
  );
  return rows;
};

test('a job that a user waits for runs before a backlog of scheduled jobs', async () => {
  const { pool } = api.database;
  const done: string[] = [];
  const work = (name: string) => async () => {
    done.push(name);
  };
  const backlog = new Job('listing');
  await backlog.enqueueMany(pool, [{}, {}]);
  await backlog.enqueue(pool, {});
  await report.enqueue(pool, {});
  await runTasks(api.database, { listing: work('listing'), report: work('report') });
  expect(done).toEqual(['report', 'listing', 'listing', 'listing']);
});

test('a job is queued with the defaults of its definition and the options of its caller', async () => {
  const { pool } = api.database;
  await listing.enqueueMany(pool, [{ listingId: 1 }, { listingId: 2 }]);
  await listing.enqueue(pool, { listingId: 1, requested: true }, { queue: undefined, delaySeconds: 60 });
  await report.enqueue(pool, {}, { maxAttempts: 7 });
  const scheduled = { name: 'listing', queue: 'listings', maxAttempts: 5, priority: 0, seconds: 0 };
  expect(await queued()).toEqual([
    { ...scheduled, payload: { listingId: 1 }, key: 'listing-1' },
    { ...scheduled, payload: { listingId: 2 }, key: 'listing-2' },
    {
      ...scheduled,
      payload: { listingId: 1, requested: true },
      key: 'listing-1-requested',
      queue: null,
      priority: -10,
      seconds: 60,
    },
    { name: 'report', payload: {}, key: null, queue: null, maxAttempts: 7, priority: -10, seconds: 0 },
  ]);
});

test('a job runs at the given date', async () => {
  const runAt = new Date('2031-05-01T08:00:00Z');
  await report.enqueue(api.database.pool, {}, { runAt });
  expect((await api.database.pool.query('select run_at from graphile_worker.jobs')).rows).toEqual([{ run_at: runAt }]);
});

test('a waiting job with the same key is replaced, and can be removed', async () => {
  const { pool } = api.database;
  await listing.enqueue(pool, { listingId: 1 });
  await listing.enqueue(pool, { listingId: 1 }, { maxAttempts: 2 });
  await listing.enqueue(pool, { listingId: 2 });
  expect(await queued()).toMatchObject([{ key: 'listing-1', maxAttempts: 2 }, { key: 'listing-2' }]);
  await listing.remove(pool, { listingId: 1 });
  expect(await queued()).toMatchObject([{ key: 'listing-2' }]);
});

test('payloads are typed, for callers and for the implementation', () => {
  expectTypeOf(listing.enqueue).parameter(1).toEqualTypeOf<{ listingId: number; requested?: boolean }>();
  expectTypeOf<Parameters<typeof listing.implement>[0]>()
    .parameter(0)
    .toEqualTypeOf<{ listingId: number; requested?: boolean }>();
  // @ts-expect-error: a job with a payload cannot be scheduled
  new Job<{ listingId: number }>('scheduled', { schedule: '* * * * *' });
});

test('a job without an implementation fails at composition', () => {
  const names = new Set([listing.name, report.name]);
  expect(() => composeJobs([listing.implement(run)], names)).toThrow('No module implements report.');
  expect(composeJobs([listing.implement(run), report.implement(run)], names)).toHaveLength(2);
});

test('a job with two implementations fails at composition', () => {
  expect(() => composeJobs([...platformJobs.jobs, ...platformJobs.jobs.slice(0, 1)])).toThrow('two implementations');
});

test('every job of the platform has a module that implements it', () => {
  expect(platformJobs.jobs.length).toBeGreaterThan(1);
  expect(() => composeJobs(platformJobs.jobs.slice(1))).toThrow(`No module implements ${platformJobs.jobs[0]?.name}.`);
});

test('two jobs with the same name cannot be defined', () => {
  expect(() => defineJob(platformJobs.jobs[0]?.name ?? '')).toThrow('Two jobs have the name');
});

test('a job that was replaced while its process died is deleted, jobs that failed are kept', async () => {
  const { pool } = api.database;
  await listing.enqueueMany(pool, [{ listingId: 1 }, { listingId: 2 }]);
  await report.enqueue(pool, {});
  await pool.query(
    `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'dead', attempts = attempts + 1`,
  );
  await listing.enqueue(pool, { listingId: 1 });
  await pool.query(`select graphile_worker.force_unlock_workers(array['dead'])`);
  const left = async () => {
    const { rows } = await pool.query(
      'select task_identifier as name, key, attempts from graphile_worker.jobs order by id',
    );
    return rows;
  };
  const kept = [
    { name: 'listing', key: 'listing-2', attempts: 1 },
    // Its process died in the only attempt.
    { name: 'report', key: null, attempts: 1 },
    { name: 'listing', key: 'listing-1', attempts: 0 },
  ];
  expect(await left()).toEqual([{ name: 'listing', key: null, attempts: 5 }, ...kept]);
  await deleteReplaced(pool, new Set(['listing']));
  expect(await left()).toEqual(kept);
});
