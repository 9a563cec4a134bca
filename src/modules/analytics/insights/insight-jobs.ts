import { enqueueJob } from '../../../database/job-queue.ts';
import { platformJob } from '../../../jobs/job.ts';
import { takeDueInsights } from '../../listings/index.ts';
import { collectInsights } from './collect-insights.ts';

const collect = 'insights.collect';
const batch = 500;
/** Nobody else takes a listing up for so long; the collection itself says when the next one is due. */
const takenSeconds = 3600;

export const insightJobs = [
  platformJob<{ listingId: number }>({
    task: collect,
    run: ({ listingId }, context) => collectInsights(context, listingId),
  }),
  platformJob({
    task: 'insights.schedule',
    schedule: '*/5 * * * *',
    run: async (_payload, { database, directories }) => {
      const types = directories.list.filter(({ supports }) => supports.insights).map(({ type }) => type);
      const due = await takeDueInsights(database.pool, types, batch, takenSeconds);
      for (const listingId of due) {
        await enqueueJob(database.pool, collect, { listingId }, { key: `insights-${listingId}` });
      }
    },
  }),
];
