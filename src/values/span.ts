import Type from 'typebox';
import { invalidField } from '../problems.ts';
import { dayOf, daysAfter, type Group, groups, lengthOf, type Span } from './calendar.ts';

/** A valid calendar day; year 0 does not exist. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith('0000')) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && dayOf(new Date(time)) === text;
}

export function readDay(field: string, text: string): string {
  if (isDay(text)) return text;
  throw invalidField(field, 'day', `${field} must be a day such as 2026-11-15, not "${text}".`);
}

const defaultDays = 30;
/** Two years, one of them a leap year. */
const maxDays = 731;
const earliest = '1970-01-01';
const latest = '2199-12-31';

/** An optional day parameter and the name of its field. */
interface AskedDay {
  field: string;
  day: string | undefined;
}

/** The requested days; by default, the last 30 complete days. */
export function readSpanOf(first: AskedDay, last: AskedDay, now: Date): Span {
  const to = last.day === undefined ? daysAfter(dayOf(now), -1) : dayOfFigures(last.field, last.day);
  const from = first.day === undefined ? daysAfter(to, 1 - defaultDays) : dayOfFigures(first.field, first.day);
  if (from > to) {
    throw invalidField(last.field, 'order', `${last.field} (${to}) must not be before ${first.field} (${from}).`);
  }
  if (lengthOf({ from, to }) > maxDays) {
    const message = `${first.field} and ${last.field} may span two years (${maxDays} days) at most.`;
    throw invalidField(first.field, 'maximum', message);
  }
  return { from, to };
}

function dayOfFigures(field: string, text: string): string {
  const day = readDay(field, text);
  if (day >= earliest && day <= latest) return day;
  const rule = day < earliest ? 'minimum' : 'maximum';
  throw invalidField(field, rule, `${field} must be a day from ${earliest} to ${latest}, not ${day}.`);
}

export * from './calendar.ts';

const Day = Type.String({ maxLength: 10, description: 'A day such as 2026-11-15' });

export const spanQuery = {
  startDate: Type.Optional(
    Type.Unsafe<string>({
      ...Day,
      description: 'First day; default: 30 days up to endDate',
      examples: ['2026-10-01'],
    }),
  ),
  endDate: Type.Optional(
    Type.Unsafe<string>({ ...Day, description: 'Last day; default: yesterday', examples: ['2026-10-31'] }),
  ),
};

export const groupQuery = (defaultGroup: Group) => ({
  group: Type.Enum([...groups], { default: defaultGroup, description: 'Length of a period' }),
});

/** The requested span; by default, the last 30 complete days. */
export const readSpan = ({ startDate, endDate }: { startDate?: string; endDate?: string }, now: Date): Span =>
  readSpanOf({ field: 'startDate', day: startDate }, { field: 'endDate', day: endDate }, now);

/** The span of the same length before. */
export function previousSpan(span: Span): Span {
  const days = lengthOf(span);
  return { from: daysAfter(span.from, -days), to: daysAfter(span.to, -days) };
}
