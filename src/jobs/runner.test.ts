import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { readConfig } from '../config.ts';
import type { Database } from '../database/connection.ts';
import { openDirectories } from '../platform/directories/open-directories.ts';
import { openFileStore } from '../storage/open-file-store.ts';
import { startJobs } from './runner.ts';

let database: Database;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.close());

test('a job that a killed process had taken is done by the next one to start', async () => {
  const config = readConfig({});
  const log = pino({ level: 'silent' });
  const directories = openDirectories(config, undefined);
  const files = openFileStore(config);
  const first = await startJobs({ database, config, log, directories, files });
  await first.stop();
  await database.pool.query(`
    select graphile_worker.add_job('upkeep', '{}', queue_name := 'upkeep', job_key := 'abandoned');
    update graphile_worker._private_jobs set locked_at = now() - interval '1 hour', locked_by = 'dead', attempts = 1
      where key = 'abandoned';
    update graphile_worker._private_job_queues set locked_at = now() - interval '1 hour', locked_by = 'dead'`);
  const second = await startJobs({ database, config, log, directories, files });
  await vi.waitFor(async () => {
    const { rowCount } = await database.pool.query("select from graphile_worker.jobs where key = 'abandoned'");
    expect(rowCount).toBe(0);
  }, 10_000);
  await second.stop();
});
