import type { Database } from '../../../database/connection.ts';
import { daysAfter, type Group, periodOf, type Span } from '../../../values/span.ts';
import type { Scope } from '../../locations/index.ts';
import { streamInsightDays } from '../dashboard/insights/insight-figures.ts';
import { streamLocations } from './export-locations.ts';

const locationFields = ['identifier', 'name', 'city', 'country'] as const;

export interface InsightRow {
  location: { id: number; identifier: string | null; name: string; city: string | null; country: string | null };
  period: string;
  /** In the order of the metrics; null if unknown. */
  counts: (number | null)[];
}

interface RowQuery {
  directoryType: string;
  metrics: readonly string[];
  group: Group;
  /** Called after each location. */
  onLocation?: () => void;
}

/** Counts of a directory by location and period, without periods that have no data. Buffers one location at a time. */
export async function* streamInsightRows(
  { pool }: Pick<Database, 'pool'>,
  scope: Scope,
  span: Span,
  { directoryType, metrics, group, onLocation }: RowQuery,
): AsyncGenerator<InsightRow, void, undefined> {
  const periodOfDay = periodsIn(group);
  const columnOf = new Map(metrics.map((metric, index) => [metric, index]));
  const months = streamInsightDays({ pool }, scope, span, { directoryTypes: [directoryType], metrics });
  try {
    let month = await months.next();
    for await (const location of streamLocations(pool, scope, locationFields)) {
      const periods = new Map<string, (number | null)[]>();
      // The stream may contain months of a location that was deleted in the meantime.
      while (!month.done && month.value.locationId <= location.id) {
        const { locationId, metric, month: first, counts } = month.value;
        const column = columnOf.get(metric);
        if (locationId === location.id && column !== undefined) {
          addMonth(periods, { first, counts, periodOfDay, column, width: metrics.length });
        }
        month = await months.next();
      }
      for (const period of [...periods.keys()].sort()) {
        yield { location, period, counts: periods.get(period) ?? [] };
      }
      onLocation?.();
    }
  } finally {
    await months.return();
  }
}

/** Adds the days of a month to their periods. Several listings of a location on one directory are summed. */
function addMonth(
  periods: Map<string, (number | null)[]>,
  month: { first: string; counts: readonly (number | null)[]; periodOfDay: PeriodOfDay; column: number; width: number },
): void {
  const { first, counts, periodOfDay, column, width } = month;
  for (let index = 0; index < counts.length; index += 1) {
    const count = counts[index];
    if (count === null || count === undefined) continue;
    const period = periodOfDay(first, index);
    let row = periods.get(period);
    if (!row) {
      row = new Array<number | null>(width).fill(null);
      periods.set(period, row);
    }
    row[column] = (row[column] ?? 0) + count;
  }
}

type PeriodOfDay = (month: string, index: number) => string;

/** Cached: called millions of times for few different days. */
function periodsIn(group: Group): PeriodOfDay {
  const months = new Map<string, string[]>();
  return (month, index) => {
    let known = months.get(month);
    if (!known) {
      known = Array.from({ length: 31 }, (_, day) => periodOf(daysAfter(month, day), group));
      months.set(month, known);
    }
    return known[index] as string;
  };
}
