import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { HomeScene } from '../../../../test/support/home-scene.ts';
import { addBusiness } from '../../../../test/support/locations.ts';
import { addUser } from '../../../../test/support/users.ts';
import { totalsOf } from './home-location-store.ts';
import { refreshHomepage } from './homepage-jobs.ts';
import { locationScores } from './location-score.ts';

let scene: HomeScene;
let partner: TestPartner;
let businessId: number;

beforeAll(async () => {
  scene = await HomeScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  partner = await scene.api.addPartner();
  businessId = (await addBusiness(partner)).id;
});

type Calls = Pick<TestPartner, 'call'>;
const scores = async (by: Calls, query = '') =>
  (await by.call('GET', `/api/home/locations/score${query}`)).body.response;
const ranks = async (by: Calls, query = '') =>
  (await by.call('GET', `/api/home/locations/ranks${query}`)).body.response;
const scoreAt = async (id: number) => (await scores(partner, `?locationIds=${id}`)).locations[0].score;

describe('the score of a location', () => {
  test('is the sum of its five parts', async () => {
    const place = await scene.addLocation(partner, { businessId, keywords: null });
    // Two of three comparable listings are in sync. Car navigation, disabled listings and duplicates do not count.
    await scene.addListing(partner, place.id, 'GOOGLE', { sync: 'IN_SYNC', page: 'g' });
    const yelp = await scene.addListing(partner, place.id, 'YELP', { sync: 'IN_SYNC' });
    await scene.addListing(partner, place.id, 'BING', { sync: 'NOT_FOUND' });
    await scene.addListing(partner, place.id, 'TOMTOM', { sync: 'NO_ONLINE_LISTING' });
    await scene.addListing(partner, place.id, 'WAZE', { sync: 'NOT_IN_SYNC', status: 'INACTIVE' });
    await scene.query(
      `insert into listings (partner_id, location_id, directory_type, sync_status, duplicate_of, external_id)
       values ($1, $2, 'YELP', 'NOT_IN_SYNC', $3, 'again')`,
      [partner.partner.id, place.id, yelp],
    );
    // Three of four reviews that support replies have one. Golocal supports replies, Yellow Pages does not.
    for (const repliedAfterHours of [1, 2, 3]) await scene.addDatapoint(partner, place, { repliedAfterHours });
    await scene.addDatapoint(partner, place, { directory: 'GOLOCAL' });
    await scene.addDatapoint(partner, place, { directory: 'YELLOW_PAGES' });
    await scene.addDatapoint(partner, place, { status: 'INVALID' });
    // One of two messages has a reply; photos do not support replies.
    await scene.addDatapoint(partner, place, { type: 'QUESTION', repliedAfterHours: 5 });
    await scene.addDatapoint(partner, place, { type: 'CONVERSATION' });
    await scene.addDatapoint(partner, place, { type: 'PHOTO' });
    // The datapoints created listings on Golocal and Yellow Pages: two of five are in sync.
    const { profileCompleteness } = (await partner.call('GET', `/api/locations/${place.id}`)).body.response;
    expect(profileCompleteness).toBe(90);
    const parts = [
      { name: 'PROFILE_COMPLETENESS', points: 27, maxPoints: 30, done: 90, of: 100 },
      { name: 'LISTINGS_IN_SYNC', points: 12, maxPoints: 30, done: 2, of: 5 },
      { name: 'REVIEWS_ANSWERED', points: 15, maxPoints: 20, done: 3, of: 4 },
      { name: 'RECENT_POSTS', points: 0, maxPoints: 10, done: 0, of: 1 },
      { name: 'MESSAGES_ANSWERED', points: 5, maxPoints: 10, done: 1, of: 2 },
    ];
    const expected = { locationId: place.id, businessId, name: expect.any(String), city: 'Köln' };
    expect(await scores(partner)).toEqual({
      page: 0,
      size: 50,
      count: 1,
      averageScore: 59,
      locations: [{ ...expected, score: 59, parts }],
      upToDate: true,
    });
    await scene.publishPost(partner, [place], 3);
    expect(await scoreAt(place.id)).toBe(69);
    expect(await locationScores(scene.api.database.pool, [place.id])).toMatchObject([
      { locationId: place.id, businessId, score: 69 },
    ]);
  });

  test('has average parts that show where points are lost', async () => {
    const parts = async (query = '') =>
      (await partner.call('GET', `/api/home/score-parts${query}`)).body.response.parts;
    expect(await parts()).toEqual([]);
    const place = await scene.addLocation(partner, { businessId });
    await scene.addListing(partner, place.id, 'GOOGLE', { sync: 'IN_SYNC', page: 'g' });
    await scene.addListing(partner, place.id, 'YELP', { sync: 'NOT_IN_SYNC' });
    const other = await scene.addLocation(partner);
    await scene.publishPost(partner, [other], 3);
    expect(await parts()).toMatchObject([
      { name: 'PROFILE_COMPLETENESS', points: 30, maxPoints: 30 },
      { name: 'LISTINGS_IN_SYNC', points: 7.5, maxPoints: 30 },
      { name: 'REVIEWS_ANSWERED', points: 20, maxPoints: 20, done: 0, of: 0 },
      { name: 'RECENT_POSTS', points: 5, maxPoints: 10, done: 1, of: 2 },
      { name: 'MESSAGES_ANSWERED', points: 10, maxPoints: 10 },
    ]);
    expect(await parts(`?businessIds=${businessId}`)).toMatchObject([
      {},
      { points: 15, done: 1, of: 2 },
      {},
      { points: 0, done: 0, of: 1 },
      {},
    ]);
  });

  test('has all points without reviews and messages, and none without listings', async () => {
    const place = await scene.addLocation(partner);
    expect(await scoreAt(place.id)).toBe(30 + 0 + 20 + 0 + 10);
  });

  test('does not count a post after 30 days, on read and by the job', async () => {
    const place = await scene.addLocation(partner);
    await scene.publishPost(partner, [place], 29.5);
    expect(await scoreAt(place.id)).toBe(70);
    const { database } = scene.api;
    const partnerId = partner.partner.id;
    expect(await refreshHomepage(database, partnerId, new Date())).toBe(0);
    expect(await refreshHomepage(database, partnerId, new Date(Date.now() + 86_400_000))).toBe(1);
    expect(await locationScores(database.pool, [place.id])).toMatchObject([{ score: 60 }]);
    const old = await scene.addLocation(partner);
    await scene.publishPost(partner, [old], 31);
    expect(await scoreAt(old.id)).toBe(60);
  });

  test('is current after refreshes around midnight in any order', async () => {
    const place = await scene.addLocation(partner);
    const { database } = scene.api;
    const partnerId = partner.partner.id;
    const refreshAt = async (completeness: number, time: string) => {
      await scene.query('update locations set profile_completeness = $2 where id = $1', [place.id, completeness]);
      await refreshHomepage(database, partnerId, new Date(time));
    };
    await refreshAt(50, '2127-01-11T00:00:01Z');
    await refreshAt(90, '2127-01-10T23:59:59Z');
    const scope = { kind: 'locations', partnerId, locationIds: [place.id] } as const;
    expect(await totalsOf(database.pool, scope, null)).toMatchObject({ completenessSum: 90 });
  });

  test('follows a location that moves or is deleted, with the averages', async () => {
    const stays = await scene.addLocation(partner, { businessId });
    const moves = await scene.addLocation(partner, { businessId, photos: null });
    const other = (await addBusiness(partner)).id;
    const { profileCompleteness: lower } = (await partner.call('GET', `/api/locations/${moves.id}`)).body.response;
    const score = Math.round(0.3 * lower + 30);
    expect(await scores(partner, `?businessIds=${businessId}`)).toMatchObject({
      count: 2,
      averageScore: (60 + score) / 2,
    });
    await partner.call('PATCH', `/api/locations/${moves.id}`, { businessId: other });
    expect(await scores(partner, `?businessIds=${businessId}`)).toMatchObject({ count: 1, averageScore: 60 });
    expect(await scores(partner, `?businessIds=${other}`)).toMatchObject({ count: 1, averageScore: score });
    await scene.query("update locations set status = 'DELETED' where id = $1", [moves.id]);
    expect(await scores(partner, `?businessIds=${other}`)).toMatchObject({ count: 0, locations: [] });
    expect(await scores(partner)).toMatchObject({ count: 1, locations: [{ locationId: stays.id }] });
  });

  test('is limited to accessible locations, paginated, by GET and POST', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 4; n++) ids.push((await scene.addLocation(partner, { businessId })).id);
    const elsewhere = await scene.addLocation(partner);
    const user = await addUser(scene.api, partner, {
      role: 'BUSINESS_MANAGER',
      features: ['DASHBOARD_READ'],
      businessIds: [businessId],
    });
    const idsIn = ({ locations }: { locations: { locationId: number }[] }) => locations.map((one) => one.locationId);
    expect(idsIn(await scores(user))).toEqual(ids);
    expect(idsIn(await scores(user, '?page=1&size=3'))).toEqual(ids.slice(3));
    expect(idsIn(await scores(user, `?size=2&after=${ids[0]}`))).toEqual(ids.slice(1, 3));
    const posted = await user.call('POST', '/home/locations/score', { locationIds: [ids[1]], size: 1 });
    expect(idsIn(posted.body.response)).toEqual([ids[1]]);
    for (const path of ['score', 'ranks']) {
      const at = `/api/home/locations/${path}?locationIds=${elsewhere.id}`;
      expect((await user.call('GET', at)).code).toBe(404);
      expect((await (await scene.api.addPartner()).call('GET', at)).code).toBe(404);
      expect((await partner.call('GET', at)).code).toBe(200);
    }
    expect((await user.call('GET', '/api/home/locations/score?size=0')).code).toBe(400);
    expect((await user.call('POST', '/api/home/locations/score', { page: -1 })).code).toBe(400);
  });
});

describe('the ranking', () => {
  test('lists the best first with shared ranks, and has the same ranks in reverse', async () => {
    const lacking = [{}, {}, { photos: null }, { photos: null, keywords: null }, { photos: null, website: null }, {}];
    for (const fields of lacking) await scene.addLocation(partner, { businessId, ...fields });
    const rows = await scene.query(
      `select id as "locationId", rank() over (order by profile_completeness desc)::integer as rank
       from locations where partner_id = $1 order by profile_completeness desc, id`,
      [partner.partner.id],
    );
    expect(new Set(rows.map(({ rank }) => rank)).size).toBeGreaterThan(2);
    const shape = (response: { locations: { locationId: number; rank: number }[] }) =>
      response.locations.map(({ locationId, rank }) => ({ locationId, rank }));
    const empty = (await addBusiness(partner)).id;
    const some = rows.map(({ locationId }) => locationId).join();
    for (const scope of [
      '',
      `businessIds=${businessId}`,
      `businessIds=${businessId},${empty}`,
      `locationIds=${some}`,
    ]) {
      const query = `?rankBy=PROFILE_COMPLETENESS&${scope}`;
      expect(shape(await ranks(partner, query))).toEqual(rows);
      expect(shape(await ranks(partner, `${query}&order=WORST_FIRST`))).toEqual(rows.toReversed());
      for (const order of ['BEST_FIRST', 'WORST_FIRST']) {
        const all = order === 'BEST_FIRST' ? rows : rows.toReversed();
        for (const page of [0, 1, 2, 3]) {
          const response = await ranks(partner, `${query}&size=2&page=${page}&order=${order}`);
          expect(response.count).toBe(6);
          expect(shape(response)).toEqual(all.slice(page * 2, page * 2 + 2));
        }
      }
    }
  });

  test('defaults to the score and omits locations without a value', async () => {
    const [high, low, none] = [
      await scene.addLocation(partner),
      await scene.addLocation(partner, { photos: null }),
      await scene.addLocation(partner, { photos: null, keywords: null }),
    ];
    expect((await ranks(partner)).locations.map((one: { locationId: number }) => one.locationId)).toEqual([
      high.id,
      low.id,
      none.id,
    ]);
    await scene.query('update locations set ratings_count = 2, ratings_sum = 9, visibility_index = 40 where id = $1', [
      low.id,
    ]);
    await scene.query('update locations set ratings_count = 3, ratings_sum = 5, visibility_index = 80 where id = $1', [
      high.id,
    ]);
    expect(await ranks(partner, '?rankBy=AVERAGE_RATING')).toMatchObject({
      rankBy: 'AVERAGE_RATING',
      count: 2,
      locations: [
        { locationId: low.id, rank: 1, value: 4.5 },
        { locationId: high.id, rank: 2, value: 1.67 },
      ],
    });
    expect(await ranks(partner, '?rankBy=VISIBILITY_INDEX')).toMatchObject({
      locations: [
        { locationId: high.id, value: 80 },
        { locationId: low.id, value: 40 },
      ],
    });
    const posted = await partner.call('POST', '/home/locations/ranks', {
      rankBy: 'RATING_COUNT',
      order: 'WORST_FIRST',
    });
    expect(posted.body.response.locations).toMatchObject([{ value: 0, rank: 3 }, { value: 2 }, { value: 3, rank: 1 }]);
    expect((await partner.call('GET', '/api/home/locations/ranks?rankBy=LUCK')).code).toBe(400);
  });
});
