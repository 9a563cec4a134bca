import { readConfig, version } from '../config.ts';
import type { Database } from '../database/connection.ts';
import { maxLockTries, migrate, type PlannedMigration, planMigrations } from '../database/migrate.ts';
import { lockTimeout } from '../database/partitions.ts';
import { readSchemaState } from '../database/schema-state.ts';
import { onDatabase } from '../service/open-database.ts';
import { defineCommand, flag, table } from './command.ts';
import { log } from './command-log.ts';

const help = `Usage: waypost migrate [--plan]

Applies the pending migrations to the database of DATABASE_URL, or to the embedded one, which every start migrates too.
Run it before the processes of a new version start. Processes of the previous minor version can keep running: a
migration waits at most ${lockTimeout} for a table in use and tries again, up to ${maxLockTries} times. A repeated or
concurrent call applies nothing twice.

  --plan        print the pending migrations, the tables that each locks, and their sizes; change nothing

Exit codes: 0 the database is up to date (with --plan: the plan was printed), 1 failed, 2 wrong usage.

Examples:
  DATABASE_URL=postgres://… waypost migrate --plan
  DATABASE_URL=postgres://… waypost migrate
`;

export const migrateCommand = defineCommand({ name: 'migrate', help, options: { plan: flag } }, ({ plan }) =>
  onDatabase(readConfig(process.env), log, ({ database }) => (plan ? printPlan(database) : apply(database))),
);

async function apply(database: Database): Promise<void> {
  const { jobTablesOutdated } = await readSchemaState(database.pool);
  const applied = await migrate(database, (name) => process.stdout.write(`applied ${name}\n`));
  if (jobTablesOutdated) process.stdout.write('updated the tables of jobs\n');
  const { newer } = await readSchemaState(database.pool);
  if (newer.length > 0) {
    process.stdout.write(`The schema is newer than version ${version} (${newer.join(', ')}). It was not changed.\n`);
  } else {
    const count = applied.length === 0 ? 'No migration was pending' : `${applied.length} migrations applied`;
    process.stdout.write(`${count}: the database has the schema of version ${version}.\n`);
  }
}

async function printPlan(database: Database): Promise<void> {
  const plan = await planMigrations(database.pool);
  process.stdout.write(planText(plan));
  const { jobTablesOutdated } = await readSchemaState(database.pool);
  if (jobTablesOutdated) process.stdout.write('The tables of jobs (graphile_worker) are created or updated.\n');
}

export function planText(plan: readonly PlannedMigration[]): string {
  if (plan.length === 0) return `No migration is pending: the database has the schema of version ${version}.\n`;
  const rows = plan.flatMap(({ name, locks }) =>
    locks.length === 0
      ? [[name, 'no existing table', '', '', '', '']]
      : locks.map(({ table, mode, blocks, bytes, rows }, index) => [
          index === 0 ? name : '',
          table,
          mode,
          blocks,
          size(bytes),
          rows === undefined ? 'unknown' : Math.round(rows).toLocaleString('en'),
        ]),
  );
  const heading = ['migration', 'locks', 'mode', 'blocks', 'size', 'rows (estimate)'];
  return `${table([heading, ...rows])}
${plan.length} migrations, each in its own transaction. A lock is held until the end of its migration. Adding a column takes
milliseconds at any size. Creating an index, checking a constraint or changing rows takes time in proportion to the size.
`;
}

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];

function size(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toPrecision(3)} ${units[power]}`;
}
