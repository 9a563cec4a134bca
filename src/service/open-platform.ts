import { mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { type Config, ConfigurationProblem } from '../config.ts';
import { Database } from '../database/connection.ts';
import { startEmbeddedServer } from '../database/embedded-server.ts';
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
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const server = config.databaseUrl ? undefined : await startEmbeddedServer({ dataDir: config.dataDir, log });
  const url = config.databaseUrl ?? server?.url ?? '';
  const database = new Database(url, { connections: config.databaseConnections, name: 'waypost' });
  const close = async () => {
    await database.close();
    await server?.stop();
  };
  try {
    const applied = await migrate(database).catch(explainUnreachable);
    if (applied.length > 0) log.info({ event: 'database.migrated', applied }, `Database at ${applied.at(-1)}`);
    return { database, sealer: await openSealer(config, database), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function explainUnreachable(error: Error & { code?: string }): never {
  const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', '28P01', '28000', '3D000']);
  if (!unreachable.has(error.code ?? '')) throw error;
  throw new ConfigurationProblem(
    `The database of DATABASE_URL cannot be used (${error.message}): start it, or set DATABASE_URL to another.`,
  );
}
