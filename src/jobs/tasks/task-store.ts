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

/** The handle of the job that runs a kind of task. A process that still runs an earlier one stops after its piece. */
export type TaskJob = Job<TaskPayload>;

/** For `defineJob`: the job of a task. */
export const taskDefinition: JobDefinition<TaskPayload> = {
  key: ({ taskId }) => `${keyPrefix}${taskId}`,
  requested: true,
};

/** Who asked for a task. */
interface TaskOwner {
  partner: { id: number };
  by: string;
}

export interface NewTask {
  type: string;
  parameters?: object;
  total?: number;
  /** The job that runs it, enqueued with this transaction and again when its process has died. */
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

/** What happened since the last report: pieces done and pieces that failed, and how many there are if that changed. */
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

/** Answers whether it was still under way; one that has ended stays as it is. */
export async function finishTask(sql: Sql, id: number, result: object = {}): Promise<boolean> {
  return endTask(sql, id, 'FINISHED', { result });
}

export async function failTask(sql: Sql, id: number, error: string): Promise<boolean> {
  return endTask(sql, id, 'FAILED', { error });
}

/**
 * Ends the task behind the piece that is under way. A row lock would let the following pieces pass one by one; those
 * who ask for this lock get it in the order in which they asked.
 */
export async function cancelTask(transaction: Transaction, id: number): Promise<boolean> {
  await transaction.query(`select pg_advisory_xact_lock(${pieceLock})`, [id]);
  return endTask(transaction, id, 'CANCELLED', {});
}

/** Shared by the pieces of a task, exclusive for its cancellation. */
const pieceLock = `hashtextextended('pieces of task ' || $1::bigint, 0)`;

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

/** A task, how many pieces of it are written down, and where the next one begins. */
export interface TaskUnderWay extends Task {
  step: number;
  position: unknown;
}

/** For the work itself, which belongs to no caller. */
export async function findTaskById(sql: Sql, id: number): Promise<TaskUnderWay | undefined> {
  const { rows } = await sql.query<TaskUnderWay>(`select ${columns}, step, position from tasks where id = $1`, [id]);
  return rows[0];
}

/**
 * The task, when a piece is still to be done, for whoever asks first: the row stays locked until the transaction ends.
 */
export async function takeStep(transaction: Transaction, id: number, step: number): Promise<TaskUnderWay | undefined> {
  await transaction.query(`select pg_advisory_xact_lock_shared(${pieceLock})`, [id]);
  const { rows } = await transaction.query<TaskUnderWay>(
    `select ${columns}, step, position from tasks
     where id = $1 and step = $2 and status in ('CREATED', 'RUNNING') for update`,
    [id, step],
  );
  return rows[0];
}

/** What a piece of work came to. */
export interface StepDone {
  /** Where the next piece begins. */
  position: unknown;
  done?: number;
  failed?: number;
  /** Figures that take the place of those that the task has by the same names. */
  result?: object;
  /** Counts that are added to those that the task's result has by the same names. */
  counts?: Readonly<Record<string, number>>;
}

/** Written with the piece itself: whoever goes on begins behind it. */
export async function completeStep(
  transaction: Transaction,
  { id, result }: TaskUnderWay,
  { position, done = 0, failed = 0, result: figures = {}, counts = {} }: StepDone,
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

/** The newest first. */
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

export async function listTasksUnderWay(sql: Sql, type: string): Promise<Task[]> {
  const { rows } = await sql.query<Task>(
    `select ${columns} from tasks where status in ('CREATED', 'RUNNING') and type = $1 order by id`,
    [type],
  );
  return rows;
}

interface StalledTask {
  id: number;
  job: TaskJob;
  /** How often it has stalled since its last progress, including this time. */
  takeUps: number;
}

/** Tasks without progress and without a waiting job: the process that ran their job has died. */
export async function takeStalledTasks(sql: Sql, stalledSeconds: number): Promise<StalledTask[]> {
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
     returning id, job, take_ups as "takeUps"`,
    [stalledSeconds],
  );
  // Not all names have a handle here: during an upgrade, tasks of the other release stall as well.
  return rows.map(({ job, ...task }) => ({ ...task, job: new Job(job, taskDefinition) }));
}

export async function deleteEndedTasks(sql: Sql, endedDaysAgo: number): Promise<number> {
  const { rowCount } = await sql.query('delete from tasks where date_finished < now() - make_interval(days => $1)', [
    endedDaysAgo,
  ]);
  return rowCount ?? 0;
}

/**
 * For work that is done in one go, from the beginning each time: answers the task to the one process that may do it now.
 * `step` is what the others no longer have. One that does it already and has stirred lately is left alone.
 */
export async function beginTask(sql: Sql, id: number, quietSeconds: number): Promise<TaskUnderWay | undefined> {
  const { rows } = await sql.query<TaskUnderWay>(
    `update tasks
     set step = step + 1, status = 'RUNNING', done = 0, failed = 0, last_progress = now(),
       date_started = coalesce(date_started, now())
     where id = $1 and (status = 'CREATED'
       or status = 'RUNNING' and coalesce(last_progress, date_created) < now() - make_interval(secs => $2))
     returning ${columns}, step, position`,
    [id, quietSeconds],
  );
  return rows[0];
}

/** How far it has come. Answers whether it is still this process that does it, and still to be done. */
export async function reportStanding(
  sql: Sql,
  { id, step }: TaskUnderWay,
  { done, total }: { done: number; total: number },
): Promise<boolean> {
  const { rowCount } = await sql.query(
    `update tasks set done = $3, total = $4, last_progress = now() where id = $1 and step = $2 and status = 'RUNNING'`,
    [id, step, done, total],
  );
  return rowCount === 1;
}

/** This process stops: another one restarts the task at once. */
export async function giveBackTask(transaction: Transaction, { id, step }: TaskUnderWay, job: TaskJob): Promise<void> {
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
