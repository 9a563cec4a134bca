import { describe, expect, test } from 'vitest';
import type { DirectoryListing, ListingProfile } from '../directories/connector.ts';
import { choosePage, matchOf } from './page-match.ts';

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

describe('a page is about a location', () => {
  test.each([
    ['when it is written in another way', { name: 'Baeckerei Lindner', street: 'Venloer Str. 241', streetNo: '' }],
    ['when only the phone differs', { phone: '+492211111111' }],
    ['when it was renamed, and address and phone are the same', { name: 'Cafe Sonnenschein' }],
    ['when it moved within its area and kept name and phone', { street: 'Subbelrather Straße', streetNo: '12' }],
  ])('%s', (_case, change) => {
    expect(matchOf(shop, { ...shop, ...change }).sure).toBe(true);
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
    expect(matchOf(shop, { ...shop, ...change }).sure).toBe(false);
  });

  test('without an address by name and phone', () => {
    expect(matchOf(shop, { name: shop.name, phone: '0221 98765432' }).sure).toBe(true);
    expect(matchOf(shop, { name: shop.name, website: 'https://lindner.example' }).sure).toBe(false);
  });

  test('when it says nothing but the name, because the directory says so', () => {
    expect(matchOf(shop, { name: 'Baeckerei Lindner' }).sure).toBe(true);
    const bare = { ...page('bare'), profile: { name: shop.name } };
    expect(choosePage(shop, undefined, [bare, { ...bare, externalId: 'other' }], not)).toEqual({
      page: bare,
      duplicates: [],
    });
    expect(choosePage(shop, undefined, [{ ...bare, pending: true }], not).page).toBeUndefined();
  });
});

describe('the page that a listing points to', () => {
  test('is the best that is sure, and none when none is', () => {
    const far = page('far', { street: 'Ring', streetNo: '1', zip: '53111', city: 'Bonn' });
    const good = page('good', { phone: '+492211111111' });
    expect(choosePage(shop, undefined, [far, good, page('best')], not).page?.externalId).toBe('best');
    expect(choosePage(shop, undefined, [far], not)).toEqual({ page: undefined, duplicates: [] });
  });

  test('is ours before it is like, and the original before its duplicate', () => {
    const mine = page('mine', { phone: '+492211111111' }, { claim: 'CLAIMED_BY_US' });
    expect(choosePage(shop, undefined, [page('best'), mine], not).page?.externalId).toBe('mine');
    const copy = page('copy', {}, { duplicateOf: 'good' });
    expect(choosePage(shop, undefined, [copy, page('good', { phone: '+492211111111' })], not).page?.externalId).toBe(
      'good',
    );
  });

  test('stays unless another one is clearly better', () => {
    const linked = page('linked', { website: 'https://other.example' });
    expect(choosePage(shop, linked, [page('best'), linked], not).page?.externalId).toBe('linked');
    const poor = page('poor', { phone: '+492211111111', website: 'https://other.example' });
    expect(choosePage(shop, poor, [page('best'), poor], not).page?.externalId).toBe('best');
  });

  test('stays when it is ours or when a person chose it, however poor', () => {
    const poor = page('poor', { name: 'Other', street: 'Ring', phone: '+492211111111' });
    expect(choosePage(shop, poor, [page('best')], { held: true }).page?.externalId).toBe('poor');
    const ours = { ...poor, claim: 'CLAIMED_BY_US' as const };
    expect(choosePage(shop, ours, [page('best')], not).page?.externalId).toBe('poor');
  });

  test('stays when it no longer resembles the location and nothing better is there', () => {
    const drifted = page('drifted', { name: 'Other', street: 'Ring', phone: '+492211111111' });
    expect(choosePage(shop, drifted, [], not).page?.externalId).toBe('drifted');
  });
});

test('other pages about the location are duplicates, also those that only the directory takes for one', () => {
  const strange = page('strange', { name: 'Other', street: 'Ring', phone: '+492211111111' }, { duplicateOf: 'best' });
  const branch = page('branch', { street: 'Ring', streetNo: '1', zip: '53111', city: 'Bonn' });
  const copy = page('copy', { phone: '+492211111111' });
  const { duplicates } = choosePage(shop, page('best'), [page('best'), copy, strange, branch], not);
  expect(duplicates.map(({ externalId }) => externalId)).toEqual(['copy', 'strange']);
});
