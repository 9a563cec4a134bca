import fc from 'fast-check';
import { expect, test } from 'vitest';
import { daysAfter, groups, periodOf, periodsOf } from '../../../../values/span.ts';
import { byPeriod, daysIn, monthsOf, precedingMonths, wholeMonths } from './insight-figures.ts';

const day = fc.integer({ min: 0, max: 1500 }).map((days) => daysAfter('2023-01-01', days));
const span = fc.tuple(day, fc.nat({ max: 150 })).map(([from, days]) => ({ from, to: daysAfter(from, days) }));

function everyDay(from: string, to: string): string[] {
  const days: string[] = [];
  for (let one = from; one <= to; one = daysAfter(one, 1)) days.push(one);
  return days;
}

test('a month is whole if all of its days are in the span', () => {
  expect(wholeMonths({ from: '2026-01-31', to: '2026-04-30' })).toEqual(['2026-02-01', '2026-03-01', '2026-04-01']);
  expect(wholeMonths({ from: '2024-02-01', to: '2024-02-28' })).toEqual([]);
  expect(monthsOf({ from: '2026-01-31', to: '2026-03-01' })).toEqual(['2026-01-01', '2026-02-01', '2026-03-01']);
  expect(precedingMonths(['2026-01-01', '2026-02-01'])).toEqual(['2025-11-01', '2025-12-01']);
});

test('the days of all months equal the days of the span', () => {
  fc.assert(
    fc.property(span, (given) => {
      const days = monthsOf(given).flatMap((month) => daysIn(month, given));
      expect(days.map((one) => one.day)).toEqual(everyDay(given.from, given.to));
      for (const one of days) expect(one.index).toBe(Number(one.day.slice(8)) - 1);
    }),
    { numRuns: 25 },
  );
});

test('a period equals the sum of its days, by days or by whole months', () => {
  const countOf = (one: string) => (Date.parse(one) / 86_400_000) % 97;
  fc.assert(
    fc.property(span, fc.constantFrom(...groups), (given, group) => {
      const monthly = monthsOf(given).map((month) => {
        // Includes days outside the span, like the stored sums.
        const counts = Array.from({ length: 31 }, (_, index) => countOf(daysAfter(month, index)));
        return { metric: 'CALLS', month, counts };
      });
      const whole = group === 'MONTH' || group === 'YEAR' ? wholeMonths(given) : [];
      const totals = whole.map((month) => ({
        metric: 'CALLS',
        month,
        total: daysIn(month, given).reduce((sum, one) => sum + countOf(one.day), 0),
      }));
      const days = monthly.filter(({ month }) => !whole.includes(month));
      const expected = periodsOf(given, group).map((period) => ({
        metric: 'CALLS',
        period,
        count: everyDay(given.from, given.to)
          .filter((one) => periodOf(one, group) === period)
          .reduce((sum, one) => sum + countOf(one), 0),
      }));
      expect(byPeriod(['CALLS'], given, group, { days, totals })).toEqual(expected);
    }),
    { numRuns: 25 },
  );
});
