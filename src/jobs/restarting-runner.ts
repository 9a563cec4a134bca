import { setTimeout as pause } from 'node:timers/promises';
import { type Runner, type RunnerOptions, run } from 'graphile-worker';
import type { Logger } from 'pino';
import type { Database } from '../database/connection.ts';
import { releaseAbandoned } from './abandoned-jobs.ts';
import { defineJob, type ReleaseLeases } from './job.ts';

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

/** Restarts the graphile-worker runner, which ends when the database is unavailable or read-only. */
export class RestartingRunner {
  /** graphile-worker caches state in the options object, so each start needs new options. */
  readonly #options: () => RunnerOptions;
  readonly #database: Database;
  readonly #releaseLeases: ReleaseLeases;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #runner: Runner | undefined;
  #running: Promise<void> = Promise.resolve();
  #releasing: NodeJS.Timeout | undefined;

  constructor(options: () => RunnerOptions, database: Database, releaseLeases: ReleaseLeases, log: Logger) {
    this.#options = options;
    this.#database = database;
    this.#releaseLeases = releaseLeases;
    this.#log = log;
  }

  async start(): Promise<void> {
    await this.#tryStart();
    this.#running = this.#keepRunning();
    this.#releasing = setInterval(() => {
      releaseAbandoned(this.#database, this.#releaseLeases).catch((error) =>
        this.#log.warn({ event: 'jobs.not-released', err: error }),
      );
    }, releaseEveryMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#releasing);
    this.#stopping.abort();
    await this.#end();
    await this.#running;
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pauseMs = restartMs; ; ) {
      await this.#runner?.promise.catch(() => {});
      await pause(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      pauseMs = (await this.#tryStart()) ? restartMs : Math.min(maxPauseMs, pauseMs * 2);
      if (signal.aborted) await this.#end();
    }
  }

  async #tryStart(): Promise<boolean> {
    try {
      const runner = await run(this.#options());
      // The rejection is handled in #keepRunning; without this it would end the process first.
      runner.promise.catch(() => {});
      this.#runner = runner;
      await releaseAbandoned(this.#database, this.#releaseLeases);
      await upkeepJob.enqueue(this.#database.pool, {});
      return true;
    } catch (error) {
      this.#log.error(
        { event: 'jobs.not-started', err: error },
        'The job runner could not be started and will be retried',
      );
      await this.#end();
      return false;
    }
  }

  async #end(): Promise<void> {
    const runner = this.#runner;
    this.#runner = undefined;
    await runner?.stop().catch((error) => this.#log.warn({ event: 'jobs.not-stopped', err: error }));
  }
}
