import type { Sql } from '../../database/connection.ts';
import { directoryList } from '../../platform/directories/directory-list.ts';
import { feedbackByPeriod, feedbackTotals, responseTimes } from '../dashboard/feedback/feedback-figures.ts';
import { CountedDays } from '../dashboard/insights/counted-days.ts';
import { insightsByPeriod } from '../dashboard/insights/insight-figures.ts';
import { listingHealth, profileCompleteness, visibilityIndex } from '../dashboard/standing/standing-figures.ts';
import { countScope, type Scope } from '../scope.ts';
import { type Group, periodsOf, previousSpan, type Span } from '../span.ts';

/** One metric of one directory over the span, and as much before. */
export interface MetricFigures {
  directoryType: string;
  directoryName: string;
  metric: string;
  total: number;
  previousTotal: number;
  /** In the order of the periods. */
  counts: readonly number[];
}

export interface Choice {
  scope: Scope;
  span: Span;
  group: Group;
  directoryTypes?: readonly string[];
  metrics?: readonly string[];
}

export interface InsightFigures {
  periods: readonly string[];
  metrics: readonly MetricFigures[];
}

/** How often people saw a location, and how often they did something about it. The rest, such as REACH, is neither. */
const kindOf = (metric: string) =>
  /IMPRESSIONS|VIEWS/.test(metric)
    ? 'views'
    : /CLICKS|CALLS|TAPS|DIRECTION|CONVERSATIONS|BOOKINGS|CONSUMPTIONS|ACTIONS/.test(metric)
      ? 'actions'
      : 'other';

/** Sums of all views or all actions, over everything that is in the figures. */
export function sumOf({ periods, metrics }: InsightFigures, kind: 'views' | 'actions') {
  const counted = metrics.filter(({ metric }) => kindOf(metric) === kind);
  return {
    total: counted.reduce((sum, { total }) => sum + total, 0),
    previousTotal: counted.reduce((sum, { previousTotal }) => sum + previousTotal, 0),
    counts: periods.map((_period, index) => counted.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0)),
  };
}

/** Directories that counted nothing in the span are left out. */
export async function readInsightFigures(sql: Sql, choice: Choice): Promise<InsightFigures> {
  const { scope, span, group, directoryTypes, metrics } = choice;
  const periods = periodsOf(span, group);
  const found: MetricFigures[] = [];
  const counted = new CountedDays(sql, scope, span, directoryTypes ?? directoryList.map(({ type }) => type));
  for (const { type, name, metrics: known } of directoryList) {
    const wanted = known.filter((metric) => metrics?.includes(metric) ?? true);
    if (wanted.length === 0 || directoryTypes?.includes(type) === false) continue;
    const asked = { directoryType: type, metrics: wanted };
    const now = Map.groupBy(await insightsByPeriod(sql, scope, span, group, asked), ({ metric }) => metric);
    const isSilent = [...now.values()].every((entries) => entries.every(({ count }) => count === 0));
    if (isSilent) continue;
    const compared = await counted.before(type);
    const before = compared ? await insightsByPeriod(sql, scope, compared, 'YEAR', asked) : [];
    for (const metric of wanted) {
      const counts = new Map(now.get(metric)?.map(({ period, count }) => [period, count]));
      found.push({
        directoryType: type,
        directoryName: name,
        metric,
        total: counts.values().reduce((sum, count) => sum + count, 0),
        previousTotal: before.reduce((sum, entry) => sum + (entry.metric === metric ? entry.count : 0), 0),
        counts: periods.map((period) => counts.get(period) ?? 0),
      });
    }
  }
  return { periods, metrics: found };
}

export interface ReportFigures {
  locationsCount: number;
  insights: InsightFigures;
  feedback: Awaited<ReturnType<typeof feedbackTotals>>;
  previousFeedback: Awaited<ReturnType<typeof feedbackTotals>>;
  /** In the order of the periods. */
  feedbackPeriods: Awaited<ReturnType<typeof feedbackByPeriod>>;
  responses: Awaited<ReturnType<typeof responseTimes>>;
  previousResponses: Awaited<ReturnType<typeof responseTimes>>;
  health: Awaited<ReturnType<typeof listingHealth>>;
  completeness: Awaited<ReturnType<typeof profileCompleteness>>;
  visibility: Awaited<ReturnType<typeof visibilityIndex>>;
}

/** Everything that the summary of a report says. One question after the other: nobody waits for it by the second. */
export async function readReportFigures(sql: Sql, choice: Choice): Promise<ReportFigures> {
  const { scope, span, group } = choice;
  const before = previousSpan(span);
  return {
    locationsCount: await countScope(sql, scope),
    insights: await readInsightFigures(sql, choice),
    feedback: await feedbackTotals(sql, scope, span),
    previousFeedback: await feedbackTotals(sql, scope, before),
    feedbackPeriods: await feedbackByPeriod(sql, scope, span, group),
    responses: await responseTimes(sql, scope, span),
    previousResponses: await responseTimes(sql, scope, before),
    health: await listingHealth(sql, scope),
    completeness: await profileCompleteness(sql, scope),
    visibility: await visibilityIndex(sql, scope, span, group),
  };
}

export const averageOf = (sum: number, count: number): number | null => (count > 0 ? sum / count : null);

/** By how much something has grown; null where there is nothing to compare with. */
export const changeOf = (now: number | null, before: number | null): number | null =>
  now === null || !before ? null : now / before - 1;
