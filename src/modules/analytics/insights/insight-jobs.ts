import { defineJob, type JobContext, type JobImplementation } from '../../../jobs/job.ts';
import { daysAfter } from '../../../values/span.ts';
import {
  type DailyInsight,
  type DirectoryConnector,
  type DirectoryFault,
  findDirectory,
  isFault,
  type KeywordInsight,
} from '../../directories/index.ts';
import { advanceInsights, claimDueInsights, findInsightProgress, type InsightProgress } from '../../listings/index.ts';
import { gapDays, later, monthsToRead, spansToRead } from './insight.ts';
import { firstGap, knownMonths, replaceKeywords, upsertInsights } from './insight-store.ts';

type Collection = { listingId: number; requested?: boolean | undefined };

export const collectInsightsJob = defineJob<Collection>('insights.collect', {
  key: ({ listingId }) => `insights-${listingId}`,
});

/** Per directory and run: capacity to collect 288,000 listings of a directory every 12 hours. */
const batch = 2000;
/** Claim duration; the collection itself sets the next due time. */
const claimSeconds = 3600;

export const insightJobs: readonly JobImplementation[] = [
  collectInsightsJob.implement((collection, context) => collectInsights(context, collection)),
  defineJob('insights.schedule', { schedule: '*/5 * * * *' }).implement(async (_, { database, directories }) => {
    // A batch for each directory, so that a directory with many due listings does not delay the others.
    for (const { type } of directories.list.filter(({ supports }) => supports.insights)) {
      const due = await claimDueInsights(database.pool, [type], batch, claimSeconds);
      await collectInsightsJob.enqueueMany(
        database.pool,
        due.map((listingId) => ({ listingId })),
      );
    }
  }),
];

const intervalHours = 12;
const outageRetryMinutes = 30;

/** Collects counts and keywords of a listing up to yesterday. After a fault, the parts that were read are saved. */
async function collectInsights(context: JobContext, { listingId, requested = false }: Collection): Promise<void> {
  const { database, log } = context;
  const progress = await findInsightProgress(database.pool, listingId);
  const directory = progress && findDirectory(progress.directoryType);
  if (!progress || !directory?.supports.insights) return;
  const connector = context.directories.connector(directory.type, { partnerId: progress.partnerId, requested });
  const counts = await readCounts(context, connector, progress);
  const keywords =
    counts.fault || !directory.supports.searchKeywords ? nothingRead : await readKeywords(context, connector, progress);
  const fault = counts.fault ?? keywords.fault;
  const until = counts.read.reduce<string | null>((last, { day }) => later(day, last ?? ''), progress.until);
  const dueSeconds = secondsUntilNext(fault);
  await database.transaction(async (transaction) => {
    // Lock order as in checks: the listing before its location.
    await advanceInsights(transaction, listingId, { until, dueSeconds });
    await upsertInsights(transaction, progress, counts.read);
    await replaceKeywords(transaction, progress, keywords.read);
  });
  if (fault) log.info({ event: 'insights.not-collected', listingId, directory: directory.type, ...fault });
  else log.debug({ event: 'insights.collected', listingId, directory: directory.type, until });
}

/** The insights that were read before the fault, if there was one. */
interface Reading<T> {
  read: T[];
  fault?: DirectoryFault;
}

const nothingRead: Reading<never> = { read: [] };

async function readCounts(
  { database, signal }: JobContext,
  connector: DirectoryConnector,
  { listingId, externalId, until, today }: InsightProgress & { today: string },
): Promise<Reading<DailyInsight>> {
  const gap = until && (await firstGap(database.pool, listingId, daysAfter(today, -gapDays), until));
  const read: DailyInsight[] = [];
  for (const { from, to } of spansToRead(today, until, gap)) {
    if (signal.aborted) break;
    const result = await connector.readInsights(externalId, from, to);
    if (isFault(result)) return { read, fault: result };
    read.push(...result.filter(({ day, count }) => day >= from && day <= to && isCount(count)));
  }
  return { read };
}

async function readKeywords(
  { database, signal }: JobContext,
  connector: DirectoryConnector,
  { listingId, externalId, today }: InsightProgress & { today: string },
): Promise<Reading<KeywordInsight>> {
  const read: KeywordInsight[] = [];
  for (const month of monthsToRead(today, await knownMonths(database.pool, listingId))) {
    if (signal.aborted) break;
    const result = await connector.readKeywords(externalId, month);
    if (isFault(result)) return { read, fault: result };
    read.push(...result.filter((one) => one.month === month && one.keyword !== '' && isCount(one.impressions)));
  }
  return { read };
}

const isCount = (count: number) => Number.isInteger(count) && count >= 0 && count < 2 ** 31;

function secondsUntilNext(fault: DirectoryFault | undefined): number {
  if (fault?.fault === 'limited') return fault.retryAfterSeconds;
  return fault?.fault === 'unavailable' ? outageRetryMinutes * 60 : intervalHours * 3600;
}
