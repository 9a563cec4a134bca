import type { Sql } from '../../../../database/connection.ts';
import { type Group, periodsOf, previousSpan } from '../../../../values/span.ts';
import type { Scope } from '../../../locations/index.ts';
import { averageOf, rounded, sumOf } from '../../arithmetic.ts';
import { feedbackSource } from './feedback-source.ts';
import {
  type FigureQuery,
  type PeriodFigures,
  type ResponseBins,
  readByPeriod,
  readByRating,
  readResponseBins,
} from './feedback-store.ts';
import { countAnalysed, frequentWords, likelyKeywords, type WordFigures, wordsOfKeywords } from './keyword-store.ts';

export interface FeedbackSelection extends Omit<FigureQuery, 'source'> {
  scope: Scope;
}

/** Feedback is grouped by UTC day. Removed datapoints, brand pages and deleted locations are excluded. */
export const feedbackQuery = async (sql: Sql, { scope, ...query }: FeedbackSelection): Promise<FigureQuery> => ({
  ...query,
  source: await feedbackSource(sql, scope),
});

/** Ratings 1 to 5 are always present, others (0, half stars) only if they occur. */
export async function feedbackTotals(sql: Sql, selection: FeedbackSelection) {
  const found = await readByRating(sql, await feedbackQuery(sql, selection));
  const rated = new Map([1, 2, 3, 4, 5].map((rating) => [rating, 0]));
  for (const { rating, count } of found) if (rating >= 0) rated.set(rating, count);
  const countByRating = [...rated].map(([rating, count]) => ({ rating, count })).sort((a, b) => a.rating - b.rating);
  return {
    countByRating,
    ratingCount: sumOf(countByRating, ({ count }) => count),
    ratingSum: sumOf(countByRating, ({ rating, count }) => rating * count),
    repliedCount: sumOf(found, ({ replied }) => replied),
    interactionCount: sumOf(found, ({ count }) => count),
    unreadInteractionCount: sumOf(found, ({ unread }) => unread),
  };
}

/** Includes periods without feedback. */
export async function feedbackByPeriod(sql: Sql, selection: FeedbackSelection, group: Group) {
  const found = byPeriod(await readByPeriod(sql, await feedbackQuery(sql, selection), group));
  return periodsOf(selection.span, group).map((period) => {
    const { count = 0, ratings = 0, ratingSum = 0 } = found.get(period) ?? {};
    return { period, interactionCount: count, ratingCount: ratings, ratingSum };
  });
}

/** The average is exact, median and p90 are accurate to one percent. */
export async function responseTimes(sql: Sql, selection: FeedbackSelection) {
  const query = await feedbackQuery(sql, selection);
  const [figures] = await readByPeriod(sql, query);
  const [bins] = await readResponseBins(sql, query);
  return timesOf(figures, bins);
}

export async function responseTimesByPeriod(sql: Sql, selection: FeedbackSelection, group: Group) {
  const query = await feedbackQuery(sql, selection);
  const figures = await readByPeriod(sql, query, group);
  const bins = byPeriod(await readResponseBins(sql, query, group));
  const known = byPeriod(figures);
  const whole = {
    reviews: sumOf(figures, ({ reviews }) => reviews),
    responded: sumOf(figures, ({ responded }) => responded),
    responseSeconds: sumOf(figures, ({ responseSeconds }) => responseSeconds),
  };
  return {
    ...timesOf(whole, bins.get(null)),
    byPeriod: periodsOf(query.span, group).map((period) => ({
      period,
      ...timesOf(known.get(period), bins.get(period)),
    })),
  };
}

export type ResponseTimes = ReturnType<typeof timesOf>;

/** Time from a review to its first published owner reply; null without one. `responseRate` is 0 to 1. */
function timesOf(
  figures: Pick<PeriodFigures, 'reviews' | 'responded' | 'responseSeconds'> | undefined,
  bins: ResponseBins | undefined,
) {
  const { reviews = 0, responded = 0, responseSeconds = 0 } = figures ?? {};
  return {
    averageHours: responded > 0 ? hours(responseSeconds / responded) : null,
    medianHours: bins ? hours(quantileOf(bins.median, bins.total, 0.5)) : null,
    p90Hours: bins ? hours(quantileOf(bins.p90, bins.total, 0.9)) : null,
    respondedCount: responded,
    unrespondedCount: reviews - responded,
    responseRate: averageOf(responded, reviews),
  };
}

/** Removes floating-point noise. */
const hours = (seconds: number) => Number((seconds / 3600).toFixed(6));

const byPeriod = <Of extends { period: string | null }>(entries: readonly Of[]) =>
  new Map(entries.map((entry) => [entry.period, entry]));

/** Growth factor of the bins, see response_bin in the migration. */
const growth = 1.015;

/** Middle of a bin, accurate to 0.75 %. */
const secondsOf = (bin: number) => (bin === 0 ? 0 : growth ** (bin - 0.5));

/** Linear interpolation between the two bins. */
function quantileOf([lower, upper]: readonly [number, number], total: number, share: number): number {
  const position = share * (total - 1);
  const [from, to] = [secondsOf(lower), secondsOf(upper)];
  return from + (to - from) * (position - Math.floor(position));
}

const maxKeywords = 100;
/** Candidates: equal words of two languages are merged, which reduces their number. */
const candidateCount = 200;
/** From this number of reviews on, words that occur once are omitted. */
const minReviewsForRareFilter = 20;
/** Below this number of reviews, counting all words is fast enough. */
const likelySearchThreshold = 5000;

/** Keywords, most frequent first. `current` is a value of the period, `previous` of the preceding one. */
export async function feedbackKeywords(sql: Sql, selection: FeedbackSelection) {
  const current = await feedbackQuery(sql, selection);
  const previous = { ...current, span: previousSpan(current.span) };
  const [analysed, analysedBefore] = await Promise.all([countAnalysed(sql, current), countAnalysed(sql, previous)]);
  const found =
    (analysed > likelySearchThreshold && (await findLikelyKeywords(sql, current, analysed))) ||
    (await frequentWords(sql, current, candidateCount));
  const keywords = withoutRare(mergeForms(found), analysed).slice(0, maxKeywords);
  const ids = keywords.flatMap(({ ids: own }) => own);
  const before = await wordsOfKeywords(sql, previous, ids);
  const earlier = Map.groupBy(before, ({ keywordId }) => keywordId);
  return {
    keywords: keywords.map(({ keyword, forms, ids: own, figures }) => {
      const earlierTotals = totalOf(own.flatMap((id) => earlier.get(id) ?? []));
      return {
        keyword,
        percentage: { current: share(figures.count, analysed), previous: share(earlierTotals.count, analysedBefore) },
        rating: { current: average(figures), previous: average(earlierTotals) },
        ratingSum: { current: figures.ratingSum, previous: earlierTotals.ratingSum },
        aggregatedWords: forms,
      };
    }),
    totalFeedbacksAnalyzed: analysed,
  };
}

/**
 * Reads only likely keywords and then their exact figures. Returns undefined if another keyword could be among the top
 * 100.
 */
export async function findLikelyKeywords(
  sql: Sql,
  query: FigureQuery,
  analysed: number,
): Promise<WordFigures[] | undefined> {
  if (query.source.locationIds.length > 0) return undefined;
  const { keywords, maxUncounted } = await likelyKeywords(sql, query, analysed, candidateCount + 1);
  const likely = keywords.slice(0, candidateCount).map(({ keywordId }) => keywordId);
  const words = await wordsOfKeywords(sql, query, likely);
  const last = withoutRare(mergeForms(words), analysed)[maxKeywords - 1]?.figures.count ?? 0;
  return last > (keywords[candidateCount]?.count ?? 0) + maxUncounted ? words : undefined;
}

type Totals = Pick<WordFigures, 'count' | 'rated' | 'ratingSum'>;

type MergedKeyword = ReturnType<typeof mergeForms>[number];

const withoutRare = (keywords: MergedKeyword[], analysed: number) =>
  analysed < minReviewsForRareFilter ? keywords : keywords.filter(({ figures }) => figures.count > 1);

/** Groups forms by keyword, the most frequent first, and merges keywords with the same display form. */
function mergeForms(words: readonly WordFigures[]) {
  const byKeyword = [...Map.groupBy(words, ({ keywordId }) => keywordId).values()];
  const byWord = Map.groupBy(byKeyword, (forms) => forms[0]?.form ?? '');
  return [...byWord]
    .map(([keyword, alike]) => {
      const all = alike.flat();
      const byForm = Map.groupBy(all, ({ form }) => form);
      const forms = [...byForm]
        .map(([form, entries]) => ({ form, count: totalOf(entries).count }))
        .sort((a, b) => b.count - a.count || (a.form < b.form ? -1 : 1));
      return {
        keyword,
        forms: forms.map(({ form }) => form),
        ids: [...new Set(all.map(({ keywordId }) => keywordId))],
        figures: totalOf(all),
      };
    })
    .sort((a, b) => b.figures.count - a.figures.count || (a.keyword < b.keyword ? -1 : 1));
}

const totalOf = (entries: readonly Totals[]): Totals => ({
  count: sumOf(entries, ({ count }) => count),
  rated: sumOf(entries, ({ rated }) => rated),
  ratingSum: sumOf(entries, ({ ratingSum }) => ratingSum),
});

const average = ({ rated, ratingSum }: Totals) => rounded(averageOf(ratingSum, rated));
const share = (count: number, of: number) => (of > 0 ? rounded((count / of) * 100) : 0);
