import type { Sql } from '../../../../database/connection.ts';
import { type Group, periodsOf, type Span } from '../../../../values/span.ts';
import type { Scope } from '../../../locations/index.ts';
import { feedbackSource } from './feedback-source.ts';
import {
  type PeriodFigures,
  type ResponseBins,
  readByPeriod,
  readByRating,
  readResponseBins,
} from './feedback-store.ts';
import { quantileOf } from './response-bins.ts';

/**
 * What customers left at the locations of a scope, by the day on which they did (UTC). What has gone from its directory,
 * what was left on brand pages, and deleted locations are not in it.
 */

interface Narrowed {
  directoryType?: string | undefined;
}

export interface FeedbackTotals {
  /** One to five always, other ratings (none, half stars) where there are any. */
  countByRating: { rating: number; count: number }[];
  ratingCount: number;
  ratingSum: number;
  repliedCount: number;
  interactionCount: number;
  unreadInteractionCount: number;
}

export async function feedbackTotals(
  sql: Sql,
  scope: Scope,
  span: Span,
  { directoryType }: Narrowed = {},
): Promise<FeedbackTotals> {
  const source = await feedbackSource(sql, scope);
  const found = await readByRating(sql, { source, span, directoryType });
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

export interface FeedbackPeriod {
  period: string;
  interactionCount: number;
  ratingCount: number;
  ratingSum: number;
}

/** Every period of the span, also those without anything. */
export async function feedbackByPeriod(
  sql: Sql,
  scope: Scope,
  span: Span,
  group: Group,
  { directoryType }: Narrowed = {},
): Promise<FeedbackPeriod[]> {
  const source = await feedbackSource(sql, scope);
  const found = byPeriod(await readByPeriod(sql, { source, span, directoryType }, group));
  return periodsOf(span, group).map((period) => {
    const { count = 0, ratings = 0, ratingSum = 0 } = found.get(period) ?? {};
    return { period, interactionCount: count, ratingCount: ratings, ratingSum };
  });
}

/** From a review to the first answer of the owner that was published. Hours are null when nothing was answered. */
export interface ResponseTimes {
  averageHours: number | null;
  medianHours: number | null;
  p90Hours: number | null;
  respondedCount: number;
  unrespondedCount: number;
  /** The share of reviews that the owner has answered, 0 to 1; null without reviews. */
  answeredShare: number | null;
}

/** Of the reviews that were left within the span. The average is exact, the others within one percent. */
export async function responseTimes(
  sql: Sql,
  scope: Scope,
  span: Span,
  { directoryType }: Narrowed = {},
): Promise<ResponseTimes> {
  const asked = { source: await feedbackSource(sql, scope), span, directoryType };
  const [figures] = await readByPeriod(sql, asked);
  const [bins] = await readResponseBins(sql, asked);
  return timesOf(figures, bins);
}

export async function responseTimesByPeriod(
  sql: Sql,
  scope: Scope,
  span: Span,
  group: Group,
  { directoryType }: Narrowed = {},
): Promise<ResponseTimes & { byPeriod: (ResponseTimes & { period: string })[] }> {
  const asked = { source: await feedbackSource(sql, scope), span, directoryType };
  const figures = await readByPeriod(sql, asked, group);
  const bins = byPeriod(await readResponseBins(sql, asked, group));
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

function timesOf(
  figures: Pick<PeriodFigures, 'reviews' | 'responded' | 'responseSeconds'> | undefined,
  bins: ResponseBins | undefined,
): ResponseTimes {
  const { reviews = 0, responded = 0, responseSeconds = 0 } = figures ?? {};
  return {
    averageHours: responded > 0 ? hours(responseSeconds / responded) : null,
    medianHours: bins ? hours(quantileOf(bins.median, bins.total, 0.5)) : null,
    p90Hours: bins ? hours(quantileOf(bins.p90, bins.total, 0.9)) : null,
    respondedCount: responded,
    unrespondedCount: reviews - responded,
    answeredShare: reviews > 0 ? responded / reviews : null,
  };
}

/** Without the digits that mean nothing. */
const hours = (seconds: number) => Number((seconds / 3600).toFixed(6));

const byPeriod = <Of extends { period: string | null }>(entries: readonly Of[]) =>
  new Map(entries.map((entry) => [entry.period, entry]));

const sumOf = <Of>(entries: readonly Of[], figure: (entry: Of) => number) =>
  entries.reduce((sum, entry) => sum + figure(entry), 0);
