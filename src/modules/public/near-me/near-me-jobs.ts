import { databaseNow } from '../../../database/database-clock.ts';
import { defineJob, type JobContext, type JobImplementation } from '../../../jobs/job.ts';
import { dayOf } from '../../../values/span.ts';
import { deletePastQuotaHours } from '../../accounts/index.ts';
import { isFault } from '../../directories/index.ts';
import { expectedProfile, judgeDirectory, noResult, scoreOf } from './judge-report.ts';
import type { Report } from './report.ts';
import {
  deleteExpiredReports,
  failStalledReports,
  findReportById,
  markReportCompleted,
  recordResult,
} from './report-store.ts';

export const lookUpJob = defineJob<{ reportId: number; partnerId: number }>('near-me.look-up', {
  key: ({ reportId }) => `near-me-${reportId}`,
  requested: true,
});

/** Concurrent searches per report. */
const concurrency = 6;
/** Rate-limited directories are retried for this time: the visitor is waiting. */
const maxWaitMs = 120_000;

/** Queries all pending directories of a report and completes it. */
async function lookUp(context: JobContext, reportId: number): Promise<void> {
  const { database, signal, log } = context;
  const report = await findReportById(database.pool, reportId);
  if (report?.status !== 'RUNNING') return;
  const began = Date.now();
  const queue = [...report.pending];
  const waits: number[] = [];
  const work = async () => {
    for (let type = queue.shift(); type !== undefined && !signal.aborted; type = queue.shift()) {
      const wait = await queryDirectory(context, report, type);
      if (wait !== undefined) waits.push(wait);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  if (signal.aborted) waits.push(0);
  const { partnerId } = report;
  if (waits.length > 0)
    return lookUpJob.enqueue(database.pool, { reportId, partnerId }, { delaySeconds: Math.max(...waits) });
  await completeReport(context, reportId);
  log.info({ event: 'near-me.looked-up', reportId, directories: report.pending.length, tookMs: Date.now() - began });
}

/** Returns the seconds to wait if the directory is rate limited and time is left. */
async function queryDirectory(context: JobContext, report: Report, type: string): Promise<number | undefined> {
  const { database, directories } = context;
  const directory = directories.list.find((known) => known.type === type);
  if (!directory) {
    await recordResult(database.pool, report.id, noResult(type, `${type} is no longer supported.`));
    return undefined;
  }
  const expected = expectedProfile(report);
  const result = await directories.connector(type, { partnerId: report.partnerId, requested: true }).search(expected);
  const now = await databaseNow(database.pool);
  if (isFault(result) && result.fault === 'limited') {
    const until = now.getTime() + result.retryAfterSeconds * 1000;
    if (until < report.dateCreated.getTime() + maxWaitMs) return result.retryAfterSeconds;
  }
  await recordResult(database.pool, report.id, judgeDirectory(directory, expected, result, dayOf(now)));
  return undefined;
}

async function completeReport({ database, directories }: JobContext, reportId: number): Promise<void> {
  const report = await findReportById(database.pool, reportId);
  if (!report || report.pending.length > 0) return;
  const weights = new Map(directories.list.map(({ type, weight }) => [type, weight]));
  const score = scoreOf(report.results, (type) => weights.get(type) ?? 0);
  const hasResult = report.results.some(({ status }) => status !== 'ERROR');
  await markReportCompleted(database.pool, reportId, {
    status: hasResult ? 'FINISHED' : 'FAILED',
    score,
    error: hasResult ? null : 'None of the directories could be checked. Create a new report later.',
  });
}

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
