import { expect, test } from 'vitest';
import { chunksOf } from './use-location-names.ts';

test('requests only the names of new ids', () => {
  const first = chunksOf(new Set([7, 3]), []);
  expect(first).toEqual([[3, 7]]);
  // A new row is added, and the order changes.
  const second = chunksOf(new Set([9, 7, 3]), first);
  expect(second).toEqual([[3, 7], [9]]);
  expect(chunksOf(new Set([9, 3]), second)).toEqual(second);
  // No row of the first ids is left.
  expect(chunksOf(new Set([9]), second)).toEqual([[9]]);
});

test('requests at most 100 names at once', () => {
  const ids = Array.from({ length: 150 }, (_, index) => index + 1);
  expect(chunksOf(new Set(ids), []).map(({ length }) => length)).toEqual([100, 50]);
});
