import { defineJob, type JobContext, type JobImplementation, type JobOrigin } from '../../../jobs/job.ts';
import { daysAfter, periodsOf, type Span } from '../../../values/span.ts';
import {
  type DailyInsight,
  type DirectoryConnector,
  type DirectoryFault,
  findDirectory,
  isFault,
  type KeywordInsight,
} from '../../directories/index.ts';
import {
  advanceInsights,
  claimDueInsights,
  findInsightProgress,
  type InsightProgress,
  postponeInsights,
} from '../../listings/index.ts';
import { firstGap, removeInsights, replaceKeywords, upsertInsights } from './insight-store.ts';

type Collection = { listingId: number } & JobOrigin;

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
      await database.transaction(async (transaction) => {
        const due = await claimDueInsights(transaction, type, batch, claimSeconds);
        const collections = due.map((listingId) => ({ listingId }));
        await collectInsightsJob.enqueueMany(transaction, collections);
      });
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
  if (!progress || !directory?.supports.insights) {
    return postponeInsights(database.pool, listingId, intervalHours * 3600);
  }
  const connector = context.directories.connector(directory.type, { partnerId: progress.partnerId, requested });
  const counts = await readCounts(context, connector, progress);
  const keywords =
    counts.fault || !directory.supports.searchKeywords ? noKeywords : await readKeywords(context, connector, progress);
  const fault = counts.fault ?? keywords.fault;
  const until = counts.read.reduce<string | null>((last, { day }) => later(day, last ?? ''), progress.until);
  const keywordsUntil = keywords.months.at(-1) ?? progress.keywordsUntil;
  // A process that stops has not read everything.
  const dueSeconds = context.signal.aborted ? 0 : secondsUntilNext(fault);
  await database.transaction(async (transaction) => {
    // Lock order as in checks: the listing before its location.
    if (!(await advanceInsights(transaction, progress, { until, keywordsUntil, dueSeconds }))) return;
    if (progress.hasOldPage) await removeInsights(transaction, progress);
    await upsertInsights(transaction, progress, counts.read);
    await replaceKeywords(transaction, progress, keywords.read, keywords.months);
  });
  if (fault) log.info({ event: 'insights.not-collected', listingId, directory: directory.type, ...fault });
  else log.debug({ event: 'insights.collected', listingId, directory: directory.type, until });
}

/** The insights that were read before the fault, if there was one. */
interface Reading<T> {
  read: T[];
  fault?: DirectoryFault;
}

interface KeywordReading extends Reading<KeywordInsight> {
  /** Months that were read, also those without keywords. */
  months: string[];
}

const noKeywords: KeywordReading = { read: [], months: [] };

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
  { signal }: JobContext,
  connector: DirectoryConnector,
  { externalId, keywordsUntil, today }: InsightProgress & { today: string },
): Promise<KeywordReading> {
  const read: KeywordInsight[] = [];
  const months: string[] = [];
  for (const month of monthsToRead(today, keywordsUntil)) {
    if (signal.aborted) break;
    const result = await connector.readKeywords(externalId, month);
    if (isFault(result)) return { read, months, fault: result };
    months.push(month);
    read.push(...result.filter((one) => one.month === month && one.keyword !== '' && isCount(one.impressions)));
  }
  return { read, months };
}

const isCount = (count: number) => Number.isInteger(count) && count >= 0 && count < 2 ** 31;

function secondsUntilNext(fault: DirectoryFault | undefined): number {
  if (fault?.fault === 'limited') return fault.retryAfterSeconds;
  return fault?.fault === 'unavailable' ? outageRetryMinutes * 60 : intervalHours * 3600;
}

const earlier = (a: string, b: string) => (a < b ? a : b);
const later = (a: string, b: string) => (a > b ? a : b);

/** Span of the first collection. */
const firstDays = 365;
/** Directories correct counts for about a week. */
const unsettledDays = 7;
/** Gaps are requested again for this time. */
const gapDays = 35;
const daysPerRequest = 90;

/**
 * Spans to request: new days, and days that are missing or may still change, up to yesterday. Days and months (YYYY-MM)
 * are those of the directory, without a time zone.
 */
export function spansToRead(today: string, until: string | null, firstGap: string | null): Span[] {
  const to = daysAfter(today, -1);
  const earliest = daysAfter(today, -firstDays);
  const start = until === null ? earliest : earlier(daysAfter(until, 1 - unsettledDays), firstGap ?? until);
  const spans: Span[] = [];
  for (let from = later(start, earliest); from <= to; from = daysAfter(from, daysPerRequest)) {
    spans.push({ from, to: earlier(daysAfter(from, daysPerRequest - 1), to) });
  }
  return spans;
}

const firstMonths = 12;

/** The months after the last one that was read, and the last two, which may still change. */
export function monthsToRead(today: string, until: string | null): string[] {
  const days = { from: daysAfter(today, -firstDays), to: today };
  const months = periodsOf(days, 'MONTH')
    .map((first) => first.slice(0, 7))
    .slice(-firstMonths);
  return months.filter((month, index) => index >= months.length - 2 || month > (until ?? ''));
}
