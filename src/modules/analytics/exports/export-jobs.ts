import { defineJob, type JobImplementation } from '../../../jobs/job.ts';
import { releaseFiles } from '../../../storage/pending-files.ts';
import { detachExpiredFiles } from './export-store.ts';
import { runExport } from './run-export.ts';

const fileBatch = 500;

export const exportJobs: readonly JobImplementation[] = [
  runExport,
  defineJob('exports.expire', { schedule: '*/10 * * * *' }).implement(async (_, { database, log }) => {
    let removed = 0;
    for (let count = fileBatch; count === fileBatch; removed += count) {
      count = await database.transaction(async (transaction) => {
        const names = await detachExpiredFiles(transaction, fileBatch);
        await releaseFiles(transaction, names);
        return names.length;
      });
    }
    if (removed > 0) log.info({ event: 'exports.expired', removed });
  }),
];
