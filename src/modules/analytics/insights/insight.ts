import { daysAfter, type Span } from '../../../values/span.ts';

/** Months are YYYY-MM. Months and days are those of the directory, without a time zone. */
const monthOf = (day: string) => day.slice(0, 7);

const earlier = (a: string, b: string) => (a < b ? a : b);
export const later = (a: string, b: string) => (a > b ? a : b);

/** Span of the first collection. */
const firstDays = 365;
/** Directories correct counts for about a week. */
const unsettledDays = 7;
/** Gaps are requested again for this time. */
export const gapDays = 35;
const daysPerRequest = 90;

/** Spans to request: new days, and days that are missing or may still change, up to yesterday. */
export function spansToRead(today: string, until: string | null, firstGap: string | null): Span[] {
  const to = daysAfter(today, -1);
  const earliest = daysAfter(today, -firstDays);
  const start = until === null ? earliest : earlier(daysAfter(until, 1 - unsettledDays), firstGap ?? until);
  const spans: Span[] = [];
  for (let from = later(start, earliest); from <= to; from = daysAfter(from, daysPerRequest)) {
    spans.push({ from, to: earlier(daysAfter(from, daysPerRequest - 1), to) });
  }
  return spans;
}

const firstMonths = 12;

/** Missing months, and the last two, which may still change. */
export function monthsToRead(today: string, known: readonly string[]): string[] {
  const isKnown = new Set(known);
  const months = Array.from({ length: firstMonths }, (_, back) => monthBefore(monthOf(today), back)).reverse();
  return months.filter((month, index) => index >= months.length - 2 || !isKnown.has(month));
}

function monthBefore(month: string, back: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 - back, 1)).toISOString().slice(0, 7);
}

interface MonthOfCounts {
  metric: string;
  /** First day of the month. */
  month: string;
  /** One element per day; null if unknown. */
  counts: (number | null)[];
}

/** Groups counts by month. Of several counts of a day the greatest is used. */
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
