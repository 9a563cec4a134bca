import { type PlatformJob, platformJob } from '../../../jobs/job.ts';
import { releaseFiles } from '../../../storage/unsettled-files.ts';
import { exportJob } from './export.ts';
import { takeExpiredFiles } from './export-store.ts';
import { makeExport } from './make-export.ts';

const filesAtOnce = 500;

const make = platformJob<{ taskId: number }>({
  task: exportJob,
  run: ({ taskId }, context) => makeExport(taskId, context),
});

const expire = platformJob({
  task: 'exports.expire',
  schedule: '*/10 * * * *',
  async run(_payload, { database, log }) {
    let removed = 0;
    for (let taken = filesAtOnce; taken === filesAtOnce; removed += taken) {
      taken = await database.transaction(async (transaction) => {
        const names = await takeExpiredFiles(transaction, filesAtOnce);
        await releaseFiles(transaction, names);
        return names.length;
      });
    }
    if (removed > 0) log.info({ event: 'exports.expired', removed });
  },
});

export const exportJobs: readonly PlatformJob[] = [make, expire];
