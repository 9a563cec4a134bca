import type { Sql } from '../../../../database/connection.ts';
import { daysAfter, type Group, periodOf, type Span } from '../../../../values/span.ts';
import { everyLocation, listLocationIds, type Scope } from '../../../locations/index.ts';
import { businessesRolledUp } from './roll-up-store.ts';

/** Where the figures of a scope are to be found. */
export interface FeedbackSource {
  partnerId: number;
  /** Roll-ups of these businesses; 0 is the partner as a whole. */
  owners: readonly number[];
  /** Datapoints of these locations, one by one. */
  locationIds: readonly number[];
}

/** Small businesses have no roll-up: their locations have few datapoints. */
export async function feedbackSource(sql: Sql, scope: Scope): Promise<FeedbackSource> {
  const { partnerId } = scope;
  if (scope.kind === 'partner') return { partnerId, owners: [0], locationIds: [] };
  if (scope.kind === 'locations') return { partnerId, owners: [], locationIds: scope.locationIds };
  const owners = await businessesRolledUp(sql, scope.businessIds);
  const rolledUp = new Set(owners);
  const businessIds = scope.businessIds.filter((id) => !rolledUp.has(id));
  const reach = { businessIds: null, locationIds: null };
  const locationIds =
    businessIds.length > 0
      ? await listLocationIds(sql, { partnerId, reach, filter: { businessIds } }, everyLocation)
      : [];
  return { partnerId, owners, locationIds };
}

/** Days (D) or months (M) that follow each other, by the first day of the first and of the last. */
interface Stretch {
  grain: 'D' | 'M';
  first: string;
  last: string;
}

/** A span as whole months and the days around them; days only when the periods asked for are shorter than months. */
export function stretchesOf({ from, to }: Span, group: Group = 'YEAR'): Stretch[] {
  const days = (first: string, last: string): Stretch[] => (first <= last ? [{ grain: 'D', first, last }] : []);
  if (group === 'DAY' || group === 'WEEK') return days(from, to);
  const firstMonth = from.endsWith('-01') ? from : monthAfter(from);
  const afterMonths = periodOf(daysAfter(to, 1), 'MONTH');
  if (firstMonth >= afterMonths) return days(from, to);
  const lastMonth = periodOf(daysAfter(afterMonths, -1), 'MONTH');
  return [
    ...days(from, daysAfter(firstMonth, -1)),
    { grain: 'M', first: firstMonth, last: lastMonth },
    ...days(afterMonths, to),
  ];
}

/** A day or a month that a roll-up has, and the period that it belongs to; null when nobody asks for periods. */
interface Cell {
  grain: 'D' | 'M';
  start: string;
  period: string | null;
}

/** The same, one by one. */
export function cellsOf(span: Span, group?: Group): Cell[] {
  return stretchesOf(span, group).flatMap(({ grain, first, last }) => {
    const cells: Cell[] = [];
    for (let start = first; start <= last; start = grain === 'D' ? daysAfter(start, 1) : monthAfter(start)) {
      cells.push({ grain, start, period: group ? periodOf(start, group) : null });
    }
    return cells;
  });
}

const monthAfter = (day: string) => periodOf(daysAfter(periodOf(day, 'MONTH'), 31), 'MONTH');
