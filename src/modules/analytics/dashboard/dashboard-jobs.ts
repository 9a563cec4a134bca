import type { Database } from '../../../database/connection.ts';
import { defineJob, type JobImplementation } from '../../../jobs/job.ts';
import { lockTexts } from '../../feedback/index.ts';
import { extractKeywords } from './feedback/extract-keywords.ts';
import { beginRollUp, findBusinessesToRollUp, foldDeltas } from './feedback/feedback-source.ts';
import { claimUnreadReviews, storeWords, wordIds } from './feedback/keyword-store.ts';
import { listingRollUp, locationRollUp, visibilityRollUp } from './health/health-figures.ts';
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

const reviewBatch = 500;
const deltaBatch = 20_000;
/** Businesses with at least this many locations get their own roll-ups. */
const rollUpMinLocations = 50;
const businessBatch = 20;
/** The job runs every minute. */
const maxRunMs = 50_000;

export const feedbackJobs = [
  defineJob('feedback.roll-up', { schedule: '* * * * *' }).implement(async (_, { database, signal, log }) => {
    const end = Date.now() + maxRunMs;
    const hasTime = () => Date.now() < end && !signal.aborted;
    const done = { event: 'feedback.rolled-up', read: 0, begun: 0, folded: 0 };
    for (let read = reviewBatch; read > 0 && hasTime(); done.read += read) {
      read = await readReviews(database, reviewBatch);
    }
    for (const id of await findBusinessesToRollUp(database.pool, rollUpMinLocations, businessBatch)) {
      if (!hasTime()) break;
      await database.transaction((transaction) => beginRollUp(transaction, id));
      done.begun += 1;
    }
    for (let folded = deltaBatch; folded === deltaBatch && hasTime(); done.folded += folded) {
      folded = (await foldDeltas(database.pool, deltaBatch)) ?? 0;
    }
    if (done.read + done.begun + done.folded > 0) log.debug(done);
  }),
];

/**
 * Analyzes new and changed reviews and returns their number. The datapoints stay locked, so that concurrent changes see
 * the stored words.
 */
export function readReviews(database: Database, limit: number): Promise<number> {
  return database.transaction(async (transaction) => {
    const ids = await claimUnreadReviews(transaction, limit);
    if (ids.length === 0) return 0;
    const read = (await lockTexts(transaction, ids)).map(({ id, type, text, language }) => ({
      id,
      keywords: type === 'REVIEW' && text !== null ? extractKeywords(text, language) : null,
    }));
    const known = await wordIds(
      transaction,
      read.flatMap(({ keywords }) => keywords ?? []),
    );
    const words = read.map(({ id, keywords }) => ({ id, words: keywords && known.splice(0, keywords.length) }));
    await storeWords(transaction, words);
    return ids.length;
  });
}
