import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi } from '../../../test/support/api.ts';
import { addLocation, exampleLocation } from '../../../test/support/locations.ts';
import { listingProfileOf } from './listing-profile.ts';
import type { Location } from './location.ts';
import { findLocation, findLocations } from './location-store.ts';

let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
});
afterAll(() => api.close());

test('maps a location with category names and the main photo first', async () => {
  const partner = await api.addPartner();
  const { id } = await addLocation(partner, {
    descriptionShort: 'Bread since 1911',
    openingHours: [{ dayOfWeek: 1, from1: '8:00', to1: '18:00' }],
    photos: [{ url: 'https://example.com/oven.jpg' }, { url: 'https://example.com/front.jpg', type: 'MAIN' }],
    customFields: [{ name: 'Region', value: 'West' }],
    labels: ['West'],
  });
  const location = (await findLocation(api.database.pool, partner.partner.id, id)) as Location;
  const { phone: _, categories: __, ...address } = exampleLocation;
  expect(listingProfileOf(location)).toEqual({
    ...address,
    phone: '+492219524300',
    addressDisplay: true,
    temporarilyClosed: false,
    descriptionShort: 'Bread since 1911',
    categories: ['Bakery'],
    openingHours: [{ dayOfWeek: 1, from1: '08:00', to1: '18:00' }],
    photos: ['https://example.com/front.jpg', 'https://example.com/oven.jpg'],
  });
});

test('finds only locations of the partner, in the order of their ids', async () => {
  const [partner, stranger] = [await api.addPartner(), await api.addPartner()];
  const [one, two] = [await addLocation(partner), await addLocation(partner)];
  const { pool } = api.database;
  expect(await findLocation(pool, stranger.partner.id, one.id)).toBeUndefined();
  expect(await findLocations(pool, stranger.partner.id, [one.id, two.id])).toEqual([]);
  const found = await findLocations(pool, partner.partner.id, [two.id, one.id]);
  expect(found.map(({ id }) => id)).toEqual([one.id, two.id]);
});
