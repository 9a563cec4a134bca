import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { daysAfter, groups, lengthOf, periodOf, periodsOf, previousSpan, readSpan } from './span.ts';

const now = new Date('2026-11-15T08:30:00Z');
const day = fc.integer({ min: 0, max: 20_000 }).map((days) => daysAfter('1990-01-01', days));
const span = fc.tuple(day, fc.nat({ max: 730 })).map(([from, days]) => ({ from, to: daysAfter(from, days) }));

describe('a span of days', () => {
  test.each([
    [{}, { from: '2026-10-16', to: '2026-11-14' }],
    [{ startDate: '2026-11-14' }, { from: '2026-11-14', to: '2026-11-14' }],
    [{ endDate: '2026-03-01' }, { from: '2026-01-31', to: '2026-03-01' }],
    [
      { startDate: '2024-01-01', endDate: '2025-12-31' },
      { from: '2024-01-01', to: '2025-12-31' },
    ],
  ])('%j is %j', (given, expected) => {
    expect(readSpan(given, now)).toEqual(expected);
  });

  test.each([
    [{ startDate: '2026-11-10', endDate: '2026-11-09' }, 'endDate', 'order'],
    [{ startDate: '2024-01-01', endDate: '2026-01-02' }, 'startDate', 'maximum'],
    [{ startDate: '2026-02-30' }, 'startDate', 'day'],
    [{ endDate: '15.11.2026' }, 'endDate', 'day'],
    [{ startDate: '0000-01-01', endDate: '0000-01-20' }, 'endDate', 'day'],
    [{ startDate: '1969-12-31', endDate: '1970-01-20' }, 'startDate', 'minimum'],
    [{ endDate: '9999-12-31' }, 'endDate', 'maximum'],
    [{ startDate: '9999-12-31' }, 'startDate', 'maximum'],
  ])('%j is refused: %s, %s', (given, field, rule) => {
    expect(() => readSpan(given, now)).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ field, rule })] }),
    );
  });

  test('has a previous span of the same length', () => {
    fc.assert(
      fc.property(span, (given) => {
        const before = previousSpan(given);
        expect(lengthOf(before)).toBe(lengthOf(given));
        expect(daysAfter(before.to, 1)).toBe(given.from);
      }),
    );
  });
});

test('the earliest and latest accepted days have neighbours', () => {
  for (const ends of [
    { startDate: '1970-01-01', endDate: '1972-01-01' },
    { startDate: '2197-12-31', endDate: '2199-12-31' },
  ]) {
    const asked = readSpan(ends, now);
    expect(lengthOf(previousSpan(asked))).toBe(731);
    for (const group of groups) expect(periodsOf(asked, group).length).toBeGreaterThan(2);
  }
});

test('every day of a span belongs to one period, and every period has a day', () => {
  fc.assert(
    fc.property(span, fc.constantFrom(...groups), (given, group) => {
      const periods = periodsOf(given, group);
      expect(periods).toEqual([...new Set(periods)].sort());
      expect(periods[0]).toBe(periodOf(given.from, group));
      expect(periods.at(-1)).toBe(periodOf(given.to, group));
    }),
    { numRuns: 30 },
  );
  expect(periodsOf({ from: '2026-11-13', to: '2026-11-17' }, 'WEEK')).toEqual(['2026-11-09', '2026-11-16']);
  expect(periodsOf({ from: '2025-12-31', to: '2026-02-01' }, 'MONTH')).toEqual([
    '2025-12-01',
    '2026-01-01',
    '2026-02-01',
  ]);
});
