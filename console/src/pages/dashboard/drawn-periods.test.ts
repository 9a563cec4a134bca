import { expect, test } from 'vitest';
import { drawnInBoth, drawnPeriods } from './drawn-periods.ts';

const rows = (...periods: string[]) => periods.map((period) => ({ period }));
const weeks = rows('2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16');
const now = new Date('2026-11-18T12:00:00Z');

test('omits incomplete weeks at both edges', () => {
  const span = { startDate: '2026-10-28', endDate: '2026-11-17' };
  expect(drawnPeriods(weeks, 'WEEK', span, now)).toEqual({ first: 1, last: 2 });
});

test('draws complete months', () => {
  const months = rows('2026-08-01', '2026-09-01', '2026-10-01', '2026-11-01');
  const span = { startDate: '2026-08-01', endDate: '2026-11-17' };
  expect(drawnPeriods(months, 'MONTH', span, now)).toEqual({ first: 0, last: 2 });
});

test('omits the current day', () => {
  const days = rows('2026-11-16', '2026-11-17', '2026-11-18');
  const span = { startDate: '2026-11-16', endDate: '2026-11-18' };
  expect(drawnPeriods(days, 'DAY', span, now)).toEqual({ first: 0, last: 1 });
});

test('draws days of one week', () => {
  const span = { startDate: '2026-11-10', endDate: '2026-11-12' };
  expect(drawnPeriods(rows('2026-11-09'), 'WEEK', span, now)).toEqual({ first: 0, last: 0 });
});

test('draws rows that are complete in both spans', () => {
  expect(drawnInBoth({ first: 0, last: 3 }, { first: 1, last: 4 })).toEqual({ first: 1, last: 3 });
});
