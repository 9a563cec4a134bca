import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../../test/support/api.ts';
import {
  addBusinessRow,
  addListedLocation,
  foldFigures,
  type InsightListing,
} from '../../../../../test/support/figures.ts';
import { activate, addLocation } from '../../../../../test/support/locations.ts';
import { addUser } from '../../../../../test/support/users.ts';
import type { Listing } from '../../../listings/listing.ts';
import { changeListing, ensureDuplicate, listingsOfLocation } from '../../../listings/listing-store.ts';

let api: TestApi;
let partner: TestPartner;
let businesses: [number, number];
let north: InsightListing;
let south: InsightListing;

async function change(place: InsightListing, type: string, to: Partial<Listing>): Promise<Listing> {
  const listings = await listingsOfLocation(api.database.pool, place.locationId);
  const listing = listings.find(({ directoryType }) => directoryType === type) as Listing;
  await changeListing(api.database.pool, listing.id, to);
  return listing;
}

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
  businesses = [await addBusinessRow(api.database, partner), await addBusinessRow(api.database, partner)];
  north = await addListedLocation(api.database, partner, businesses[0], ['GOOGLE', 'BING']);
  south = await addListedLocation(api.database, partner, businesses[1], ['GOOGLE', 'BING', 'YELP']);
  const inSync = { syncStatus: 'IN_SYNC', flowStatus: 'NO_ACTION_NEEDED', externalId: 'a' } as const;
  const original = await change(north, 'GOOGLE', { ...inSync, matchingFields: 9, comparableFields: 12 });
  await change(north, 'BING', { flowStatus: 'NEEDS_REVIEW', externalId: 'b', matchingFields: 3, comparableFields: 8 });
  await foldFigures(api.database);
  await change(south, 'GOOGLE', { flowStatus: 'WAITING_USER_ACTION', connectStatus: 'CONNECTED' });
  await change(south, 'BING', { flowStatus: 'ALL_INFORMATION_SUBMITTED', matchingFields: 8, comparableFields: 8 });
  await change(south, 'YELP', { flowStatus: 'INACTIVE', externalId: 'y', matchingFields: 5, comparableFields: 9 });
  await api.database.transaction(async (transaction) => {
    for (const externalId of ['copy', 'another']) {
      const duplicate = await ensureDuplicate(transaction, original, { externalId, url: null });
      if (externalId === 'copy') await changeListing(transaction, duplicate.id, { suppressedAt: new Date() });
    }
  });
});
afterAll(() => api.close());

const ask = (path: string, by: { call: TestPartner['call'] } = partner, headers = {}) =>
  by.call('GET', `/api/dashboard/${path}`, undefined, headers);
const get = async (path: string, by?: { call: TestPartner['call'] }, headers = {}) => {
  const { body } = await ask(path, by, headers);
  expect(body, path).toMatchObject({ status: 'SUCCESS' });
  return body.response;
};
const today = new Date().toISOString().slice(0, 10);

const all = {
  countFieldsInSync: 0,
  countListingsInSync: 1,
  countListingsSubmitted: 1,
  countListingsBeingUpdated: 0,
  countListingsLinked: 2,
  countListingsActionRequired: 2,
  countLocationsRequireSync: 2,
  countLocationsNeedsReview: 0,
  directoriesMissingConnect: ['GOOGLE'],
};

describe('listing health', () => {
  test('excludes duplicates and listings outside the plan', async () => {
    expect(await get('listing-health')).toEqual(all);
    expect(await get('listing-health?type=BING')).toMatchObject({
      countListingsInSync: 0,
      countListingsSubmitted: 1,
      countListingsActionRequired: 1,
      directoriesMissingConnect: [],
    });
  });

  test('can be limited to one location', async () => {
    const expected = {
      ...all,
      countListingsSubmitted: 0,
      countListingsActionRequired: 1,
      countLocationsRequireSync: 1,
    };
    expect(await get(`listing-health/${north.locationId}`)).toEqual(expected);
    expect(await get(`listing-health?locationIds=${north.locationId}`)).toEqual(expected);
    expect(await get(`listing-health?businessIds=${businesses[0]}`)).toEqual(expected);
  });

  test('counted the fields in sync before _20210729', async () => {
    const old = { 'x-api-version': '20210728' };
    expect(await get('listing-health', partner, old)).toEqual({ ...all, countFieldsInSync: 9 + 3 + 8 });
    const one = await get(`listing-health/${south.locationId}`, partner, old);
    expect(one.countFieldsInSync).toBe(8);
  });

  test('counts locations that require a sync', async () => {
    const own = await api.addPartner();
    const { id } = await addLocation(own, { autoSync: false });
    const waiting = async () => (await get('listing-health', own)).countLocationsRequireSync;
    expect(await waiting()).toBe(1);
    await activate(api, own, id);
    expect(await waiting()).toBe(0);
    await own.call('PATCH', `/api/locations/${id}`, { descriptionShort: 'Rolls' });
    expect(await waiting()).toBe(1);
    await own.call('PATCH', `/api/locations/${id}`, { autoSync: true });
    expect(await waiting()).toBe(0);
  });
});

test('the visibility index is the share of reachable points', async () => {
  const { history, ...index } = await get(`visibility-index?endDate=${today}`);
  const google = { maxPoints: 12 * 30, pointsReached: 9 * 30 };
  const bing = { maxPoints: 16 * 10, pointsReached: 11 * 10 };
  expect(index).toEqual({
    score: Math.round((100 * (270 + 110)) / (360 + 160)),
    maxPoints: 520,
    pointsReached: 380,
    byDirectory: [
      { directoryType: 'GOOGLE', score: 75, ...google },
      { directoryType: 'BING', score: Math.round((100 * 11) / 16), ...bing },
    ],
    matchedLocationsCount: 2,
  });
  // The first comparison was today.
  expect(history).toEqual([{ period: today, score: 73 }]);
  expect(await get('visibility-index?type=GOOGLE')).toMatchObject({ score: 75, history: [] });
  const one = await get(`visibility-index?locationIds=${south.locationId}&endDate=${today}&group=YEAR`);
  expect(one).toMatchObject({ score: 100, history: [{ period: `${today.slice(0, 4)}-01-01`, score: 100 }] });
});

test('profile completeness is the average of the locations', async () => {
  const own = await api.addPartner();
  expect(await get('profile-completeness', own)).toEqual({
    locationClassificationCounts: { REQUIRED: 0, BASIC: 0, ADVANCED: 0, BONUS: 0 },
    matchedLocationsCount: 0,
  });
  const bare = await addLocation(own, { phone: undefined });
  const plain = await addLocation(own, { businessId: bare.businessId });
  const other = await addLocation(own, { website: 'https://example.com/' });
  const sum = bare.profileCompleteness + plain.profileCompleteness + other.profileCompleteness;
  expect(await get('profile-completeness', own)).toEqual({
    averageProfileCompleteness: Math.round((100 * sum) / 3) / 100,
    locationClassificationCounts: { REQUIRED: 1, BASIC: 2, ADVANCED: 0, BONUS: 0 },
    matchedLocationsCount: 3,
  });
  await own.call('PATCH', `/api/locations/${bare.id}`, { phone: '+49 221 9524300' });
  expect(await get(`profile-completeness?businessIds=${bare.businessId}`, own)).toEqual({
    averageProfileCompleteness: plain.profileCompleteness,
    locationClassificationCounts: { REQUIRED: 0, BASIC: 2, ADVANCED: 0, BONUS: 0 },
    matchedLocationsCount: 2,
  });
  expect(await get(`profile-completeness?locationIds=${other.id}`, own)).toMatchObject({
    averageProfileCompleteness: other.profileCompleteness,
  });
});

test('counts duplicates that directories were asked to remove', async () => {
  const expected = { totalCount: 1, countByDirectory: [{ directoryType: 'GOOGLE', count: 1 }] };
  expect(await get('suppressed-duplicates')).toEqual(expected);
  expect(await get(`suppressed-duplicates?locationIds=${north.locationId}`)).toEqual(expected);
  expect(await get('suppressed-duplicates?type=BING')).toEqual({ totalCount: 0, countByDirectory: [] });
});

test('callers see figures of accessible locations', async () => {
  const manager = await addUser(api, partner, {
    role: 'BUSINESS_MANAGER',
    features: ['DASHBOARD_READ'],
    businessIds: [businesses[1]],
  });
  expect(await get('listing-health', manager)).toMatchObject({ countListingsInSync: 0, countListingsSubmitted: 1 });
  expect(await get('visibility-index', manager)).toMatchObject({ score: 100, matchedLocationsCount: 1 });
  expect(await get('profile-completeness', manager)).toMatchObject({ matchedLocationsCount: 1 });
  expect(await get('suppressed-duplicates', manager)).toMatchObject({ totalCount: 0 });
  expect((await ask(`listing-health/${south.locationId}`, manager)).code).toBe(200);
  const unknown = await ask(`listing-health/${north.locationId}`, manager);
  expect(unknown).toMatchObject({ code: 404, body: { message: `There is no location ${north.locationId}.` } });
  expect(unknown.body).not.toHaveProperty('errors');
  expect((await ask(`visibility-index?businessIds=${businesses[0]}`, manager)).code).toBe(404);
  const stranger = await api.addPartner();
  expect((await ask(`listing-health/${north.locationId}`, stranger)).code).toBe(404);
  expect(await get('listing-health', stranger)).toMatchObject({
    countListingsLinked: 0,
    countLocationsRequireSync: 0,
  });
  const inboxOnly = await addUser(api, partner, { role: 'ACCOUNT_MANAGER', features: ['INBOX_READ'] });
  expect((await ask('visibility-index', inboxOnly)).code).toBe(403);
});

test.each([
  'visibility-index?startDate=2026-02-02&endDate=2026-02-01',
  'listing-health?type=FAX',
  'listing-health/none',
])('rejects %s', async (path) => {
  expect((await ask(path)).code).toBe(400);
});

test.each([
  'customer-feedback',
  'customer-feedback/by-period',
  'customer-feedback/keywords',
  'review-response-time',
  'insights-data',
  'insights-data/warnings',
  'data-availability',
  'search-keywords',
  'listing-health',
  'listing-health/999999999',
  'visibility-index',
  'suppressed-duplicates',
])('%s rejects an unknown directory before it looks up the locations', async (path) => {
  const { code, body } = await ask(`${path}?type=FAX&locationIds=999999999`);
  expect({ code, errors: body.errors }).toMatchObject({ code: 400, errors: [{ field: 'type' }] });
});

test.each([
  ['customer-feedback', 'group'],
  ['customer-feedback/by-period', undefined],
  ['customer-feedback/keywords', 'group'],
  ['review-response-time', undefined],
  ['insights-data', undefined],
  ['insights-data/warnings', 'startDate, endDate, group'],
  ['data-availability', 'group'],
  ['search-keywords', 'group'],
  ['listing-health', 'startDate, endDate, group'],
  ['profile-completeness', 'type, startDate, endDate, group'],
  ['visibility-index', undefined],
  ['suppressed-duplicates', 'startDate, endDate, group'],
  ['listing-health/LOCATION', 'businessIds, locationIds, labels, textFilter, startDate, endDate, group'],
])('%s accepts the query of all figures', async (path, unused) => {
  const scope = `businessIds=${businesses[0]}&locationIds=${north.locationId}&labels=none&textFilter=x`;
  const query = `${scope}&type=GOOGLE&startDate=2026-10-01&endDate=2026-10-31&group=WEEK`;
  const { code, body } = await partner.call(
    'GET',
    `/api/dashboard/${path.replace('LOCATION', String(north.locationId))}?${query}`,
  );
  expect(code).toBe(200);
  expect(body.warnings).toEqual(unused && [`These parameters have no effect on this figure: ${unused}.`]);
});
