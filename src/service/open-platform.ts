import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { claimCell, guardIssuedIds } from '../database/cell.ts';
import type { Database } from '../database/connection.ts';
import { waitForDatabase } from '../database/faults.ts';
import type { LastingConnection } from '../database/lasting-connection.ts';
import { migrate, preparePartitions } from '../database/migrate.ts';
import { requireMigrated } from '../database/schema-state.ts';
import type { Sealer } from '../events/signing/sealer.ts';
import { openSealer, showMasterKeys } from './master-keys/key-registry.ts';
import { openDatabase, toConfigurationProblem } from './open-database.ts';
import { withinLimit } from './shutdown.ts';

const closeMs = 5000;

export interface Platform {
  database: Database;
  sealer: Sealer;
  close(): Promise<void>;
}

/**
 * Opens the database. The embedded database is migrated; a database of DATABASE_URL must have been migrated. If the
 * database is unavailable: with a signal, waits until it is available or the signal is aborted; otherwise throws.
 */
export async function openPlatform(config: Config, log: Logger, stopSignal?: AbortSignal): Promise<Platform> {
  const { database, isEmbedded, close: closeDatabase } = await openDatabase(config, log);
  let presence: LastingConnection | undefined;
  const close = async () => {
    await withinLimit({ part: 'master key connection', limitMs: closeMs, log }, async () => presence?.close());
    await closeDatabase();
  };
  const prepare = async () => {
    if (isEmbedded) await migrateEmbedded(database, log);
    await requireMigrated(database.pool, log);
    if (!isEmbedded) await preparePartitions(database);
    await claimCell(database, config.cell);
    await guardIssuedIds(database, log);
    return openSealer(config, database, async (sealer) => {
      presence ??= await showMasterKeys(database.url, sealer);
    });
  };
  try {
    await database.replica?.start();
    const sealer = stopSignal ? await waitForDatabase(prepare, { log, signal: stopSignal }) : await prepare();
    return { database, sealer, close };
  } catch (error) {
    await close();
    throw stopSignal?.aborted ? error : toConfigurationProblem(error, config);
  }
}

async function migrateEmbedded(database: Database, log: Logger): Promise<void> {
  const applied = await migrate(database);
  if (applied.length > 0)
    log.info({ event: 'database.migrated', applied }, `The database was migrated to ${applied.at(-1)}`);
}
