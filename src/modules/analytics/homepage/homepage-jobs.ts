import { databaseNow } from '../../../database/database-clock.ts';
import { defineJob } from '../../../jobs/job.ts';
import { dayOf, daysAfter } from '../../../values/span.ts';
import { deleteExpiredDismissals } from './dismissal-store.ts';
import { partnersWithPendingLocations } from './home-location-store.ts';
import { deleteOldLocationDays } from './home-totals-store.ts';
import { refreshHomepage, refreshHomepageJob } from './refresh-homepage.ts';

/** The longest span of figures and its preceding period. */
const retentionDays = 2 * 731;
/** The job runs every minute. */
const maxRunMs = 45_000;

export const homepageJobs = [
  refreshHomepageJob.implement(async (_, { database, log, signal }) => {
    const began = Date.now();
    let locations = 0;
    while (!signal.aborted && Date.now() - began < maxRunMs) {
      const now = await databaseNow(database.pool);
      const partners = await partnersWithPendingLocations(database.pool, now);
      if (partners.length === 0) break;
      // One batch per partner in turn, so that a partner with many changes does not block others.
      for (const partnerId of partners) locations += await refreshHomepage(database, partnerId, now);
    }
    log.debug({ event: 'homepage.refreshed', locations, tookMs: Date.now() - began });
  }),
  defineJob('homepage.forget', { schedule: '17 3 * * *' }).implement(async (_, { database }) => {
    const today = dayOf(await databaseNow(database.pool));
    await deleteExpiredDismissals(database.pool, today);
    await deleteOldLocationDays(database.pool, daysAfter(today, -retentionDays));
  }),
];
