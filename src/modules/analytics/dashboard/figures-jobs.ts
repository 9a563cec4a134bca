import { defineJob, type JobImplementation } from '../../../jobs/job.ts';
import { listingRollUp, locationRollUp, visibilityRollUp } from './health/health-store.ts';
import { insightRollUp } from './insights/insight-figures.ts';
import { keywordRollUp } from './insights/search-keyword-figures.ts';
import { foldAll, type RollUp } from './roll-up.ts';

export const insightRollUps: readonly RollUp[] = [insightRollUp, keywordRollUp];
export const healthRollUps: readonly RollUp[] = [listingRollUp, locationRollUp, visibilityRollUp];

/** After a large batch the job runs again after 5 s instead of a minute. */
const largeBatch = 5000;
const nextRunSeconds = 5;

/** Readers include unfolded deltas: a delay makes reads slower, but never wrong. */
const fold = (name: string, rollUps: readonly RollUp[]) => {
  const job = defineJob(name, { key: () => `${name}-soon`, schedule: '* * * * *' });
  return job.implement(async (_, { database, log, signal }) => {
    const folded = await foldAll(database.pool, rollUps, signal);
    if (folded > 0) log.debug({ event: 'figures.folded', task: name, folded });
    if (folded >= largeBatch) await job.enqueue(database.pool, {}, { delaySeconds: nextRunSeconds });
  });
};

export const figuresJobs: readonly JobImplementation[] = [
  fold('dashboard.fold-insights', insightRollUps),
  fold('dashboard.fold-standing', healthRollUps),
];
