/** Days and periods. The console imports this file, so it must not import anything. */

const dayMs = 86_400_000;

/** The UTC day as YYYY-MM-DD. */
export function dayOf(moment: Date): string {
  const text = moment.toISOString();
  // Years with more digits have a sign, so such days could not be compared as strings.
  if (text.length > 24) throw new RangeError(`The year must have four digits: ${text}`);
  return text.slice(0, 10);
}

/** By the name in lower case: time zones are accepted in any case. */
const calendars = new Map<string, Intl.DateTimeFormat>();

/** The date in a time zone, YYYY-MM-DD. Default: UTC. */
export function dayIn(timeZone: string | null, moment: Date): string {
  const zone = (timeZone ?? 'UTC').toLowerCase();
  let calendar = calendars.get(zone);
  if (!calendar) {
    // The Swedish short date format is ISO 8601.
    calendar = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
    calendars.set(zone, calendar);
  }
  return calendar.format(moment);
}

export const daysAfter = (day: string, days: number): string => dayOf(new Date(Date.parse(day) + days * dayMs));

/** An inclusive range of UTC days. */
export interface Span {
  from: string;
  to: string;
}

export const lengthOf = ({ from, to }: Span) => (Date.parse(to) - Date.parse(from)) / dayMs + 1;

export const groups = ['DAY', 'WEEK', 'MONTH', 'YEAR'] as const;
export type Group = (typeof groups)[number];

/** The first day of the period that contains a day; weeks start on Monday. */
export function periodOf(day: string, group: Group): string {
  if (group === 'DAY') return day;
  if (group === 'YEAR') return `${day.slice(0, 4)}-01-01`;
  if (group === 'MONTH') return `${day.slice(0, 7)}-01`;
  const weekday = (new Date(Date.parse(day)).getUTCDay() + 6) % 7;
  return daysAfter(day, -weekday);
}

/** The last day of a period, from its first day. */
export function lastDayOf(period: string, group: Group): string {
  const beyond = { DAY: 1, WEEK: 7, MONTH: 31, YEAR: 366 }[group];
  return daysAfter(periodOf(daysAfter(period, beyond), group), -1);
}

/** The first days of all periods that overlap a span, in order. */
export function periodsOf(span: Span, group: Group): string[] {
  const periods = new Set<string>();
  for (let day = span.from; day <= span.to; day = daysAfter(day, 1)) periods.add(periodOf(day, group));
  return [...periods];
}

/** The index range of complete periods, or of all periods if none is complete. */
export function wholePeriods(periods: readonly string[], group: Group, { from, to }: Span) {
  const isWhole = (period: string) => period >= from && lastDayOf(period, group) <= to;
  const first = periods.findIndex(isWhole);
  return first < 0 ? { first: 0, last: periods.length - 1 } : { first, last: periods.findLastIndex(isWhole) };
}

/** The last completed day of a span. */
export function lastFullDay({ to }: Span, now: Date): string {
  const yesterday = daysAfter(dayOf(now), -1);
  return to < yesterday ? to : yesterday;
}
