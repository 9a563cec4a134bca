import { expect, test } from 'vitest';
import { stepOf } from './use-search-change.ts';

test.each([
  ['opening a record', {}, { open: 3 }, 'opened'],
  ['opening a drawer of a filtered list', { sync: ['IN_SYNC'], offset: 50 }, { listing: 3, offset: 50 }, 'opened'],
  ['another view', {}, { view: 'map' }, 'place'],
  ['the first tab again', { tab: 'listings' }, { tab: undefined }, 'place'],
  ['another tab, out of a drawer', { delivery: 'a' }, { delivery: undefined, tab: 'signature' }, 'place'],
  ['a folder in a folder', { folder: 1 }, { folder: 2, query: undefined }, 'place'],
  ['a filter', { open: 3 }, { query: 'bakery' }, 'same'],
  ['the same view', { view: 'map' }, { view: 'map', query: 'bakery' }, 'same'],
  ['the next record', { open: 3 }, { open: 4 }, 'same'],
  ['closing', { open: 3 }, { open: undefined }, 'closed'],
  ['closing on a later page', { listing: 3, offset: 50 }, { listing: undefined, offset: 50 }, 'closed'],
  ['closing and filtering', { open: 3 }, { open: undefined, query: 'bakery' }, 'same'],
])('%s', (_what, before, change, step) => {
  expect(stepOf(before, change, true)).toBe(step);
});

test('closes a drawer from the initial URL with replace', () => {
  expect(stepOf({ listing: 3 }, { listing: undefined }, false)).toBe('same');
});
