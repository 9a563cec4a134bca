import type { Sql } from '../../../../database/connection.ts';
import { defineStatement, run } from '../../../../database/statement.ts';
import { daysAfter, type Group, lastDayOf, periodOf, periodsOf, type Span } from '../../../../values/span.ts';
import { directoryList, findDirectory } from '../../../directories/index.ts';
import type { Scope } from '../../../locations/index.ts';
import {
  defineRollUp,
  defineStatementsByScope,
  plainSum,
  rolledUpRows,
  runForScope,
  type ScopeKind,
} from '../roll-up.ts';

/** Months are identified by their first day. */

export interface InsightPeriod {
  metric: string;
  period: string;
  count: number;
}

/** Sums by day; arrays always have 31 elements. */
export interface MonthOfDays {
  metric: string;
  month: string;
  counts: readonly number[];
}

export interface MonthTotal {
  metric: string;
  month: string;
  total: number;
}

export const monthsOf = (span: Span): string[] => periodsOf(span, 'MONTH');

export const wholeMonths = (span: Span): string[] =>
  monthsOf(span).filter((month) => month >= span.from && lastDayOf(month, 'MONTH') <= span.to);

/** The same number of months directly before. */
export function precedingMonths(months: readonly string[]): string[] {
  let month = months[0] ?? '';
  return months
    .map(() => {
      month = periodOf(daysAfter(month, -1), 'MONTH');
      return month;
    })
    .reverse();
}

/** Days of a month within the span, with their index in the counts. */
export function daysIn(month: string, span: Span): { day: string; index: number }[] {
  const days: { day: string; index: number }[] = [];
  const last = lastDayOf(month, 'MONTH');
  for (let day = month, index = 0; day <= last; day = daysAfter(day, 1), index++) {
    if (day >= span.from && day <= span.to) days.push({ day, index });
  }
  return days;
}

/** Counts by period and metric, including periods without data. */
export function byPeriod(
  metrics: readonly string[],
  span: Span,
  group: Group,
  { days, totals }: { days: readonly MonthOfDays[]; totals: readonly MonthTotal[] },
): InsightPeriod[] {
  const periods = periodsOf(span, group);
  const sums = new Map(metrics.map((metric) => [metric, new Map(periods.map((period) => [period, 0]))]));
  const add = (metric: string, period: string, count: number) => {
    const known = sums.get(metric);
    known?.set(period, (known.get(period) ?? 0) + count);
  };
  for (const { metric, month, total } of totals) add(metric, periodOf(month, group), total);
  const daysByMonth = new Map<string, { period: string; index: number }[]>();
  for (const { metric, month, counts } of days) {
    const known =
      daysByMonth.get(month) ?? daysIn(month, span).map(({ day, index }) => ({ period: periodOf(day, group), index }));
    daysByMonth.set(month, known);
    for (const { period, index } of known) add(metric, period, counts[index] ?? 0);
  }
  return [...sums].flatMap(([metric, counted]) => [...counted].map(([period, count]) => ({ metric, period, count })));
}

/**
 * Counts by period and metric, including periods without data. Whole months use monthly totals if the group allows it.
 */
export async function insightsByPeriod(
  sql: Sql,
  scope: Scope,
  span: Span,
  group: Group,
  { directoryType, metrics }: { directoryType: string; metrics?: readonly string[] },
): Promise<InsightPeriod[]> {
  const metricNames = metrics ?? findDirectory(directoryType)?.metrics ?? [];
  const whole = group === 'MONTH' || group === 'YEAR' ? wholeMonths(span) : [];
  const parts = monthsOf(span).filter((month) => !whole.includes(month));
  const valuesFor = (months: readonly string[]) => [directoryType, metricNames, months];
  const totals = whole.length > 0 ? await runForScope(sql, monthSums, scope, valuesFor(whole)) : [];
  const days = parts.length > 0 ? await runForScope(sql, daySums, scope, valuesFor(parts)) : [];
  return byPeriod(metricNames, span, group, { days, totals });
}

const days = Array.from({ length: 31 }, (_, index) => index + 1);
/** Builds an array of 31 elements; days beyond the end of the month are empty. */
export const eachDay = (expression: (day: number) => string) => `array[${days.map(expression).join(', ')}]`;

export const insightRollUp = defineRollUp({
  figures: 'insight_figures',
  deltas: 'insight_deltas',
  keys: ['directory_type', 'month', 'metric'],
  sums: {
    counts: {
      of: eachDay((day) => `coalesce(sum(sign * counts[${day}]), 0)::bigint`),
      grown: eachDay((day) => `known.counts[${day}] + excluded.counts[${day}]`),
    },
    known: {
      of: eachDay((day) => `sum(sign * (counts[${day}] is not null)::integer)::integer`),
      grown: eachDay((day) => `known.known[${day}] + excluded.known[${day}]`),
    },
    total: { of: 'sum(sign * total)::bigint', grown: plainSum('total').grown },
    known_days: {
      of: 'sum(sign * cardinality(array_remove(counts, null)))::bigint',
      grown: plainSum('known_days').grown,
    },
  },
});

/** Of the directory $1, metrics $2 and months $3. */
function insightRows(kind: ScopeKind): string {
  const condition = 'directory_type = $1 and metric = any ($2::text[]) and month = any ($3::date[])';
  if (kind === 'locations') {
    return `select metric, month, 1::smallint as sign, counts, total from insights
      where location_id = any ($4::bigint[]) and ${condition}`;
  }
  const deltaColumns = 'metric, month, sign, counts::bigint[], total';
  const columns = 'metric, month, 1::smallint as sign, counts, total';
  return rolledUpRows(insightRollUp, kind, 4, columns, { condition, deltaColumns });
}

const daySums = defineStatementsByScope<MonthOfDays>(
  'sum-insight-days',
  { metric: 'text', month: 'text', counts: 'int8[]' },
  (kind) => `
    select metric, to_char(month, 'YYYY-MM-DD') as month,
      ${eachDay((day) => `coalesce(sum(sign * counts[${day}]), 0)::bigint`)} as counts
    from (${insightRows(kind)}) as counted
    group by metric, counted.month`,
);

const monthSums = defineStatementsByScope<MonthTotal>(
  'sum-insight-months',
  { metric: 'text', month: 'text', total: 'int8' },
  (kind) => `
    select metric, to_char(month, 'YYYY-MM-DD') as month, sum(sign * total)::bigint as total
    from (${insightRows(kind)}) as counted
    group by metric, counted.month`,
);

interface LocationMonth {
  locationId: number;
  directoryType: string;
  metric: string;
  month: string;
  counts: (number | null)[];
}

/** Daily counts by listing and metric, one month per row. Days that are unknown or outside the span are null. */
export async function readInsightDays(
  sql: Sql,
  locationIds: readonly number[],
  span: Span,
  { directoryTypes, metrics }: { directoryTypes?: readonly string[]; metrics?: readonly string[] } = {},
): Promise<LocationMonth[]> {
  const months = monthsOf(span);
  const inSpan = new Map(months.map((month) => [month, new Set(daysIn(month, span).map(({ index }) => index))]));
  const rows = await run(sql, monthsOfLocations, [locationIds, months, directoryTypes ?? null, metrics ?? null]);
  return rows.map((row) => {
    const known = inSpan.get(row.month);
    return { ...row, counts: row.counts.map((count, index) => (known?.has(index) ? count : null)) };
  });
}

const monthsOfLocations = defineStatement<LocationMonth>({
  name: 'list-insight-months',
  text: `select location_id, directory_type, metric, to_char(month, 'YYYY-MM-DD') as month, counts
         from insights
         where location_id = any ($1::bigint[]) and month = any ($2::date[])
           and ($3::text[] is null or directory_type = any ($3)) and ($4::text[] is null or metric = any ($4))
         order by location_id, directory_type, metric, insights.month`,
  columns: { locationId: 'int8', directoryType: 'text', metric: 'text', month: 'text', counts: 'int4[]' },
});

/** Equivalent metrics by directory. */
export type MetricsByDirectory = Readonly<Record<string, readonly string[]>>;

/** Impressions. Profile views are excluded: they follow an impression that is already counted. */
export const views: MetricsByDirectory = {
  GOOGLE: [
    'BUSINESS_IMPRESSIONS_DESKTOP_MAPS',
    'BUSINESS_IMPRESSIONS_DESKTOP_SEARCH',
    'BUSINESS_IMPRESSIONS_MOBILE_MAPS',
    'BUSINESS_IMPRESSIONS_MOBILE_SEARCH',
  ],
  FACEBOOK: ['PAGE_IMPRESSIONS'],
  APPLE_MAPS: ['PLACE_CARD_VIEWS'],
  BING: ['SEARCH_IMPRESSIONS'],
  YELP: ['PAGE_VIEWS'],
  INSTAGRAM: ['IMPRESSIONS'],
};

export const clicks: MetricsByDirectory = {
  GOOGLE: ['WEBSITE_CLICKS'],
  FACEBOOK: ['PAGE_CONSUMPTIONS'],
  APPLE_MAPS: ['PLACE_CARD_WEBSITE_TAPS'],
  BING: ['SEARCH_CLICKS'],
  INSTAGRAM: ['WEBSITE_CLICKS'],
};

export const calls: MetricsByDirectory = { GOOGLE: ['CALL_CLICKS'], APPLE_MAPS: ['PLACE_CARD_CALLS'] };

export const directionRequests: MetricsByDirectory = {
  GOOGLE: ['BUSINESS_DIRECTION_REQUESTS'],
  APPLE_MAPS: ['PLACE_CARD_DIRECTIONS'],
};

const otherActions: MetricsByDirectory = {
  GOOGLE: ['BUSINESS_CONVERSATIONS', 'BUSINESS_BOOKINGS'],
  YELP: ['USER_ACTIONS'],
};

/** Customer actions on a directory. */
export const actions: MetricsByDirectory = Object.fromEntries(
  directoryList.flatMap(({ type }) => {
    const names = [clicks, calls, directionRequests, otherActions].flatMap((kind) => kind[type] ?? []);
    return names.length > 0 ? [[type, names]] : [];
  }),
);
