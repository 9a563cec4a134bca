import Type from 'typebox';
import { dayOf, daysAfter } from '../platform/days.ts';
import { invalidField } from '../problems.ts';

export { dayOf, daysAfter };

/** Whole days, both included. They are days of UTC, as directories and roll-ups have them. */
export interface Span {
  from: string;
  to: string;
}

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

const usualDays = 30;
/** Two years, one of them a leap year. */
const mostDays = 731;
const dayMs = 86_400_000;

export const lengthOf = ({ from, to }: Span) => (Date.parse(to) - Date.parse(from)) / dayMs + 1;

/** What was asked for, or the last thirty full days. */
export function readSpan({ startDate, endDate }: { startDate?: string; endDate?: string }, now: Date): Span {
  const to = endDate === undefined ? daysAfter(dayOf(now), -1) : readDay('endDate', endDate);
  const from = startDate === undefined ? daysAfter(to, 1 - usualDays) : readDay('startDate', startDate);
  if (from > to) throw invalidField('endDate', 'order', `endDate (${to}) must not be before startDate (${from}).`);
  if (lengthOf({ from, to }) > mostDays) {
    throw invalidField('startDate', 'maximum', `startDate and endDate may span two years (${mostDays} days) at most.`);
  }
  return { from, to };
}

export function readDay(field: string, text: string): string {
  const moment = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(Number.NaN);
  if (!Number.isNaN(moment.getTime()) && dayOf(moment) === text) return text;
  throw invalidField(field, 'day', `${field} must be a day such as 2026-11-15, not "${text}".`);
}

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

/** Every period that a span touches, by its first day, in order: one without anything in it is there as well. */
export function periodsOf(span: Span, group: Group): string[] {
  const periods = new Set<string>();
  for (let day = span.from; day <= span.to; day = daysAfter(day, 1)) periods.add(periodOf(day, group));
  return [...periods];
}
