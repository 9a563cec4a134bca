import type { Database, Sql } from '../../../../database/connection.ts';
import type { Group, Span } from '../../../../values/span.ts';
import { findDirectory } from '../../../directories/index.ts';
import { listLocations, type Scope } from '../../../locations/index.ts';
import { type LocationMonth, listMonths, sumDays, sumTotals } from './insight-figures-store.ts';
import { byPeriod, daysIn, type InsightPeriod, monthsOf, wholeMonths } from './insight-periods.ts';

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
const everything = { businessIds: null, locationIds: null };

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
    const found = await listLocations(sql, { partnerId, reach: everything, filter }, order, page, new Set());
    if (found.length > 0) yield found.map(({ id }) => id);
    if (found.length < locationBatch) return;
    after = found.at(-1)?.id ?? after;
  }
}
