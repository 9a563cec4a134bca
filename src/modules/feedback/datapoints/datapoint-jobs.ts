import type { Sql } from '../../../database/connection.ts';
import { enqueueJob } from '../../../database/job-queue.ts';
import { type JobContext, platformJob } from '../../../jobs/job.ts';
import {
  advanceCursor,
  findListingPlace,
  postponeDatapointCheck,
  takeDueDatapointChecks,
} from '../../listings/index.ts';
import {
  advancePageCursor,
  findPagePlace,
  postponePageCheck,
  takeDuePageChecks,
} from '../brand-pages/page-progress.ts';
import { checkDatapoints, type ProgressKeeper } from './check-datapoints.ts';
import { sendReply } from './send-reply.ts';

const checkListing = 'datapoints.check-listing';
const checkPage = 'datapoints.check-brand-page';

/** Every minute so many of each kind are taken up at most. */
const batch = 1000;

const listingKeeper: ProgressKeeper = {
  find: findListingPlace,
  advance: advanceCursor,
  postpone: postponeDatapointCheck,
};
const pageKeeper: ProgressKeeper = { find: findPagePlace, advance: advancePageCursor, postpone: postponePageCheck };

export const datapointJobs = [
  platformJob<{ listingId: number }>({
    task: checkListing,
    run: async ({ listingId }, context) => {
      const result = await checkDatapoints(context, listingKeeper, listingId);
      if (result === 'more') await enqueueListingCheck(context, listingId);
    },
  }),
  platformJob<{ pageId: number }>({
    task: checkPage,
    run: async ({ pageId }, context) => {
      const result = await checkDatapoints(context, pageKeeper, pageId);
      if (result === 'more') await enqueuePageCheck(context, pageId);
    },
  }),
  platformJob({
    task: 'datapoints.schedule',
    schedule: '* * * * *',
    run: async (_payload, context) => {
      const { database, config } = context;
      // Taken for one interval; the check itself says when the next one is due.
      const nextSeconds = config.datapointCheckSeconds;
      for (const id of await takeDueDatapointChecks(database.pool, batch, nextSeconds))
        await enqueueListingCheck(context, id);
      for (const id of await takeDuePageChecks(database.pool, batch, nextSeconds)) await enqueuePageCheck(context, id);
    },
  }),
  platformJob<{ replyId: number }>({
    task: 'datapoints.send-reply',
    run: ({ replyId }, context) => sendReply(context, replyId),
  }),
];

/** Looks for what is new on a listing's page as soon as a worker is free. */
export const checkListingSoon = (sql: Sql, listingId: number): Promise<void> =>
  enqueueJob(sql, checkListing, { listingId }, { key: `datapoints-listing-${listingId}` });

const enqueueListingCheck = ({ database }: JobContext, listingId: number) => checkListingSoon(database.pool, listingId);

const enqueuePageCheck = ({ database }: JobContext, pageId: number) =>
  enqueueJob(database.pool, checkPage, { pageId }, { key: `datapoints-page-${pageId}` });
