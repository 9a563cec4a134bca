import { databaseNow } from '../../../database/database-clock.ts';
import { defineJob } from '../../../jobs/job.ts';
import { dayOf, daysAfter } from '../../../values/span.ts';
import { forgetDismissals } from './dismissal-store.ts';
import { partnersWaiting } from './home-location-store.ts';
import { forgetLocationDays } from './home-totals-store.ts';
import { refreshHomepage, refreshHomepageJob } from './refresh-homepage.ts';

/** As far back as figures can be asked for, and the time before that they are compared with. */
const keptDays = 2 * 731;
/** What is left after that is for the next minute. */
const longestMs = 45_000;

export const homepageJobs = [
  refreshHomepageJob.implement(async (_, { database, log, signal }) => {
    const began = Date.now();
    let locations = 0;
    while (!signal.aborted && Date.now() - began < longestMs) {
      const now = await databaseNow(database.pool);
      const partners = await partnersWaiting(database.pool, now);
      if (partners.length === 0) break;
      // A piece of each in turn: one with many changes does not keep the others waiting.
      for (const partnerId of partners) locations += await refreshHomepage(database, partnerId, now);
    }
    log.debug({ event: 'homepage.refreshed', locations, tookMs: Date.now() - began });
  }),
  defineJob('homepage.forget', { schedule: '17 3 * * *' }).implement(async (_, { database }) => {
    const today = dayOf(await databaseNow(database.pool));
    await forgetDismissals(database.pool, today);
    await forgetLocationDays(database.pool, daysAfter(today, -keptDays));
  }),
];
