import { expect, test } from 'vitest';
import { daysAfter } from '../../../values/span.ts';
import { monthsToRead, spansToRead } from './insight-jobs.ts';
import { monthsOfCounts } from './insight-store.ts';

const today = '2026-11-15';

test('the first collection requests a year in consecutive spans', () => {
  const spans = spansToRead(today, null, null);
  expect(spans[0]?.from).toBe('2025-11-15');
  expect(spans.at(-1)?.to).toBe('2026-11-14');
  for (const [index, { from, to }] of spans.entries()) {
    expect(from <= to).toBe(true);
    if (index > 0) expect(from).toBe(daysAfter(spans[index - 1]?.to ?? '', 1));
  }
});

test('later collections repeat the last week and start at the first gap', () => {
  expect(spansToRead(today, '2026-11-14', null)).toEqual([{ from: '2026-11-08', to: '2026-11-14' }]);
  expect(spansToRead(today, '2026-11-14', '2026-10-20')).toEqual([{ from: '2026-10-20', to: '2026-11-14' }]);
  expect(spansToRead(today, '2026-11-10', null)).toEqual([{ from: '2026-11-04', to: '2026-11-14' }]);
});

test('keywords are requested for months that were not read yet and for the last two', () => {
  expect(monthsToRead('2026-02-28', null)).toHaveLength(12);
  expect(monthsToRead('2026-02-28', null)[0]).toBe('2025-03');
  expect(monthsToRead('2026-02-28', '2026-02')).toEqual(['2026-01', '2026-02']);
  expect(monthsToRead('2026-02-28', '2025-11')).toEqual(['2025-12', '2026-01', '2026-02']);
});

test('groups counts by month with one element per day', () => {
  const months = monthsOfCounts([
    { metric: 'CALLS', day: '2024-02-29', count: 3 },
    { metric: 'CALLS', day: '2024-03-01', count: 0 },
    { metric: 'VIEWS', day: '2024-02-29', count: 9 },
    { metric: 'CALLS', day: '2024-02-27', count: 1 },
    { metric: 'CALLS', day: '2024-02-29', count: 2 },
  ]);
  expect(months.map(({ metric, month, counts }) => [metric, month, counts.length])).toEqual([
    ['CALLS', '2024-02-01', 29],
    ['CALLS', '2024-03-01', 31],
    ['VIEWS', '2024-02-01', 29],
  ]);
  expect(months[0]?.counts.slice(26)).toEqual([1, null, 3]);
  expect(months[1]?.counts.slice(0, 2)).toEqual([0, null]);
});
