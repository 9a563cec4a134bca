import { databaseNow } from '../../../database/database-clock.ts';
import { defineJob, type JobContext, type JobImplementation } from '../../../jobs/job.ts';
import { dayOf, daysAfter } from '../../../values/span.ts';
import { type DirectoryFault, findDirectory, isFault } from '../../directories/index.ts';
import { advanceInsights, claimDueInsights, findInsightProgress, type InsightProgress } from '../../listings/index.ts';
import { gapDays, later, monthsToRead, spansToRead } from './insight.ts';
import { firstGap, knownMonths, replaceKeywords, upsertInsights } from './insight-store.ts';

export const collectInsightsJob = defineJob<{ listingId: number }>('insights.collect', {
  key: ({ listingId }) => `insights-${listingId}`,
});

const batch = 500;
/** Claim duration; the collection itself sets the next due time. */
const claimSeconds = 3600;

export const insightJobs: readonly JobImplementation[] = [
  collectInsightsJob.implement(({ listingId }, context) => collectInsights(context, listingId)),
  defineJob('insights.schedule', { schedule: '*/5 * * * *' }).implement(async (_, { database, directories }) => {
    const types = directories.list.filter(({ supports }) => supports.insights).map(({ type }) => type);
    const due = await claimDueInsights(database.pool, types, batch, claimSeconds);
    for (const listingId of due) await collectInsightsJob.enqueue(database.pool, { listingId });
  }),
];

const intervalHours = 12;
const outageRetryMinutes = 30;

/**
 * Collects counts and keywords of a listing up to yesterday. Each part is committed; the next collection completes an
 * interrupted one.
 */
async function collectInsights(context: JobContext, listingId: number): Promise<void> {
  const { database, log } = context;
  const progress = await findInsightProgress(database.pool, listingId);
  const directory = progress && findDirectory(progress.directoryType);
  if (!progress || !directory?.supports.insights) return;
  const today = dayOf(await databaseNow(database.pool));
  const counts = await collectCounts(context, progress, today);
  const fault =
    counts.fault ?? (directory.supports.searchKeywords && (await collectKeywords(context, progress, today)));
  await advanceInsights(database.pool, listingId, {
    until: counts.until,
    dueSeconds: secondsUntilNext(fault || undefined),
  });
  if (fault) log.info({ event: 'insights.not-collected', listingId, directory: directory.type, ...fault });
  else log.debug({ event: 'insights.collected', listingId, directory: directory.type, until: counts.until });
}

async function collectCounts(
  { database, directories, signal }: JobContext,
  progress: InsightProgress,
  today: string,
): Promise<{ until: string | null; fault?: DirectoryFault }> {
  const { listingId, directoryType, externalId } = progress;
  let { until } = progress;
  const gap = until && (await firstGap(database.pool, listingId, daysAfter(today, -gapDays), until));
  for (const { from, to } of spansToRead(today, until, gap)) {
    if (signal.aborted) break;
    const result = await directories.connector(directoryType).readInsights(externalId, from, to);
    if (isFault(result)) return { until, fault: result };
    const counts = result.filter(({ day, count }) => day >= from && day <= to && isCount(count));
    if (counts.length === 0) continue;
    await database.transaction((transaction) => upsertInsights(transaction, progress, counts));
    until = counts.map(({ day }) => day).reduce(later, until ?? '');
  }
  return { until };
}

async function collectKeywords(
  { database, directories, signal }: JobContext,
  progress: InsightProgress,
  today: string,
): Promise<DirectoryFault | undefined> {
  const { listingId, directoryType, externalId } = progress;
  for (const month of monthsToRead(today, await knownMonths(database.pool, listingId))) {
    if (signal.aborted) break;
    const result = await directories.connector(directoryType).readKeywords(externalId, month);
    if (isFault(result)) return result;
    const keywords = result.filter((one) => one.month === month && one.keyword !== '' && isCount(one.impressions));
    if (keywords.length === 0) continue;
    await database.transaction((transaction) => replaceKeywords(transaction, progress, month, keywords));
  }
  return undefined;
}

const isCount = (count: number) => Number.isInteger(count) && count >= 0 && count < 2 ** 31;

function secondsUntilNext(fault: DirectoryFault | undefined): number {
  if (fault?.fault === 'limited') return fault.retryAfterSeconds;
  return fault?.fault === 'unavailable' ? outageRetryMinutes * 60 : intervalHours * 3600;
}
