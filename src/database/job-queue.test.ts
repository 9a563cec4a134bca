import { Logger, runOnce } from 'graphile-worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi } from '../../test/support/api.ts';
import { enqueueJob, enqueueJobs } from './job-queue.ts';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.close());

test('what somebody waits for goes before a backlog that nobody waits for', async () => {
  const { pool, url } = api.database;
  const done: string[] = [];
  const work = (name: string) => async () => {
    done.push(name);
  };
  await enqueueJobs(pool, 'listing', [{ payload: {} }, { payload: {} }]);
  await enqueueJob(pool, 'listing', {});
  await enqueueJob(pool, 'report', {}, { isWaitedFor: true });
  await runOnce({
    connectionString: url,
    taskList: { listing: work('listing'), report: work('report') },
    logger: new Logger(() => () => {}),
    noHandleSignals: true,
  });
  expect(done).toEqual(['report', 'listing', 'listing', 'listing']);
});
