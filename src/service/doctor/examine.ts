import type { Logger } from 'pino';
import { type Config, ConfigurationProblem, readConfig } from '../../config.ts';
import { openDatabase, toConfigurationProblem } from '../open-database.ts';
import { databaseChecks } from './database-checks.ts';
import { type Finding, fail, ok, runCheck } from './finding.ts';
import { installationChecks } from './installation-checks.ts';

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
