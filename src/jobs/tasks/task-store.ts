import type { Conditions } from '../../database/conditions.ts';
import type { Sql } from '../../database/connection.ts';
import { type Counted, countMatching } from '../../database/counting.ts';
import type { Transaction } from '../../database/transaction.ts';
import { Job, type JobDefinition } from '../job.ts';
import type { Task } from './task.ts';

const columns = `id, partner_id as "partnerId", type, status, parameters, total, done, failed, result, error,
  created_by as "createdBy", date_created as "dateCreated", date_started as "dateStarted",
  date_finished as "dateFinished"`;

const keyPrefix = 'task-';

type TaskPayload = { taskId: number };

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
  const { rows } = await transaction.query<Task>(
    `insert into tasks (partner_id, type, parameters, total, job, created_by) values ($1, $2, $3, $4, $5, $6)
     returning ${columns}`,
    [actor.partner.id, type, parameters, total ?? null, job?.name ?? null, actor.by],
  );
  const created = rows[0] as Task;
  await job?.enqueue(transaction, { taskId: created.id });
  return created;
}

/** Adds to the counts of done and failed items, and sets the total if given. */
export async function reportProgress(
  sql: Sql,
  id: number,
  { done = 0, failed = 0, total }: { done?: number; failed?: number; total?: number },
): Promise<Task | undefined> {
  const { rows } = await sql.query<Task>(
    `update tasks
     set done = done + $2, failed = failed + $3, total = coalesce($4, total), last_progress = now(),
       status = case status when 'CREATED' then 'RUNNING' else status end,
       date_started = coalesce(date_started, now())
     where id = $1
     returning ${columns}`,
    [id, done, failed, total ?? null],
  );
  return rows[0];
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
  await transaction.query(`select pg_advisory_xact_lock(${stepLock})`, [id]);
  return endTask(transaction, id, 'CANCELLED', {});
}

/** Shared for steps, exclusive for the cancellation. */
const stepLock = `hashtextextended('pieces of task ' || $1::bigint, 0)`;

async function endTask(
  sql: Sql,
  id: number,
  status: 'FINISHED' | 'FAILED' | 'CANCELLED',
  { result = {}, error }: { result?: object; error?: string },
): Promise<boolean> {
  const { rowCount } = await sql.query(
    `update tasks
     set status = $2, result = result || $3, error = $4, date_started = coalesce(date_started, now()),
       date_finished = now()
     where id = $1 and status in ('CREATED', 'RUNNING')`,
    [id, status, result, error ?? null],
  );
  return rowCount === 1;
}

export async function isCancelled(sql: Sql, id: number): Promise<boolean> {
  const { rowCount } = await sql.query("select from tasks where id = $1 and status = 'CANCELLED'", [id]);
  return rowCount === 1;
}

/** A task with the number of committed steps and the position of the next one. */
export interface RunningTask extends Task {
  step: number;
  position: unknown;
}

/** Without access check, for the job itself. */
export async function findTaskById(sql: Sql, id: number): Promise<RunningTask | undefined> {
  const { rows } = await sql.query<RunningTask>(`select ${columns}, step, position from tasks where id = $1`, [id]);
  return rows[0];
}

/**
 * Returns the task if the step has not been committed yet. The row is locked until the transaction ends.
 */
export async function claimStep(transaction: Transaction, id: number, step: number): Promise<RunningTask | undefined> {
  await transaction.query(`select pg_advisory_xact_lock_shared(${stepLock})`, [id]);
  const { rows } = await transaction.query<RunningTask>(
    `select ${columns}, step, position from tasks
     where id = $1 and step = $2 and status in ('CREATED', 'RUNNING') for update`,
    [id, step],
  );
  return rows[0];
}

export interface StepResult {
  /** Position of the next step. */
  position: unknown;
  done?: number;
  failed?: number;
  /** Replaces fields of the same name in the task's result. */
  result?: object;
  /** Added to counts of the same name in the task's result. */
  counts?: Readonly<Record<string, number>>;
}

/** Records the progress in the transaction of the step. */
export async function completeStep(
  transaction: Transaction,
  { id, result }: RunningTask,
  { position, done = 0, failed = 0, result: figures = {}, counts = {} }: StepResult,
): Promise<void> {
  const sums = Object.entries(counts).map(([name, count]) => [name, Number(result[name] ?? 0) + count]);
  await transaction.query(
    `update tasks
     set step = step + 1, position = $2, done = done + $3, failed = failed + $4, result = result || $5,
       status = 'RUNNING', date_started = coalesce(date_started, now()), last_progress = now(), take_ups = 0
     where id = $1`,
    [id, JSON.stringify(position), done, failed, { ...figures, ...Object.fromEntries(sums) }],
  );
}

export async function findTask(sql: Sql, conditions: Conditions, id: number): Promise<Task | undefined> {
  const { rows } = await sql.query<Task>(
    `select ${columns} from tasks ${conditions.add(`id = ${conditions.value(id)}`).where}`,
    conditions.values,
  );
  return rows[0];
}

/** Newest first. */
export async function listTasks(
  sql: Sql,
  conditions: Conditions,
  page: { offset: number; limit: number },
): Promise<Task[]> {
  const { rows } = await sql.query<Task>(
    `select ${columns} from tasks ${conditions.where}
     order by id desc offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}`,
    conditions.values,
  );
  return rows;
}

export function countTasks(sql: Sql, conditions: Conditions): Promise<Counted> {
  return countMatching(sql, 'tasks', conditions);
}

export async function listRunningTasks(sql: Sql, type: string): Promise<Task[]> {
  const { rows } = await sql.query<Task>(
    `select ${columns} from tasks where status in ('CREATED', 'RUNNING') and type = $1 order by id`,
    [type],
  );
  return rows;
}

interface StalledTask {
  id: number;
  job: TaskJob;
  /** Number of restarts since the last progress, including this one. */
  restarts: number;
}

/** Tasks without progress and without a waiting job: their process died. */
export async function claimStalledTasks(sql: Sql, stalledSeconds: number): Promise<StalledTask[]> {
  const { rows } = await sql.query<Omit<StalledTask, 'job'> & { job: string }>(
    `update tasks set take_ups = take_ups + 1
     where id in (
       select id from tasks
       where status in ('CREATED', 'RUNNING') and job is not null
         and coalesce(last_progress, date_created) < now() - make_interval(secs => $1)
         and not exists (
           select from graphile_worker._private_jobs waiting
           where waiting.key = '${keyPrefix}' || tasks.id and locked_at is null and attempts < max_attempts
         )
       order by id limit 100
       for update skip locked
     )
     returning id, job, take_ups as "restarts"`,
    [stalledSeconds],
  );
  // The job may belong to another release during an upgrade, so its handle may not be defined here.
  return rows.map(({ job, ...task }) => ({ ...task, job: new Job(job, taskDefinition) }));
}

export async function deleteEndedTasks(sql: Sql, endedDaysAgo: number): Promise<number> {
  const { rowCount } = await sql.query('delete from tasks where date_finished < now() - make_interval(days => $1)', [
    endedDaysAgo,
  ]);
  return rowCount ?? 0;
}

/**
 * For tasks that run in one go and restart from the beginning. Claims the task for this process, unless another process
 * has reported progress within `staleSeconds`.
 */
export async function beginTask(sql: Sql, id: number, staleSeconds: number): Promise<RunningTask | undefined> {
  const { rows } = await sql.query<RunningTask>(
    `update tasks
     set step = step + 1, status = 'RUNNING', done = 0, failed = 0, last_progress = now(),
       date_started = coalesce(date_started, now())
     where id = $1 and (status = 'CREATED'
       or status = 'RUNNING' and coalesce(last_progress, date_created) < now() - make_interval(secs => $2))
     returning ${columns}, step, position`,
    [id, staleSeconds],
  );
  return rows[0];
}

/** Sets the progress. Returns false if the task was cancelled or claimed by another process. */
export async function setProgress(
  sql: Sql,
  { id, step }: RunningTask,
  { done, total }: { done: number; total: number },
): Promise<boolean> {
  const { rowCount } = await sql.query(
    `update tasks set done = $3, total = $4, last_progress = now() where id = $1 and step = $2 and status = 'RUNNING'`,
    [id, step, done, total],
  );
  return rowCount === 1;
}

/** For a process that stops: another one restarts the task. */
export async function releaseTask(transaction: Transaction, { id, step }: RunningTask, job: TaskJob): Promise<void> {
  const { rowCount } = await transaction.query(
    `update tasks set status = 'CREATED', done = 0, last_progress = now()
     where id = $1 and step = $2 and status = 'RUNNING'`,
    [id, step],
  );
  if (rowCount === 1) await job.enqueue(transaction, { taskId: id });
}

export async function deleteTask(sql: Sql, id: number): Promise<void> {
  await sql.query('delete from tasks where id = $1', [id]);
}
