import { defineJob, type JobImplementation } from '../../../jobs/job.ts';
import { claimDueInsights } from '../../listings/index.ts';
import { collectInsights } from './collect-insights.ts';

export const collectInsightsJob = defineJob<{ listingId: number }>('insights.collect', {
  key: ({ listingId }) => `insights-${listingId}`,
});

const batch = 500;
/** Claim duration; the collection itself sets the next due time. */
const claimSeconds = 3600;

export const insightJobs: readonly JobImplementation[] = [
  collectInsightsJob.implement(({ listingId }, context) => collectInsights(context, listingId)),
  defineJob('insights.schedule', { schedule: '*/5 * * * *' }).implement(async (_, { database, directories }) => {
    const types = directories.list.filter(({ supports }) => supports.insights).map(({ type }) => type);
    const due = await claimDueInsights(database.pool, types, batch, claimSeconds);
    for (const listingId of due) await collectInsightsJob.enqueue(database.pool, { listingId });
  }),
];
