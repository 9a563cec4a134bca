import { defineJob } from '../../../jobs/job.ts';
import { forgetOldUses } from './deprecated-use-store.ts';

export const deprecatedUseJobs = [
  defineJob('deprecated-use.forget', { schedule: '20 3 * * *' }).implement((_, { database }) =>
    forgetOldUses(database.pool),
  ),
];
