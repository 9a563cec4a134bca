import type { Sql } from './connection.ts';

interface Appointment {
  /** From now by the database's clock, which also says what is due. */
  delaySeconds?: number;
  /** For dates that a user gave or the database computed, never for one by the clock of this process. */
  runAt?: Date;
  /** Of jobs with the same key only the last one asked for is done, once. */
  key?: string;
  /** Jobs of one queue are done one after the other. */
  queue?: string;
  maxAttempts?: number;
  /** Somebody looks at how far it has come: it goes before all that waits without anybody waiting for it. */
  isWaitedFor?: true;
}

const [first, usual] = [-10, 0];

/** Puts work off until this transaction has committed. */
export async function enqueueJob(
  sql: Sql,
  task: string,
  payload: object,
  { delaySeconds = 0, runAt, key, queue, maxAttempts = 5, isWaitedFor }: Appointment = {},
): Promise<void> {
  await sql.query({
    name: 'enqueue-job',
    text: `select graphile_worker.add_job($1, $2::json, queue_name := $3,
             run_at := coalesce($4, now()) + make_interval(secs => $8), max_attempts := $5, job_key := $6, priority := $7)`,
    values: [
      task,
      JSON.stringify(payload),
      queue ?? null,
      runAt ?? null,
      maxAttempts,
      key ?? null,
      isWaitedFor ? first : usual,
      delaySeconds,
    ],
  });
}

/** The same work for many things, as one statement. */
export async function enqueueJobs(
  sql: Sql,
  task: string,
  jobs: readonly { payload: object; key?: string }[],
  { maxAttempts = 5, isWaitedFor }: Pick<Appointment, 'maxAttempts' | 'isWaitedFor'> = {},
): Promise<void> {
  if (jobs.length === 0) return;
  await sql.query({
    name: 'enqueue-jobs',
    text: `select count(*) from graphile_worker.add_jobs(array(
             select row($1, payload, null, now(), $2, key, $5::int, null)::graphile_worker.job_spec
             from unnest($3::json[], $4::text[]) as job (payload, key)
           ))`,
    values: [
      task,
      maxAttempts,
      jobs.map(({ payload }) => JSON.stringify(payload)),
      jobs.map(({ key }) => key ?? null),
      isWaitedFor ? first : usual,
    ],
  });
}
