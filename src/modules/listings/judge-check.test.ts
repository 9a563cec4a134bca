import { expect, test } from 'vitest';
import { type Directory, type DirectoryListing, findDirectory } from '../directories/index.ts';
import { judgeCheck } from './judge-check.ts';
import type { Listing } from './listing.ts';

test('compares special opening hours from the current day of the location', () => {
  const days = ['2026-11-15', '2026-11-16', '2026-11-17'];
  const profile = { name: 'Shop', specialOpeningHours: days.map((date) => ({ date, closed: true })) };
  const linked: DirectoryListing = {
    externalId: 'p1',
    profile: { name: 'Shop', specialOpeningHours: [{ date: '2026-11-17', closed: true }] },
    claim: 'CLAIMED_BY_US',
  };
  const listing = { externalId: 'p1', fields: {}, submitted: null, unlinkedPages: [] as string[] } as Listing;
  const statusIn = (timeZone: string | null) =>
    judgeCheck(
      { kind: 'read', linked, candidates: [linked] },
      {
        listing,
        location: { status: 'ACTIVE', revision: 1, timeZone },
        profile,
        directory: findDirectory('GOOGLE') as Directory,
        covered: true,
        linkedElsewhere: new Set(),
        otherLocations: [],
        now: new Date('2026-11-16T23:00:00Z'),
      },
    ).fields.specialOpeningHours?.status;
  expect([statusIn('Pacific/Auckland'), statusIn(null), statusIn('America/New_York')]).toEqual([
    'MATCH',
    'MISMATCH',
    'MISMATCH',
  ]);
});
