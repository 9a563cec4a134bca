import type { Sql } from '../../../../database/connection.ts';
import { type Group, periodsOf, type Span } from '../../../../values/span.ts';
import type { Scope } from '../../../locations/index.ts';
import { feedbackSource } from './feedback-source.ts';
import {
  type FigureQuery,
  type PeriodFigures,
  type ResponseBins,
  readByPeriod,
  readByRating,
  readResponseBins,
} from './feedback-store.ts';

/** Feedback is grouped by UTC day. Removed datapoints, brand pages and deleted locations are excluded. */
export const feedbackQuery = async (
  sql: Sql,
  scope: Scope,
  span: Span,
  directoryType?: string,
): Promise<FigureQuery> => ({ source: await feedbackSource(sql, scope), span, directoryType });

/** Ratings 1 to 5 are always present, others (0, half stars) only if they occur. */
export async function feedbackTotals(sql: Sql, scope: Scope, span: Span, directoryType?: string) {
  const found = await readByRating(sql, await feedbackQuery(sql, scope, span, directoryType));
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
export async function feedbackByPeriod(sql: Sql, scope: Scope, span: Span, group: Group, directoryType?: string) {
  const found = byPeriod(await readByPeriod(sql, await feedbackQuery(sql, scope, span, directoryType), group));
  return periodsOf(span, group).map((period) => {
    const { count = 0, ratings = 0, ratingSum = 0 } = found.get(period) ?? {};
    return { period, interactionCount: count, ratingCount: ratings, ratingSum };
  });
}

/** The average is exact, median and p90 are accurate to one percent. */
export async function responseTimes(sql: Sql, scope: Scope, span: Span, directoryType?: string) {
  const query = await feedbackQuery(sql, scope, span, directoryType);
  const [figures] = await readByPeriod(sql, query);
  const [bins] = await readResponseBins(sql, query);
  return timesOf(figures, bins);
}

export async function responseTimesByPeriod(sql: Sql, scope: Scope, span: Span, group: Group, directoryType?: string) {
  const query = await feedbackQuery(sql, scope, span, directoryType);
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
    byPeriod: periodsOf(span, group).map((period) => ({ period, ...timesOf(known.get(period), bins.get(period)) })),
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
    responseRate: reviews > 0 ? responded / reviews : null,
  };
}

/** Removes floating-point noise. */
const hours = (seconds: number) => Number((seconds / 3600).toFixed(6));

const byPeriod = <Of extends { period: string | null }>(entries: readonly Of[]) =>
  new Map(entries.map((entry) => [entry.period, entry]));

const sumOf = <Of>(entries: readonly Of[], figure: (entry: Of) => number) =>
  entries.reduce((sum, entry) => sum + figure(entry), 0);

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
