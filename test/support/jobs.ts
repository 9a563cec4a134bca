import { Logger, runOnce } from 'graphile-worker';
import pg from 'pg';
import pino from 'pino';
import { readConfig } from '../../src/config.ts';
import type { Database } from '../../src/database/connection.ts';
import { tasksOf } from '../../src/jobs/runner.ts';
import type { Directories } from '../../src/platform/directories/directories.ts';
import { openFileStore } from '../../src/storage/open-file-store.ts';

const quiet = new Logger(() => () => {});

interface Options {
  directories?: Directories;
  env?: NodeJS.ProcessEnv;
  /** Jobs whose time has not come are done as well. */
  early?: boolean;
}

/** Does every job that is due, and those that they ask for, until none is left. */
export async function runJobs(database: Database, { directories = none, env = {}, early = false }: Options = {}) {
  const pgPool = new pg.Pool({ connectionString: database.url, max: 5 });
  pgPool.on('error', () => {});
  pgPool.on('connect', (client) => client.on('error', () => {}));
  try {
    if (early) await pgPool.query('update graphile_worker._private_jobs set run_at = now() where run_at > now()');
    const config = readConfig(env);
    const context = { database, config, directories, files: openFileStore(config), log: pino({ level: 'silent' }) };
    await runOnce({
      pgPool,
      taskList: tasksOf(context, new AbortController().signal),
      noPreparedStatements: true,
      logger: quiet,
    });
  } finally {
    await pgPool.end();
  }
}

/** For tests of work that speaks with no directory. */
const none: Directories = {
  list: [],
  connector: (type) => {
    throw new Error(`There is no directory ${type} here.`);
  },
};
