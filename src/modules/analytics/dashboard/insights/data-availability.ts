import type { Sql } from '../../../../database/connection.ts';
import { daysAfter, periodOf } from '../../../../values/span.ts';
import type { Scope } from '../../../locations/index.ts';
import { knownDays, knownMonths } from './data-availability-store.ts';

export interface Availability {
  directoryType: string;
  availableFrom: string;
  /** Last day with data of at least one location. */
  availableUntil: string;
  /** Last day with data of as many listings as the days before it. */
  countedUntil: string;
}

/** Listings are collected individually, so the newest days are incomplete. */
const completeShare = 0.9;
/** Number of days to compare with; limits the effect of listings that stopped counting. */
const comparedDays = 3;

/** Directories without data are omitted. */
export async function dataAvailability(
  sql: Sql,
  scope: Scope,
  directoryTypes: readonly string[],
): Promise<Availability[]> {
  const spans = await knownMonths(sql, scope, directoryTypes);
  const known = new KnownDays();
  await known.read(
    sql,
    scope,
    spans.flatMap(({ directoryType, first, last }) =>
      [...new Set([first, last])].map((month) => ({ directoryType, month })),
    ),
  );
  const found = spans.flatMap(({ directoryType, first, last }) => {
    const availableFrom = known.first(directoryType, first);
    const availableUntil = known.last(directoryType, last);
    return availableFrom && availableUntil ? [{ directoryType, availableFrom, availableUntil }] : [];
  });
  await known.read(
    sql,
    scope,
    found.map(({ directoryType, availableUntil }) => ({
      directoryType,
      month: periodOf(daysAfter(availableUntil, -2 * comparedDays), 'MONTH'),
    })),
  );
  return directoryTypes.flatMap((type) => {
    const one = found.find(({ directoryType }) => directoryType === type);
    return one ? [{ ...one, countedUntil: completeDay(one, (day) => known.count(type, day)) }] : [];
  });
}

/** Falls back to the last day with data. */
function completeDay(
  { availableFrom, availableUntil }: Pick<Availability, 'availableFrom' | 'availableUntil'>,
  countOf: (day: string) => number,
): string {
  const before = (day: string) =>
    Array.from({ length: comparedDays }, (_, index) => countOf(daysAfter(day, -1 - index)));
  for (let ago = 0; ago <= comparedDays; ago++) {
    const day = daysAfter(availableUntil, -ago);
    if (day < availableFrom) break;
    if (countOf(day) > 0 && countOf(day) >= completeShare * Math.max(...before(day))) return day;
  }
  return availableUntil;
}

/** Number of known counts by directory and day, in the months that were read. */
class KnownDays {
  private readonly months = new Map<string, readonly number[]>();

  async read(sql: Sql, scope: Scope, months: readonly { directoryType: string; month: string }[]): Promise<void> {
    const missing = months.filter(({ directoryType, month }) => !this.months.has(`${directoryType} ${month}`));
    if (missing.length === 0) return;
    for (const { directoryType, month, known } of await knownDays(sql, scope, missing)) {
      this.months.set(`${directoryType} ${month}`, known);
    }
  }

  first(directoryType: string, month: string): string | undefined {
    return dayAt(month, this.of(directoryType, month).findIndex(isKnown));
  }

  last(directoryType: string, month: string): string | undefined {
    return dayAt(month, this.of(directoryType, month).findLastIndex(isKnown));
  }

  count(directoryType: string, day: string): number {
    return this.of(directoryType, periodOf(day, 'MONTH'))[Number(day.slice(8)) - 1] ?? 0;
  }

  private of(directoryType: string, month: string): readonly number[] {
    return this.months.get(`${directoryType} ${month}`) ?? [];
  }
}

const isKnown = (count: number) => count > 0;
const dayAt = (month: string, index: number) => (index < 0 ? undefined : daysAfter(month, index));
