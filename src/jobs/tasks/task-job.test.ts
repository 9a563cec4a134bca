import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { jobContext, runJobs } from '../../../test/support/jobs.ts';
import type { Database, Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import { systemActor } from '../../modules/accounts/actor.ts';
import { insertPartner } from '../../modules/accounts/partners/partner-store.ts';
import { Job, type JobContext } from '../job.ts';
import { barrier, type Step, StepPosition, TaskFailure, taskJob } from './task-job.ts';
import { cancelTask, createTask, findTaskById, type RunningTask, reportItems, taskDefinition } from './task-store.ts';

let database: Database;
let context: JobContext;
let partners = 0;
let partner: { id: number; identifier: string };

beforeAll(async () => {
  database = await createTestDatabase();
  context = jobContext(database);
  await runJobs(database);
  await database.pool.query('create table pieces (task_id bigint, piece integer)');
  await database.pool.query(`
    create table conflicts (id integer);
    create function conflict() returns trigger language plpgsql as $$
      begin raise exception 'conflict' using errcode = '40001'; end $$;
    create constraint trigger conflict after insert on conflicts deferrable initially deferred
      for each row execute function conflict();
  `);
});
beforeEach(async () => {
  const identifier = `partner-${++partners}`;
  partner = await insertPartner(database.pool, {
    identifier,
    name: identifier,
    apiVersion: '20260713',
    parentId: null,
    publicKey: identifier,
  });
});
afterAll(() => database.close());

const job = new Job('test.count', taskDefinition);

const countToFive = { type: 'COUNT', total: 5, job };
const newTask = () => database.transaction((sql) => createTask(sql, systemActor(partner), countToFive));

/** Writes the numbers 1 to 5; `before` a piece anything may happen. */
const counting = (before: (piece: number) => Promise<void> = async () => {}) =>
  taskJob({
    job,
    async *steps(task: RunningTask): AsyncIterable<Step> {
      for (let piece = ((task.position as number | null) ?? 0) + 1; piece <= 5; piece += 1) {
        yield async (transaction) => {
          await transaction.query('insert into pieces values ($1, $2)', [task.id, piece]);
          await before(piece);
          return { position: piece, done: 1, counts: { sum: piece } };
        };
      }
    },
  });

const piecesOf = async (id: number) => {
  const { rows } = await database.pool.query('select piece from pieces where task_id = $1 order by piece', [id]);
  return rows.map(({ piece }) => piece);
};

test('runs steps in order and finishes the task', async () => {
  const { id } = await newTask();
  await counting().run({ taskId: id }, context);
  expect(await piecesOf(id)).toEqual([1, 2, 3, 4, 5]);
  expect(await findTaskById(database.pool, id)).toMatchObject({ status: 'FINISHED', done: 5, result: { sum: 15 } });
});

test('repeats only the step that was running when the process died', async () => {
  const { id } = await newTask();
  const dying = counting(async (piece) => {
    if (piece === 3) throw Object.assign(new Error('gone'), { code: '57P01' });
  });
  await expect(dying.run({ taskId: id }, context)).rejects.toThrow('gone');
  expect(await piecesOf(id)).toEqual([1, 2]);
  await counting().run({ taskId: id }, context);
  expect(await piecesOf(id)).toEqual([1, 2, 3, 4, 5]);
});

test('commits each step once with two processes', async () => {
  const { id } = await newTask();
  await Promise.all([1, 2, 3].map(() => counting().run({ taskId: id }, context)));
  expect(await piecesOf(id)).toEqual([1, 2, 3, 4, 5]);
  expect(await findTaskById(database.pool, id)).toMatchObject({ status: 'FINISHED', done: 5 });
});

const waitingForLocks = async (): Promise<number> => {
  const { rows } = await database.pool.query(
    `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0].count;
};

test('stops a cancelled task after the current step', async () => {
  const { id } = await newTask();
  let cancelling: Promise<boolean> | undefined;
  await counting(async (piece) => {
    if (piece !== 2) return;
    // It waits for the piece's lock, which is why it is not awaited here.
    cancelling = database.transaction((transaction) => cancelTask(transaction, id));
    await expect.poll(waitingForLocks).toBe(1);
  }).run({ taskId: id }, context);
  expect(await cancelling).toBe(true);
  expect(await piecesOf(id)).toEqual([1, 2]);
  expect(await findTaskById(database.pool, id)).toMatchObject({ status: 'CANCELLED', done: 2 });
});

test('repeats a step after a deadlock', async () => {
  const { id } = await newTask();
  let conflicts = 0;
  await counting(async (piece) => {
    if (piece === 4 && conflicts++ < 2) throw Object.assign(new Error('deadlock'), { code: '40P01' });
  }).run({ taskId: id }, context);
  expect(await piecesOf(id)).toEqual([1, 2, 3, 4, 5]);
});

test('repeats a step from the same position', async () => {
  const { id } = await newTask();
  let conflicts = 0;
  await taskJob({
    job,
    async *steps(task: RunningTask): AsyncIterable<Step> {
      const position = new StepPosition(0);
      while (position.current < 5) {
        yield position.step(async (transaction, from) => {
          await transaction.query('insert into pieces values ($1, $2)', [task.id, from + 1]);
          // Fails when the step is committed.
          if (from === 2 && conflicts++ < 2) await failAtCommit(transaction);
          return { position: from + 1, done: 1 };
        });
      }
    },
  }).run({ taskId: id }, context);
  expect(conflicts).toBe(3);
  expect(await piecesOf(id)).toEqual([1, 2, 3, 4, 5]);
});

/** A deferred trigger that fails as a serialization failure. */
const failAtCommit = (transaction: Transaction) => transaction.query('insert into conflicts values (1)');

describe('a task whose items report', () => {
  const startItems = (total: number) =>
    taskJob({
      job,
      finishedByReports: true,
      async *steps(task: RunningTask): AsyncIterable<Step> {
        if (task.step > 0) return;
        yield async () => ({ position: 1, failed: 1, total, result: { items: total } });
      },
    });
  const found = (id: number) => findTaskById(database.pool, id);

  test('is finished by the last report, in one statement', async () => {
    const { id } = await newTask();
    await startItems(3).run({ taskId: id }, context);
    await reportItems(database.pool, id, { done: 1 });
    expect(await found(id)).toMatchObject({ status: 'RUNNING', total: 3, done: 1, failed: 1 });
    const queries = [database.pool.query.bind(database.pool)];
    const query = async (...values: Parameters<Sql['query']>) => queries.pop()?.(...values) ?? Promise.reject();
    await reportItems({ query } as unknown as Sql, id, { done: 1 });
    expect(await found(id)).toMatchObject({ status: 'FINISHED', done: 2, failed: 1, result: { items: 3 } });
  });

  test('is finished after its steps if all items have reported before', async () => {
    const { id } = await newTask();
    await reportItems(database.pool, id, { done: 2 });
    await startItems(3).run({ taskId: id }, context);
    expect(await found(id)).toMatchObject({ status: 'FINISHED', total: 3, done: 2, failed: 1 });
  });

  test('waits for the jobs of its items, and fails if they ended without a report', async () => {
    await database.pool.query('truncate tasks cascade; truncate graphile_worker._private_jobs cascade');
    const { id } = await newTask();
    const minuteLater = async () => {
      await database.pool.query("update tasks set last_progress = now() - interval '1 hour'");
      await database.pool.query("select graphile_worker.add_job('tasks.take-up')");
      await runJobs(database);
      const { rowCount } = await database.pool.query('delete from graphile_worker._private_jobs where key is not null');
      if (rowCount) await startItems(3).run({ taskId: id }, context);
    };
    await startItems(3).run({ taskId: id }, context);
    await new Job<{ taskId: number }>('test.item').enqueue(database.pool, { taskId: id }, { delaySeconds: 3600 });
    await database.pool.query('delete from graphile_worker._private_jobs where key is not null');
    for (let minutes = 1; minutes <= 11; minutes++) await minuteLater();
    expect(await found(id)).toMatchObject({ status: 'RUNNING', total: 3, failed: 1 });
    await database.pool.query('update graphile_worker._private_jobs set attempts = max_attempts');
    await minuteLater();
    expect(await found(id)).toMatchObject({ status: 'FAILED', error: expect.stringContaining('some items have no') });
  });

  test('stays cancelled', async () => {
    const { id } = await newTask();
    await database.transaction((transaction) => cancelTask(transaction, id));
    await reportItems(database.pool, id, { done: 5 });
    expect(await found(id)).toMatchObject({ status: 'CANCELLED', done: 0 });
  });
});

test('fails the task with the message of a TaskFailure, or a generic message for other errors', async () => {
  const known = await newTask();
  await counting(async () => {
    throw new TaskFailure('The file has gone.');
  }).run({ taskId: known.id }, context);
  expect(await findTaskById(database.pool, known.id)).toMatchObject({ status: 'FAILED', error: 'The file has gone.' });
  const bug = await newTask();
  await counting(async () => {
    throw new Error('secret detail');
  }).run({ taskId: bug.id }, context);
  const failed = await findTaskById(database.pool, bug.id);
  expect(failed).toMatchObject({ status: 'FAILED', done: 0 });
  expect(failed?.error).not.toContain('secret');
});

test('commits concurrent steps in order', async () => {
  const { id } = await newTask();
  const secondHasBegun = Promise.withResolvers<void>();
  const work = taskJob({
    job,
    concurrency: 2,
    async *steps(task: RunningTask): AsyncIterable<Step | typeof barrier> {
      for (let piece = 1; piece <= 5; piece += 1) {
        if (piece === 4) yield barrier;
        yield async (transaction) => {
          // The first waits for the second, and the fourth finds the third written.
          if (piece === 2) secondHasBegun.resolve();
          if (piece === 1) await secondHasBegun.promise;
          if (piece === 4) expect(await piecesOf(id)).toEqual([1, 2, 3]);
          await transaction.query('insert into pieces values ($1, $2)', [task.id, piece]);
          return { position: piece, done: 1, counts: { sum: piece } };
        };
      }
    },
  });
  await work.run({ taskId: id }, context);
  expect(await findTaskById(database.pool, id)).toMatchObject({
    status: 'FINISHED',
    done: 5,
    position: 5,
    result: { sum: 15 },
  });
});

test('repeats a step whose locks block the previous step', async () => {
  const { id } = await newTask();
  const secondIsDone = Promise.withResolvers<void>();
  await database.pool.query('create table names (name text unique)');
  const work = taskJob({
    job,
    concurrency: 2,
    async *steps(task: RunningTask): AsyncIterable<Step> {
      for (const piece of [1, 2]) {
        yield async (transaction) => {
          if (piece === 1) await secondIsDone.promise;
          await transaction.query("insert into names values ('new') on conflict do nothing");
          await transaction.query('insert into pieces values ($1, $2)', [task.id, piece]);
          secondIsDone.resolve();
          return { position: piece, done: 1 };
        };
      }
    },
  });
  await work.run({ taskId: id }, context);
  expect(await findTaskById(database.pool, id)).toMatchObject({ status: 'FINISHED', done: 2, position: 2 });
  expect(await piecesOf(id)).toEqual([1, 2]);
});

test('a step may refer to the task before the previous one is claimed', async () => {
  const { id } = await newTask();
  const thirdIsDone = Promise.withResolvers<void>();
  await database.pool.query('create table referring (task_id bigint references tasks)');
  const runs: number[] = [];
  const work = taskJob({
    job,
    concurrency: 2,
    async *steps(task: RunningTask): AsyncIterable<Step> {
      for (const piece of [1, 2, 3]) {
        yield async (transaction) => {
          runs.push(piece);
          if (piece === 2) await thirdIsDone.promise;
          if (piece === 3) await transaction.query('insert into referring values ($1)', [task.id]);
          if (piece === 3) thirdIsDone.resolve();
          return { position: piece, done: 1 };
        };
      }
    },
  });
  await work.run({ taskId: id }, context);
  expect(runs.toSorted()).toEqual([1, 2, 3]);
});

test('rolls back steps after a failed one', async () => {
  const { id } = await newTask();
  const secondIsDone = Promise.withResolvers<void>();
  const work = taskJob({
    job,
    concurrency: 2,
    async *steps(task: RunningTask): AsyncIterable<Step> {
      yield async () => {
        await secondIsDone.promise;
        throw new TaskFailure('No.');
      };
      yield async (transaction) => {
        await transaction.query('insert into pieces values ($1, 2)', [task.id]);
        secondIsDone.resolve();
        return { position: 2, done: 1 };
      };
    },
  });
  await work.run({ taskId: id }, context);
  expect(await findTaskById(database.pool, id)).toMatchObject({ status: 'FAILED', error: 'No.', done: 0 });
  expect(await piecesOf(id)).toEqual([]);
});

test('continues in another process after shutdown', async () => {
  const { id } = await newTask();
  const stopping = new AbortController();
  const run = counting(async (piece) => {
    if (piece === 2) stopping.abort();
  });
  await run.run({ taskId: id }, { ...context, signal: stopping.signal });
  expect(await piecesOf(id)).toEqual([1, 2]);
  expect(await findTaskById(database.pool, id)).toMatchObject({ status: 'RUNNING' });
  const { rows } = await database.pool.query("select from graphile_worker.jobs where key = 'task-' || $1", [id]);
  expect(rows).toHaveLength(1);
});

test('continues a paused task later', async () => {
  const { id } = await newTask();
  await taskJob({
    job,
    async *steps() {
      yield async () => ({ position: 1, done: 1 });
      yield { pauseSeconds: 3600 };
      yield async () => {
        throw new Error('It was too early.');
      };
    },
  }).run({ taskId: id }, context);
  expect(await findTaskById(database.pool, id)).toMatchObject({ status: 'RUNNING', done: 1 });
  const { rows } = await database.pool.query(
    "select extract(epoch from run_at - updated_at)::int as seconds from graphile_worker.jobs where key = 'task-' || $1",
    [id],
  );
  expect(rows).toEqual([{ seconds: 3600 }]);
});

test('restarts a stalled task, not one with a waiting job', async () => {
  await database.pool.query('truncate tasks cascade; truncate graphile_worker._private_jobs cascade');
  const waiting = await newTask();
  const dead = await newTask();
  await database.pool.query("update tasks set date_created = now() - interval '1 hour'");
  await database.pool.query("delete from graphile_worker._private_jobs where key = 'task-' || $1", [dead.id]);
  await database.pool.query(
    'update graphile_worker._private_jobs set run_at = now() + interval $$1 day$$ where key = $1',
    [`task-${waiting.id}`],
  );
  await database.pool.query("select graphile_worker.add_job('tasks.take-up')");
  await runJobs(database);
  const { rows } = await database.pool.query(
    'select key from graphile_worker.jobs where task_identifier = $1 order by length(key), key',
    [job.name],
  );
  expect(rows).toEqual([{ key: `task-${waiting.id}` }, { key: `task-${dead.id}` }]);
});

test('fails a task after repeated crashes without progress', async () => {
  await database.pool.query('truncate tasks cascade; truncate graphile_worker._private_jobs cascade');
  const crashLimitMessage = await newTask();
  const slow = await newTask();
  const standing = async ({ id }: { id: number }) => (await findTaskById(database.pool, id))?.status;
  for (let deaths = 1; deaths <= 11; deaths++) {
    expect(await standing(crashLimitMessage)).toBe('CREATED');
    await database.pool.query('delete from graphile_worker._private_jobs where key is not null');
    if (deaths === 5) {
      await taskJob({
        job,
        steps: async function* () {
          yield async () => ({ position: 1 });
          yield { pauseSeconds: 86_400 };
        },
      }).run({ taskId: slow.id }, context);
      await database.pool.query('delete from graphile_worker._private_jobs where key is not null');
    }
    await database.pool.query(
      "update tasks set date_created = now() - interval '1 hour', last_progress = now() - interval '1 hour'",
    );
    await database.pool.query("select graphile_worker.add_job('tasks.take-up')");
    await runJobs(database);
  }
  expect(await findTaskById(database.pool, crashLimitMessage.id)).toMatchObject({
    status: 'FAILED',
    error: expect.stringContaining('crashed 10 times'),
  });
  expect(await standing(slow)).toBe('RUNNING');
});
