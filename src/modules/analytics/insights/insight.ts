import { daysAfter } from '../../../values/days.ts';

/** Months are YYYY-MM. They and the days are as directories have them: no time zone is involved. */
const monthOf = (day: string) => day.slice(0, 7);

const earlier = (a: string, b: string) => (a < b ? a : b);
export const later = (a: string, b: string) => (a > b ? a : b);

/** How far back a listing's first collection goes. */
const firstDays = 365;
/** Directories correct their counts for about a week. */
const unsettledDays = 7;
/** What a directory has not answered for is asked for again for so long. */
export const gapDays = 35;
const daysPerCall = 90;

export interface Span {
  from: string;
  to: string;
}

/**
 * What to ask for: from the day after the last one known, and once more the days that may still change or are missing,
 * up to yesterday, in pieces that a directory answers at once.
 */
export function spansToRead(today: string, until: string | null, firstGap: string | null): Span[] {
  const to = daysAfter(today, -1);
  const beginning = daysAfter(today, -firstDays);
  const wanted = until === null ? beginning : earlier(daysAfter(until, 1 - unsettledDays), firstGap ?? until);
  const spans: Span[] = [];
  for (let from = later(wanted, beginning); from <= to; from = daysAfter(from, daysPerCall)) {
    spans.push({ from, to: earlier(daysAfter(from, daysPerCall - 1), to) });
  }
  return spans;
}

const firstMonths = 12;

/** Months whose search words are wanted: those that are not known yet, and the last two, which still change. */
export function monthsToRead(today: string, known: readonly string[]): string[] {
  const isKnown = new Set(known);
  const months = Array.from({ length: firstMonths }, (_, back) => monthBefore(monthOf(today), back)).reverse();
  return months.filter((month, index) => index >= months.length - 2 || !isKnown.has(month));
}

function monthBefore(month: string, back: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 - back, 1)).toISOString().slice(0, 7);
}

export interface MonthOfCounts {
  metric: string;
  /** Its first day. */
  month: string;
  /** One for each day of the month; null where none was given. */
  counts: (number | null)[];
}

/** Counts of days by the months that they are kept in. Of two counts of a day the greater one is taken. */
export function monthsOfCounts(counts: readonly { metric: string; day: string; count: number }[]): MonthOfCounts[] {
  const months = new Map<string, MonthOfCounts>();
  for (const { metric, day, count } of counts) {
    const name = `${metric} ${monthOf(day)}`;
    const month = months.get(name) ?? { metric, month: `${monthOf(day)}-01`, counts: noCounts(day) };
    months.set(name, month);
    const index = Number(day.slice(8)) - 1;
    month.counts[index] = Math.max(month.counts[index] ?? 0, count);
  }
  return [...months.values()];
}

function noCounts(day: string): null[] {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return new Array(new Date(Date.UTC(year, month, 0)).getUTCDate()).fill(null);
}
