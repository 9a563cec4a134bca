import { databaseNow } from '../database/database-clock.ts';
import { sweepFiles, sweepFilesJob } from '../storage/pending-files.ts';
import { incomingFolder, removeAbandoned } from '../storage/received-file.ts';

/** No upload and no export takes half as long from its first byte to its row. */
const longestArrivalMs = 24 * 3_600_000;

/** Removes files that no row references, and partial uploads of processes that died. */
export const storageJob = sweepFilesJob.implement(async (_, { database, files, config, log }) => {
  const now = await databaseNow(database.pool);
  const removed = await sweepFiles(database.pool, files, new Date(now.getTime() - longestArrivalMs));
  // Dates of files are by the clock of their machine.
  const before = new Date(Date.now() - longestArrivalMs);
  const abandoned = await removeAbandoned(incomingFolder(config.dataDir), before);
  log.info({ event: 'storage.swept', removed, abandoned });
});
