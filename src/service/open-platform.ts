import { access, constants, mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { type Config, ConfigurationProblem } from '../config.ts';
import { Database } from '../database/connection.ts';
import { startEmbeddedServer } from '../database/embedded-server.ts';
import { guardIssuedIds } from '../database/issued-ids.ts';
import { migrate } from '../database/migrate.ts';
import type { Sealer } from '../events/signing/sealer.ts';
import { openSealer } from './master-key.ts';

export interface Platform {
  database: Database;
  sealer: Sealer;
  close(): Promise<void>;
}

/** The database, at today's schema, and the means to open what is sealed in it. */
export async function openPlatform(config: Config, log: Logger): Promise<Platform> {
  await openDataFolder(config);
  const server = config.databaseUrl ? undefined : await startEmbeddedServer({ dataDir: config.dataDir, log });
  const url = config.databaseUrl ?? server?.url ?? '';
  const database = new Database(url, { connections: config.databaseConnections, name: 'waypost' });
  const close = async () => {
    await database.close();
    await server?.stop();
  };
  try {
    if (config.databaseUrl) await tryConnecting(database);
    const applied = await migrate(database);
    if (applied.length > 0) log.info({ event: 'database.migrated', applied }, `Database at ${applied.at(-1)}`);
    await guardIssuedIds(database, log);
    return { database, sealer: await openSealer(config, database), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** One that can only be read serves those who have their database and their master key elsewhere. */
async function openDataFolder({ dataDir, databaseUrl }: Config): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, (databaseUrl ? constants.R_OK : constants.W_OK) | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigurationProblem(
      `The data folder ${dataDir} cannot be ${databaseUrl ? 'used' : 'written'} (${code}): ` +
        'set WAYPOST_DATA_DIR to one that this user may write in.',
    );
  }
}

/** Whatever stands in the way, a sentence says so: refused, still starting, without TLS, no such socket. */
async function tryConnecting(database: Database): Promise<void> {
  try {
    (await database.pool.connect()).release();
  } catch (error) {
    const { message } = error instanceof AggregateError ? error.errors[0] : (error as Error);
    throw new ConfigurationProblem(
      `The database of DATABASE_URL cannot be used (${message}): start it, or set DATABASE_URL to another.`,
    );
  }
}
