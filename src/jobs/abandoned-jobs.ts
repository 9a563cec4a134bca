import type { Database, Sql } from '../database/connection.ts';
import type { ReleaseLeases } from './job.ts';
import { presenceLock } from './presence.ts';

// Jobs finish within a minute or continue in another job. graphile-worker itself unlocks hanging jobs after 4 hours.
const maxJobDuration = '10 minutes';
// Processes reconnect within a second after a lost connection or a database failover.
const missingFor = '2 seconds';

/** Releases the jobs and leases of dead processes, and jobs that have been locked for too long. */
export async function releaseAbandoned(database: Database, releaseLeases: ReleaseLeases): Promise<void> {
  await forgetFutureExecutions(database.pool);
  await markMissing(database.pool);
  await database.transaction(async (transaction) => {
    const { rows } = await transaction.query<{ pool: string; processId: number }>(
      `delete from job_workers where missing_since < now() - $1::interval
       returning worker_id as pool, presence as "processId"`,
      [missingFor],
    );
    // Leases first: a restarted job would otherwise wait until its old lease expires.
    if (rows.length > 0)
      await releaseLeases(
        transaction,
        rows.map(({ processId }) => processId),
      );
    await transaction.query(
      `select graphile_worker.force_unlock_workers(array(
         select unnest($1::text[])
         union
         select locked_by from graphile_worker._private_jobs where locked_at < now() - $2::interval
         union
         select locked_by from graphile_worker._private_job_queues where locked_at < now() - $2::interval))`,
      [rows.map(({ pool }) => pool), maxJobDuration],
    );
  });
}

/** Corrects executions recorded by a process with a fast clock, which would block all schedules until that time. */
async function forgetFutureExecutions(sql: Sql): Promise<void> {
  await sql.query(
    `update graphile_worker._private_known_crontabs set last_execution = date_trunc('minute', now())
     where last_execution > now() + interval '1 minute'`,
  );
}

async function markMissing(sql: Sql): Promise<void> {
  await sql.query(
    `with seen as (
       select worker_id, exists (
         select from pg_locks
         where locktype = 'advisory' and granted and classid = $1::oid and objid = presence::oid and objsubid = 2
           and database = (select oid from pg_database where datname = current_database())
       ) as is_there
       from job_workers
     )
     update job_workers set missing_since = case when is_there then null else now() end
     from seen
     where seen.worker_id = job_workers.worker_id and is_there <> (missing_since is null)`,
    [presenceLock],
  );
}
