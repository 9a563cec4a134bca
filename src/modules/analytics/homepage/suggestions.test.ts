import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { HomeScene } from '../../../../test/support/home-scene.ts';
import { addBusiness } from '../../../../test/support/locations.ts';
import { addUser } from '../../../../test/support/users.ts';
import { suggestionDefinitions, suggestionTypes } from './finding-types.ts';

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
type Place = { id: number; businessId: number };
const path = '/api/home/suggestions';
const suggestions = async (by: Calls, query = '') =>
  (await by.call('GET', `${path}${query}`)).body.response.suggestions;
const typesOf = async (by: Calls, query = '') =>
  (await suggestions(by, query)).map(({ type }: { type: string }) => type).sort();
const at = async (by: Calls, type: string) => (await by.call('POST', `${path}/locations`, { type })).body.response;
const fiveReviews = async (place: Place, given: object[]) => {
  for (const one of given) await scene.addDatapoint(partner, place, one);
};
const connected = (place: Place) => scene.addListing(partner, place.id, 'GOOGLE', { connect: 'CONNECTED' });
const connect = async (directory: string, place: Place, others: readonly Place[]) => {
  await scene.addListing(partner, place.id, directory, { connect: 'NOT_CONNECTED' });
  for (const { id } of others) await scene.addListing(partner, id, directory, { connect: 'CONNECTED' });
};
const lacking = (fields: object) => async (place: Place) => {
  await partner.call('PATCH', `/api/locations/${place.id}`, fields);
};

/** The condition of each suggestion at one location, and two locations without it. */
const cases: Record<string, (place: Place, others: readonly Place[]) => Promise<unknown>> = {
  CONNECT_GOOGLE: (place, others) => connect('GOOGLE', place, others),
  CONNECT_FACEBOOK: (place, others) => connect('FACEBOOK', place, others),
  CONNECT_INSTAGRAM: (place, others) => connect('INSTAGRAM', place, others),
  ANSWER_REVIEWS_FASTER: (place) => fiveReviews(place, [{ hoursAgo: 200, repliedAfterHours: 49 }]),
  ANSWER_MORE_REVIEWS: (place) => fiveReviews(place, [{ repliedAfterHours: 1 }, { repliedAfterHours: 1 }, {}, {}, {}]),
  LOOK_INTO_LOW_RATINGS: (place) =>
    scene.query('update locations set ratings_count = 5, ratings_sum = 17 where id = $1', [place.id]),
  RAISE_VISIBILITY: (place) => scene.query('update locations set visibility_index = 49 where id = $1', [place.id]),
  ADD_DESCRIPTION: lacking({ descriptionShort: null, descriptionLong: null }),
  ADD_OPENING_HOURS: lacking({ openingHours: null }),
  POST_THIS_MONTH: (place) => scene.addListing(partner, place.id, 'GOOGLE', { page: `page-${place.id}` }),
  ADD_WEBSITE: lacking({ website: null }),
  ADD_KEYWORDS: lacking({ keywords: null }),
};

test('every suggestion has a test case', () => {
  expect(Object.keys(cases).sort()).toEqual([...suggestionTypes].sort());
});

describe.each(suggestionTypes)('%s', (type) => {
  test('is shown for its locations, can be dismissed and restored', async () => {
    const others = [await scene.addLocation(partner, { businessId }), await scene.addLocation(partner, { businessId })];
    const place = await scene.addLocation(partner, { businessId });
    expect(await suggestions(partner)).toEqual([]);
    await cases[type]?.(place, others);
    const user = await addUser(scene.api, partner, { role: 'ADMIN' });
    const { category, priority, title, whatToDo } = suggestionDefinitions[type] ?? {};
    expect(await suggestions(user)).toMatchObject([{ type, category, priority, title, whatToDo, locationsCount: 1 }]);
    expect(await at(user, type)).toMatchObject({ type, count: 1, locationIds: [place.id] });

    expect((await user.call('POST', '/home/suggestions/dismiss', { type })).code).toBe(200);
    expect(await suggestions(user)).toEqual([]);
    expect(await at(user, type)).toMatchObject({ count: 0, locationIds: [] });
    expect(await suggestions(user, '?includeDismissed=true')).toMatchObject([
      { type, dismissedUntil: expect.any(String) },
    ]);
    expect(await typesOf(partner)).toEqual([type]);
    await user.call('DELETE', `/home/suggestions/dismiss?type=${type}`);
    expect(await typesOf(user)).toEqual([type]);

    await user.call('POST', '/home/suggestions/dismiss', { type, locationIds: [place.id] });
    expect(await suggestions(user)).toEqual([]);
    expect(await at(user, type)).toMatchObject({ count: 0, locationIds: [] });
    await user.call('DELETE', '/home/suggestions/dismiss', { type, locationIds: [place.id] });
    expect(await at(user, type)).toMatchObject({ count: 1, locationIds: [place.id] });
  });
});

test('suggests connecting a directory only if most locations are connected', async () => {
  const places: Place[] = [];
  for (let n = 0; n < 3; n++) places.push(await scene.addLocation(partner, { businessId }));
  const [one, two, three] = places as [Place, Place, Place];
  await connected(one);
  await scene.addListing(partner, two.id, 'GOOGLE', { connect: 'NOT_CONNECTED' });
  expect(await typesOf(partner)).toEqual([]);
  await connected(three);
  expect(await suggestions(partner)).toMatchObject([
    { type: 'CONNECT_GOOGLE', directoryType: 'GOOGLE', locationsCount: 1 },
  ]);
  expect(await typesOf(partner, `?locationIds=${one.id},${two.id}`)).toEqual([]);
});

test('makes no suggestion for fast replies and a recent post', async () => {
  const place = await scene.addLocation(partner, { businessId });
  await scene.addListing(partner, place.id, 'GOOGLE', { page: 'page' });
  await scene.addDatapoint(partner, place, { hoursAgo: 200, repliedAfterHours: 47 });
  expect(await typesOf(partner)).toEqual(['POST_THIS_MONTH']);
  await scene.publishPost(partner, [place], 0);
  expect(await typesOf(partner)).toEqual([]);
});

test('users see suggestions of accessible locations only', async () => {
  const place = await scene.addLocation(partner, { website: null });
  const user = await addUser(scene.api, partner, {
    role: 'BUSINESS_MANAGER',
    features: ['DASHBOARD_READ'],
    businessIds: [businessId],
  });
  const stranger = await scene.api.addPartner();
  expect(await typesOf(partner)).toEqual(['ADD_WEBSITE']);
  for (const by of [user, stranger]) {
    expect(await typesOf(by)).toEqual([]);
    expect(await at(by, 'ADD_WEBSITE')).toMatchObject({ count: 0, locationIds: [] });
    expect((await by.call('POST', path, { locationIds: [place.id] })).code).toBe(404);
    const dismissal = { type: 'ADD_WEBSITE', locationIds: [place.id] };
    expect((await by.call('POST', `${path}/dismiss`, dismissal)).code).toBe(400);
  }
  expect((await user.call('POST', `${path}/dismiss`, { type: 'DATAPOINT_UNREAD' })).code).toBe(400);
});
