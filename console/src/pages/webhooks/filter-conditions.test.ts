import { expect, test } from 'vitest';
import { conditionsOf, filterJson, isComplete, newCondition, sharedFields, valuesFor } from './filter-conditions.ts';

const roundTrip = (filter: Record<string, unknown> | null) => {
  const conditions = conditionsOf(filter);
  return conditions && filterJson(conditions);
};

test.for([
  { field: 'updateResult', equals: 'FAILURE' },
  { field: 'updateResult', in: ['FAILURE', 'UNDEFINED'] },
  { field: 'flag', equals: false },
  { field: 'comment', equals: null },
  { not: { field: 'to', equals: 'NEEDS_REVIEW' } },
  { not: { field: 'to', in: ['A', 'B'] } },
  { field: 'newReviewsFound', greater: 0 },
  { field: 'comment', exists: false },
  { any: [{ field: 'comment', exists: true }] },
  { all: [{ field: 'labels', equals: 12 }, { not: { field: 'to', equals: 'X' } }] },
  {
    any: [
      { field: 'count', less: 2 },
      { field: 'labels', in: [1, 2] },
    ],
  },
])('edits %j and writes it back unchanged', (filter) => {
  expect(JSON.parse(roundTrip(filter) ?? '')).toEqual(filter);
});

test.for([
  { all: [{ any: [{ field: 'a', equals: 1 }] }] },
  { not: { all: [{ field: 'a', equals: 1 }] } },
  { not: { field: 'a', exists: true } },
  { not: { not: { field: 'a', equals: 1 } } },
  { field: 'a' },
  { field: 'a', equals: 1, in: [2] },
  { field: 'a', equals: { b: 1 } },
  { all: 1 },
  { all: [1] },
  { all: [], any: [] },
])('leaves %j to JSON', (filter) => {
  expect(conditionsOf(filter)).toBeUndefined();
});

test('has no conditions without a filter', () => {
  expect(conditionsOf(null)).toEqual({ match: 'all', rows: [] });
  expect(roundTrip(null)).toBe('');
});

test('keeps incomplete conditions while they are edited', () => {
  const rows = [newCondition, { ...newCondition, field: 'count', comparison: 'greater' as const }];
  for (const row of rows) {
    const conditions = { match: 'all' as const, rows: [row] };
    expect(conditionsOf(JSON.parse(filterJson(conditions)))).toEqual(conditions);
    expect(isComplete(conditions)).toBe(false);
  }
  expect(isComplete({ match: 'all', rows: [{ ...newCondition, field: 'a', values: ['x'] }] })).toBe(true);
});

test('offers the fields that all types have', () => {
  const [text, number] = [
    { name: 'to', kind: 'TEXT' as const },
    { name: 'location', kind: 'NUMBER' as const },
  ];
  const types = [{ filterFields: [text, number] }, { filterFields: [number, { ...text, kind: 'NUMBER' as const }] }];
  expect(sharedFields(types)).toEqual([number]);
  expect(sharedFields([])).toEqual([]);
});

test('writes numbers and truth values as such', () => {
  expect(valuesFor({ name: 'location', kind: 'NUMBER' }, ['12', 'x'])).toEqual([12, 'x']);
  expect(valuesFor({ name: 'flag', kind: 'BOOLEAN' }, ['true', 'false'])).toEqual([true, false]);
  expect(valuesFor({ name: 'comment', kind: 'TEXT' }, ['12'])).toEqual(['12']);
});

test('keeps the type of values that are not edited', () => {
  const text = { name: 'comment', kind: 'TEXT' as const };
  expect(valuesFor(text, ['null', 'X', 'Y'], [null, 'X'])).toEqual([null, 'X', 'Y']);
  expect(valuesFor({ name: 'flag', kind: 'BOOLEAN' }, ['null', 'true'], [null])).toEqual([null, true]);
});
