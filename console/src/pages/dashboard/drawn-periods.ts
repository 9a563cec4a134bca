import { lastFullDay, wholePeriods } from '../../../../src/values/calendar.ts';
import type { Drawn } from '../../parts/chart.tsx';
import type { Group, Span } from './dashboard-query.ts';

/** Which sums a chart draws: a period at the edge that is not whole would look like a fall. Reports follow the same rule. */
export function drawnPeriods(
  rows: readonly { period: string }[],
  group: Group,
  { startDate: from, endDate: to }: Span,
  now = new Date(),
): Drawn {
  const periods = rows.map(({ period }) => period);
  return wholePeriods(periods, group, { from, to: lastFullDay({ from, to }, now) });
}

/** Where two spans are drawn beside each other: the rows in which both have a whole period. */
export const drawnInBoth = (one: Drawn, other: Drawn): Drawn => ({
  first: Math.max(one.first, other.first),
  last: Math.min(one.last, other.last),
});
