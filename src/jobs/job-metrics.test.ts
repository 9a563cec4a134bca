import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { jobContext, runTasks } from '../../test/support/jobs.ts';
import type { Database } from '../database/connection.ts';
import { Job } from './job.ts';
import { JobMetrics, registerJobQueueMetrics } from './job-metrics.ts';
import { tasksOf } from './runner.ts';

let database: Database;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const metricLines = async (registry: Registry, name: string) =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith(name));

test('counts queued, overdue and failed jobs of the installation', async () => {
  const registry = new Registry();
  registerJobQueueMetrics(registry, database.pool);
  const job = new Job('test.counted');
  await job.enqueueMany(database.pool, [{}, {}]);
  await job.enqueue(database.pool, {}, { delaySeconds: 3600 });
  await job.enqueue(database.pool, {}, { delaySeconds: -120 });
  await job.enqueue(database.pool, {}, { maxAttempts: 1, queue: 'failed' });
  await database.pool.query('update graphile_worker._private_jobs set attempts = 1 where max_attempts = 1');
  expect(await metricLines(registry, 'waypost_jobs')).toEqual([
    'waypost_jobs_queued{name="test.counted"} 4',
    'waypost_jobs_overdue{name="test.counted"} 1',
    'waypost_jobs_failed{name="test.counted"} 1',
  ]);
  await database.pool.query('delete from graphile_worker._private_jobs');
  expect(await metricLines(registry, 'waypost_jobs')).toEqual([]);
});

test('measures the runs of jobs by outcome', async () => {
  const registry = new Registry();
  const job = new Job<{ fails: boolean }>('test.measured');
  const implementation = job.implement(async ({ fails }) => {
    if (fails) throw new Error('It fails.');
  });
  await job.enqueueMany(database.pool, [{ fails: false }, { fails: false }, { fails: true }]);
  const metrics = new JobMetrics(registry);
  await runTasks(database, tasksOf([implementation], jobContext(database), undefined, metrics));
  expect((await metricLines(registry, 'waypost_job_duration_seconds_count')).sort()).toEqual([
    'waypost_job_duration_seconds_count{name="test.measured",outcome="failed"} 1',
    'waypost_job_duration_seconds_count{name="test.measured",outcome="succeeded"} 2',
  ]);
});

test('serves metrics during a database outage', async () => {
  const registry = new Registry();
  registerJobQueueMetrics(registry, { query: () => Promise.reject(new Error('away')) } as unknown as Database['pool']);
  expect(await registry.metrics()).toContain('waypost_jobs_queued');
});
