import { setTimeout as pause } from 'node:timers/promises';
import { wholeNumber } from '../config/parse.ts';
import { settings } from '../config/settings.ts';
import { type Config, ConfigurationProblem, readConfig } from '../config.ts';
import type { Database } from '../database/connection.ts';
import { hasEnded, progressOf, type Task } from '../jobs/tasks/task.ts';
import { findTaskById } from '../jobs/tasks/task-store.ts';
import {
  type DemoRequest,
  defaultSeed,
  demoDataOf,
  isIncomplete,
  maxDemoLocations,
  requestDemoData,
} from '../modules/demo/index.ts';
import { findDemoPartner } from '../service/demo.ts';
import { openPlatform } from '../service/open-platform.ts';
import { startService } from '../service/service.ts';
import { CommandError, defineCommand, readOption, value } from './command.ts';
import { log } from './command-log.ts';

const help = `Usage: waypost demo [--locations N] [--seed S]

Creates demo data for the demo partner and prints the progress: three businesses, their locations, and their listings on
the sandbox directories with a year of reviews, questions, photos, replies and insights. Existing data is kept; missing
locations are added. Uses the database directly (DATABASE_URL, or the embedded one in the data folder), whether Waypost
is running or not. Ctrl-C stops the output, not the work of a running Waypost.

  --locations N       total number of locations, 1 to ${maxDemoLocations} (default: ${settings.demoLocations.default})
  --seed S            whole number; another seed adds different locations (default: ${defaultSeed})

Examples:
  waypost demo
  waypost demo --locations 10000
  waypost demo --locations 50 --seed 7
`;

const options = { locations: value, seed: value } as const;

const pollMs = 500;
/** A running worker claims a task within this time. */
const claimTimeoutMs = 6_000;

export const demoCommand = defineCommand({ name: 'demo', help, options }, async (given) => {
  const { locations = settings.demoLocations.default, seed = defaultSeed } = given;
  const order: DemoRequest = {
    locations: readOption('--locations', locations, wholeNumber(1, maxDemoLocations)),
    seed: String(readOption('--seed', seed, wholeNumber(1, 999_999))),
  };
  try {
    await makeDemoData(readConfig(process.env), order);
  } catch (error) {
    if (error instanceof ConfigurationProblem) throw new CommandError(error.message);
    throw error;
  }
});

async function makeDemoData(config: Config, order: DemoRequest): Promise<void> {
  if (!config.demo)
    throw new CommandError(
      `Demo mode is disabled. Set ${settings.demo.variable} to on, or unset it, to create demo data.`,
    );
  const platform = await openPlatform(config, log);
  try {
    const task = await begin(platform.database, order);
    const isClaimed = await follow(platform.database, task.id, (now) => now.status === 'CREATED');
    if (isClaimed) return;
    process.stderr.write('No worker is running. This command creates the data itself.\n');
    const worker = await startService(config, { serve: false, work: true }, log);
    await follow(platform.database, task.id).finally(() => worker.stop());
  } finally {
    await platform.close();
  }
}

async function begin(database: Database, order: DemoRequest): Promise<Task> {
  const partner = await findDemoPartner(database.pool);
  if (!partner)
    throw new CommandError('There is no demo partner yet. Run "npm start" to create it with its first demo data.');
  const { task, isNew } = await database.transaction((transaction) => requestDemoData(transaction, partner, order));
  const { locations, seed } = task.parameters as unknown as DemoRequest;
  const which = `${locations} locations${seed === defaultSeed ? '' : ` by seed ${seed}`}`;
  process.stderr.write(
    isNew
      ? `Demo data is being created: ${which}.\n`
      : `Demo data is already being created: ${which}. This request was ignored.\n`,
  );
  return task;
}

/** Prints the progress until the task has ended. Returns false if no worker claims it. */
async function follow(database: Database, id: number, isWaiting = (_: Task) => false): Promise<boolean> {
  const since = Date.now();
  let shown = '';
  for (;;) {
    const task = await findTaskById(database.pool, id);
    if (!task) throw new CommandError('The task has been deleted. What it created stays.');
    if (isIncomplete(task)) throw new CommandError(demoDataOf(task).message);
    const line = progressLine(task);
    if (line !== shown) process.stdout.write(`${line}\n`);
    shown = line;
    if (hasEnded(task)) return true;
    if (isWaiting(task) && Date.now() - since > claimTimeoutMs) return false;
    await pause(pollMs);
  }
}

function progressLine(task: Task): string {
  const { locations = 0, pages = 0 } = task.result as { locations?: number; pages?: number };
  const percent = String(progressOf(task)).padStart(3);
  return `${percent} %  ${locations} locations, ${pages} new listings on directories`;
}
