import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { jobContext, runJobs } from '../../../test/support/jobs.ts';
import type { Database } from '../../database/connection.ts';
import { systemActor } from '../../modules/accounts/actor.ts';
import { insertPartner } from '../../modules/accounts/partners/partner-store.ts';
import { Job, type JobContext } from '../job.ts';
import { singleRunTaskJob } from './single-run-task.ts';
import { createTask, findTaskById, taskDefinition } from './task-store.ts';

let database: Database;
let context: JobContext;
let partner: { id: number; identifier: string };

beforeAll(async () => {
  database = await createTestDatabase();
  context = jobContext(database);
  await runJobs(database);
  partner = await insertPartner(database.pool, {
    identifier: 'partner',
    name: 'partner',
    apiVersion: '20260713',
    parentId: null,
    publicKey: 'partner',
  });
});
afterAll(() => database.close());

const job = new Job('test.single', taskDefinition);

const newTask = () =>
  database.transaction((transaction) => createTask(transaction, systemActor(partner), { type: 'SINGLE', job }));

const single = (run: () => Promise<void>) =>
  singleRunTaskJob({
    job,
    createProgress: () => ({ done: 0, total: 1 }),
    async run(_, { finish }) {
      await run();
      await finish(async () => ({ rows: 1 }));
    },
  });

test.each(['57P01', '40P01'])('is retried after error %s, when its last heartbeat is old enough', async (code) => {
  const { id, partnerId } = await newTask();
  await database.pool.query("delete from graphile_worker._private_jobs where key = 'task-' || $1", [id]);
  const payload = { taskId: id, partnerId };
  const interrupted = single(async () => {
    throw Object.assign(new Error('gone'), { code });
  });
  await expect(interrupted.run(payload, context)).rejects.toThrow('gone');
  const repeated = single(async () => {});
  await repeated.run(payload, context);
  expect(await findTaskById(database.pool, id)).toMatchObject({ status: 'RUNNING' });
  const { rows } = await database.pool.query(
    `select _private_jobs.payload, extract(epoch from run_at - updated_at)::int as seconds
     from graphile_worker._private_jobs where key = 'task-' || $1`,
    [id],
  );
  expect(rows).toEqual([{ payload, seconds: 10 }]);
  await database.pool.query("update tasks set last_progress = now() - interval '11 seconds' where id = $1", [id]);
  await repeated.run(payload, context);
  expect(await findTaskById(database.pool, id)).toMatchObject({ status: 'FINISHED', result: { rows: 1 } });
});

test('fails after repeated restarts', async () => {
  const { id, partnerId } = await newTask();
  const crashing = single(async () => {
    throw Object.assign(new Error('gone'), { code: '57014' });
  });
  for (let restarts = 0; restarts <= 10; restarts++) {
    await expect(crashing.run({ taskId: id, partnerId }, context)).rejects.toThrow('gone');
    await database.pool.query("update tasks set last_progress = now() - interval '11 seconds' where id = $1", [id]);
  }
  await crashing.run({ taskId: id, partnerId }, context);
  const error = expect.stringMatching(/failed repeatedly/);
  expect(await findTaskById(database.pool, id)).toMatchObject({ status: 'FAILED', error });
});

test('fails without completed steps', async () => {
  const { id } = await newTask();
  await single(async () => {
    throw new Error('secret detail');
  }).run({ taskId: id }, context);
  const error = 'The task failed because of an internal error. Start a new task.';
  expect(await findTaskById(database.pool, id)).toMatchObject({ status: 'FAILED', error });
});
