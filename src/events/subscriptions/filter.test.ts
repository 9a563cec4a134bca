import { describe, expect, test } from 'vitest';
import type { Problem } from '../../problems.ts';
import type { EventTypeName } from '../catalogue/catalogue.ts';
import { checkFilter, type Filter, filterFields, filterPath, filterText } from './filter.ts';

function errorsOf(filter: unknown, ...types: EventTypeName[]) {
  try {
    checkFilter(filter, types.length > 0 ? types : ['LISTING_UPDATE']);
    return [];
  } catch (error) {
    return (error as Problem).errors?.map(({ field, rule }) => [field, rule]);
  }
}

const failure = { field: 'updateResult', equals: 'FAILURE' };
const nested = (depth: number): unknown => (depth === 0 ? failure : { not: nested(depth - 1) });

describe('checkFilter', () => {
  test.each<[unknown, EventTypeName]>([
    [failure, 'LISTING_UPDATE'],
    [{ field: 'updateStatus', equals: null }, 'LISTING_UPDATE'],
    [{ field: 'messages', equals: 'Too long' }, 'LISTING_UPDATE'],
    [{ field: 'labels', in: [1, 2] }, 'LOCATION_CREATED'],
    [{ field: 'business', equals: 3 }, 'LOCATION_CREATED'],
    [{ field: 'directoryType', equals: 'GOOGLE' }, 'LISTING_LINK_CHANGE'],
    [{ field: 'newReviewsFound', greater: 0 }, 'LISTING_DATAPOINT_CHECK'],
    [{ field: 'user', exists: false }, 'LOCATION_STATUS_CHANGED'],
    [{ any: [{ all: [failure, { not: failure }] }] }, 'LISTING_UPDATE'],
    [nested(4), 'LISTING_UPDATE'],
  ])('accepts %j of %s', (filter, type) => {
    expect(errorsOf(filter, type)).toEqual([]);
  });

  test.each<[unknown, string, string]>([
    [null, 'filter', 'type'],
    [[failure], 'filter', 'type'],
    [{}, 'filter.field', 'required'],
    [{ field: 'updateResult' }, 'filter', 'operator'],
    [{ field: 'updateResult', is: 'FAILURE' }, 'filter', 'operator'],
    [{ ...failure, in: ['FAILURE'] }, 'filter', 'operator'],
    [{ field: 'updateresult', equals: 'FAILURE' }, 'filter.field', 'known'],
    [{ field: '__proto__', exists: true }, 'filter.field', 'known'],
    [{ field: 3, exists: true }, 'filter.field', 'known'],
    [{ field: 'updateResult', equals: 'BROKEN' }, 'filter.equals', 'value'],
    [{ field: 'updateResult', equals: ['FAILURE'] }, 'filter.equals', 'value'],
    [{ field: 'updateResult', in: 'FAILURE' }, 'filter.in', 'type'],
    [{ field: 'updateResult', in: [] }, 'filter.in', 'type'],
    [{ field: 'location', in: Array.from({ length: 501 }, () => 1) }, 'filter.in', 'type'],
    [{ field: 'updateResult', in: ['FAILURE', 1] }, 'filter.in[1]', 'value'],
    [{ field: 'location', equals: '7' }, 'filter.equals', 'value'],
    [{ field: 'location', greater: '7' }, 'filter.greater', 'type'],
    [{ field: 'location', less: Number.POSITIVE_INFINITY }, 'filter.less', 'type'],
    [{ field: 'updateResult', less: 1 }, 'filter.less', 'operator'],
    [{ field: 'updateResult', exists: 1 }, 'filter.exists', 'type'],
    [{ field: 'messages', equals: '\0' }, 'filter.equals', 'value'],
    [{ field: 'messages', equals: '\ud800' }, 'filter.equals', 'value'],
    [{ all: [] }, 'filter.all', 'type'],
    [{ all: failure }, 'filter.all', 'type'],
    [{ any: [failure, { not: { field: 'nothing', exists: true } }] }, 'filter.any[1].not.field', 'known'],
    [{ all: [failure], any: [failure] }, 'filter', 'exclusive'],
    [nested(5), 'filter.not.not.not.not.not', 'depth'],
    [
      { all: Array.from({ length: 9 }, () => ({ any: Array.from({ length: 6 }, () => failure) })) },
      'filter',
      'maximum',
    ],
  ])('rejects %j with an error of %s (%s)', (filter, field, rule) => {
    expect(errorsOf(filter)).toEqual([[field, rule]]);
  });

  test('requires each field in all types and names the type that lacks it', () => {
    expect(errorsOf(failure, 'LISTING_UPDATE', 'LOCATION_CREATED')).toEqual([['filter.field', 'known']]);
    expect(() => checkFilter(failure, ['LISTING_UPDATE', 'LOCATION_CREATED'])).toThrow(/LOCATION_CREATED/);
    expect(errorsOf({ field: 'location', equals: 7 }, 'LISTING_UPDATE', 'LOCATION_CREATED')).toEqual([]);
  });

  test('stops at the depth limit of a filter with 100,000 levels', () => {
    let deep: unknown = failure;
    for (let level = 0; level < 100_000; level++) deep = { not: deep };
    expect(errorsOf(deep)).toEqual([['filter.not.not.not.not.not', 'depth']]);
  });

  test('lists at most 20 errors', () => {
    expect(errorsOf({ all: Array.from({ length: 40 }, () => ({})) })).toHaveLength(20);
  });
});

test('offers business and labels for events with a location, and the directory for events with a listing', () => {
  expect(Object.keys(filterFields('LOCATION_CREATED'))).toEqual(expect.arrayContaining(['business', 'labels']));
  expect(filterFields('LOCATION_CREATED')).not.toHaveProperty('directoryType');
  expect(filterFields('LISTING_LINK_CHANGE')).toHaveProperty('directoryType');
  expect(filterFields('BUSINESS_CREATED')).not.toHaveProperty('labels');
});

test.each<[Filter, string, string]>([
  [{ field: 'to', equals: 'a"\\b' }, String.raw`($."to" == "a\"\\b")`, String.raw`to is a"\b`],
  [{ field: 'n', in: [1, null, true] }, '($."n" == 1 || $."n" == null || $."n" == true)', 'n is 1 or null or true'],
  [{ field: 'n', exists: true }, '(exists($."n" ? (@ != null)))', 'n is set'],
  [{ field: 'n', exists: false }, '(!exists($."n" ? (@ != null)))', 'n is not set'],
  [{ field: 'n', greater: 0.5 }, '($."n" > 0.5)', 'n is greater than 0.5'],
  [{ field: 'n', less: -1 }, '($."n" < -1)', 'n is less than -1'],
  [{ not: { field: 'n', less: 1 } }, '(!($."n" < 1))', 'not (n is less than 1)'],
  [
    {
      all: [
        { field: 'a', equals: 1 },
        {
          any: [
            { field: 'b', equals: 2 },
            { field: 'c', equals: 3 },
          ],
        },
      ],
    },
    '(($."a" == 1) && (($."b" == 2) || ($."c" == 3)))',
    'a is 1 and (b is 2 or c is 3)',
  ],
  [
    {
      any: [
        { field: 'a', in: [1, 2] },
        { field: 'b', equals: 3 },
      ],
    },
    '(($."a" == 1 || $."a" == 2) || ($."b" == 3))',
    '(a is 1 or 2) or b is 3',
  ],
  [{ all: [{ field: 'a', in: [1, 2] }] }, '(($."a" == 1 || $."a" == 2))', 'a is 1 or 2'],
])('compiles and describes %j', (filter, path, text) => {
  expect(filterPath(filter)).toBe(path);
  expect(filterText(filter)).toBe(text);
});
