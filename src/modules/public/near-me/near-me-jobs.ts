import { defineJob, type JobImplementation } from '../../../jobs/job.ts';
import { deletePastQuotaHours } from '../../accounts/index.ts';
import { lookUp, lookUpJob } from './look-up.ts';
import { deleteExpiredReports, failStalledReports } from './report-store.ts';

const batch = 1000;
/** A look-up takes at most about two minutes; jobs of a crashed process restart after ten. */
const stalledSeconds = 1800;

export const nearMeJobs: readonly JobImplementation[] = [
  lookUpJob.implement(({ reportId }, context) => lookUp(context, reportId)),
  defineJob('near-me.sweep', { schedule: '*/15 * * * *' }).implement(async (_, { database, log, signal }) => {
    const stalled = await failStalledReports(
      database.pool,
      stalledSeconds,
      'The report was not completed. Create a new one.',
    );
    let expired = 0;
    for (let deleted = batch; deleted === batch && !signal.aborted; expired += deleted) {
      deleted = await deleteExpiredReports(database.pool, batch);
    }
    const hours = await deletePastQuotaHours(database.pool);
    log.info({ event: 'near-me.swept', stalled, expired, hours });
  }),
];
