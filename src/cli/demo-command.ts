import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { wholeNumber } from '../config/parse.ts';
import { settings } from '../config/settings.ts';
import { type Config, ConfigurationProblem, readConfig } from '../config.ts';
import type { Database } from '../database/connection.ts';
import { findPartnerByIdentifier } from '../platform/partners/partner-store.ts';
import { hasEnded, progressOf, type Task } from '../platform/tasks/task.ts';
import { findTaskById } from '../platform/tasks/task-store.ts';
import { usualSeed } from '../product/demo/demo-location.ts';
import { demoDataOf } from '../product/demo/demo-state.ts';
import { type DemoOrder, isIncomplete, mostDemoLocations, orderDemoData } from '../product/demo/demo-task.ts';
import { demoPartner } from '../service/demo.ts';
import { openPlatform } from '../service/open-platform.ts';
import { startService } from '../service/service.ts';
import { CommandFailed, readOption, runCommand } from './command.ts';

const help = `Usage: waypost demo [--locations N] [--seed S]

Has demo data made for the demo partner and shows how far it is: three businesses, their locations, and on the sandbox
directories their listings with a year of reviews, questions, photos, replies and insights. What is there stays as it
is; asked for more locations than there are, it adds the rest. Works on the database itself (DATABASE_URL, or the
embedded one of the data folder), whether Waypost runs or not. Ctrl-C ends the watching, not the work of a Waypost that
runs.

  --locations N       how many there shall be, 1 to ${mostDemoLocations} (${settings.demoLocations.default})
  --seed S            a whole number; another one makes other locations, beside those that are there (${usualSeed})

Examples:
  waypost demo
  waypost demo --locations 10000
  waypost demo --locations 50 --seed 7
`;

const options = { locations: { type: 'string' }, seed: { type: 'string' } } as const;

const pollMs = 500;
/** So long a task waits for a worker at most, if there is one. */
const patienceMs = 6_000;

export async function demoCommand(args: string[]): Promise<number> {
  return runCommand({ name: 'demo', help, options }, args, async (given) => {
    const order: DemoOrder = {
      locations: readOption(
        '--locations',
        given.locations ?? settings.demoLocations.default,
        wholeNumber(1, mostDemoLocations),
      ),
      seed: String(readOption('--seed', given.seed ?? usualSeed, wholeNumber(1, 999_999))),
    };
    try {
      await makeDemoData(readConfig(process.env), order);
    } catch (error) {
      if (error instanceof ConfigurationProblem) throw new CommandFailed(error.message);
      throw error;
    }
  });
}

async function makeDemoData(config: Config, order: DemoOrder): Promise<void> {
  if (!config.demo) {
    throw new CommandFailed(
      `Demo mode is off: set ${settings.demo.variable} to on, or leave it out, to have demo data.`,
    );
  }
  const log = pino({ level: 'warn' }, pino.destination(2));
  const platform = await openPlatform(config, log);
  try {
    const task = await begin(platform.database, order);
    const isTakenUp = await follow(platform.database, task.id, { giveUp: (now) => now.status === 'CREATED' });
    if (isTakenUp) return;
    process.stderr.write('Nobody has taken it up yet, so this command works on it itself.\n');
    const worker = await startService(config, { serve: false, work: true }, log);
    await follow(platform.database, task.id).finally(() => worker.stop());
  } finally {
    await platform.close();
  }
}

async function begin(database: Database, order: DemoOrder): Promise<Task> {
  const partner = await findPartnerByIdentifier(database.pool, demoPartner);
  if (!partner)
    throw new CommandFailed('There is no demo partner yet: "npm start" makes it, and first demo data with it.');
  const { task, isNew } = await database.transaction((transaction) => orderDemoData(transaction, partner, order));
  const { locations, seed } = task.parameters as unknown as DemoOrder;
  const which = `${locations} locations${seed === usualSeed ? '' : ` by seed ${seed}`}`;
  process.stderr.write(
    isNew ? `Demo data is being created: ${which}.\n` : `Already being created: ${which}. Nothing was added to it.\n`,
  );
  return task;
}

/** Shows how far it is until it has ended; false when it was given up before, because nobody takes it up. */
async function follow(
  database: Database,
  id: number,
  { giveUp = () => false }: { giveUp?: (task: Task) => boolean } = {},
): Promise<boolean> {
  const since = Date.now();
  let shown = '';
  for (;;) {
    const task = await findTaskById(database.pool, id);
    if (!task) throw new CommandFailed('The task has been deleted. What it created stays.');
    if (isIncomplete(task)) throw new CommandFailed(demoDataOf(task).message);
    const line = progressLine(task);
    if (line !== shown) process.stdout.write(`${line}\n`);
    shown = line;
    if (hasEnded(task)) return true;
    if (giveUp(task) && Date.now() - since > patienceMs) return false;
    await pause(pollMs);
  }
}

function progressLine(task: Task): string {
  const { locations = 0, pages = 0 } = task.result as { locations?: number; pages?: number };
  const percent = String(progressOf(task)).padStart(3);
  return `${percent} %  ${locations} locations, ${pages} new pages on directories`;
}
