import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../../test/support/api.ts';
import {
  addBusinessRow,
  addDailyCounts,
  addListedLocation,
  dayAfter,
  foldFigures,
  type InsightListing,
} from '../../../../../test/support/figures.ts';
import { addUser } from '../../../../../test/support/users.ts';
import { changeListing, listingsOfLocation } from '../../../listings/listing-store.ts';
import { replaceKeywords } from '../../insights/insight-store.ts';

let api: TestApi;
let partner: TestPartner;
let businesses: [number, number];
let north: InsightListing;
let south: InsightListing;
let east: InsightListing;

const search = (place: InsightListing, month: string, words: Record<string, number>) =>
  api.database.transaction((transaction) =>
    replaceKeywords(
      transaction,
      place,
      Object.entries(words).map(([keyword, impressions]) => ({ month, keyword, impressions })),
    ),
  );

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
  businesses = [await addBusinessRow(api.database, partner), await addBusinessRow(api.database, partner)];
  north = await addListedLocation(api.database, partner, businesses[0], ['GOOGLE', 'FACEBOOK', 'BING']);
  south = await addListedLocation(api.database, partner, businesses[0]);
  east = await addListedLocation(api.database, partner, businesses[1]);
  await addDailyCounts(api.database, north, 'CALL_CLICKS', '2026-03-01', [1, 2, 3]);
  await addDailyCounts(api.database, north, 'WEBSITE_CLICKS', '2026-03-02', [10]);
  await foldFigures(api.database);
  await addDailyCounts(api.database, south, 'CALL_CLICKS', '2026-02-28', [20, 40]);
  await addDailyCounts(api.database, east, 'CALL_CLICKS', '2026-03-03', [100]);
  await search(north, '2026-02', { bakery: 7, rolls: 3 });
  await search(north, '2026-03', { bakery: 10, cake: 1 });
  await search(south, '2026-03', { bakery: 5, rolls: 30 });
  await search(east, '2026-03', { rolls: 2 });
});
afterAll(() => api.close());

const ask = (path: string, by: { call: TestPartner['call'] } = partner) => by.call('GET', `/api/dashboard/${path}`);
const response = async (path: string, by?: { call: TestPartner['call'] }) => {
  const { code, body } = await ask(path, by);
  expect(body, path).toMatchObject({ status: 'SUCCESS' });
  expect(code).toBe(200);
  return body.response;
};
const march = 'startDate=2026-03-01&endDate=2026-03-03';

describe('insights', () => {
  test('are returned by day and metric, including days without data', async () => {
    expect(await response(`insights-data?type=GOOGLE&${march}&metrics=CALL_CLICKS,WEBSITE_CLICKS`)).toEqual({
      metrics: [
        {
          name: 'CALL_CLICKS',
          data: [
            { period: '2026-03-01', count: 41 },
            { period: '2026-03-02', count: 2 },
            { period: '2026-03-03', count: 103 },
          ],
        },
        {
          name: 'WEBSITE_CLICKS',
          data: [
            { period: '2026-03-01', count: 0 },
            { period: '2026-03-02', count: 10 },
            { period: '2026-03-03', count: 0 },
          ],
        },
      ],
      matchedLocationsCount: 3,
    });
  });

  test.each([
    ['WEEK', { '2026-02-23': 61, '2026-03-02': 105 }],
    ['MONTH', { '2026-02-01': 20, '2026-03-01': 146 }],
    ['YEAR', { '2026-01-01': 166 }],
  ])('are counted by %s', async (group, expected) => {
    const query = `startDate=2026-02-28&endDate=2026-03-03&metrics=CALL_CLICKS&group=${group}`;
    const { metrics } = await response(`insights-data?type=google&${query}`);
    const data: { period: string; count: number }[] = metrics[0].data;
    expect(Object.fromEntries(data.map(({ period, count }) => [period, count]))).toEqual(expected);
  });

  test('are limited to the given businesses and locations', async () => {
    const total = async (query: string, by?: { call: TestPartner['call'] }) => {
      const path = `insights-data?type=GOOGLE&${march}&metrics=CALL_CLICKS&group=YEAR&${query}`;
      const { metrics, matchedLocationsCount } = await response(path, by);
      return [metrics[0].data[0].count, matchedLocationsCount];
    };
    expect(await total(`businessIds=${businesses[0]}`)).toEqual([46, 2]);
    expect(await total(`businessIds=${businesses.join()}`)).toEqual([146, 3]);
    expect(await total(`locationIds=${south.locationId},${east.locationId}`)).toEqual([140, 2]);
    const manager = await addUser(api, partner, {
      role: 'BUSINESS_MANAGER',
      features: ['DASHBOARD_READ'],
      businessIds: [businesses[1]],
      locationIds: [north.locationId],
    });
    expect(await total('', manager)).toEqual([106, 2]);
    expect((await ask(`insights-data?type=GOOGLE&locationIds=${south.locationId}`, manager)).code).toBe(404);
    const stranger = await api.addPartner();
    expect(await total('', stranger)).toEqual([0, 0]);
    expect((await ask(`insights-data?type=GOOGLE&businessIds=${businesses[0]}`, stranger)).code).toBe(404);
  });

  test.each([
    ['insights-data', 'type', 'required'],
    ['insights-data?type=FAX', 'type', 'enum'],
    ['insights-data?type=WAZE', 'type', 'enum'],
    ['insights-data?type=GOOGLE&metrics=PAGE_VIEWS', 'metrics', 'enum'],
    ['insights-data?type=GOOGLE&group=HOUR', 'group', 'enum'],
    ['insights-data?type=GOOGLE&startDate=2026-03-02&endDate=2026-03-01', 'endDate', 'order'],
    ['insights-data?type=GOOGLE&startDate=2020-03-02&endDate=2026-03-01', 'startDate', 'maximum'],
    ['search-keywords?type=BING', 'type', 'enum'],
    ['data-availability?type=WAZE', 'type', 'enum'],
  ])('rejects %s because of %s', async (path, field, rule) => {
    const { code, body } = await ask(path);
    expect(code).toBe(400);
    expect(body.errors).toMatchObject([{ field, rule }]);
  });

  test('the error for an unknown metric lists the metrics of the directory', async () => {
    const { body } = await ask('insights-data?type=FACEBOOK&metrics=CALL_CLICKS');
    expect(body.message).toBe(
      'metrics must contain only metrics of FACEBOOK: PAGE_IMPRESSIONS, PAGE_CONSUMPTIONS. CALL_CLICKS is not supported.',
    );
  });

  test('require the feature DASHBOARD_READ', async () => {
    const user = await addUser(api, partner, { role: 'ACCOUNT_MANAGER', features: ['INBOX_READ'] });
    for (const path of [
      'insights-data?type=GOOGLE',
      'data-availability',
      'search-keywords',
      'insights-data/warnings',
    ]) {
      expect((await ask(path, user)).code).toBe(403);
    }
  });
});

test('data availability contains the first and last day with data', async () => {
  const google = {
    directoryType: 'GOOGLE',
    availableFrom: '2026-02-28',
    availableUntil: '2026-03-03',
    countedUntil: '2026-03-03',
  };
  expect(await response('data-availability')).toEqual({ availableUntil: '2026-03-03', byDirectory: [google] });
  expect(await response('data-availability?type=BING')).toEqual({ byDirectory: [] });
  expect(await response(`data-availability?locationIds=${north.locationId}`)).toEqual({
    availableUntil: '2026-03-03',
    byDirectory: [{ ...google, availableFrom: '2026-03-01', countedUntil: '2026-03-02' }],
  });
  expect(await response(`data-availability?businessIds=${businesses[1]}`)).toMatchObject({
    byDirectory: [{ availableFrom: '2026-03-03' }],
  });
});

test('data availability contains the counted days of a span and the preceding days', async () => {
  const { byDirectory } = await response('data-availability?startDate=2026-03-03&endDate=2026-03-05');
  expect(byDirectory).toMatchObject([
    {
      counted: { startDate: '2026-03-03', endDate: '2026-03-03' },
      compared: { startDate: '2026-02-28', endDate: '2026-02-28' },
    },
  ]);
});

test('search keywords are compared with preceding months, most impressions first', async () => {
  expect(await response(`search-keywords?${march}`)).toEqual({
    keywords: [
      { keyword: 'rolls', impressions: { current: 32, previous: 3 }, locationsCount: 2 },
      { keyword: 'bakery', impressions: { current: 15, previous: 7 }, locationsCount: 2 },
      { keyword: 'cake', impressions: { current: 1, previous: 0 }, locationsCount: 1 },
    ],
    keywordsCount: 3,
    totalImpressions: { current: 48, previous: 10 },
    months: ['2026-03'],
    matchedLocationsCount: 3,
  });
  const both = await response(
    `search-keywords?startDate=2026-02-10&endDate=2026-03-03&max=1&businessIds=${businesses[0]}`,
  );
  expect(both).toMatchObject({
    keywords: [{ keyword: 'rolls', impressions: { current: 33, previous: 0 }, locationsCount: 1 }],
    keywordsCount: 3,
    months: ['2026-02', '2026-03'],
  });
  expect((await response(`search-keywords?${march}&locationIds=${east.locationId}`)).keywords).toEqual([
    { keyword: 'rolls', impressions: { current: 2, previous: 0 }, locationsCount: 1 },
  ]);
});

test('figures move with a location and disappear with a deleted one', async () => {
  const own = await api.addPartner();
  const [from, to] = [await addBusinessRow(api.database, own), await addBusinessRow(api.database, own)];
  const place = await addListedLocation(api.database, own, from);
  await addDailyCounts(api.database, place, 'CALL_CLICKS', '2026-03-01', [5]);
  await search(place, '2026-03', { rolls: 4 });
  const figures = async (query: string) => {
    const { metrics } = await response(
      `insights-data?type=GOOGLE&${march}&group=YEAR&metrics=CALL_CLICKS&${query}`,
      own,
    );
    const { totalImpressions } = await response(`search-keywords?${march}&${query}`, own);
    return [metrics[0].data[0].count, totalImpressions.current];
  };
  const path = `/api/locations/${place.locationId}`;
  const { body } = await own.call('PATCH', path, { businessId: to });
  expect(body).toMatchObject({ status: 'SUCCESS' });
  expect(await figures(`businessIds=${from}`)).toEqual([0, 0]);
  expect(await figures(`businessIds=${to}`)).toEqual([5, 4]);
  expect(await figures('')).toEqual([5, 4]);

  const yesterday = dayAfter(new Date().toISOString().slice(0, 10), -1);
  await api.database.pool.query(`update locations set status = 'INACTIVE', end_date = $2 where id = $1`, [
    place.locationId,
    yesterday,
  ]);
  expect((await own.call('DELETE', path)).code).toBe(200);
  expect(await figures('')).toEqual([0, 0]);
  expect(await figures(`businessIds=${to}`)).toEqual([0, 0]);
  await addDailyCounts(api.database, place, 'CALL_CLICKS', '2026-03-02', [50]);
  expect(await figures('')).toEqual([0, 0]);
});

test('warnings list locations without insights by reason', async () => {
  const own = await api.addPartner();
  const business = await addBusinessRow(api.database, own);
  const other = await addBusinessRow(api.database, own);
  const places: InsightListing[] = [];
  for (const at of [business, business, other]) {
    places.push(await addListedLocation(api.database, own, at, ['GOOGLE', 'BING', 'WAZE']));
  }
  const [connected, unclaimed, unconnected] = places.map(({ locationId }) => locationId) as [number, number, number];
  const change = async (locationId: number, type: string, to: Parameters<typeof changeListing>[2]) => {
    const listings = await listingsOfLocation(api.database.pool, locationId);
    const listing = listings.find(({ directoryType }) => directoryType === type);
    await changeListing(api.database.pool, listing?.id as number, to);
  };
  await change(connected, 'GOOGLE', { connectStatus: 'CONNECTED', claimStatus: 'CLAIMED_BY_US' });
  await change(connected, 'BING', { claimStatus: 'CLAIMED_BY_US' });
  await change(unclaimed, 'GOOGLE', { connectStatus: 'CONNECTED', claimStatus: 'CLAIMABLE' });
  await change(unclaimed, 'BING', { claimStatus: 'CLAIMED_BY_US' });
  await change(unconnected, 'BING', { flowStatus: 'INACTIVE' });

  expect(await response('insights-data/warnings?type=GOOGLE', own)).toEqual({
    warnings: { missingConnection: 1, missingPermission: 1 },
    byDirectory: [{ directoryType: 'GOOGLE', connected: 2, notConnected: 1, missingPermission: 1 }],
    connectedLocations: [connected, unclaimed],
    notConnectedLocations: [unconnected],
    missingPermissionLocations: [unclaimed],
  });
  const { byDirectory, ...all } = await response('insights-data/warnings', own);
  expect(all).toMatchObject({ warnings: { missingConnection: 1, missingPermission: 1 } });
  expect(byDirectory).toContainEqual({ directoryType: 'BING', connected: 2, notConnected: 0, missingPermission: 0 });
  const narrow = await response(`insights-data/warnings?type=GOOGLE&businessIds=${other}`, own);
  expect(narrow).toMatchObject({ connectedLocations: [], notConnectedLocations: [unconnected] });
  const one = await response(`insights-data/warnings?type=GOOGLE&locationIds=${connected}`, own);
  expect(one).toMatchObject({ warnings: { missingConnection: 0 }, connectedLocations: [connected] });
});
