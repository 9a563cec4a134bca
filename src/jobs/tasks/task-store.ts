import type { Expression, ExpressionBuilder, UpdateObject } from 'kysely';
import type { Sql } from '../../database/connection.ts';
import { type Counted, countRows } from '../../database/counting.ts';
import { notMovingSql } from '../../database/partner-moves.ts';
import { anyOf, db, raw } from '../../database/query-builder.ts';
import type { DB, Json, JsonObject } from '../../database/schema.ts';
import { defineStatement, run, textList } from '../../database/statement.ts';
import { lockName, type Transaction } from '../../database/transaction.ts';
import { findJob, Job, type JobDefinition } from '../job.ts';
import { openTaskStatuses, type Task, type TaskFilter, taskColumns } from './task.ts';

export const runningColumns = [...taskColumns, 'step', 'position'] as const;

export type Narrowed = Pick<Task, 'status'> & Record<'parameters' | 'result', JsonObject>;

const isOpen = raw.raw<string>(textList(openTaskStatuses));
export const now = raw<Date>`now()`;

const keyPrefix = 'task-';

type TaskPayload = { taskId: number; partnerId: number };

/** The job that runs a task type. A process that still runs an earlier job of the task stops after its step. */
export type TaskJob = Job<TaskPayload>;

/** Definition for `defineJob`. */
export const taskDefinition: JobDefinition<TaskPayload> = {
  key: ({ taskId }) => `${keyPrefix}${taskId}`,
  requested: true,
};

interface TaskOwner {
  partner: { id: number };
  by: string;
  user?: { id: number };
}

interface NewTask {
  type: string;
  parameters?: object;
  total?: number;
  /** Enqueued with this transaction, and again if its process dies. */
  job?: TaskJob;
}

export async function createTask(transaction: Transaction, actor: TaskOwner, task: NewTask): Promise<Task> {
  const { type, parameters = {}, total, job } = task;
  const created = await db(transaction)
    .insertInto('tasks')
    .values({
      partnerId: actor.partner.id,
      type,
      parameters: JSON.stringify(parameters),
      total: total ?? null,
      job: job?.name ?? null,
      createdBy: actor.by,
      userId: actor.user?.id ?? null,
    })
    .returning(taskColumns)
    .$narrowType<Narrowed>()
    .executeTakeFirstOrThrow();
  await job?.enqueue(transaction, { taskId: created.id, partnerId: created.partnerId });
  return created;
}

/**
 * Counts items of a task whose steps only start them. The last report finishes the task, in the same statement: a report
 * that failed after it was counted would be repeated by its job.
 */
export async function reportItems(
  sql: Sql,
  id: number,
  { done = 0, failed = 0 }: { done?: number; failed?: number },
): Promise<void> {
  const isLast = raw<boolean>`done + failed + ${done + failed}::integer >= total`;
  await db(sql)
    .updateTable('tasks')
    .set(({ eb }) => ({
      ...progress(eb, done, failed),
      status: raw<string>`case when ${isLast} then 'FINISHED' else 'RUNNING' end`,
      dateFinished: raw<Date>`case when ${isLast} then now() end`,
    }))
    .where('id', '=', id)
    .where('status', 'in', isOpen)
    .execute();
}

const progress = (eb: ExpressionBuilder<DB, 'tasks'>, done: number, failed: number) =>
  ({
    done: eb('done', '+', done),
    failed: eb('failed', '+', failed),
    status: 'RUNNING',
    dateStarted: eb.fn.coalesce('dateStarted', now),
    lastProgress: now,
    takeUps: 0,
  }) satisfies UpdateObject<DB, 'tasks'>;

/** Finishes the task if all its items are done or have failed. */
export async function finishCounted(sql: Sql, id: number): Promise<boolean> {
  const { numUpdatedRows } = await db(sql)
    .updateTable('tasks')
    .set({ status: 'FINISHED', dateFinished: now })
    .where('id', '=', id)
    .where('status', 'in', isOpen)
    .where(({ eb }) => eb(eb('done', '+', eb.ref('failed')), '>=', eb.ref('total')))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Returns false if the task had already ended. */
export async function finishTask(sql: Sql, id: number, result: object = {}): Promise<boolean> {
  return endTask(sql, id, 'FINISHED', { result });
}

export async function failTask(sql: Sql, id: number, error: string): Promise<boolean> {
  return endTask(sql, id, 'FAILED', { error });
}

/**
 * Cancels the task after the current step. The advisory lock is granted in order of request; with a row lock alone,
 * following steps could pass the cancellation.
 */
export async function cancelTask(transaction: Transaction, id: number): Promise<boolean> {
  await lockName(transaction, stepLock(id));
  return endTask(transaction, id, 'CANCELLED', {});
}

/** Shared for steps, exclusive for the cancellation. */
const stepLock = (id: number): string => `pieces of task ${id}`;

async function endTask(
  sql: Sql,
  id: number,
  status: 'FINISHED' | 'FAILED' | 'CANCELLED',
  { result = {}, error }: { result?: object; error?: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db(sql)
    .updateTable('tasks')
    .set(
      ({ fn, ref }) =>
        ({
          status,
          result: merged(ref('result'), result),
          error: error ?? null,
          dateStarted: fn.coalesce('dateStarted', now),
          dateFinished: now,
        }) satisfies UpdateObject<DB, 'tasks'>,
    )
    .where('id', '=', id)
    .where('status', 'in', isOpen)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Replaces fields of the same name. */
const merged = (result: Expression<Json>, fields: object) => raw<Json>`${result} || ${JSON.stringify(fields)}::jsonb`;

export async function isCancelled(sql: Sql, id: number): Promise<boolean> {
  const task = await db(sql).selectFrom('tasks').select('status').where('id', '=', id).executeTakeFirst();
  return task?.status === 'CANCELLED';
}

/** A task with the number of committed steps and the position of the next one. */
export interface RunningTask extends Task {
  step: number;
  position: unknown;
}

/** Without access check, for the job itself. */
export function findTaskById(sql: Sql, id: number): Promise<RunningTask | undefined> {
  return db(sql)
    .selectFrom('tasks')
    .select(runningColumns)
    .where('id', '=', id)
    .$narrowType<Narrowed>()
    .executeTakeFirst();
}

/**
 * Returns the task if the step has not been committed yet. The row is locked until the transaction ends, but not against
 * the next step, which may already have inserted rows that refer to it.
 */
export async function claimStep(transaction: Transaction, id: number, step: number): Promise<RunningTask | undefined> {
  await lockName(transaction, stepLock(id), 'shared');
  return db(transaction)
    .selectFrom('tasks')
    .select(runningColumns)
    .where('id', '=', id)
    .where('step', '=', step)
    .where('status', 'in', isOpen)
    .forNoKeyUpdate()
    .$narrowType<Narrowed>()
    .executeTakeFirst();
}

export interface StepResult {
  /** Position of the next step. */
  position: unknown;
  done?: number;
  failed?: number;
  /** The number of items, if it is known only now. */
  total?: number;
  /** Replaces fields of the same name in the task's result. */
  result?: object;
  /** Added to counts of the same name in the task's result. */
  counts?: Readonly<Record<string, number>>;
}

/** Records the progress in the transaction of the step. */
export async function completeStep(
  transaction: Transaction,
  { id, result }: RunningTask,
  { position, done = 0, failed = 0, total, result: figures = {}, counts = {} }: StepResult,
): Promise<void> {
  const sums = Object.entries(counts).map(([name, count]) => [name, Number(result[name] ?? 0) + count]);
  await db(transaction)
    .updateTable('tasks')
    .set(
      ({ eb, ref }) =>
        ({
          ...progress(eb, done, failed),
          step: eb('step', '+', 1),
          position: JSON.stringify(position),
          total: total ?? ref('total'),
          result: merged(ref('result'), { ...figures, ...Object.fromEntries(sums) }),
        }) satisfies UpdateObject<DB, 'tasks'>,
    )
    .where('id', '=', id)
    .execute();
}

function matching(sql: Sql, { partnerId, user, types, statuses, after }: TaskFilter) {
  let tasks = db(sql).selectFrom('tasks').where('partnerId', '=', partnerId);
  if (user) {
    const { id, email } = user;
    tasks = tasks.where((eb) =>
      eb.or([eb('userId', '=', id), eb.and([eb('userId', 'is', null), eb('createdBy', '=', email)])]),
    );
  }
  if (types) tasks = tasks.where('type', '=', anyOf(types, 'text'));
  if (statuses) tasks = tasks.where('status', '=', anyOf(statuses, 'text'));
  if (after !== undefined) tasks = tasks.where('id', '<', after);
  return tasks;
}

export function findTask(sql: Sql, filter: TaskFilter, id: number): Promise<Task | undefined> {
  return matching(sql, filter).select(taskColumns).where('id', '=', id).$narrowType<Narrowed>().executeTakeFirst();
}

/** Newest first. */
export function listTasks(
  sql: Sql,
  filter: TaskFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<Task[]> {
  return matching(sql, filter)
    .select(taskColumns)
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .$narrowType<Narrowed>()
    .execute();
}

export function countTasks(sql: Sql, filter: TaskFilter): Promise<Counted> {
  const { partnerId } = filter;
  const [rows, all] = [matching(sql, filter), matching(sql, { partnerId })];
  return countRows(sql, { table: 'tasks', partnerId, rows, all });
}

export function listRunningTasks(sql: Sql, type: string): Promise<Task[]> {
  return db(sql)
    .selectFrom('tasks')
    .select(taskColumns)
    .where('status', 'in', isOpen)
    .where('type', '=', type)
    .orderBy('id')
    .$narrowType<Narrowed>()
    .execute();
}

interface StalledTask {
  id: number;
  partnerId: number;
  job: TaskJob;
  /** Number of restarts since the last progress, including this one. */
  restarts: number;
}

/** Tasks without progress, without a waiting job and without jobs of items: their process died. */
export async function claimStalledTasks(sql: Sql, stalledSeconds: number): Promise<StalledTask[]> {
  const stalled = await run(sql, claimStalledStatement, [stalledSeconds]);
  // The job may belong to another release during an upgrade, so its handle may not be defined here.
  return stalled.map(({ job, ...task }) => ({ ...task, job: findJob(job) ?? new Job(job, taskDefinition) }));
}

/** No waiting or running job will report an item. */
const hasNoItemJobs = `not exists (
  select from graphile_worker._private_jobs item
  where item.payload ->> 'taskId' = tasks.id::text and item.key is distinct from '${keyPrefix}' || tasks.id
    and (item.locked_at is not null or item.attempts < item.max_attempts)
)`;

const claimStalledStatement = defineStatement<Omit<StalledTask, 'job'> & { job: string }>({
  name: 'claim-stalled-tasks',
  text: `
    update tasks set take_ups = take_ups + 1
    where id in (
      select id from tasks
      where status in ${textList(openTaskStatuses)} and job is not null and ${notMovingSql('partner_id')}
        and coalesce(last_progress, date_created) < now() - make_interval(secs => $1)
        and not exists (
          select from graphile_worker.jobs waiting
          where waiting.key = '${keyPrefix}' || tasks.id and locked_at is null and attempts < max_attempts
        )
        and ${hasNoItemJobs}
      order by id limit 100
      for update skip locked
    )
    returning id, partner_id as "partnerId", job, take_ups as restarts
  `,
  columns: { id: 'int8', partnerId: 'int8', job: 'text', restarts: 'int2' },
});

/** For a task whose steps are complete: whether it was restarted without progress and no job is left to report. */
export async function hasLostItems(sql: Sql, id: number): Promise<boolean> {
  // An older release also restarts tasks whose items are waiting.
  const [lost] = await run(sql, lostItemsStatement, [id]);
  return lost !== undefined;
}

const lostItemsStatement = defineStatement<{ id: number }>({
  name: 'find-task-with-lost-items',
  text: `select id from tasks where id = $1 and take_ups > 0 and ${hasNoItemJobs}`,
  columns: { id: 'int8' },
});

export async function deleteEndedTasks(sql: Sql, endedDaysAgo: number): Promise<number> {
  const { numDeletedRows } = await db(sql)
    .deleteFrom('tasks')
    .where('dateFinished', '<', raw<Date>`now() - make_interval(days => ${endedDaysAgo})`)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

export async function deleteTask(sql: Sql, id: number): Promise<void> {
  await db(sql).deleteFrom('tasks').where('id', '=', id).execute();
}
