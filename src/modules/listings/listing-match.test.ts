import { describe, expect, test } from 'vitest';
import type { DirectoryListing, ListingProfile } from '../directories/connector.ts';
import { chooseListing, matchProfiles } from './listing-match.ts';

const shop: ListingProfile = {
  name: 'Bäckerei Lindner GmbH',
  street: 'Venloer Straße',
  streetNo: '241',
  zip: '50823',
  city: 'Köln',
  country: 'DE',
  phone: '+4922198765432',
  website: 'https://lindner.example',
};

const page = (externalId: string, change: Partial<ListingProfile> = {}, more: Partial<DirectoryListing> = {}) =>
  ({
    externalId,
    url: `https://d.example/${externalId}`,
    profile: { ...shop, ...change },
    claim: 'CLAIMABLE',
    ...more,
  }) as DirectoryListing;

const not = { held: false };

describe('matching a directory listing with a location', () => {
  test.each([
    ['when it is written in another way', { name: 'Baeckerei Lindner', street: 'Venloer Str. 241', streetNo: '' }],
    ['when only the phone differs', { phone: '+492211111111' }],
    ['when it was renamed, and address and phone are the same', { name: 'Cafe Sonnenschein' }],
    ['when it moved within its area and kept name and phone', { street: 'Subbelrather Straße', streetNo: '12' }],
  ])('%s', (_case, change) => {
    expect(matchProfiles(shop, { ...shop, ...change }).sure).toBe(true);
  });

  test.each([
    ['not when it is another branch of the chain', { street: 'Hohe Straße', streetNo: '1', zip: '50667' }],
    ['not in another city', { street: 'Ring', streetNo: '1', zip: '53111', city: 'Bonn' }],
    ['not in another country', { country: 'AT' }],
    [
      'not by the address alone',
      { name: 'Friseur Schnittpunkt', phone: '+492212222222', website: 'https://s.example' },
    ],
    ['not by the name alone', { street: 'Ring', streetNo: '9', phone: '+492212222222' }],
  ])('%s', (_case, change) => {
    expect(matchProfiles(shop, { ...shop, ...change }).sure).toBe(false);
  });

  test('compares names that are only legal forms', () => {
    const spa = { name: 'Spa' };
    expect(matchProfiles(spa, spa).sure).toBe(true);
    expect(matchProfiles(spa, { name: 'Limited' }).sure).toBe(false);
  });

  test('matches by name and phone without an address', () => {
    expect(matchProfiles(shop, { name: shop.name, phone: '0221 98765432' }).sure).toBe(true);
    expect(matchProfiles(shop, { name: shop.name, website: 'https://lindner.example' }).sure).toBe(false);
  });

  test('matches a search result that shows only the name', () => {
    expect(matchProfiles(shop, { name: 'Baeckerei Lindner' }).sure).toBe(true);
    const bare = { ...page('bare'), profile: { name: shop.name } };
    expect(chooseListing(shop, undefined, [bare, { ...bare, externalId: 'other' }], not)).toMatchObject({
      match: bare,
      duplicates: [],
    });
    expect(chooseListing(shop, undefined, [{ ...bare, pending: true }], not).match).toBeUndefined();
  });
});

describe('the chosen directory listing', () => {
  test('is the best match, or undefined without a match', () => {
    const far = page('far', { street: 'Ring', streetNo: '1', zip: '53111', city: 'Bonn' });
    const good = page('good', { phone: '+492211111111' });
    expect(chooseListing(shop, undefined, [far, good, page('best')], not).match?.externalId).toBe('best');
    expect(chooseListing(shop, undefined, [far], not)).toMatchObject({ match: undefined, duplicates: [] });
  });

  test('prefers listings claimed by us, then originals', () => {
    const mine = page('mine', { phone: '+492211111111' }, { claim: 'CLAIMED_BY_US' });
    expect(chooseListing(shop, undefined, [page('best'), mine], not).match?.externalId).toBe('mine');
    const copy = page('copy', {}, { duplicateOf: 'good' });
    expect(
      chooseListing(shop, undefined, [copy, page('good', { phone: '+492211111111' })], not).match?.externalId,
    ).toBe('good');
  });

  test('is the linked one unless another is clearly better', () => {
    const linked = page('linked', { website: 'https://other.example' });
    expect(chooseListing(shop, linked, [page('best'), linked], not).match?.externalId).toBe('linked');
    const poor = page('poor', { phone: '+492211111111', website: 'https://other.example' });
    expect(chooseListing(shop, poor, [page('best'), poor], not).match?.externalId).toBe('best');
  });

  test('is the linked one if it is ours or chosen by a user', () => {
    const poor = page('poor', { name: 'Other', street: 'Ring', phone: '+492211111111' });
    expect(chooseListing(shop, poor, [page('best')], { held: true }).match?.externalId).toBe('poor');
    const ours = { ...poor, claim: 'CLAIMED_BY_US' as const };
    expect(chooseListing(shop, ours, [page('best')], not).match?.externalId).toBe('poor');
  });

  test('is the linked one if no better match exists', () => {
    const drifted = page('drifted', { name: 'Other', street: 'Ring', phone: '+492211111111' });
    expect(chooseListing(shop, drifted, [], not).match?.externalId).toBe('drifted');
  });
});

test('returns other matches and copies marked by the directory as duplicates', () => {
  const strange = page('strange', { name: 'Other', street: 'Ring', phone: '+492211111111' }, { duplicateOf: 'best' });
  const branch = page('branch', { street: 'Ring', streetNo: '1', zip: '53111', city: 'Bonn' });
  const copy = page('copy', { phone: '+492211111111' });
  const { duplicates } = chooseListing(shop, page('best'), [page('best'), copy, strange, branch], not);
  expect(duplicates.map(({ externalId }) => externalId)).toEqual(['copy', 'strange']);
});

describe('a listing that another location matches', () => {
  const bistro: ListingProfile = { ...shop, name: 'Bistro in der Bäckerei Lindner' };
  const ours = page('ours', {}, { claim: 'CLAIMED_BY_US' });
  const other = (profile: ListingProfile, isLinked = false) => ({ others: [{ profile, isLinked }] });
  const idsOf = (duplicates: readonly DirectoryListing[]) => duplicates.map(({ externalId }) => externalId);

  test('better is not linked and not a duplicate', () => {
    const theirs = page('theirs', bistro, { claim: 'CLAIMED_BY_US' });
    const { duplicates, elsewhere } = chooseListing(shop, ours, [ours, theirs], other(bistro, true));
    expect([duplicates, [...elsewhere]]).toEqual([[], ['theirs']]);
    expect(chooseListing(shop, undefined, [theirs], other(bistro)).match).toBeUndefined();
    expect(chooseListing(shop, undefined, [theirs]).match).toBe(theirs);
  });

  test('by name is not preferred to one that matches the street', () => {
    const shown = page('shown', { name: 'Lindner Brot und Kuchen' });
    const branch = { ...shop, name: 'Lindner Brot und Kuchen', street: 'Ring', streetNo: '1' };
    expect(chooseListing(shop, undefined, [shown], other(branch)).match).toBe(shown);
  });

  test('equally can be linked by both, and is a duplicate if the other location is linked', () => {
    const twin = page('twin', {}, { claim: 'CLAIMED_BY_US' });
    expect(chooseListing(shop, undefined, [twin], other(shop)).match).toBe(twin);
    expect(chooseListing(shop, ours, [ours, twin], other(shop)).duplicates).toEqual([]);
    expect(chooseListing(shop, ours, [ours, twin], other(shop, true)).duplicates).toEqual([
      { ...twin, removable: false },
    ]);
  });

  test('better only by phone or website can be linked, and is not a duplicate', () => {
    const moved = { ...shop, phone: '+492211111111' };
    expect(chooseListing(shop, undefined, [page('phone', moved)], other(moved)).match?.externalId).toBe('phone');
    const renewed = { ...shop, website: 'https://shown.example' };
    expect(chooseListing(shop, undefined, [page('website', renewed)], other(renewed)).match?.externalId).toBe(
      'website',
    );
    expect(chooseListing(shop, ours, [ours, page('phone', moved)], other(moved)).duplicates).toEqual([]);
  });

  test('worse is a duplicate', () => {
    const copy = page('copy');
    expect(idsOf(chooseListing(shop, ours, [ours, copy], other(bistro)).duplicates)).toEqual(['copy']);
  });
});

describe('a duplicate', () => {
  const kept = (change: Partial<ListingProfile> = {}, claim: DirectoryListing['claim'] = 'CLAIMED_BY_US') =>
    page('kept', change, { claim });
  const copyOf = { duplicateOf: 'kept' };
  const claimed = { claim: 'CLAIMED_BY_US' } as const;

  test.each([
    ['that the directory marks as a copy', true, kept(), page('copy', { name: 'Lindner' }, copyOf)],
    ['of ours with the same name, address and phone', true, kept(), page('same', {}, claimed)],
    ['of ours with another name', false, kept(), page('other', { name: 'Bäckerei Lindner Backstube' }, claimed)],
    ['of ours with another phone', false, kept(), page('other', { phone: '+492211111111' }, claimed)],
    [
      'of ours on another floor',
      false,
      kept({ addressExtra: 'EG' }),
      page('other', { addressExtra: '1. OG' }, claimed),
    ],
    ['without a mark', false, kept(), page('free')],
    ['of another owner', false, kept(), page('others', {}, { ...copyOf, claim: 'CLAIMED_BY_OTHERS' })],
    ['of a listing that is not ours', false, kept({}, 'CLAIMABLE'), page('same', {}, claimed)],
    ['of a listing that does not match', false, kept({ name: 'X', street: 'Ring' }), page('same', {}, claimed)],
  ])('%s: removable %s', (_case, removable, linked, duplicate) => {
    const expected = { ...shop, ...(linked.profile.addressExtra && { addressExtra: linked.profile.addressExtra }) };
    expect(chooseListing(expected, linked, [linked, duplicate], { held: true }).duplicates).toMatchObject([
      { externalId: duplicate.externalId, removable },
    ]);
  });
});
