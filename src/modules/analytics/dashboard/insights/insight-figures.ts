import type { Database, Sql } from '../../../../database/connection.ts';
import { defineStatement, run } from '../../../../database/statement.ts';
import { fullReach } from '../../../../http/access.ts';
import type { Group, Span } from '../../../../values/span.ts';
import { findDirectory } from '../../../directories/index.ts';
import { listLocations, type Scope } from '../../../locations/index.ts';
import {
  defineRollUp,
  defineStatementsByScope,
  plainSum,
  runForScope,
  type ScopeKind,
  scopeConditions,
} from '../roll-up.ts';
import {
  byPeriod,
  daysIn,
  type InsightPeriod,
  type MonthOfDays,
  type MonthTotal,
  monthsOf,
  wholeMonths,
} from './insight-periods.ts';

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
  const query = { directoryType, metrics: metricNames };
  const totals = whole.length > 0 ? await sumTotals(sql, scope, { ...query, months: whole }) : [];
  const days = parts.length > 0 ? await sumDays(sql, scope, { ...query, months: parts }) : [];
  return byPeriod(metricNames, span, group, { days, totals });
}

/** About 5,000 rows per batch on the busiest directories. */
const locationBatch = 10;

/**
 * Streams daily counts by listing and metric, one month per row, ordered by location. Days that are unknown or outside
 * the span are null.
 */
export async function* streamInsightDays(
  { pool }: Pick<Database, 'pool'>,
  scope: Scope,
  span: Span,
  query: { directoryTypes?: readonly string[]; metrics?: readonly string[] } = {},
): AsyncGenerator<LocationMonth, void, undefined> {
  const months = monthsOf(span);
  const inSpan = new Map(months.map((month) => [month, new Set(daysIn(month, span).map(({ index }) => index))]));
  for await (const locationIds of batchesOf(pool, scope)) {
    for (const row of await listMonths(pool, locationIds, { months, ...query })) {
      const days = inSpan.get(row.month);
      yield { ...row, counts: row.counts.map((count, index) => (days?.has(index) ? count : null)) };
    }
  }
}

async function* batchesOf(sql: Sql, scope: Scope): AsyncGenerator<readonly number[]> {
  if (scope.kind === 'locations') {
    const ids = scope.locationIds.toSorted((a, b) => a - b);
    for (let from = 0; from < ids.length; from += locationBatch) yield ids.slice(from, from + locationBatch);
    return;
  }
  const { partnerId } = scope;
  const filter = scope.kind === 'businesses' ? { businessIds: scope.businessIds } : {};
  const order = { sort: 'id', descending: false } as const;
  for (let after = 0; ; ) {
    const page = { offset: 0, limit: locationBatch, after };
    const found = await listLocations(sql, { partnerId, reach: fullReach, filter }, order, page, new Set());
    if (found.length > 0) yield found.map(({ id }) => id);
    if (found.length < locationBatch) return;
    after = found.at(-1)?.id ?? after;
  }
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

interface InsightQuery {
  directoryType: string;
  metrics: readonly string[];
  months: readonly string[];
}

const valuesOf = ({ directoryType, metrics, months }: InsightQuery) => [directoryType, metrics, months];

/** Folded figures and pending deltas in one statement, which makes them consistent. */
function insightRows(kind: ScopeKind): string {
  const condition = 'directory_type = $1 and metric = any ($2::text[]) and month = any ($3::date[])';
  if (kind === 'locations') {
    return `select metric, month, 1::smallint as sign, counts, total from insights
      where location_id = any ($4::bigint[]) and ${condition}`;
  }
  const { figures, deltas } = scopeConditions(kind, 4);
  return `select metric, month, 1::smallint as sign, counts, total from insight_figures where ${figures} and ${condition}
    union all
    select metric, month, sign, counts::bigint[], total from insight_deltas where ${deltas} and ${condition}`;
}

const sumDays = (sql: Sql, scope: Scope, query: InsightQuery): Promise<MonthOfDays[]> =>
  runForScope(sql, daySums, scope, valuesOf(query));

const daySums = defineStatementsByScope<MonthOfDays>(
  'sum-insight-days',
  { metric: 'text', month: 'text', counts: 'int8[]' },
  (kind) => `
    select metric, to_char(month, 'YYYY-MM-DD') as month,
      ${eachDay((day) => `coalesce(sum(sign * counts[${day}]), 0)::bigint`)} as counts
    from (${insightRows(kind)}) as counted
    group by metric, counted.month`,
);

const sumTotals = (sql: Sql, scope: Scope, query: InsightQuery): Promise<MonthTotal[]> =>
  runForScope(sql, monthSums, scope, valuesOf(query));

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

const listMonths = (
  sql: Sql,
  locationIds: readonly number[],
  query: { months: readonly string[]; directoryTypes?: readonly string[]; metrics?: readonly string[] },
): Promise<LocationMonth[]> =>
  run(sql, monthsOfLocations, [locationIds, query.months, query.directoryTypes ?? null, query.metrics ?? null]);

const monthsOfLocations = defineStatement<LocationMonth>({
  name: 'list-insight-months',
  text: `select location_id, directory_type, metric, to_char(month, 'YYYY-MM-DD') as month, counts
         from insights
         where location_id = any ($1::bigint[]) and month = any ($2::date[])
           and ($3::text[] is null or directory_type = any ($3)) and ($4::text[] is null or metric = any ($4))
         order by location_id, directory_type, metric, insights.month`,
  columns: { locationId: 'int8', directoryType: 'text', metric: 'text', month: 'text', counts: 'int4[]' },
});
