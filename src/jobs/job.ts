import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Database, Sql } from '../database/connection.ts';
import { defineStatement, run } from '../database/statement.ts';
import { activeTrace, inSpan, storedTrace } from '../telemetry/tracing.ts';

/** The resources of a running job. Layers above add theirs by declaration merging. */
export interface JobContext {
  config: Config;
  database: Database;
  log: Logger;
  /** Aborted when the process stops: a long job ends where another one can continue. */
  signal: AbortSignal;
  /** If the job fails now, it is not retried. */
  isLastAttempt?: boolean;
}

export interface JobOptions {
  /** From now, by the clock of the database, which also decides which jobs are due. */
  delaySeconds?: number | undefined;
  /** For dates given by a user or computed by the database, never by the clock of this process. */
  runAt?: Date | undefined;
  /** Jobs of one queue run one after the other. */
  queue?: string | undefined;
  maxAttempts?: number | undefined;
}

/** Part of a payload. */
export interface JobOrigin {
  /** A user waits for the result: the job runs before scheduled ones. */
  requested?: boolean | undefined;
  /** The partners share the workers, see PartnerShares. */
  partnerId?: number | undefined;
}

type NoPayload = Record<string, never>;

/** The options are the defaults of every enqueued job. */
export interface JobDefinition<Payload> extends Omit<JobOptions, 'queue'> {
  queue?: string | ((payload: Payload) => string);
  /** A waiting job with the same key is replaced. */
  key?: (payload: Payload) => string;
  /** Every job is requested. */
  requested?: boolean;
  /** A crontab pattern. Scheduled jobs have no payload. */
  schedule?: NoPayload extends Payload ? string : never;
}

export interface JobImplementation {
  name: string;
  schedule: string | undefined;
  run(payload: unknown, context: JobContext): Promise<void>;
}

/** The handle of a job: callers enqueue it, one module implements it. Use `defineJob` to create one. */
export class Job<Payload extends object = NoPayload> {
  /** Stored with every queued job. A renamed job does not run the jobs that an older release has queued. */
  readonly name: string;
  readonly #definition: JobDefinition<Payload>;

  constructor(name: string, definition: JobDefinition<Payload> = {}) {
    this.name = name;
    this.#definition = definition;
  }

  /** The job runs after the transaction has committed. */
  enqueue(sql: Sql, payload: Payload, options?: JobOptions): Promise<void> {
    return this.enqueueMany(sql, [payload], options);
  }

  /** In one statement. */
  async enqueueMany(sql: Sql, payloads: readonly Payload[], options?: JobOptions): Promise<void> {
    await enqueueJobs(
      sql,
      payloads.map((payload) => this.with(payload, options)),
    );
  }

  /** Without those whose key has a waiting job, which keeps its time and payload. */
  async enqueueMissing(sql: Sql, payloads: readonly Payload[]): Promise<void> {
    const jobs = payloads.map((payload) => this.with(payload));
    const waiting = await run(sql, waitingStatement, [jobs.map(({ key = null }) => key)]);
    const keys = new Set(waiting.map(({ key }) => key));
    await enqueueJobs(
      sql,
      jobs.filter(({ key }) => key === undefined || !keys.has(key)),
    );
  }

  /** For `enqueueJobs`. */
  with(payload: Payload, options?: JobOptions): NewJob {
    const { key, queue: given, schedule: _, requested: areRequested, ...defaults } = this.#definition;
    const { requested = areRequested, partnerId }: JobOrigin = payload;
    const queue = typeof given === 'function' ? given(payload) : given;
    return { ...defaults, queue, ...options, requested, partnerId, name: this.name, payload, key: key?.(payload) };
  }

  /** Removes the waiting job with the key of this payload. */
  async remove(sql: Sql, payload: Payload): Promise<void> {
    const key = this.#definition.key?.(payload);
    await run(sql, removeStatement, [key]);
  }

  implement(run: (payload: Payload, context: JobContext) => Promise<unknown>): JobImplementation {
    return {
      name: this.name,
      schedule: this.#definition.schedule,
      async run(payload, context) {
        const { [traceField]: stored } = payload as Traced;
        const parent = stored === undefined ? null : storedTrace(stored);
        await inSpan(`job ${this.name}`, { kind: 'consumer', parent }, () => run(payload as Payload, context));
      },
    };
  }
}

/** A job to enqueue, with its options. */
export interface NewJob extends JobOptions, JobOrigin {
  name: string;
  payload: object;
  key?: string | undefined;
}

/** Part of a payload that was enqueued in a trace, which the job continues. */
const traceField = '_traceparent';

interface Traced {
  [traceField]?: string;
}

const partnerFlag = (partnerId: number) => `partner-${partnerId}`;

/** Enqueues different jobs in one statement, which takes as long as for a single one. */
export async function enqueueJobs(sql: Sql, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const trace = activeTrace();
  await run(sql, enqueueStatement, [
    jobs.map(({ name }) => name),
    jobs.map(({ payload }) => JSON.stringify(trace ? { ...payload, [traceField]: trace } : payload)),
    jobs.map(({ key = null }) => key),
    jobs.map(({ queue = null }) => queue),
    jobs.map(({ runAt = null }) => runAt),
    jobs.map(({ delaySeconds = 0 }) => delaySeconds),
    jobs.map(({ maxAttempts = 5 }) => maxAttempts),
    jobs.map(({ requested = false }) => (requested ? -10 : 0)),
    jobs.map(({ partnerId }) => (partnerId === undefined ? null : partnerFlag(partnerId))),
  ]);
}

const enqueueStatement = defineStatement<{ count: number }>({
  name: 'enqueue-jobs',
  text: `select count(*) from graphile_worker.add_jobs(array(
           select row(name, payload, queue, coalesce(run_at, now()) + make_interval(secs => delay), attempts, key,
             priority, case when flag is not null then array[flag] end)::graphile_worker.job_spec
           from unnest($1::text[], $2::json[], $3::text[], $4::text[], $5::timestamptz[], $6::float8[], $7::int[],
             $8::int[], $9::text[]) as job (name, payload, key, queue, run_at, delay, attempts, priority, flag)
         ))`,
  columns: { count: 'int8' },
});

const waitingStatement = defineStatement<{ key: string }>({
  name: 'find-waiting-jobs',
  text: `select key from graphile_worker.jobs
         where key = any ($1::text[]) and locked_at is null and attempts < max_attempts`,
  columns: { key: 'text' },
});

const removeStatement = defineStatement({
  name: 'remove-job',
  text: 'select from graphile_worker.remove_job($1)',
});

const definedJobs = new Map<string, object>();
const keyedNames = new Set<string>();

/**
 * Defines a job by its name and the type of its payload. A module that needs work done by a module above it defines the
 * job, and the other module implements it.
 */
export function defineJob<Payload extends object = NoPayload>(
  name: string,
  definition?: JobDefinition<Payload>,
): Job<Payload> {
  if (definedJobs.has(name)) throw new Error(`Two jobs have the name ${name}.`);
  const job = new Job(name, definition);
  definedJobs.set(name, job);
  if (definition?.key) keyedNames.add(name);
  return job;
}

/** The caller knows the type of the payload. Undefined for a job of another release. */
export const findJob = <Payload extends object>(name: string) => definedJobs.get(name) as Job<Payload> | undefined;

/**
 * Enqueueing a key whose job is running takes the key and the remaining attempts from that job, and queues another one. If
 * the process of the running job dies, its row would stay as a failed job.
 */
export async function deleteReplaced(sql: Sql, names: ReadonlySet<string> = keyedNames): Promise<void> {
  await run(sql, deleteReplacedStatement, [[...names]]);
}

const deleteReplacedStatement = defineStatement({
  name: 'delete-replaced-jobs',
  text: `select from graphile_worker.complete_jobs(array(
           select id from graphile_worker.jobs
           where task_identifier = any ($1) and key is null and locked_at is null
             and attempts >= max_attempts and last_error is null))`,
});

/** Returns the implementations if there is exactly one for each defined job. */
export function composeJobs(
  implementations: readonly JobImplementation[],
  names: Iterable<string> = definedJobs.keys(),
): readonly JobImplementation[] {
  const implemented = new Set<string>();
  for (const { name } of implementations) {
    if (implemented.has(name)) throw new Error(`The job ${name} has two implementations.`);
    implemented.add(name);
  }
  const missing = [...names].filter((name) => !implemented.has(name));
  if (missing.length > 0) throw new Error(`No module implements ${missing.join(', ')}. List it in jobs of a module.`);
  return implementations;
}

/** Releases the leases that jobs of ended processes still hold. */
export type ReleaseLeases = (sql: Sql, processIds: readonly number[]) => Promise<void>;

/** Everything that a job runner runs. */
export interface JobSet {
  jobs: readonly JobImplementation[];
  releaseLeases: ReleaseLeases;
}
