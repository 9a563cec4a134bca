import { defineJob } from '../../../jobs/job.ts';
import { deleteOldUses } from './deprecated-use-store.ts';

export const deprecatedUseJobs = [
  defineJob('deprecated-use.forget', { schedule: '20 3 * * *' }).implement((_, { database }) =>
    deleteOldUses(database.pool),
  ),
];
