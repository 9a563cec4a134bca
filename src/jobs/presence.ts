import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Sql } from '../database/connection.ts';

const lockClass = 7_305_512;
const largestKey = 2 ** 31 - 1;
const againMs = 1000;

/**
 * Shows other processes that the workers of this one are there: by a lock that the server lets go of with its connection,
 * however the process ends.
 */
export class Presence {
  readonly #url: string;
  readonly #log: Logger;
  readonly #workers = new Set<string>();
  readonly #leaving = new AbortController();
  #client: pg.Client | undefined;
  #key = 0;
  /** What is being told; never rejects. A client takes one statement at a time. */
  #telling: Promise<void> = Promise.resolve();

  constructor(url: string, log: Logger) {
    this.#url = url;
    this.#log = log;
  }

  /** Not being able to is no reason not to work: abandoned jobs are found by their age too. */
  async begin(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'waypost presence',
      keepAlive: true,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      const key = randomInt(1, largestKey);
      await client.query('select pg_advisory_lock($1, $2)', [lockClass, key]);
      client.once('end', () => void this.#again());
      this.#client = client;
      this.#key = key;
      await this.#tell([...this.#workers]);
    } catch (error) {
      this.#log.debug({ event: 'jobs.presence-not-shown', err: error });
      await client.end().catch(() => {});
      void this.#again();
    }
  }

  add(workerId: string): void {
    this.#workers.add(workerId);
    void this.#tell([workerId]);
  }

  async end(): Promise<void> {
    this.#leaving.abort();
    await this.#telling;
    await this.#client?.query('delete from job_workers where presence = $1', [this.#key]).catch(() => {});
    await this.#client?.end().catch(() => {});
  }

  #tell(workerIds: string[]): Promise<void> {
    this.#telling = this.#telling.then(async () => {
      const told = this.#client?.query(
        `insert into job_workers (worker_id, presence) select unnest($1::text[]), $2
         on conflict (worker_id) do update set presence = excluded.presence`,
        [workerIds, this.#key],
      );
      await told?.catch((error) => this.#log.debug({ event: 'jobs.presence-not-shown', err: error }));
    });
    return this.#telling;
  }

  async #again(): Promise<void> {
    this.#client = undefined;
    await pause(againMs, undefined, { signal: this.#leaving.signal, ref: false }).catch(() => {});
    if (!this.#leaving.signal.aborted) await this.begin();
  }
}

/** Lets go of jobs whose workers are gone, and of those that have been held for longer than any job takes. */
export async function unlockAbandoned(sql: Sql, longestJob: string): Promise<void> {
  await sql.query(
    `with gone as (
       delete from job_workers where not exists (
         select from pg_locks
         where locktype = 'advisory' and granted and classid = $1::oid and objid = presence::oid and objsubid = 2
           and database = (select oid from pg_database where datname = current_database())
       )
       returning worker_id
     )
     select graphile_worker.force_unlock_workers(array(
       select worker_id from gone
       union
       select locked_by from graphile_worker._private_jobs where locked_at < now() - $2::interval
       union
       select locked_by from graphile_worker._private_job_queues where locked_at < now() - $2::interval))`,
    [lockClass, longestJob],
  );
}
