import { defineJob, type JobImplementation } from '../../../jobs/job.ts';
import {
  advanceCursor,
  checkListingDatapoints,
  claimDueDatapointChecks,
  findListingFeed,
  postponeDatapointCheck,
} from '../../listings/index.ts';
import { checkPageDatapoints } from '../brand-pages/brand-page-jobs.ts';
import {
  advancePageCursor,
  claimDuePageChecks,
  findPagePlace,
  postponePageCheck,
} from '../brand-pages/brand-page-store.ts';
import { checkDatapoints, type ProgressStore } from './check-datapoints.ts';
import { sendReply, sendReplyJob } from './send-reply.ts';

/** The most checks of each kind that are enqueued per minute. */
const batch = 1000;

const listingProgress: ProgressStore = {
  find: findListingFeed,
  advance: advanceCursor,
  postpone: postponeDatapointCheck,
};
const pageProgress: ProgressStore = { find: findPagePlace, advance: advancePageCursor, postpone: postponePageCheck };

export const datapointJobs: readonly JobImplementation[] = [
  checkListingDatapoints.implement(async ({ listingId }, context) => {
    const result = await checkDatapoints(context, listingProgress, listingId);
    if (result === 'more') await checkListingDatapoints.enqueue(context.database.pool, { listingId });
  }),
  checkPageDatapoints.implement(async ({ pageId }, context) => {
    const result = await checkDatapoints(context, pageProgress, pageId);
    if (result === 'more') await checkPageDatapoints.enqueue(context.database.pool, { pageId });
  }),
  defineJob('datapoints.schedule', { schedule: '* * * * *' }).implement(async (_, { database: { pool }, config }) => {
    // Claimed for one interval. The check itself sets the next due time.
    const nextSeconds = config.datapointCheckSeconds;
    for (const listingId of await claimDueDatapointChecks(pool, batch, nextSeconds))
      await checkListingDatapoints.enqueue(pool, { listingId });
    for (const pageId of await claimDuePageChecks(pool, batch, nextSeconds))
      await checkPageDatapoints.enqueue(pool, { pageId });
  }),
  sendReplyJob.implement(({ replyId }, context) => sendReply(context, replyId)),
];
