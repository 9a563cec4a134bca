/** Days and periods. The console uses this file too: it imports nothing. */

const dayMs = 86_400_000;

/** Days are YYYY-MM-DD and begin at midnight UTC. */
export function dayOf(moment: Date): string {
  const text = moment.toISOString();
  // Years of more digits have a sign before them: such days could not be compared as the texts they are.
  if (text.length > 24) throw new RangeError(`No day is written with a year of more than four digits: ${text}`);
  return text.slice(0, 10);
}

export const daysAfter = (day: string, days: number): string => dayOf(new Date(Date.parse(day) + days * dayMs));

/** Whole days, both included. They are days of UTC, as directories and roll-ups have them. */
export interface Span {
  from: string;
  to: string;
}

export const lengthOf = ({ from, to }: Span) => (Date.parse(to) - Date.parse(from)) / dayMs + 1;

export const groups = ['DAY', 'WEEK', 'MONTH', 'YEAR'] as const;
export type Group = (typeof groups)[number];

/** The period that a day belongs to, by its first day; weeks begin on Monday. */
export function periodOf(day: string, group: Group): string {
  if (group === 'DAY') return day;
  if (group === 'YEAR') return `${day.slice(0, 4)}-01-01`;
  if (group === 'MONTH') return `${day.slice(0, 7)}-01`;
  const weekday = (new Date(Date.parse(day)).getUTCDay() + 6) % 7;
  return daysAfter(day, -weekday);
}

/** The last day of a period that is known by its first. */
function lastDayOf(period: string, group: Group): string {
  const beyond = { DAY: 1, WEEK: 7, MONTH: 31, YEAR: 366 }[group];
  return daysAfter(periodOf(daysAfter(period, beyond), group), -1);
}

/** Every period that a span touches, by its first day, in order: one without anything in it is there as well. */
export function periodsOf(span: Span, group: Group): string[] {
  const periods = new Set<string>();
  for (let day = span.from; day <= span.to; day = daysAfter(day, 1)) periods.add(periodOf(day, group));
  return [...periods];
}

/** Where the periods lie that a chart can compare: whole ones, unless there are none. */
export function wholePeriods(periods: readonly string[], group: Group, { from, to }: Span) {
  const isWhole = (period: string) => period >= from && lastDayOf(period, group) <= to;
  const first = periods.findIndex(isWhole);
  return first < 0 ? { first: 0, last: periods.length - 1 } : { first, last: periods.findLastIndex(isWhole) };
}

/** The last day of a span that is over: what comes on the rest of a day is not known yet. */
export function lastFullDay({ to }: Span, now: Date): string {
  const yesterday = daysAfter(dayOf(now), -1);
  return to < yesterday ? to : yesterday;
}
