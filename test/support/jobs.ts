import { Logger, runOnce, type TaskList } from 'graphile-worker';
import pino, { type Logger as PinoLogger } from 'pino';
import type { Database } from '../../src/database/connection.ts';
import { Sealer } from '../../src/events/signing/sealer.ts';
import type { JobContext } from '../../src/jobs/job.ts';
import { tasksOf } from '../../src/jobs/runner.ts';
import type { Directories } from '../../src/modules/directories/open-directories.ts';
import { platformJobs } from '../../src/service/service.ts';
import { openFileStore } from '../../src/storage/open-file-store.ts';
import { configFor } from './data-folder.ts';

const quiet = new Logger(() => () => {});

const unused = new Sealer(Buffer.alloc(32));

interface ContextOptions {
  directories?: Directories | undefined;
  env?: NodeJS.ProcessEnv | undefined;
  log?: PinoLogger | undefined;
  /** Only the job that re-seals values needs the keys of the test. */
  sealer?: Sealer | undefined;
}

interface Options extends ContextOptions {
  /** Also runs jobs that are not due yet. */
  early?: boolean;
}

/** The context of a job in a test. */
export function jobContext(
  database: Database,
  { directories = none, env = {}, log = pino({ level: 'silent' }), sealer = unused }: ContextOptions = {},
): JobContext {
  const config = configFor(database, env);
  const signal = new AbortController().signal;
  return { database, config, directories, files: openFileStore(config), log, sealer, signal };
}

/** Runs all due jobs of the platform, including those that they enqueue. */
export async function runJobs(database: Database, { directories, env, log, sealer, early = false }: Options = {}) {
  if (early) await database.pool.query('update graphile_worker._private_jobs set run_at = now() where run_at > now()');
  await runTasks(database, tasksOf(platformJobs.jobs, jobContext(database, { directories, env, log, sealer })));
}

/** Runs all due jobs, including those that they enqueue. */
export async function runTasks(database: Database, taskList: TaskList): Promise<void> {
  await runOnce({
    // The pool of the database: opening connections for each run took longer than most jobs.
    pgPool: database.pool,
    taskList,
    noPreparedStatements: true,
    noHandleSignals: true,
    logger: quiet,
    // Without batches, graphile-worker does not wait until completed and failed jobs are written.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  });
}

/** For tests without directories. */
const none: Directories = {
  list: [],
  connector: (type) => {
    throw new Error(`This test has no directory ${type}.`);
  },
};
