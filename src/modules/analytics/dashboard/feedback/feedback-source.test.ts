import fc from 'fast-check';
import { expect, test } from 'vitest';
import { daysAfter, groups, lengthOf, periodOf } from '../../../../values/span.ts';
import { cellsOf } from './feedback-source.ts';

const day = fc.integer({ min: 0, max: 20_000 }).map((days) => daysAfter('1990-01-01', days));
const span = fc.tuple(day, fc.nat({ max: 730 })).map(([from, days]) => ({ from, to: daysAfter(from, days) }));

const lastOfMonth = (month: string) => {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
};

test('cells cover a span without gaps', () => {
  fc.assert(
    fc.property(span, fc.constantFrom(undefined, ...groups), (given, group) => {
      const cells = cellsOf(given, group);
      let next = given.from;
      for (const { grain, start, period } of cells) {
        expect(start).toBe(next);
        expect(period).toBe(group ? periodOf(start, group) : null);
        if (grain === 'M') expect(start.slice(8)).toBe('01');
        next = daysAfter(grain === 'M' ? lastOfMonth(start) : start, 1);
      }
      expect(next).toBe(daysAfter(given.to, 1));
      if (group === 'DAY' || group === 'WEEK') expect(cells.every(({ grain }) => grain === 'D')).toBe(true);
    }),
  );
});

/** Number of consecutive cells of the same length, with the first and the last one. */
const rangesOf = (given: { from: string; to: string }) => {
  const ranges: { grain: string; first: string; last: string; count: number }[] = [];
  for (const { grain, start } of cellsOf(given)) {
    const range = ranges.at(-1);
    if (range?.grain === grain) Object.assign(range, { last: start, count: range.count + 1 });
    else ranges.push({ grain, first: start, last: start, count: 1 });
  }
  return ranges;
};

test('whole months are never split into days', () => {
  fc.assert(
    fc.property(span, (given) => {
      const cells = cellsOf(given);
      expect(cells.filter(({ grain }) => grain === 'D').length).toBeLessThanOrEqual(60);
      const days = cells.map(({ grain, start }) => (grain === 'D' ? 1 : Number(lastOfMonth(start).slice(8))));
      expect(days.reduce((sum, count) => sum + count, 0)).toBe(lengthOf(given));
    }),
  );
  expect(rangesOf({ from: '2026-02-01', to: '2026-02-28' })).toEqual([
    { grain: 'M', first: '2026-02-01', last: '2026-02-01', count: 1 },
  ]);
  expect(rangesOf({ from: '2025-11-15', to: '2026-11-14' })).toEqual([
    { grain: 'D', first: '2025-11-15', last: '2025-11-30', count: 16 },
    { grain: 'M', first: '2025-12-01', last: '2026-10-01', count: 11 },
    { grain: 'D', first: '2026-11-01', last: '2026-11-14', count: 14 },
  ]);
});
