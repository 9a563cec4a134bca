import { defineJob } from '../../../../jobs/job.ts';
import { readReviews } from './keywords/read-reviews.ts';
import { beginRollUp, businessesToRollUp, foldDeltas } from './roll-up-store.ts';

const reviewsAtOnce = 500;
const deltasAtOnce = 20_000;
/** A business of so many locations gets roll-ups of its own. */
const largeBusiness = 50;
const businessesAtOnce = 20;
/** The next one begins then. */
const longestMs = 50_000;

export const feedbackJobs = [
  defineJob('feedback.roll-up', { schedule: '* * * * *' }).implement(async (_, { database, signal, log }) => {
    const end = Date.now() + longestMs;
    const goesOn = () => Date.now() < end && !signal.aborted;
    const done = { event: 'feedback.rolled-up', read: 0, begun: 0, folded: 0 };
    for (let read = reviewsAtOnce; read > 0 && goesOn(); done.read += read) {
      read = await readReviews(database, reviewsAtOnce);
    }
    for (const id of await businessesToRollUp(database.pool, largeBusiness, businessesAtOnce)) {
      if (!goesOn()) break;
      await database.transaction((transaction) => beginRollUp(transaction, id));
      done.begun += 1;
    }
    for (let folded = deltasAtOnce; folded === deltasAtOnce && goesOn(); done.folded += folded) {
      folded = (await foldDeltas(database.pool, deltasAtOnce)) ?? 0;
    }
    if (done.read + done.begun + done.folded > 0) log.debug(done);
  }),
];
