import Type from 'typebox';
import { dayOf, daysAfter, lengthOf, readDay, readSpanOf, type Span } from '../platform/days.ts';

export { dayOf, daysAfter, lengthOf, readDay, type Span };

export const groups = ['DAY', 'WEEK', 'MONTH', 'YEAR'] as const;
export type Group = (typeof groups)[number];

const Day = Type.String({ maxLength: 10, description: 'A day such as 2026-11-15' });

export const spanQuery = {
  startDate: Type.Optional(
    Type.Unsafe<string>({
      ...Day,
      description: 'The first day; 30 days up to endDate if absent',
      examples: ['2026-10-01'],
    }),
  ),
  endDate: Type.Optional(
    Type.Unsafe<string>({ ...Day, description: 'The last day; yesterday if absent', examples: ['2026-10-31'] }),
  ),
};

/** With a default of its own wherever it is used. */
export const groupQuery = (usual: Group) => ({
  group: Type.Enum([...groups], { default: usual, description: 'How long one period is' }),
});

/** What was asked for, or the last thirty full days. */
export const readSpan = ({ startDate, endDate }: { startDate?: string; endDate?: string }, now: Date): Span =>
  readSpanOf({ field: 'startDate', day: startDate }, { field: 'endDate', day: endDate }, now);

/** As many days before. */
export function previousSpan(span: Span): Span {
  const days = lengthOf(span);
  return { from: daysAfter(span.from, -days), to: daysAfter(span.to, -days) };
}

/** The period that a day belongs to, by its first day; weeks begin on Monday. */
export function periodOf(day: string, group: Group): string {
  if (group === 'DAY') return day;
  if (group === 'YEAR') return `${day.slice(0, 4)}-01-01`;
  if (group === 'MONTH') return `${day.slice(0, 7)}-01`;
  const weekday = (new Date(Date.parse(day)).getUTCDay() + 6) % 7;
  return daysAfter(day, -weekday);
}

/** The last day of a period that is known by its first. */
export function lastDayOf(period: string, group: Group): string {
  const beyond = { DAY: 1, WEEK: 7, MONTH: 31, YEAR: 366 }[group];
  return daysAfter(periodOf(daysAfter(period, beyond), group), -1);
}

/** Every period that a span touches, by its first day, in order: one without anything in it is there as well. */
export function periodsOf(span: Span, group: Group): string[] {
  const periods = new Set<string>();
  for (let day = span.from; day <= span.to; day = daysAfter(day, 1)) periods.add(periodOf(day, group));
  return [...periods];
}
