import { defineJob, type JobImplementation } from '../../../jobs/job.ts';
import { insightRollUp } from './insights/insight-figures-store.ts';
import { keywordRollUp } from './insights/search-keyword-figures.ts';
import { foldAll, type RollUp } from './roll-up.ts';
import { listingRollUp } from './standing/listing-counts.ts';
import { locationRollUp } from './standing/location-counts.ts';
import { visibilityRollUp } from './standing/visibility-store.ts';

export const insightRollUps: readonly RollUp[] = [insightRollUp, keywordRollUp];
export const standingRollUps: readonly RollUp[] = [listingRollUp, locationRollUp, visibilityRollUp];

/** After so many at once the next ones are not left for a minute. */
const many = 5000;
const soonSeconds = 5;

/** Readers add up what is folded and what is not: when this comes late they take longer, and are right all the same. */
const fold = (name: string, rollUps: readonly RollUp[]) => {
  const job = defineJob(name, { key: () => `${name}-soon`, schedule: '* * * * *' });
  return job.implement(async (_, { database, log, signal }) => {
    const folded = await foldAll(database.pool, rollUps, signal);
    if (folded > 0) log.debug({ event: 'figures.folded', task: name, folded });
    if (folded >= many) await job.enqueue(database.pool, {}, { delaySeconds: soonSeconds });
  });
};

export const figuresJobs: readonly JobImplementation[] = [
  fold('dashboard.fold-insights', insightRollUps),
  fold('dashboard.fold-standing', standingRollUps),
];
