import type { Logger } from 'pino';
import { processId } from '../database/client.ts';
import type { Database, Sql } from '../database/connection.ts';
import { LastingConnection } from '../database/lasting-connection.ts';
import { db, raw } from '../database/query-builder.ts';
import { defineStatement, run, type Statement } from '../database/statement.ts';
import { deleteReplaced, type ReleaseLeases } from './job.ts';

const presenceLock = 7_305_512;
const retryMs = 1000;

/**
 * Registers the worker pools of this process under an advisory lock, which the server releases when the process ends or
 * loses its connection.
 */
export class Presence {
  readonly #connection: LastingConnection;
  readonly #log: Logger;
  readonly #pools = new Set<string>();
  readonly #ended = new Set<string>();
  /** Also set while a connection is being opened, so that a pool that is added meanwhile is registered. */
  #client: Sql | undefined;
  #isEnding = false;
  /** Chain of statements, because a client runs one at a time. Never rejects. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(url: string, log: Logger) {
    this.#log = log;
    this.#connection = new LastingConnection(url, 'waypost presence', async (client) => {
      // Shared, because the server may still hold the lock of this process's lost connection.
      await run(client, lockStatement, [presenceLock, processId]);
      this.#client = client;
      await this.#register();
    });
  }

  /** Failures are not fatal: abandoned jobs are also found by their age. */
  async begin(): Promise<void> {
    try {
      await this.#connection.open();
    } catch (error) {
      this.#log.debug({ event: 'jobs.presence-not-shown', err: error });
      void this.#connection.openLater();
    }
  }

  /** `poolId` is the owner of the job locks of the pool. */
  add(poolId: string): void {
    this.#pools.add(poolId);
    void this.#register();
  }

  /** Marks the pool as ended, so that jobs it could not release are released as those of a dead process. */
  remove(poolId: string): void {
    this.#pools.delete(poolId);
    this.#ended.add(poolId);
    void this.#register();
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#write([[unregisterStatement, [[...this.#pools, ...this.#ended]]]]);
    await this.#connection.close();
  }

  /** Repeated until it succeeds: after a failover, the server can be read-only for a moment. */
  async #register(): Promise<void> {
    const isWritten = await this.#write([
      [registerStatement, [[...this.#pools], processId]],
      [registerStatement, [[...this.#ended], noProcess]],
    ]);
    if (isWritten || this.#isEnding) return;
    setTimeout(() => this.#isEnding || void this.#register(), retryMs).unref();
  }

  /** Returns false if a statement failed. Before the first connection there is nothing to do: it registers all pools. */
  async #write(statements: readonly [Statement<object>, unknown[]][]): Promise<boolean> {
    const written = this.#writing.then(async () => {
      const client = this.#client;
      if (!client) return true;
      try {
        for (const [statement, values] of statements) await run(client, statement, values);
        return true;
      } catch (error) {
        this.#log.debug({ event: 'jobs.presence-not-shown', err: error });
        return false;
      }
    });
    this.#writing = written;
    return written;
  }
}

/** Not a valid process id: no process holds this lock. */
const noProcess = 0;

const lockStatement = defineStatement({
  name: 'show-presence',
  text: 'select from pg_advisory_lock_shared($1, $2)',
});

const registerStatement = defineStatement({
  name: 'register-job-workers',
  text: `insert into job_workers (worker_id, presence) select unnest($1::text[]), $2
         on conflict (worker_id) do update set presence = excluded.presence, missing_since = null`,
});

// A pool that still has jobs stays registered, so that another process releases them.
const unregisterStatement = defineStatement({
  name: 'unregister-job-workers',
  text: `delete from job_workers where worker_id = any ($1)
           and not exists (select from graphile_worker.jobs where locked_by = worker_id)`,
});

// Jobs finish within a minute or continue in another job. graphile-worker itself unlocks hanging jobs after 4 hours.
const maxJobDuration = '10 minutes';
// Processes reconnect within a second after a lost connection or a database failover.
const missingFor = '2 seconds';

/** Releases the jobs and leases of dead processes, and jobs that have been locked for too long. */
export async function releaseAbandoned(database: Database, releaseLeases: ReleaseLeases): Promise<void> {
  await run(database.pool, forgetFutureStatement);
  await run(database.pool, markMissingStatement, [presenceLock]);
  await database.transaction(async (transaction) => {
    const missing = await db(transaction)
      .deleteFrom('jobWorkers')
      .where('missingSince', '<', raw<Date>`now() - ${missingFor}::interval`)
      .returning(['workerId', 'presence'])
      .execute();
    // Leases first: a restarted job would otherwise wait until its old lease expires.
    if (missing.length > 0)
      await releaseLeases(
        transaction,
        missing.map(({ presence }) => presence),
      );
    await run(transaction, unlockStatement, [missing.map(({ workerId }) => workerId)]);
    await run(transaction, unlockOverdueStatement, [maxJobDuration]);
    if (missing.length > 0) await deleteReplaced(transaction);
  });
}

const unlockStatement = defineStatement({
  name: 'unlock-abandoned-jobs',
  text: 'select from graphile_worker.force_unlock_workers($1::text[])',
});

// graphile-worker has no function to unlock a job without the other jobs of its worker, which may be running.
const unlockOverdueStatement = defineStatement({
  name: 'unlock-overdue-jobs',
  text: `
    with queues as (
      update graphile_worker._private_job_queues set locked_at = null, locked_by = null
      where locked_at < now() - $1::interval
    )
    update graphile_worker._private_jobs set locked_at = null, locked_by = null where locked_at < now() - $1::interval
  `,
});

// Corrects executions recorded by a process with a fast clock, which would block all schedules until that time.
// graphile-worker has no public function for this.
const forgetFutureStatement = defineStatement({
  name: 'forget-future-executions',
  text: `update graphile_worker._private_known_crontabs set last_execution = date_trunc('minute', now())
         where last_execution > now() + interval '1 minute'`,
});

const markMissingStatement = defineStatement({
  name: 'mark-missing-job-workers',
  text: `
    with seen as (
      select worker_id, exists (
        select from pg_locks
        where locktype = 'advisory' and granted and classid = $1::oid and objid = presence::oid and objsubid = 2
          and database = (select oid from pg_database where datname = current_database())
      ) as is_there
      from job_workers
    )
    update job_workers set missing_since = case when is_there then null else now() end
    from seen
    where seen.worker_id = job_workers.worker_id and is_there <> (missing_since is null)
  `,
});
