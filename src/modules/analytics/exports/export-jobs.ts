import { defineJob, type JobImplementation } from '../../../jobs/job.ts';
import { releaseFiles } from '../../../storage/pending-files.ts';
import { exportJob } from './export.ts';
import { takeExpiredFiles } from './export-store.ts';
import { makeExport } from './make-export.ts';

const filesAtOnce = 500;

export const exportJobs: readonly JobImplementation[] = [
  exportJob.implement(({ taskId }, context) => makeExport(taskId, context)),
  defineJob('exports.expire', { schedule: '*/10 * * * *' }).implement(async (_, { database, log }) => {
    let removed = 0;
    for (let taken = filesAtOnce; taken === filesAtOnce; removed += taken) {
      taken = await database.transaction(async (transaction) => {
        const names = await takeExpiredFiles(transaction, filesAtOnce);
        await releaseFiles(transaction, names);
        return names.length;
      });
    }
    if (removed > 0) log.info({ event: 'exports.expired', removed });
  }),
];
