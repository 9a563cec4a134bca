import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configFor } from '../../test/support/data-folder.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Database } from '../database/connection.ts';
import { Sealer } from '../events/signing/sealer.ts';
import { openDirectories } from '../modules/directories/open-directories.ts';
import { openFileStore } from '../storage/open-file-store.ts';
import { Job } from './job.ts';
import { PartnerShares } from './partner-shares.ts';
import { startJobs } from './runner.ts';

let database: Database;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const slowJob = new Job<{ partnerId: number; number: number }>('test.slow');

test('jobs of a partner do not wait for the backlogs of others', async () => {
  const config = configFor(database);
  const running = new Map<number, number>();
  const released = Promise.withResolvers<void>();
  const slow = slowJob.implement(async ({ partnerId }) => {
    running.set(partnerId, (running.get(partnerId) ?? 0) + 1);
    await released.promise;
  });
  const jobs = await startJobs(
    { jobs: [slow], releaseLeases: async () => {} },
    {
      database,
      config,
      log: pino({ level: 'silent' }),
      sealer: new Sealer(Buffer.alloc(32)),
      directories: openDirectories(config, undefined),
      files: openFileStore(config),
    },
  );
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
