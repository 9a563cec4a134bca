import { expect, test } from 'vitest';
import { visibilityOf } from './health-figures.ts';

const today = '2026-11-15';
const google = { directoryType: 'GOOGLE' };
const bing = { directoryType: 'BING' };

test('derives the history from current values and changes', () => {
  const counts = [
    { ...google, day: null, matching: 8, comparable: 10 },
    { ...bing, day: null, matching: 2, comparable: 4 },
    // Bing was added on the 10th; Google gained two matching fields on the 4th.
    { ...bing, day: '2026-11-10', matching: 2, comparable: 4 },
    { ...google, day: '2026-11-04', matching: 2, comparable: 0 },
  ];
  const now = (8 * 30 + 2 * 10) / (10 * 30 + 4 * 10);
  const index = visibilityOf(counts, { from: '2026-10-31', to: today }, 'WEEK', today);
  expect(index).toEqual({
    score: Math.round(100 * now),
    maxPoints: 340,
    pointsReached: 260,
    byDirectory: [
      { ...google, score: 80, maxPoints: 300, pointsReached: 240 },
      { ...bing, score: 50, maxPoints: 40, pointsReached: 20 },
    ],
    history: [
      { period: '2026-10-26', score: 60 },
      { period: '2026-11-02', score: 80 },
      { period: '2026-11-09', score: 76 },
    ],
  });
});

test('has no score without comparisons and for future days', () => {
  expect(visibilityOf([], { from: '2026-11-14', to: '2026-11-20' }, 'DAY', today)).toEqual({
    maxPoints: 0,
    pointsReached: 0,
    byDirectory: [],
    history: [],
  });
  const counts = [
    { ...google, day: null, matching: 1, comparable: 2 },
    { ...google, day: '2026-11-15', matching: 1, comparable: 2 },
  ];
  expect(visibilityOf(counts, { from: '2026-11-13', to: '2026-11-20' }, 'DAY', today).history).toEqual([
    { period: '2026-11-15', score: 50 },
  ]);
  expect(visibilityOf(counts, { from: '2026-12-01', to: '2026-12-20' }, 'DAY', today).history).toEqual([]);
});
