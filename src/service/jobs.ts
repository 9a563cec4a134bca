import { eventJobs } from '../events/event-jobs.ts';
import { composeJobs, type JobSet } from '../jobs/job.ts';
import { idCheckpointJob } from '../jobs/runner.ts';
import { taskJobs } from '../jobs/tasks/task-job.ts';
import { modules } from '../modules/modules.ts';
import { storageJob } from '../storage/pending-files.ts';

/** All background jobs. */
export const platformJobs: JobSet = {
  jobs: composeJobs([idCheckpointJob, ...eventJobs, ...taskJobs, storageJob, ...modules.flatMap(({ jobs }) => jobs)]),
  async releaseLeases(sql, processIds) {
    for (const { releaseLeases } of modules) await releaseLeases?.(sql, processIds);
  },
};
