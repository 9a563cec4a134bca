import { databaseNow } from '../database/database-clock.ts';
import { incomingFolder, removeAbandoned } from '../storage/received-file.ts';
import { sweepFiles, sweepJob } from '../storage/unsettled-files.ts';
import { type PlatformJob, platformJob } from './job.ts';

/** No upload and no export takes half as long from its first byte to its row. */
const longestArrivalMs = 24 * 3_600_000;

/** Removes files that nothing names any more, and what processes left behind that died. */
export const storageJob: PlatformJob = platformJob({
  task: sweepJob,
  schedule: '*/10 * * * *',
  run: async (_, { database, files, config, log }) => {
    const now = await databaseNow(database.pool);
    const removed = await sweepFiles(database.pool, files, new Date(now.getTime() - longestArrivalMs));
    // Dates of files are by the clock of their machine.
    const before = new Date(Date.now() - longestArrivalMs);
    const abandoned = await removeAbandoned(incomingFolder(config.dataDir), before);
    log.info({ event: 'storage.swept', removed, abandoned });
  },
});
