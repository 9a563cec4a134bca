import { expect, test } from 'vitest';
import { listingFilters } from './listing-filters.ts';
import { countedFlows, isCounted, syncToneOf, whyNotCompared } from './listing-values.ts';

const listing = {
  syncStatus: 'NOT_FOUND',
  flowStatus: 'SUBMISSION_NEEDED',
  connectStatus: 'NOT_NEEDED',
  lastChecked: '2026-11-15T08:00:00.000Z',
} as const;

test('a listing that is not found on a directory without submissions is no problem', () => {
  expect(syncToneOf(listing)).toBe('bad');
  expect(syncToneOf({ ...listing, flowStatus: 'NOT_SUPPORTED' })).toBe('neutral');
  expect(syncToneOf({ syncStatus: 'NOT_IN_SYNC', flowStatus: 'NOT_SUPPORTED' })).toBe('warning');
});

test.each([
  [{}, 'NOT_FOUND'],
  [{ lastChecked: undefined }, 'NOT_CHECKED'],
  [{ connectStatus: 'NOT_CONNECTED', lastChecked: undefined }, 'NOT_CONNECTED'],
  [{ flowStatus: 'NOT_SUPPORTED' }, 'NOT_SUPPORTED'],
  [{ syncStatus: 'NO_ONLINE_LISTING', lastChecked: undefined }, 'NO_ONLINE_LISTING'],
  [{ syncStatus: 'IN_SYNC' }, 'NOT_CHECKED'],
] as const)('why %j is not compared', (change, reason) => {
  expect(whyNotCompared({ ...listing, ...change })).toBe(reason);
});

test('counts neither duplicates nor listings that are inactive or removed, and filters by the same', () => {
  expect(isCounted({ flowStatus: 'NEEDS_REVIEW' })).toBe(true);
  expect(isCounted({ flowStatus: 'NEEDS_REVIEW', duplicateOf: 7 })).toBe(false);
  expect(isCounted({ flowStatus: 'REMOVED' })).toBe(false);
  expect(countedFlows).not.toContain('INACTIVE');
  expect(listingFilters.query({ flow: ['COUNTED', 'NEEDS_REVIEW'], duplicates: false })).toEqual({
    flowStatus: countedFlows,
    duplicates: false,
  });
  expect(listingFilters.query({ flow: ['REMOVED'] })).toEqual({ flowStatus: ['REMOVED'] });
});
