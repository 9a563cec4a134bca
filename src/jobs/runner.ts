import { Logger as JobLogger, parseCronItems, type Runner, run, type TaskList } from 'graphile-worker';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Database } from '../database/connection.ts';
import { runReplay } from './replay-job.ts';
import { runUpkeep } from './upkeep.ts';

const concurrency = 4;

/** Background and scheduled work. Deliveries are not jobs: they are the product, and have tables of their own. */
export async function startJobs(database: Database, config: Config, log: Logger): Promise<{ stop(): Promise<void> }> {
  const pool = new pg.Pool({ connectionString: database.url, max: concurrency + 2, application_name: 'waypost jobs' });
  // A connection that breaks is replaced by the pool; without listeners, idle or not, it would end the process.
  // A connection that breaks is replaced; without a listener it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('connect', (client) => client.on('error', () => {}));
  const tasks: TaskList = {
    upkeep: () => runUpkeep(database, config.retentionDays, log),
    replay: (payload) => runReplay(database, (payload as { replayId: number }).replayId, { log }),
  };
  const runner: Runner = await run({
    pgPool: pool,
    concurrency,
    noHandleSignals: true,
    taskList: tasks,
    parsedCronItems: parseCronItems([
      { task: 'upkeep', match: '*/10 * * * *', identifier: 'upkeep', options: { queueName: 'upkeep', maxAttempts: 3 } },
    ]),
    logger: new JobLogger(() => (level, message) => {
      if (level === 'error') log.error({ event: 'job.failed' }, message);
      else log.debug({ event: 'jobs' }, message);
    }),
  });
  await runner.addJob('upkeep', {}, { jobKey: 'upkeep-at-start', queueName: 'upkeep' });
  return {
    async stop() {
      await runner.stop().catch((error) => log.warn({ event: 'jobs.not-stopped', err: error }));
      await pool.end();
    },
  };
}
