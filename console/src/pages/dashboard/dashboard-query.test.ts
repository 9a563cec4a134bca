import { expect, test } from 'vitest';
import { countedOf } from './dashboard-query.ts';

const days = {
  span: { startDate: '2026-11-08', endDate: '2026-11-14' },
  before: { startDate: '2026-11-01', endDate: '2026-11-07' },
};

test('a day that is not counted yet is missing in both of the spans that are compared', () => {
  expect(countedOf(days, { availableFrom: '2026-01-01', availableUntil: '2026-11-13' })).toEqual({
    span: { startDate: '2026-11-08', endDate: '2026-11-13' },
    before: { startDate: '2026-11-01', endDate: '2026-11-06' },
  });
});

test('days that are all counted are compared as they are', () => {
  expect(countedOf(days, { availableFrom: '2026-11-01', availableUntil: '2026-11-20' })).toEqual(days);
});

test('a directory that counts only since lately has nothing to be compared with', () => {
  expect(countedOf(days, { availableFrom: '2026-11-03', availableUntil: '2026-11-20' })).toEqual({
    span: days.span,
    before: undefined,
  });
  expect(countedOf(days, { availableFrom: '2026-11-10', availableUntil: '2026-11-20' })).toEqual({
    span: { startDate: '2026-11-10', endDate: '2026-11-14' },
    before: undefined,
  });
});

test('a span of which nothing is counted has no figures', () => {
  expect(countedOf(days, { availableFrom: '2026-01-01', availableUntil: '2026-11-07' })).toBeUndefined();
  expect(countedOf(days, { availableFrom: '2026-11-15', availableUntil: '2026-11-20' })).toBeUndefined();
});
