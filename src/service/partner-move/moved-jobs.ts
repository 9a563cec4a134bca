import { setTimeout as pause } from 'node:timers/promises';
import { ConfigurationProblem } from '../../config.ts';
import type { Sql } from '../../database/connection.ts';
import { isOwnedBy, type PartnerTable } from './partner-tables.ts';

/** The table of each id in a job's payload. */
const payloadTables: Readonly<Record<string, string>> = {
  businessId: 'businesses',
  listingId: 'listings',
  locationId: 'locations',
  pageId: 'directory_business_pages',
  partnerId: 'sales_partners',
  postId: 'social_posts',
  replayId: 'replays',
  replyId: 'datapoint_replies',
  reportId: 'near_me_reports',
  taskId: 'tasks',
};

/** Matches the message of `refuse_moving_partner`. */
const failedByMove = `last_error like '%being moved to another cell%'`;

/**
 * A running job loses its key and its attempts when its key is enqueued again. Of the jobs of partners, only
 * `locations.cleanse` has no key; its schedule finds the locations again.
 */
const isReplaced = '(key is null and attempts >= max_attempts)';
const isWaiting = `(attempts < max_attempts or (key is not null and ${failedByMove}))`;

/** The jobs of a root partner and its child partners. */
export class MovedJobs {
  readonly #condition: string;
  readonly #holder: string;

  constructor(rootId: number, partnerIds: readonly number[], tables: readonly PartnerTable[]) {
    // Stored in locked_by: graphile-worker does not run jobs that are locked.
    this.#holder = `partner-move-${rootId}`;
    const flags = partnerIds.map((id) => `'partner-${id}'`).join(', ');
    const byPayload = Object.entries(payloadTables).map(([field, name]) => {
      const table = tables.find(({ table }) => table === name);
      if (!table) throw new Error(`There is no table ${name}.`);
      return `(payload ->> '${field}')::bigint in (select id from ${name} where ${isOwnedBy(table, partnerIds)})`;
    });
    this.#condition = `(flags ?| array[${flags}]::text[] or ${byPayload.join(' or ')})`;
  }

  /** Locks the waiting jobs, and waits until no job of the partner runs. Running jobs fail at their next write. */
  async hold(sql: Sql): Promise<void> {
    const end = performance.now() + drainMs;
    for (;;) {
      await sql.query(
        `update graphile_worker._private_jobs set locked_by = $1, locked_at = 'infinity'
         where locked_at is null and ${this.#condition}`,
        [this.#holder],
      );
      const { rowCount } = await sql.query(
        `select from graphile_worker._private_jobs where locked_by <> $1 and ${this.#condition}`,
        [this.#holder],
      );
      if (rowCount === 0) return;
      if (performance.now() > end) throw new ConfigurationProblem(stillRunning);
      await pause(drainPollMs);
    }
  }

  /** Unlocks the jobs. An attempt that failed because of the move is not counted. */
  async release(sql: Sql): Promise<void> {
    await sql.query(
      `delete from graphile_worker._private_jobs
       where ${isReplaced} and ${failedByMove} and (locked_by is null or locked_by = $1) and ${this.#condition}`,
      [this.#holder],
    );
    await sql.query(
      `update graphile_worker._private_jobs
       set locked_by = null, locked_at = null,
         attempts = case when ${failedByMove} then greatest(attempts - 1, 0) else attempts end,
         last_error = case when ${failedByMove} then null else last_error end
       where locked_by = $1 or (locked_by is null and ${failedByMove} and ${this.#condition})`,
      [this.#holder],
    );
  }

  /** Copies the waiting jobs and returns their number. They can run after the commit; their attempts start at 0. */
  async copy(source: Sql, target: Sql): Promise<number> {
    const { rows } = await source.query<{ jobs: string; count: string }>(
      `select coalesce(json_agg(json_build_object('task', task.identifier, 'payload', payload, 'queue', queue_name,
           'run_at', run_at, 'attempts', max_attempts, 'key', key, 'priority', priority,
           'flags', (select array_agg(flag) from jsonb_object_keys(flags) as flag)) order by jobs.id), '[]')::text as jobs,
         count(*)::text as count
       from graphile_worker._private_jobs as jobs
       join graphile_worker._private_tasks as task on task.id = task_id
       left join graphile_worker._private_job_queues as queue on queue.id = job_queue_id
       where ${isWaiting} and ${this.#condition}`,
    );
    const { jobs = '[]', count = '0' } = rows[0] ?? {};
    const added = await target.query<{ count: string }>(
      `select count(*) from graphile_worker.add_jobs(array(
         select row(task, payload, queue, run_at, attempts, key, priority, flags)::graphile_worker.job_spec
         from json_to_recordset($1) as job (task text, payload json, queue text, run_at timestamptz, attempts integer,
           key text, priority integer, flags text[])))`,
      [jobs],
    );
    if (Number(added.rows[0]?.count) !== Number(count)) throw new Error('Not all jobs were copied.');
    return Number(count);
  }

  async delete(sql: Sql): Promise<void> {
    await sql.query(`delete from graphile_worker._private_jobs where locked_by = $1 or ${this.#condition}`, [
      this.#holder,
    ]);
  }
}

/** Jobs take less than a minute, or continue in another job. */
const drainMs = 10 * 60_000;
const drainPollMs = 200;
const stillRunning =
  'Jobs of the partner did not end within 10 minutes. Stop the workers ("waypost work") of this cell that hang, and run ' +
  'the command again.';
