import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { activate, addBusiness, addLocation } from '../../../test/support/locations.ts';
import { addRatings, claimDueForCheck, setListingFigures } from './location-figures.ts';

let api: TestApi;
let partner: TestPartner;
let businessId: number;

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
  businessId = (await addBusiness(partner)).id;
});
afterAll(() => api.close());

const read = async (id: number) => (await partner.call('GET', `/api/locations/${id}`)).body.response;

test('stores figures of listings and datapoints without recording a change', async () => {
  const location = await addLocation(partner, { businessId });
  const { pool } = api.database;
  await setListingFigures(pool, location.id, { listingsCount: 12, listingsInSync: 9, visibilityIndex: 76 });
  await addRatings(pool, location.id, { dataPoints: 3, ratings: 2, ratingSum: 9.5 });
  await addRatings(pool, location.id, { dataPoints: 1, ratings: 1, ratingSum: 1 });
  expect(await read(location.id)).toEqual({
    ...location,
    listings: 12,
    listingsInSync: 9,
    visibilityIndex: 76,
    dataPoints: 4,
    averageRating: 3.5,
  });
  await addRatings(pool, location.id, { dataPoints: -4, ratings: -3, ratingSum: -10.5 });
  expect(await read(location.id)).not.toHaveProperty('averageRating');
});

test('counts concurrently added ratings', async () => {
  const { id } = await addLocation(partner, { businessId });
  const one = { dataPoints: 1, ratings: 1, ratingSum: 4 };
  await Promise.all(Array.from({ length: 10 }, () => addRatings(api.database.pool, id, one)));
  expect(await read(id)).toMatchObject({ dataPoints: 10, averageRating: 4 });
});

test('is due after a sync, for one claimant, and again after the interval', async () => {
  const created = await addLocation(partner, { businessId });
  const ids: number[] = [];
  for (let n = 0; n < 6; n++) {
    const { id } = await addLocation(partner, { businessId });
    await activate(api, partner, id);
    ids.push(id);
  }
  const ask = () => claimDueForCheck(api.database.pool, { limit: 4, intervalSeconds: 86_400 });
  expect(await ask()).toEqual([]);
  await api.database.pool.query('update locations set next_check_at = now() where id = any ($1)', [
    [...ids, created.id],
  ]);
  const taken = (await Promise.all([ask(), ask(), ask()])).flat();
  expect(taken.map(({ id }) => id).sort()).toEqual(ids);
  expect(taken[0]).toMatchObject({ partnerId: partner.partner.id, partnerIdentifier: partner.partner.identifier });
  expect(await ask()).toEqual([]);
});
