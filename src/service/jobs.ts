import { eventJobs } from '../events/event-jobs.ts';
import type { JobSet } from '../jobs/job.ts';
import { storageJob } from '../jobs/storage-job.ts';
import { taskJobs } from '../jobs/tasks/task-jobs.ts';
import { modules } from '../modules/modules.ts';

/** Background work of the whole platform. */
export const platformJobs: JobSet = {
  jobs: [...eventJobs, ...taskJobs, storageJob, ...modules.flatMap(({ jobs }) => jobs)],
  async releaseLeases(sql, processIds) {
    for (const { releaseLeases } of modules) await releaseLeases?.(sql, processIds);
  },
};
