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
