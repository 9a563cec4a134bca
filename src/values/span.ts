import Type from 'typebox';
import { daysAfter, type Group, groups, lengthOf } from './calendar.ts';
import { readSpanOf, type Span } from './days.ts';

export * from './calendar.ts';
export { readDay } from './days.ts';

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
