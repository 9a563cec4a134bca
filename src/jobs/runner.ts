import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type CronItem,
  Logger as JobLogger,
  parseCronItems,
  type Runner,
  type RunnerOptions,
  run,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker';
import pg from 'pg';
import type { Logger } from 'pino';
import { takeIdCheckpoint } from '../database/issued-ids.ts';
import type { JobContext } from '../platform/platform-job.ts';
import { platformJobs } from './platform-jobs.ts';
import { Presence, unlockAbandoned } from './presence.ts';
import { runReplay } from './replay-job.ts';
import { runUpkeep } from './upkeep.ts';

// Jobs wait for directories most of their time.
const concurrency = 8;
const restartMs = 1000;
const unlockEveryMs = 10_000;
// Every job ends within a minute or goes on in another one; the library alone would wait four hours for one that hangs.
const longestJob = '10 minutes';

export type JobParts = Omit<JobContext, 'signal'>;

/** Background and scheduled work. Deliveries are not jobs: they are the product, and have tables of their own. */
export async function startJobs(parts: JobParts): Promise<{ stop(): Promise<void> }> {
  const { database, log } = parts;
  const stopping = new AbortController();
  const pool = new pg.Pool({ connectionString: database.url, max: concurrency + 2, application_name: 'waypost jobs' });
  // A connection that breaks is replaced by the pool; without listeners, idle or not, it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const presence = new Presence(database.url, log);
  const events: WorkerEvents = new EventEmitter();
  events.on('worker:create', ({ worker }) => presence.add(worker.workerId));
  const options: RunnerOptions = {
    pgPool: pool,
    events,
    concurrency,
    noHandleSignals: true,
    // Without a delay, a job whose end cannot be written down is a rejection that nobody handles.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    taskList: tasksOf(parts, stopping.signal),
    parsedCronItems: parseCronItems(schedule),
    logger: new JobLogger(() => (level, message) => {
      if (level === 'error') log.error({ event: 'job.failed' }, message);
      else log.debug({ event: 'jobs' }, message);
    }),
  };
  const runner = new LastingRunner(options, log);
  await presence.begin();
  await runner.start();
  return {
    async stop() {
      stopping.abort();
      await runner.stop();
      await presence.end();
      await pool.end();
    },
  };
}

const scheduled = (task: string, match: string): CronItem => ({
  task,
  match,
  identifier: task,
  options: { queueName: task, maxAttempts: 3 },
});

const schedule = [
  scheduled('upkeep', '*/10 * * * *'),
  scheduled('id-checkpoint', '* * * * *'),
  ...platformJobs.flatMap((job) => (job.schedule ? [scheduled(job.task, job.schedule)] : [])),
];

/** Every kind of job, by its name. */
export function tasksOf(parts: JobParts, signal: AbortSignal): TaskList {
  const { database, config, log } = parts;
  const context = { ...parts, signal };
  return {
    upkeep: () => runUpkeep(database, config.retentionDays, log),
    'id-checkpoint': () => takeIdCheckpoint(database.pool),
    replay: (payload) => runReplay(database, (payload as { replayId: number }).replayId, { log }),
    ...Object.fromEntries(platformJobs.map((job) => [job.task, (payload: unknown) => job.run(payload, context)])),
  };
}

/** A runner ends by itself when the database goes away at the wrong moment; this one begins again. */
class LastingRunner {
  readonly #options: RunnerOptions;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #runner: Runner | undefined;
  #lasting: Promise<void> = Promise.resolve();
  #unlocking: NodeJS.Timeout | undefined;

  constructor(options: RunnerOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
  }

  async start(): Promise<void> {
    await this.#begin();
    this.#lasting = this.#last();
    this.#unlocking = setInterval(() => {
      this.#unlockAbandoned().catch((error) => this.#log.warn({ event: 'jobs.not-unlocked', err: error }));
    }, unlockEveryMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#unlocking);
    this.#stopping.abort();
    await this.#runner?.stop().catch((error) => this.#log.warn({ event: 'jobs.not-stopped', err: error }));
    await this.#lasting;
  }

  async #begin(): Promise<void> {
    this.#runner = await run(this.#options);
    await this.#unlockAbandoned();
    await this.#runner.addJob('upkeep', {}, { jobKey: 'upkeep-at-start', queueName: 'upkeep' });
  }

  /** Jobs of a process that was killed in the midst of them are done by another. */
  async #unlockAbandoned(): Promise<void> {
    if (this.#options.pgPool) await unlockAbandoned(this.#options.pgPool, longestJob);
  }

  async #last(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await this.#runner?.promise.catch(() => {});
      await pause(restartMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await this.#begin().catch((error) => this.#log.warn({ event: 'jobs.not-restarted', err: error }));
      if (signal.aborted) await this.#runner?.stop().catch(() => {});
    }
  }
}
