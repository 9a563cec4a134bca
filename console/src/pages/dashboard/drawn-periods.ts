import { lastFullDay, wholePeriods } from '../../../../src/values/calendar.ts';
import type { Drawn } from '../../parts/chart.tsx';
import type { Group, Span } from './dashboard-query.ts';

/** Omits incomplete periods at the edges, which would look like a drop. Reports use the same rule. */
export function drawnPeriods(
  rows: readonly { period: string }[],
  group: Group,
  { startDate: from, endDate: to }: Span,
  now = new Date(),
): Drawn {
  const periods = rows.map(({ period }) => period);
  return wholePeriods(periods, group, { from, to: lastFullDay({ from, to }, now) });
}

/** Rows in which both spans have a complete period. */
export const drawnInBoth = (one: Drawn, other: Drawn): Drawn => ({
  first: Math.max(one.first, other.first),
  last: Math.min(one.last, other.last),
});
