import type { Database } from '../../../../database/connection.ts';
import { defineJob } from '../../../../jobs/job.ts';
import { lockTexts } from '../../../feedback/index.ts';
import { beginRollUp, findBusinessesToRollUp, foldDeltas } from './feedback-source.ts';
import { extractKeywords } from './keywords/extract-keywords.ts';
import { claimUnreadReviews, storeWords, wordIds } from './keywords/keyword-store.ts';

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
    let next = 0;
    const noted = read.map(({ id, keywords }) => {
      const from = next;
      next += keywords?.length ?? 0;
      return { id, words: keywords && known.slice(from, next) };
    });
    await storeWords(transaction, noted);
    return ids.length;
  });
}
