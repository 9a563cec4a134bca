import type { Logger } from 'pino';
import { type Config, ConfigurationProblem } from '../config.ts';
import { Database } from '../database/connection.ts';
import { startEmbeddedServer } from '../database/embedded-server.ts';
import { DatabaseProblem, isDatabaseUnavailable, reasonOf } from '../database/faults.ts';
import { ReadReplica } from '../database/read-replica.ts';
import { openDataFolder } from './data-folder.ts';
import { withinLimit } from './shutdown.ts';

const closeMs = 5000;
const serverStopMs = 40_000;

export interface OpenDatabase {
  database: Database;
  /** Whether the server in the data folder is used. */
  isEmbedded: boolean;
  close(): Promise<void>;
}

/** Connects to the database of DATABASE_URL, or starts the embedded server. Reads and changes no table. */
export async function openDatabase(config: Config, log: Logger): Promise<OpenDatabase> {
  await openDataFolder(config);
  const server = config.databaseUrl ? undefined : await startServer(config, log);
  const url = config.databaseUrl ?? server?.url ?? '';
  const database = new Database(url, { connections: config.databaseConnections, name: 'waypost' });
  const replica = config.databaseReadUrl
    ? new ReadReplica({ url: config.databaseReadUrl, primaryUrl: url, maxLagMs: config.databaseReadMaxLagMs, log })
    : undefined;
  database.replica = replica;
  const close = async () => {
    await withinLimit({ part: 'replica connections', limitMs: closeMs, log }, async () => replica?.close());
    await withinLimit({ part: 'database connections', limitMs: closeMs, log }, () => database.close());
    await withinLimit({ part: 'database server', limitMs: serverStopMs, log }, async () => server?.stop());
  };
  return { database, isEmbedded: server !== undefined, close };
}

/** Runs work on the database without checking its schema, then closes it. */
export async function onDatabase<T>(config: Config, log: Logger, work: (open: OpenDatabase) => Promise<T>): Promise<T> {
  const open = await openDatabase(config, log);
  try {
    return await work(open);
  } catch (error) {
    throw toConfigurationProblem(error, config);
  } finally {
    await open.close();
  }
}

async function startServer(config: Config, log: Logger) {
  return startEmbeddedServer({ dataDir: config.dataDir, log }).catch((error) => {
    throw toConfigurationProblem(error, config);
  });
}

// Refused credentials, an unknown database, missing rights.
const refusedStates = /^(28|3D|42501)/;

/** Errors that the operator can solve, as a ConfigurationProblem. */
export function toConfigurationProblem(error: unknown, { databaseUrl }: Config): unknown {
  if (error instanceof DatabaseProblem) return new ConfigurationProblem(error.message);
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (!databaseUrl || !(isDatabaseUnavailable(error) || refusedStates.test(code) || message.includes('SSL')))
    return error;
  return new ConfigurationProblem(
    `The database of DATABASE_URL cannot be used (${reasonOf(error)}). Start it, or change DATABASE_URL.`,
  );
}
