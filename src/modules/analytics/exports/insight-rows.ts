import type { Database } from '../../../database/connection.ts';
import { daysAfter, type Group, periodOf, type Span } from '../../../values/span.ts';
import type { Scope } from '../../locations/index.ts';
import { streamInsightDays } from '../dashboard/insights/insight-figures.ts';
import { streamLocations } from './export-locations.ts';

const locationFields = ['identifier', 'name', 'city', 'country'] as const;

export interface InsightRow {
  location: { id: number; identifier: string | null; name: string; city: string | null; country: string | null };
  period: string;
  /** By metric, in the order that was asked for; null where nothing is known. */
  counts: (number | null)[];
}

interface Asked {
  directoryType: string;
  metrics: readonly string[];
  group: Group;
  /** Told of every location that has been passed. */
  passed?: () => void;
}

/**
 * What one directory counted, by location and period: a row for each period of which anything is known. One location is
 * in hand at a time.
 */
export async function* streamInsightRows(
  { pool }: Pick<Database, 'pool'>,
  scope: Scope,
  span: Span,
  { directoryType, metrics, group, passed }: Asked,
): AsyncGenerator<InsightRow, void, undefined> {
  const periodOfDay = periodsIn(group);
  const places = new Map(metrics.map((metric, index) => [metric, index]));
  const months = streamInsightDays({ pool }, scope, span, { directoryTypes: [directoryType], metrics });
  try {
    let month = await months.next();
    for await (const location of streamLocations(pool, scope, locationFields)) {
      const periods = new Map<string, (number | null)[]>();
      // A location that is gone by now may still have months in the stream.
      while (!month.done && month.value.locationId <= location.id) {
        const { locationId, metric, month: first, counts } = month.value;
        const place = places.get(metric);
        if (locationId === location.id && place !== undefined) {
          addMonth(periods, { first, counts, periodOfDay, place, width: metrics.length });
        }
        month = await months.next();
      }
      for (const period of [...periods.keys()].sort()) {
        yield { location, period, counts: periods.get(period) ?? [] };
      }
      passed?.();
    }
  } finally {
    await months.return();
  }
}

/** Adds the days of a month to their periods. Two listings of a location on one directory are one. */
function addMonth(
  periods: Map<string, (number | null)[]>,
  month: { first: string; counts: readonly (number | null)[]; periodOfDay: PeriodOfDay; place: number; width: number },
): void {
  const { first, counts, periodOfDay, place, width } = month;
  for (let index = 0; index < counts.length; index += 1) {
    const count = counts[index];
    if (count === null || count === undefined) continue;
    const period = periodOfDay(first, index);
    let row = periods.get(period);
    if (!row) {
      row = new Array<number | null>(width).fill(null);
      periods.set(period, row);
    }
    row[place] = (row[place] ?? 0) + count;
  }
}

type PeriodOfDay = (month: string, index: number) => string;

/** Days are asked for by the million, and there are few. */
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
