import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { HomeScene } from '../../../../test/support/home-scene.ts';
import { addBusiness } from '../../../../test/support/locations.ts';
import { addUser } from '../../../../test/support/users.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { daysAfter } from '../../../values/span.ts';
import { locationsOf, openTypes } from './finding-store.ts';
import { type Category, type TaskType, taskDefinitions, taskTypes } from './finding-types.ts';

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

const tasks = async (by: Calls, query = '') => (await by.call('GET', `/api/home/tasks${query}`)).body.response.tasks;
const counts = async (by: Calls, query = '') =>
  Object.fromEntries(
    (await tasks(by, query)).map((task: { type: string; locationsCount: number }) => [task.type, task.locationsCount]),
  );
const at = async (by: Calls, type: string, query = '') =>
  (await by.call('GET', `/api/home/tasks/locations?type=${type}${query}`)).body.response;
const change = async ({ id }: Place, fields: object) =>
  expect((await partner.call('PATCH', `/api/locations/${id}`, fields)).code).toBe(200);
const update = (text: string, ...values: unknown[]) => scene.query(text, values);
const idsOf = (places: readonly Place[]) => places.map(({ id }) => id);
const inDays = (days: number) => daysAfter(new Date().toISOString().slice(0, 10), days);

/** How each task is opened at a completed location, and how it is closed. */
const cases: Record<TaskType, { open(place: Place): Promise<unknown>; settle(place: Place): Promise<unknown> }> = {
  LOCATION_START_FIRST_SYNC: {
    open: ({ id }) => update("update locations set status = 'CREATED', last_sync_started = null where id = $1", id),
    settle: ({ id }) => update("update locations set status = 'ACTIVE', last_sync_started = now() where id = $1", id),
  },
  LISTING_CONNECTION_MISSING: {
    open: ({ id }) => scene.addListing(partner, id, 'GOOGLE', { connect: 'NOT_CONNECTED' }),
    settle: ({ id }) => update("update listings set connect_status = 'CONNECTED' where location_id = $1", id),
  },
  LISTING_FIELDS_MISSING: {
    open: async (place) => {
      await scene.addListing(partner, place.id, 'TRIP_ADVISOR', { connect: 'NOT_NEEDED' });
      await change(place, { descriptionLong: null });
    },
    settle: (place) => change(place, { descriptionLong: 'Bread and cake.' }),
  },
  DATAPOINT_UNREPLIED: {
    open: (place) => scene.addDatapoint(partner, place, { type: 'QUESTION' }),
    settle: ({ id }) => update('update datapoints set owner_replied_at = now() where location_id = $1', id),
  },
  DATAPOINT_UNREAD: {
    open: (place) => scene.addDatapoint(partner, place, { type: 'PHOTO', read: false }),
    settle: ({ id }) => update('update datapoints set read = true where location_id = $1', id),
  },
  LOCATION_SUGGESTIONS_PENDING: {
    open: ({ id }) => scene.suggest(partner, id),
    settle: ({ id }) => update("update suggestions set status = 'DECLINED' where location_id = $1", id),
  },
  LOCATION_PROPERTIES_MISSING: {
    open: (place) => change(place, { openingHours: null }),
    settle: (place) => change(place, { openingHours: [{ dayOfWeek: 2, from1: '08:00', to1: '12:00' }] }),
  },
  LOCATION_ADD_PHOTOS: {
    open: (place) => change(place, { photos: null }),
    settle: (place) => change(place, { photos: [{ url: 'https://lindner.example/new.jpg' }] }),
  },
  LOCATION_SOCIAL_POST_MISSING: {
    open: ({ id }) => scene.addListing(partner, id, 'GOOGLE', { page: `page-${id}` }),
    settle: (place) => scene.publishPost(partner, [place], 1),
  },
};

const inboxFilters: Partial<Record<TaskType, string>> = {
  DATAPOINT_UNREAD: 'isRead=false',
  DATAPOINT_UNREPLIED: 'hasReply=false&types=REVIEW,CONVERSATION,COMMENT,QUESTION',
};

/** Lists that the console opens for tasks; creating a post has none. */
const listOf: Partial<Record<Category, (ids: readonly number[], type: TaskType) => string>> = {
  LOCATIONS: (ids) => `/api/locations?ids=${ids}`,
  LISTINGS: (ids, type) =>
    `/api/listings?locationIds=${ids}${type === 'LISTING_CONNECTION_MISSING' ? '&connectStatus=NOT_CONNECTED' : ''}`,
  INBOX: (ids, type) => `/api/data-points?locationIds=${ids}&${inboxFilters[type]}`,
};

describe.each(taskTypes.map((type) => [type, cases[type]] as const))('%s', (type, { open, settle }) => {
  let places: Place[];
  let untouched: Place;
  let user: Calls;
  let colleague: Calls;

  beforeEach(async () => {
    places = [];
    for (let n = 0; n < 3; n++) places.push(await scene.addLocation(partner, { businessId }));
    untouched = await scene.addLocation(partner, { businessId });
    user = await addUser(scene.api, partner, { role: 'ADMIN' });
    colleague = await addUser(scene.api, partner, { role: 'ADMIN' });
    expect(await tasks(partner)).toEqual([]);
    for (const place of places) await open(place);
  });

  test('is counted and listed while open, and removed when done', async () => {
    const { category, priority, title, whatToDo } = taskDefinitions[type];
    expect(await tasks(user)).toEqual([{ type, category, priority, title, whatToDo, locationsCount: 3 }]);
    expect(await at(user, type)).toMatchObject({ type, count: 3, locationIds: idsOf(places), upToDate: true });
    const [first, ...others] = places as [Place, ...Place[]];
    await settle(first);
    expect(await counts(user)).toEqual({ [type]: 2 });
    expect(await at(user, type)).toMatchObject({ count: 2, locationIds: idsOf(others) });
    for (const place of others) await settle(place);
    expect(await tasks(user)).toEqual([]);
    expect(await at(user, type)).toMatchObject({ count: 0, locationIds: [] });
  });

  test('opens a list with the counted locations', async () => {
    const { locationIds } = await at(user, type);
    expect(locationIds).toEqual(idsOf(places));
    const path = listOf[taskDefinitions[type].category]?.(locationIds, type);
    if (path === undefined) return;
    const { locations, listings, inbox } = (await user.call('GET', path)).body.response;
    const listed = (locations ?? listings ?? inbox.dataPoints).map((one: { id: number; locationId?: number }) =>
      locations ? one.id : one.locationId,
    );
    expect([...new Set(listed)].toSorted()).toEqual([...locationIds].toSorted());
  });

  test('can be dismissed by a user until a date, and restored', async () => {
    const until = inDays(3);
    const dismissed = await user.call('POST', '/home/tasks/dismiss', { type, until });
    expect(dismissed.body.response).toEqual({ type, until });
    expect(await counts(user)).toEqual({});
    expect(await at(user, type)).toMatchObject({ count: 0, locationIds: [], dismissedUntil: until });
    expect(await tasks(user, '?includeDismissed=true')).toMatchObject([
      { type, locationsCount: 3, dismissedUntil: until },
    ]);
    expect(await at(user, type, '&includeDismissed=true')).toMatchObject({ count: 3, locationIds: idsOf(places) });
    for (const other of [colleague, partner]) {
      expect(await counts(other)).toEqual({ [type]: 3 });
      expect(await at(other, type)).toMatchObject({ count: 3 });
    }
    const undone = await user.call('DELETE', `/home/tasks/dismiss?type=${type}`);
    expect(undone.body.response).toEqual({ success: true, undone: 1 });
    expect(await counts(user)).toEqual({ [type]: 3 });
    expect(await at(user, type)).toMatchObject({ count: 3, locationIds: idsOf(places) });
  });

  test('can be dismissed for some locations, and restored', async () => {
    const [first, second, third] = idsOf(places) as [number, number, number];
    const locationIds = [first, third, untouched.id];
    expect((await user.call('POST', '/api/home/tasks/dismiss', { type, locationIds })).code).toBe(200);
    expect(await counts(user)).toEqual({ [type]: 1 });
    expect(await at(user, type)).toMatchObject({ count: 1, locationIds: [second] });
    expect(await counts(user, `?locationIds=${first},${second}`)).toEqual({ [type]: 1 });
    expect(await counts(user, `?locationIds=${first}`)).toEqual({});
    expect(await counts(user, `?businessIds=${businessId}`)).toEqual({ [type]: 1 });
    expect(await counts(colleague)).toEqual({ [type]: 3 });
    await user.call('DELETE', '/api/home/tasks/dismiss', { type, locationIds: [third] });
    expect(await at(user, type)).toMatchObject({ count: 2, locationIds: [second, third] });
    await user.call('DELETE', '/api/home/tasks/dismiss', { type });
    expect(await counts(user)).toEqual({ [type]: 3 });
  });
});

describe('a dismissal', () => {
  const type = 'LOCATION_ADD_PHOTOS';
  const kind = { types: taskTypes, findingOf: (name: string) => name };
  const seenAt = async (day: string) => {
    const caller = { partnerId: partner.partner.id } as Caller;
    const scope = { kind: 'partner' as const, partnerId: caller.partnerId };
    const asked = { caller, scope, includeDismissed: false, now: new Date(`${day}T00:00:00Z`) };
    const { open } = await openTypes(scene.api.database.pool, kind, asked);
    const listed = await locationsOf(scene.api.database.pool, kind, type, asked, { offset: 0, limit: 10 });
    return [open.find((one) => one.type === type)?.locationsCount ?? 0, listed.locationIds.length];
  };

  test('ends on its date', async () => {
    const places = [
      await scene.addLocation(partner, { photos: null }),
      await scene.addLocation(partner, { photos: null }),
    ];
    expect(await counts(partner)).toEqual({ [type]: 2 });
    await partner.call('POST', '/api/home/tasks/dismiss', { type, until: inDays(2) });
    await partner.call('POST', '/api/home/tasks/dismiss', { type, until: inDays(4), locationIds: [places[0]?.id] });
    expect(await seenAt(inDays(1))).toEqual([0, 0]);
    expect(await seenAt(inDays(2))).toEqual([1, 1]);
    expect(await seenAt(inDays(3))).toEqual([1, 1]);
    expect(await seenAt(inDays(4))).toEqual([2, 2]);
  });

  test('can be repeated with another date and defaults to 30 days', async () => {
    await partner.call('POST', '/api/home/tasks/dismiss', { type, until: inDays(2) });
    const again = await partner.call('POST', '/api/home/tasks/dismiss', { type });
    expect(again.body.response).toEqual({ type, until: inDays(30) });
    const rows = await scene.query('select until::text from home_dismissals where partner_id = $1', [
      partner.partner.id,
    ]);
    expect(rows).toEqual([{ until: inDays(30) }]);
  });

  test('is created once per Idempotency-Key', async () => {
    const call = () => partner.call('POST', '/api/home/tasks/dismiss', { type }, { 'idempotency-key': 'once' });
    expect((await call()).body).toEqual((await call()).body);
  });

  test.each([
    [{}, 'type'],
    [{ type: 'SOMETHING' }, 'type'],
    [{ type, until: '2020-01-01' }, 'until'],
    [{ type, until: inDays(0) }, 'until'],
    [{ type, until: inDays(400) }, 'until'],
    [{ type, until: '01.12.2099' }, 'until'],
    [{ type, until: '2099-02-30' }, 'until'],
    [{ type, locationIds: [] }, 'locationIds'],
    [{ type, locationIds: ['x'] }, 'locationIds'],
  ])('rejects %j', async (body, field) => {
    const response = await partner.call('POST', '/api/home/tasks/dismiss', body);
    expect(response).toMatchObject({ code: 400, body: { errors: [{ field: expect.stringContaining(field) }] } });
    const rows = await scene.query('select from home_dismissals where partner_id = $1', [partner.partner.id]);
    expect(rows).toEqual([]);
  });

  test('can be restored even if missing; restoring requires a type', async () => {
    const nothing = await partner.call('DELETE', `/api/home/tasks/dismiss?type=${type}`);
    expect(nothing.body.response).toEqual({ success: true, undone: 0 });
    expect(await partner.call('DELETE', '/api/home/tasks/dismiss')).toMatchObject({
      code: 400,
      body: { status: 'MISSING_PARAMETER', errors: [{ field: 'type' }] },
    });
  });
});

describe('visibility', () => {
  test('GET and POST return the same, with and without /api, with the same filters', async () => {
    const label = 'West';
    const one = await scene.addLocation(partner, { businessId, photos: null, labels: [label] });
    await scene.addLocation(partner, { businessId, photos: null });
    await scene.addLocation(partner, { photos: null });
    const asked = [{}, { businessIds: [businessId] }, { labels: [label] }, { locationIds: [one.id] }];
    for (const [index, expected] of [3, 2, 1, 1].entries()) {
      const body = asked[index] as Record<string, unknown[]>;
      const query = new URLSearchParams(Object.entries(body).map(([name, list]) => [name, list.join()])).toString();
      const responses = [
        await partner.call('GET', `/api/home/tasks?${query}`),
        await partner.call('POST', '/api/home/tasks', body),
        await partner.call('POST', `/home/tasks?${query}`),
      ];
      for (const { body: response } of responses)
        expect(response.response.tasks).toMatchObject([{ locationsCount: expected }]);
      const type = 'LOCATION_ADD_PHOTOS';
      const listed = await partner.call('POST', '/home/tasks/locations', { type, ...body });
      expect(listed.body.response).toMatchObject({ count: expected });
      expect(listed.body.response.locationIds).toHaveLength(expected);
    }
  });

  test('users see tasks of accessible locations only', async () => {
    const mine = await scene.addLocation(partner, { businessId, photos: null });
    const other = await scene.addLocation(partner, { photos: null });
    const features = ['DASHBOARD_READ' as const];
    const manager = await addUser(scene.api, partner, {
      role: 'BUSINESS_MANAGER',
      features,
      businessIds: [businessId],
    });
    const local = await addUser(scene.api, partner, { role: 'LOCATION_MANAGER', features, locationIds: [other.id] });
    const type = 'LOCATION_ADD_PHOTOS';
    expect(await at(manager, type)).toMatchObject({ count: 1, locationIds: [mine.id] });
    expect(await at(local, type)).toMatchObject({ count: 1, locationIds: [other.id] });
    expect(await counts(local)).toEqual({ [type]: 1 });
    const stranger = await scene.api.addPartner();
    expect(await counts(stranger)).toEqual({});
    for (const by of [manager, stranger]) {
      expect((await by.call('GET', `/api/home/tasks?locationIds=${other.id}`)).code).toBe(404);
      const body = { type, locationIds: [other.id] };
      expect((await by.call('POST', '/api/home/tasks/dismiss', body)).code).toBe(400);
      expect((await by.call('DELETE', '/api/home/tasks/dismiss', body)).code).toBe(400);
    }
    const guest = await addUser(scene.api, partner, { role: 'LOCATION_MANAGER', features: ['LOCATION_READ'] });
    expect((await guest.call('GET', '/api/home/tasks')).code).toBe(403);
  });

  test('is paginated by page and by id', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 5; n++) ids.push((await scene.addLocation(partner, { businessId, photos: null })).id);
    const type = 'LOCATION_ADD_PHOTOS';
    expect(await at(partner, type, '&page=1&size=2')).toMatchObject({ count: 5, locationIds: ids.slice(2, 4) });
    expect(await at(partner, type, `&size=2&after=${ids[3]}`)).toMatchObject({ count: 5, locationIds: ids.slice(4) });
    expect(await at(partner, type, '&page=9')).toMatchObject({ count: 5, locationIds: [] });
    expect((await partner.call('POST', '/api/home/tasks/locations', {})).body).toMatchObject({
      status: 'MISSING_PARAMETER',
      errors: [{ field: 'type' }],
    });
    expect((await partner.call('GET', '/api/home/tasks/locations?type=NONE')).code).toBe(400);
  });

  test('locations that do not operate have no tasks', async () => {
    const place = await scene.addLocation(partner, { photos: null });
    expect(await counts(partner)).toEqual({ LOCATION_ADD_PHOTOS: 1 });
    for (const status of ['INACTIVE', 'CLOSED', 'CANCELLED', 'DELETED']) {
      await update('update locations set status = $2 where id = $1', place.id, status);
      expect(await counts(partner)).toEqual({});
    }
  });
});
