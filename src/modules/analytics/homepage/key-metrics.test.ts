import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { HomeScene } from '../../../../test/support/home-scene.ts';
import { addBusiness } from '../../../../test/support/locations.ts';
import { addUser, type TestUser } from '../../../../test/support/users.ts';
import { dayOf, daysAfter } from '../../../values/span.ts';
import { findDirectory } from '../../directories/directory-list.ts';
import { upsertInsights } from '../insights/insight-store.ts';
import { refreshHomepage } from './homepage-jobs.ts';
import { compareMetric, keyMetricNames, keyMetrics } from './key-metric.ts';

const path = '/api/home/key-metrics';
const configuration = `${path}/configuration`;
const everything = keyMetricNames.join();
const today = dayOf(new Date());
const span = { from: daysAfter(today, -30), to: daysAfter(today, -1) };
const before = { from: daysAfter(today, -60), to: daysAfter(today, -31) };

let scene: HomeScene;
let partner: TestPartner;
let first: { id: number; businessId: number };
let second: { id: number; businessId: number };
let manager: TestUser;

type Calls = Pick<TestPartner, 'call'>;
type Metric = Record<string, unknown> & { name: string; value: number | null; previousValue: number | null };

async function metricsOf(by: Calls, query = ''): Promise<Record<string, Metric>> {
  const { body } = await by.call('GET', `${path}?metrics=${everything}&${query}`);
  return Object.fromEntries(body.response.metrics.map((metric: Metric) => [metric.name, metric]));
}

beforeAll(async () => {
  scene = await HomeScene.open();
  partner = await scene.api.addPartner();
  first = await scene.addLocation(partner, { businessId: (await addBusiness(partner)).id });
  second = await scene.addLocation(partner, { businessId: (await addBusiness(partner)).id });
  const deleted = await scene.addLocation(partner, { businessId: first.businessId });
  const day = 24;
  for (const [place, hoursAgo, rating, repliedAfterHours] of [
    [first, 3 * day, 5, 2],
    [first, 5 * day, 4, 10],
    [first, 9 * day, 1, undefined],
    [second, 4 * day, 3, 6],
    [deleted, 4 * day, 1, 100],
    [first, 35 * day, 2, 30],
    [second, 40 * day, 5, undefined],
    [second, 50 * day, 4, undefined],
    [first, 90 * day, 1, 1],
  ] as const) {
    const response = repliedAfterHours === undefined ? {} : { repliedAfterHours };
    await scene.addDatapoint(partner, place, { hoursAgo, rating, ...response });
  }
  await scene.addDatapoint(partner, first, { hoursAgo: 3 * day, type: 'PHOTO' });
  await scene.addDatapoint(partner, first, { hoursAgo: 3 * day, rating: 1, status: 'INVALID' });
  for (const [place, daysAgo] of [
    [first, 3],
    [second, 20],
    [second, 45],
    [deleted, 5],
  ] as const) {
    await scene.publishPost(partner, [place], daysAgo);
  }
  await scene.publishPost(partner, [first, second], 8);
  await addCounts(first.id, 'GOOGLE');
  await addCounts(second.id, 'APPLE_MAPS');
  await scene.query("update locations set status = 'DELETED' where id = $1", [deleted.id]);
  manager = await addUser(scene.api, partner, {
    role: 'LOCATION_MANAGER',
    features: ['DASHBOARD_READ'],
    locationIds: [second.id],
  });
});
afterAll(() => scene.close());

/**
 * Adds counts of each metric: one per day of the period, two per day before; for the last `days` up to some days ago.
 */
async function addCounts(
  locationId: number,
  directoryType: string,
  by = partner,
  latest = 0,
  days = 70,
): Promise<void> {
  const known = await scene.query('select id from listings where location_id = $1 and directory_type = $2', [
    locationId,
    directoryType,
  ]);
  const listingId = known[0]?.id ?? (await scene.addListing(by, locationId, directoryType));
  const progress = {
    listingId,
    locationId,
    partnerId: by.partner.id,
    directoryType,
  };
  const counts = (findDirectory(directoryType)?.metrics ?? []).flatMap((metric) =>
    Array.from({ length: days - latest }, (_, index) => latest + index).map((ago) => ({
      metric,
      day: daysAfter(today, -ago),
      count: ago >= 1 && ago <= 30 ? 1 : 2,
    })),
  );
  await scene.api.database.transaction((transaction) => upsertInsights(transaction, progress, counts));
}

/** A figure of the reviews of a span by plain SQL. */
async function ofReviews(figure: string, { from, to }: typeof span, where = 'true'): Promise<number | null> {
  const [row] = await scene.query(
    `select round((${figure})::numeric, 2)::float8 as figure from datapoints
     where partner_id = $1 and status = 'VALID' and action_date >= $2::date and action_date < $3::date + 1 and ${where}
       and location_id in (select id from locations where status <> 'DELETED')`,
    [partner.partner.id, from, to],
  );
  return row.figure;
}

const hours = `avg(extract(epoch from owner_replied_at - action_date) / 3600) filter (where type = 'REVIEW')`;
const rate = `100.0 * count(owner_replied_at) filter (where type = 'REVIEW') / nullif(count(*) filter (where type = 'REVIEW'), 0)`;

describe('key metrics', () => {
  test.each([
    ['AVERAGE_RATING', 'avg(rating)'],
    ['REVIEWS', "count(*) filter (where type = 'REVIEW')"],
    ['INTERACTIONS', 'count(*)'],
    ['RESPONSE_RATE', rate],
    ['RESPONSE_TIME', hours],
  ])('%s is that of the span, beside that of as many days before', async (name, figure) => {
    for (const [by, query, where] of [
      [partner, '', 'true'],
      [partner, `businessIds=${first.businessId}`, `business_id = ${first.businessId}`],
      [partner, `locationIds=${second.id}`, `location_id = ${second.id}`],
      [manager, '', `location_id = ${second.id}`],
    ] as const) {
      const metric = (await metricsOf(by, query))[name];
      expect(metric).toMatchObject({
        value: await ofReviews(figure, span, where),
        previousValue: await ofReviews(figure, before, where),
      });
    }
  });

  test('of directories are sums over directories', async () => {
    const metrics = await metricsOf(partner);
    // Four types of impressions on Google and one on Apple Maps; one of each other metric.
    expect(metrics.IMPRESSIONS).toMatchObject({ value: 150, previousValue: 300, change: -150, changePercent: -50 });
    expect(metrics.CLICKS).toMatchObject({ value: 60, previousValue: 120, trend: 'DOWN', isBetter: false });
    expect(metrics.CALLS).toMatchObject({ value: 60, previousValue: 120 });
    expect(metrics.DIRECTION_REQUESTS).toMatchObject({ value: 60, previousValue: 120 });
    expect((await metricsOf(manager)).IMPRESSIONS).toMatchObject({ value: 30, previousValue: 60 });
    for (const { countedBy = {} } of Object.values(keyMetrics)) {
      for (const [type, names] of Object.entries(countedBy)) {
        expect(findDirectory(type)?.metrics).toEqual(expect.arrayContaining([...names]));
      }
    }
  });

  test('of directories compare counted days with as many preceding days and contain countedUntil', async () => {
    const own = await scene.api.addPartner();
    const place = await scene.addLocation(own);
    // Google has counted up to three days ago, Apple Maps up to five days ago.
    await addCounts(place.id, 'GOOGLE', own, 3);
    await addCounts(place.id, 'APPLE_MAPS', own, 5);
    const metrics = await metricsOf(own);
    expect(metrics.DIRECTION_REQUESTS).toMatchObject({
      value: 2 * 26,
      previousValue: 2 * 2 * 26,
      changePercent: -50,
      countedUntil: daysAfter(today, -5),
      previousUntil: daysAfter(today, -35),
    });
    expect(metrics.IMPRESSIONS).toMatchObject({ value: 5 * 26, previousValue: 2 * 5 * 26 });
    expect(metrics.REVIEWS).not.toHaveProperty('countedUntil');
    const past = await metricsOf(own, `startDate=${daysAfter(today, -19)}&endDate=${daysAfter(today, -10)}`);
    expect(past.CALLS).toMatchObject({ value: 20, previousValue: 20, countedUntil: daysAfter(today, -10) });
    const recent = await metricsOf(own, `startDate=${daysAfter(today, -2)}&endDate=${daysAfter(today, -1)}`);
    expect(recent.CALLS).toMatchObject({ value: 0, previousValue: 0, trend: 'STABLE' });
    expect(recent.CALLS).not.toHaveProperty('countedUntil');
  });

  test('of directories exclude a day with data of few listings', async () => {
    const own = await scene.api.addPartner();
    const places = [await scene.addLocation(own), await scene.addLocation(own), await scene.addLocation(own)];
    for (const [index, { id }] of places.entries()) await addCounts(id, 'GOOGLE', own, index === 0 ? 1 : 2);
    const { CALLS } = await metricsOf(own);
    expect(CALLS).toMatchObject({ value: 3 * 29, previousValue: 2 * 3 * 29, countedUntil: daysAfter(today, -2) });
  });

  test('of directories ignore one that stopped counting and have no comparison before one started', async () => {
    const own = await scene.api.addPartner();
    const place = await scene.addLocation(own);
    await addCounts(place.id, 'GOOGLE', own, 2);
    await addCounts(place.id, 'APPLE_MAPS', own, 12);
    expect((await metricsOf(own)).CALLS).toMatchObject({
      value: 29 + 19,
      previousValue: 2 * (29 + 19),
      countedUntil: daysAfter(today, -2),
    });
    await addCounts(place.id, 'FACEBOOK', own, 2, 45);
    expect((await metricsOf(own)).CLICKS).toMatchObject({ previousValue: null, trend: 'UNKNOWN' });
  });

  test('POSTS_PUBLISHED counts a post once for several locations', async () => {
    expect((await metricsOf(partner)).POSTS_PUBLISHED).toMatchObject({ value: 3, previousValue: 1, trend: 'UP' });
    const inBusiness = await metricsOf(partner, `businessIds=${first.businessId}`);
    expect(inBusiness.POSTS_PUBLISHED).toMatchObject({ value: 2, previousValue: 0, changePercent: null });
    expect((await metricsOf(manager)).POSTS_PUBLISHED).toMatchObject({ value: 2, previousValue: 1 });
  });

  test('VISIBILITY_INDEX is weighted by directory', async () => {
    await scene.query(
      `update listings set matching_fields = 6, comparable_fields = 10 where location_id = $1 and directory_type = 'GOOGLE'`,
      [first.id],
    );
    await scene.query(
      `update listings set matching_fields = 9, comparable_fields = 9 where location_id = $1 and directory_type = 'APPLE_MAPS'`,
      [second.id],
    );
    const expected = Math.round((100 * (6 * 30 + 9 * 12)) / (10 * 30 + 9 * 12));
    expect((await metricsOf(partner)).VISIBILITY_INDEX).toMatchObject({ value: expected, previousValue: null });
    expect((await metricsOf(manager)).VISIBILITY_INDEX).toMatchObject({ value: 100, trend: 'UNKNOWN' });
  });

  test('of current state are compared with past values', async () => {
    const own = await scene.api.addPartner();
    const place = await scene.addLocation(own, { photos: null });
    const other = await scene.addLocation(own, { businessId: place.businessId });
    await scene.addListing(own, place.id, 'GOOGLE', { sync: 'NOT_IN_SYNC' });
    await scene.addListing(own, other.id, 'GOOGLE', { sync: 'IN_SYNC' });
    const then = new Date(Date.now() - 45 * 86_400_000);
    await refreshHomepage(scene.api.database, own.partner.id, then);
    const completeness = async (id: number) =>
      (await own.call('GET', `/api/locations/${id}`)).body.response.profileCompleteness;
    const lower = await completeness(place.id);
    await own.call('PATCH', `/api/locations/${place.id}`, { photos: [{ url: 'https://lindner.example/a.jpg' }] });
    await scene.query("update listings set sync_status = 'IN_SYNC' where location_id = $1", [place.id]);
    const stood = { completeness: (lower + 100) / 2, score: (Math.round(0.3 * lower + 30) + 90) / 2 };
    for (const query of ['', `businessIds=${place.businessId}`, `locationIds=${place.id},${other.id}`]) {
      expect(await metricsOf(own, query)).toMatchObject({
        PROFILE_COMPLETENESS: { value: 100, previousValue: stood.completeness },
        LISTINGS_IN_SYNC: { value: 100, previousValue: 50, change: 50, trend: 'UP', isBetter: true },
        LOCATION_SCORE: { value: 90, previousValue: stood.score },
      });
    }
    const past = await metricsOf(own, `startDate=${daysAfter(today, -50)}&endDate=${daysAfter(today, -40)}`);
    expect(past).toMatchObject({ LISTINGS_IN_SYNC: { value: 50, previousValue: null, trend: 'UNKNOWN' } });
  });

  test('are null instead of zero without data', async () => {
    const empty = await scene.api.addPartner();
    const metrics = await metricsOf(empty);
    const nothing = { value: null, previousValue: null, change: null, trend: 'UNKNOWN', isBetter: null };
    for (const name of ['AVERAGE_RATING', 'RESPONSE_RATE', 'RESPONSE_TIME', 'LOCATION_SCORE', 'VISIBILITY_INDEX']) {
      expect(metrics[name]).toMatchObject(nothing);
    }
    for (const name of ['REVIEWS', 'IMPRESSIONS', 'POSTS_PUBLISHED']) {
      expect(metrics[name]).toMatchObject({ value: 0, previousValue: 0, change: 0, trend: 'STABLE' });
    }
  });

  test('GET and POST return the same, with the dates', async () => {
    const body = { startDate: span.from, endDate: span.to, locationIds: [first.id], metrics: ['REVIEWS'] };
    const posted = await partner.call('POST', '/home/key-metrics', body);
    const query = `startDate=${span.from}&endDate=${span.to}&locationIds=${first.id}&metrics=REVIEWS`;
    expect((await partner.call('GET', `/home/key-metrics?${query}`)).body).toEqual(posted.body);
    expect(posted.body.response).toMatchObject({
      startDate: span.from,
      endDate: span.to,
      previousStartDate: before.from,
      previousEndDate: before.to,
      matchedLocationsCount: 1,
      metrics: [{ name: 'REVIEWS', value: 3, previousValue: 1, change: 2, changePercent: 200, isBetter: true }],
    });
  });

  test.each([
    [{ startDate: '2026-05-02', endDate: '2026-05-01' }, 400, 'endDate'],
    [{ startDate: '2020-01-01' }, 400, 'startDate'],
    [{ metrics: ['LUCK', 'REVIEWS'] }, 400, 'metrics'],
    [{ metrics: [] }, 400, 'metrics'],
  ])('rejects %j', async (body, code, field) => {
    expect(await partner.call('POST', path, body)).toMatchObject({ code, body: { errors: [{ field }] } });
  });

  test('an inaccessible location is not found', async () => {
    expect((await manager.call('POST', path, { locationIds: [first.id] })).code).toBe(404);
    const stranger = await scene.api.addPartner();
    expect((await stranger.call('POST', path, { businessIds: [first.businessId] })).code).toBe(404);
  });

  test('a longer response time is not an improvement', () => {
    expect(compareMetric('RESPONSE_TIME', 30, 20)).toMatchObject({ trend: 'UP', isBetter: false, changePercent: 50 });
    expect(compareMetric('RESPONSE_TIME', 20, 30)).toMatchObject({ trend: 'DOWN', isBetter: true });
    expect(compareMetric('REVIEWS', 20, 20)).toMatchObject({ trend: 'STABLE', isBetter: null });
  });
});

describe('the configuration', () => {
  test('is separate per user and selects the metrics', async () => {
    const own = await scene.api.addPartner();
    const user = await addUser(scene.api, own, { role: 'ADMIN' });
    const read = async (by: Calls) => (await by.call('GET', configuration)).body.response;
    const usual = await read(user);
    expect(usual).toMatchObject({ isDefault: true, metrics: expect.arrayContaining(['AVERAGE_RATING']) });
    expect(usual.available.map(({ name }: Metric) => name)).toEqual([...keyMetricNames]);
    for (const one of usual.available) expect(one.description).toMatch(/\.$/);

    const chosen = ['RESPONSE_TIME', 'CALLS'];
    const put = await user.call('PUT', '/home/key-metrics/configuration', { metrics: [...chosen, 'CALLS'] });
    expect(put.body.response).toMatchObject({ metrics: chosen, isDefault: false });
    expect((await read(user)).metrics).toEqual(chosen);
    expect((await read(own)).isDefault).toBe(true);
    await own.call('PUT', configuration, { metrics: ['REVIEWS'] });
    const shown = async (by: Calls) =>
      (await by.call('POST', path)).body.response.metrics.map(({ name }: Metric) => name);
    expect(await shown(user)).toEqual(chosen);
    expect(await shown(own)).toEqual(['REVIEWS']);
    expect(await shown(await addUser(scene.api, own, { role: 'ADMIN' }))).toEqual(usual.metrics);
    expect((await read(await scene.api.addPartner())).isDefault).toBe(true);
  });

  test.each([
    [{}],
    [{ metrics: [] }],
    [{ metrics: null }],
    [{ metrics: ['LUCK', 'CALLS', 'FAME'] }],
    [{ metrics: 'CALLS' }],
  ])('rejects %j', async (body) => {
    const response = await partner.call('PUT', configuration, body);
    expect(response.code).toBe(400);
    expect(response.body.errors[0].field).toBe('metrics');
    if (JSON.stringify(body).includes('LUCK')) expect(response.body.message).toContain('LUCK, FAME is not supported');
    expect((await partner.call('GET', configuration)).body.response.isDefault).toBe(true);
  });
});
