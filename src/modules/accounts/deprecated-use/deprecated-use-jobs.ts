import { platformJob } from '../../../jobs/job.ts';
import { forgetOldUses } from './deprecated-use-store.ts';

export const deprecatedUseJobs = [
  platformJob({
    task: 'deprecated-use.forget',
    schedule: '20 3 * * *',
    run: async (_payload, { database }) => {
      await forgetOldUses(database.pool);
    },
  }),
];
