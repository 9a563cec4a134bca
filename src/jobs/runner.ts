import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type CronItem,
  Logger as JobLogger,
  parseCronItems,
  type RunnerOptions,
  run,
  type Task,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker';
import type { Logger } from 'pino';
import { saveIdCheckpoint } from '../database/cell.ts';
import { openPool } from '../database/client.ts';
import { Database } from '../database/connection.ts';
import { isDatabaseUnavailable } from '../database/faults.ts';
import { singleFlight } from '../values/single-flight.ts';
import { defineJob, type JobContext, type JobImplementation, type JobSet, type ReleaseLeases } from './job.ts';
import type { JobMetrics } from './job-metrics.ts';
import { Presence, releaseAbandoned } from './presence.ts';

// Higher than the number of cores: jobs mostly wait for directories. One partner uses at most half, see PartnerShares.
const concurrency = 16;
const runnerConnections = 6;
/** `refuse_moving_partner` in the database knows connections of jobs by this name. */
export const jobConnectionName = 'waypost jobs';

type JobParts = Omit<JobContext, 'signal'> & { metrics?: JobMetrics | undefined };

interface RunningJobs {
  /** Connections of the jobs, for metrics. */
  pool: Database['pool'];
  stop(): Promise<void>;
}

/** Runs background and scheduled jobs. Deliveries are not jobs; they have their own tables and worker. */
export async function startJobs(
  { jobs, releaseLeases }: JobSet,
  { metrics, ...parts }: JobParts,
): Promise<RunningJobs> {
  const { log } = parts;
  const { url } = parts.database;
  const stopping = new AbortController();
  // Separate from the pool of requests: statements of jobs may take longer.
  const database = new Database(url, { connections: concurrency + 4, name: jobConnectionName, statementLimit: 'job' });
  database.onConnect = parts.database.onConnect;
  database.replica = parts.database.replica;
  const pool = openPool(url, { connections: runnerConnections, name: 'waypost job runner' });
  const presence = new Presence(url, log);
  const shares = new PartnerShares(concurrency);
  const newEvents = (): WorkerEvents => {
    const events: WorkerEvents = new EventEmitter();
    events.on('pool:create', ({ workerPool }) => presence.add(workerPool.id));
    events.on('cron:schedule', ({ jobsAndIdentifiers }) => runByDatabaseClock(jobsAndIdentifiers));
    // The next fetch begins after this tick, in which the fetched job starts.
    events.on('job:start', () => shares.endFetch({ found: true }));
    events.on('worker:getJob:empty', () => shares.endFetch({ found: false }));
    events.on('worker:getJob:error', ({ error }) => {
      shares.endFetch({ found: false });
      // The server may have locked a job without our knowledge. The end of the pool releases it.
      if (isDatabaseUnavailable(error)) runner.restart();
    });
    return events;
  };
  const options = (): PoolOptions => ({
    pgPool: pool,
    events: newEvents(),
    concurrency,
    forbiddenFlags: () => shares.beginFetch(),
    noHandleSignals: true,
    // With batching, an error while completing a job would be an unhandled rejection.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    taskList: tasksOf(jobs, { ...parts, database, signal: stopping.signal }, shares, metrics),
    parsedCronItems: parseCronItems(scheduleOf(jobs)),
    logger: new JobLogger(() => (level, message) => {
      if (level === 'error') log.error({ event: 'job.failed' }, message);
      else log.debug({ event: 'jobs' }, message);
    }),
  });
  const runner = new RestartingRunner({ options, presence, database, releaseLeases, log });
  await presence.begin();
  await runner.start();
  return {
    pool: database.pool,
    async stop() {
      stopping.abort();
      await runner.stop();
      await presence.end();
      await pool.end();
      await database.close();
    },
  };
}

/** graphile-worker sets runAt from the process clock. Without it, the database clock applies. */
function runByDatabaseClock(scheduled: readonly { job: { runAt?: string } }[]): void {
  for (const { job } of scheduled) delete job.runAt;
}

export const idCheckpointJob = defineJob('id-checkpoint', { schedule: '* * * * *' }).implement((_, { database }) =>
  saveIdCheckpoint(database.pool),
);

const scheduleOf = (jobs: readonly JobImplementation[]): CronItem[] =>
  jobs.flatMap(({ name, schedule }) =>
    schedule ? [{ task: name, match: schedule, identifier: name, options: { queueName: name, maxAttempts: 3 } }] : [],
  );

export const tasksOf = (
  jobs: readonly JobImplementation[],
  context: JobContext,
  shares = new PartnerShares(concurrency),
  metrics?: JobMetrics,
): TaskList =>
  Object.fromEntries(
    jobs.map((job): [string, Task] => [
      job.name,
      (payload, helpers) => {
        const { attempts, max_attempts, flags } = helpers.job;
        const runJob = () => job.run(payload, { ...context, isLastAttempt: attempts >= max_attempts });
        return shares.run(Object.keys(flags ?? {}), () => (metrics ? metrics.measure(job.name, runJob) : runJob()));
      },
    ]),
  );

/** Regular maintenance of the event service, also after every start. */
export const upkeepJob = defineJob('upkeep', {
  key: () => 'upkeep-at-start',
  queue: 'upkeep',
  maxAttempts: 25,
  schedule: '*/10 * * * *',
});

const restartMs = 1000;
const maxPauseMs = 10_000;
const releaseEveryMs = 5000;

/** Time for statements in flight after the last job of a pool. */
const lastResultsMs = 3000;

type PoolOptions = RunnerOptions & { events: WorkerEvents };

interface RunnerParts {
  /** graphile-worker caches state in the options object, so each start needs new options. */
  options(): PoolOptions;
  presence: Presence;
  database: Database;
  releaseLeases: ReleaseLeases;
  log: Logger;
}

/** Restarts the graphile-worker runner, which ends when the database is unavailable or read-only. */
class RestartingRunner {
  readonly #parts: RunnerParts;
  readonly #stopping = new AbortController();
  #runner: { stop(): Promise<void>; ended: Promise<void> } | undefined;
  #running: Promise<void> = Promise.resolve();
  #releaseTimer: NodeJS.Timeout | undefined;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    await this.#tryStart();
    this.#running = this.#keepRunning();
    // During an outage a release takes longer than the interval.
    this.#releaseTimer = setInterval(
      singleFlight(() => this.#release()),
      releaseEveryMs,
    );
  }

  /** Ends the current runner; `#keepRunning` starts the next one. */
  restart(): void {
    void this.#end();
  }

  async stop(): Promise<void> {
    clearInterval(this.#releaseTimer);
    this.#stopping.abort();
    await this.#end();
    await this.#running;
  }

  async #release(): Promise<void> {
    const { database, releaseLeases, log } = this.#parts;
    await releaseAbandoned(database, releaseLeases).catch((error) =>
      log.warn({ event: 'jobs.not-released', err: error }),
    );
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pauseMs = restartMs; ; ) {
      await this.#runner?.ended;
      await pause(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      pauseMs = (await this.#tryStart()) ? restartMs : Math.min(maxPauseMs, pauseMs * 2);
      if (signal.aborted) await this.#end();
    }
  }

  async #tryStart(): Promise<boolean> {
    const { database, releaseLeases, log } = this.#parts;
    try {
      const options = this.#parts.options();
      const ended = this.#endOf(options.events);
      const runner = await run(options);
      runner.promise.catch(() => {});
      this.#runner = { stop: () => runner.stop(), ended };
      await releaseAbandoned(database, releaseLeases);
      await upkeepJob.enqueue(database.pool, {});
      return true;
    } catch (error) {
      log.error({ event: 'jobs.not-started', err: error }, 'The job runner could not be started and will be retried');
      await this.#end();
      return false;
    }
  }

  /**
   * Resolves when the pool has ended. After an error while it stores the end of a job, graphile-worker can wait for ever
   * in `terminate`, although all jobs have ended.
   */
  #endOf(events: WorkerEvents): Promise<void> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const end = ({ workerPool }: { workerPool: { id: string } }) => {
        clearTimeout(timer);
        this.#parts.presence.remove(workerPool.id);
        resolve();
      };
      const endSoon = (event: { workerPool: { id: string } }) => {
        timer ??= setTimeout(end, lastResultsMs, event);
      };
      events.on('pool:gracefulShutdown:complete', endSoon);
      events.on('pool:forcefulShutdown:complete', endSoon);
      events.on('pool:forcefulShutdown:error', endSoon);
      events.on('pool:release', end);
    });
  }

  async #end(): Promise<void> {
    const runner = this.#runner;
    this.#runner = undefined;
    const stopped = runner?.stop().catch((error) => this.#parts.log.warn({ event: 'jobs.not-stopped', err: error }));
    await Promise.race([stopped, runner?.ended]);
  }
}

/** Fetching takes a third of a millisecond per 1,000 waiting jobs that it skips. */
const skippingEveryMs = 200;

/**
 * Shares the workers of a process between the partners. With n partners that have running jobs, each gets 1/(n + 1) of
 * the workers, so a job of another partner does not wait for the backlog of those partners.
 */
export class PartnerShares {
  readonly #workers: number;
  /** Count of running jobs by flag. */
  readonly #running = new Map<string, number>();
  #lastFetch: Promise<void> = Promise.resolve();
  #endFetch = () => {};
  #isSkipping = false;
  /** The last fetch that skipped jobs found no other job. */
  #foundNoOther = false;
  #nextSkipping = 0;

  constructor(workers: number) {
    this.#workers = workers;
  }

  /** Fetches wait for each other: concurrent ones would give all workers to one partner. Returns the flags to skip. */
  async beginFetch(): Promise<string[]> {
    if (this.#foundNoOther && this.exhausted().length > 0) await this.#untilNextSkipping();
    const previous = this.#lastFetch;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lastFetch = promise;
    await previous;
    this.#endFetch = resolve;
    const flags = this.exhausted();
    this.#isSkipping = flags.length > 0;
    return flags;
  }

  endFetch({ found }: { found: boolean }): void {
    if (this.#isSkipping) this.#foundNoOther = !found;
    this.#endFetch();
  }

  /** Flags of the partners that use their whole share. */
  exhausted(): string[] {
    const share = Math.max(1, Math.floor(this.#workers / (this.#running.size + 1)));
    return [...this.#running].filter(([, count]) => count >= share).map(([flag]) => flag);
  }

  async run(flags: readonly string[], work: () => Promise<void>): Promise<void> {
    for (const flag of flags) this.#add(flag, 1);
    try {
      await work();
    } finally {
      for (const flag of flags) this.#add(flag, -1);
    }
  }

  #add(flag: string, count: number): void {
    const running = (this.#running.get(flag) ?? 0) + count;
    if (running > 0) this.#running.set(flag, running);
    else this.#running.delete(flag);
  }

  async #untilNextSkipping(): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#nextSkipping);
    this.#nextSkipping = at + skippingEveryMs;
    await pause(at - now);
  }
}
