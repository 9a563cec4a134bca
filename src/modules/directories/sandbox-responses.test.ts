import { expect, test } from 'vitest';
import { readCounts, readKeywordList } from './sandbox-responses.ts';

const count = { metric: 'CALL_CLICKS', day: '2026-03-01', count: 5 };
const keyword = { keyword: 'bakery', month: '2026-03', impressions: 7 };

test.each([
  ['counts', readCounts, count, { ...count, count: -1 }],
  ['keywords', readKeywordList, keyword, { ...keyword, month: 'March' }],
] as const)('an invalid entry does not make the other %s invalid', (name, read, valid, invalid) => {
  expect(read({ [name]: [valid, invalid, null] })).toEqual([valid]);
  expect(read({ [name]: [] })).toEqual([]);
  expect(read({ [name]: [invalid] })).toBeUndefined();
  expect(read({ [name]: 'none' })).toBeUndefined();
});
