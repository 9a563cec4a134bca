import { EventEmitter } from 'node:events';
import {
  type CronItem,
  Logger as JobLogger,
  parseCronItems,
  type RunnerOptions,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker';
import pg from 'pg';
import { DatabaseClient } from '../database/client.ts';
import { clientSettings } from '../database/client-settings.ts';
import { Database } from '../database/connection.ts';
import { saveIdCheckpoint } from '../database/issued-ids.ts';
import { defineJob, type JobContext, type JobImplementation, type JobSet } from './job.ts';
import { LastingRunner } from './lasting-runner.ts';
import { Presence } from './presence.ts';

// Jobs wait for directories most of their time.
const concurrency = 8;
const runnerConnections = 6;

export type JobParts = Omit<JobContext, 'signal'>;

/** Background and scheduled work. Deliveries are not jobs: they are the product, and have tables of their own. */
export async function startJobs({ jobs, releaseLeases }: JobSet, parts: JobParts): Promise<{ stop(): Promise<void> }> {
  const { log } = parts;
  const { url } = parts.database;
  const stopping = new AbortController();
  // A pool apart from that of requests: statements of jobs may take longer.
  const database = new Database(url, { connections: concurrency + 4, name: 'waypost jobs', statementLimit: 'job' });
  database.onConnect = parts.database.onConnect;
  const pool = new pg.Pool({
    ...clientSettings(url, { name: 'waypost job runner', statementLimit: 'request' }),
    Client: DatabaseClient,
    max: runnerConnections,
  });
  // A connection that breaks is replaced by the pool; without listeners, idle or not, it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const presence = new Presence(url, log);
  const events: WorkerEvents = new EventEmitter();
  events.on('pool:create', ({ workerPool }) => presence.add(workerPool.id));
  events.on('cron:schedule', ({ jobsAndIdentifiers }) => runByDatabaseClock(jobsAndIdentifiers));
  events.on('pool:release', ({ workerPool }) => presence.remove(workerPool.id));
  const options = (): RunnerOptions => ({
    pgPool: pool,
    events,
    concurrency,
    noHandleSignals: true,
    // Without a delay, a job whose end cannot be written down is a rejection that nobody handles.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    taskList: tasksOf(jobs, { ...parts, database, signal: stopping.signal }),
    parsedCronItems: parseCronItems(scheduleOf(jobs)),
    logger: new JobLogger(() => (level, message) => {
      if (level === 'error') log.error({ event: 'job.failed' }, message);
      else log.debug({ event: 'jobs' }, message);
    }),
  });
  const runner = new LastingRunner(options, database, releaseLeases, log);
  await presence.begin();
  await runner.start();
  return {
    async stop() {
      stopping.abort();
      await runner.stop();
      await presence.end();
      await pool.end();
      await database.close();
    },
  };
}

/** The library dates scheduled jobs by the clock of this process: one that is an hour fast would do all of them late. */
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

/** Every job by its name. */
export const tasksOf = (jobs: readonly JobImplementation[], context: JobContext): TaskList =>
  Object.fromEntries(jobs.map((job) => [job.name, (payload: unknown) => job.run(payload, context)]));
