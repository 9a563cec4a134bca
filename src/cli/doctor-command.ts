import { type Logger, pino } from 'pino';
import { type Config, ConfigurationProblem, readConfig } from '../config.ts';
import { databaseChecks, type Finding, fail, installationChecks, ok, runCheck } from '../service/doctor.ts';
import { openDatabase, toConfigurationProblem } from '../service/open-database.ts';
import { defineCommand, flag, table } from './command.ts';

const help = `Usage: waypost doctor [--json]

Checks the installation, the settings, the certificate, the disk, the file store, the mail server, the database, its
replica and the master keys, and prints a line for each: OK, WARN or FAIL, with what to do. It changes no data: it
writes and deletes one small file. Without DATABASE_URL it starts the embedded server if it is not running.

  --json        print a list of {check, status, message}

Exit codes: 0 no check failed, 1 a check failed, 2 wrong usage.

Examples:
  waypost doctor
  waypost doctor --json
`;

export async function doctorCommand(args: string[]): Promise<number> {
  let hasFailed = false;
  const run = defineCommand({ name: 'doctor', help, options: { json: flag } }, async ({ json }) => {
    const findings = await examine(process.env, pino({ level: 'error' }, pino.destination(2)));
    hasFailed = findings.some(({ status }) => status === 'FAIL');
    process.stdout.write(
      json
        ? `${JSON.stringify(findings, null, 2)}\n`
        : table(findings.map(({ check, status, message }) => [status, check, message])),
    );
  });
  const code = await run(args);
  return hasFailed ? 1 : code;
}

/** Checks an installation. Later checks are skipped if they need a setting or a database that is not usable. */
export async function examine(env: NodeJS.ProcessEnv, log: Logger): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigurationProblem)) throw error;
    return [{ check: 'settings', ...fail(error.message) }];
  }
  const findings: Finding[] = [{ check: 'settings', ...ok('Valid.') }];
  // The database first: it creates the data folder.
  const database = await examineDatabase(config, log);
  for (const check of installationChecks(config)) findings.push(await runCheck(check));
  return [...findings, ...database];
}

async function examineDatabase(config: Config, log: Logger): Promise<Finding[]> {
  try {
    const { database, isEmbedded, close } = await openDatabase(config, log);
    try {
      await database.pool.query('select 1');
      const findings: Finding[] = [{ check: 'database', ...ok(isEmbedded ? 'The embedded server.' : 'Connected.') }];
      for (const check of databaseChecks(config, database, isEmbedded)) findings.push(await runCheck(check));
      return findings;
    } finally {
      await close();
    }
  } catch (error) {
    return [{ check: 'database', ...fail((toConfigurationProblem(error, config) as Error).message) }];
  }
}
