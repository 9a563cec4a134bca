import type { Logger } from 'pino';
import { type Config, ConfigurationProblem } from '../config.ts';
import { Database } from '../database/connection.ts';
import { startEmbeddedServer } from '../database/embedded-server.ts';
import { DatabaseProblem, isDatabaseUnavailable, reasonOf, waitForDatabase } from '../database/faults.ts';
import { guardIssuedIds } from '../database/issued-ids.ts';
import { migrate } from '../database/migrate.ts';
import type { Sealer } from '../events/signing/sealer.ts';
import { openDataFolder } from './data-folder.ts';
import { openSealer } from './master-key.ts';
import { withinLimit } from './within-limit.ts';

const closeMs = 5000;
const serverStopMs = 40_000;

export interface Platform {
  database: Database;
  sealer: Sealer;
  close(): Promise<void>;
}

/**
 * Opens and migrates the database. With a signal, waits for an unavailable database until the signal is aborted; without
 * one, throws a ConfigurationProblem.
 */
export async function openPlatform(config: Config, log: Logger, waitUntil?: AbortSignal): Promise<Platform> {
  await openDataFolder(config);
  const server = config.databaseUrl ? undefined : await startServer(config, log);
  const url = config.databaseUrl ?? server?.url ?? '';
  const database = new Database(url, { connections: config.databaseConnections, name: 'waypost' });
  const close = async () => {
    await withinLimit({ part: 'database connections', limitMs: closeMs, log }, () => database.close());
    await withinLimit({ part: 'database server', limitMs: serverStopMs, log }, async () => server?.stop());
  };
  const prepare = async () => {
    const applied = await migrate(database);
    if (applied.length > 0) log.info({ event: 'database.migrated', applied }, `Database at ${applied.at(-1)}`);
    await guardIssuedIds(database, log);
    return openSealer(config, database);
  };
  try {
    const sealer = waitUntil ? await waitForDatabase(prepare, { log, signal: waitUntil }) : await prepare();
    return { database, sealer, close };
  } catch (error) {
    await close();
    throw waitUntil?.aborted ? error : toConfigurationProblem(error, config);
  }
}

async function startServer(config: Config, log: Logger) {
  return startEmbeddedServer({ dataDir: config.dataDir, log }).catch((error) => {
    throw toConfigurationProblem(error, config);
  });
}

// Refused credentials, an unknown database, missing rights.
const refusedStates = /^(28|3D|42501)/;

function toConfigurationProblem(error: unknown, { databaseUrl }: Config): unknown {
  if (error instanceof DatabaseProblem) return new ConfigurationProblem(error.message);
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (!databaseUrl || !(isDatabaseUnavailable(error) || refusedStates.test(code) || message.includes('SSL')))
    return error;
  return new ConfigurationProblem(
    `The database of DATABASE_URL cannot be used (${reasonOf(error)}). Start it, or change DATABASE_URL.`,
  );
}
