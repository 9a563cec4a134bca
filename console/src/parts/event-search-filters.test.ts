import { expect, test } from 'vitest';
import { fieldFilter } from './event-search-filters.ts';

test.each([
  ['updateResult=FAILURE', { field: 'updateResult', in: ['FAILURE'] }],
  [' updateResult = FAILURE, UNDEFINED ', { field: 'updateResult', in: ['FAILURE', 'UNDEFINED'] }],
  ['rating=5', { field: 'rating', in: [5] }],
  ['hasText=true', { field: 'hasText', in: [true] }],
  ['zip="50667"', { field: 'zip', in: ['50667'] }],
  ['comment=a=b', { field: 'comment', in: ['a=b'] }],
])('reads %j as a filter', (typed, filter) => {
  expect(JSON.parse(fieldFilter(typed) ?? '')).toEqual(filter);
});

test.each([undefined, '', 'updateResult', 'updateResult=', '=FAILURE', 'updateResult= , '])(
  'ignores %j, which is not complete',
  (typed) => {
    expect(fieldFilter(typed)).toBeUndefined();
  },
);
