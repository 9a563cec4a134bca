import type { Database, Sql } from '../../../../database/connection.ts';
import type { Group, Span } from '../../../../values/span.ts';
import { findDirectory } from '../../../directories/index.ts';
import { listLocations, type Scope } from '../../../locations/index.ts';
import { type LocationMonth, listMonths, sumDays, sumTotals } from './insight-figures-store.ts';
import { byPeriod, daysIn, type InsightPeriod, monthsOf, wholeMonths } from './insight-periods.ts';

/**
 * What a directory counted, by periods: each period of the span for each metric, also where there is nothing. Months that
 * lie in the span as a whole are taken as such where no period is shorter.
 */
export async function insightsByPeriod(
  sql: Sql,
  scope: Scope,
  span: Span,
  group: Group,
  { directoryType, metrics }: { directoryType: string; metrics?: readonly string[] },
): Promise<InsightPeriod[]> {
  const wanted = metrics ?? findDirectory(directoryType)?.metrics ?? [];
  const whole = group === 'MONTH' || group === 'YEAR' ? wholeMonths(span) : [];
  const parts = monthsOf(span).filter((month) => !whole.includes(month));
  const asked = { directoryType, metrics: wanted };
  const totals = whole.length > 0 ? await sumTotals(sql, scope, { ...asked, months: whole }) : [];
  const days = parts.length > 0 ? await sumDays(sql, scope, { ...asked, months: parts }) : [];
  return byPeriod(wanted, span, group, { days, totals });
}

/** Some 5,000 months of days at once, on the busiest directories. */
const locationsAtOnce = 10;
const everything = { businessIds: null, locationIds: null };

/**
 * Every count of a span by listing and metric, a month at a time, in the order of the locations: null on days that are
 * not known or not in the span. Reads on as it is consumed.
 */
export async function* streamInsightDays(
  { pool }: Pick<Database, 'pool'>,
  scope: Scope,
  span: Span,
  asked: { directoryTypes?: readonly string[]; metrics?: readonly string[] } = {},
): AsyncGenerator<LocationMonth, void, undefined> {
  const months = monthsOf(span);
  const inSpan = new Map(months.map((month) => [month, new Set(daysIn(month, span).map(({ index }) => index))]));
  for await (const locationIds of batchesOf(pool, scope)) {
    for (const row of await listMonths(pool, locationIds, { months, ...asked })) {
      const days = inSpan.get(row.month);
      yield { ...row, counts: row.counts.map((count, index) => (days?.has(index) ? count : null)) };
    }
  }
}

async function* batchesOf(sql: Sql, scope: Scope): AsyncGenerator<readonly number[]> {
  if (scope.kind === 'locations') {
    const ids = scope.locationIds.toSorted((a, b) => a - b);
    for (let from = 0; from < ids.length; from += locationsAtOnce) yield ids.slice(from, from + locationsAtOnce);
    return;
  }
  const { partnerId } = scope;
  const filter = scope.kind === 'businesses' ? { businessIds: scope.businessIds } : {};
  const order = { sort: 'id', descending: false } as const;
  for (let after = 0; ; ) {
    const page = { offset: 0, limit: locationsAtOnce, after };
    const found = await listLocations(sql, { partnerId, reach: everything, filter }, order, page, new Set());
    if (found.length > 0) yield found.map(({ id }) => id);
    if (found.length < locationsAtOnce) return;
    after = found.at(-1)?.id ?? after;
  }
}
