import { databaseNow } from '../database/database-clock.ts';
import { sweepFiles, sweepFilesJob } from '../storage/pending-files.ts';
import { incomingFolder, removeAbandoned } from '../storage/received-file.ts';

/** Uploads and exports take less than half of this from their first byte to their row. */
const maxArrivalMs = 24 * 3_600_000;

/** Removes files that no row references, and partial uploads of processes that died. */
export const storageJob = sweepFilesJob.implement(async (_, { database, files, config, log }) => {
  const now = await databaseNow(database.pool);
  const removed = await sweepFiles(database.pool, files, new Date(now.getTime() - maxArrivalMs));
  // File timestamps follow the clock of the host, not of the database.
  const before = new Date(Date.now() - maxArrivalMs);
  const abandoned = await removeAbandoned(incomingFolder(config.dataDir), before);
  log.info({ event: 'storage.swept', removed, abandoned });
});
