import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addBusiness, addLocation } from '../../../../test/support/locations.ts';
import { eventsOf } from '../../../../test/support/recorded-events.ts';
import { addUser } from '../../../../test/support/users.ts';
import { contentListsOf } from './content-list-store.ts';

const path = '/api/content-collections';
let api: TestApi;
let partner: TestPartner;
let stranger: TestPartner;
let businessId: number;

beforeAll(async () => {
  api = await TestApi.start();
  stranger = await api.addPartner();
});
afterAll(() => api.close());
beforeEach(async () => {
  partner = await api.addPartner();
  businessId = (await addBusiness(partner)).id;
});

const soup = {
  identifier: 'soup',
  name: 'Pumpkin soup',
  price: 650,
  currency: 'eur',
  image: 'https://x.example/soup@2x.jpg',
};
const bread = { identifier: 'bread', name: 'Rye bread', description: 'Sourdough', attributes: { vegan: true } };
const create = async (body: object = {}) =>
  (await partner.call('POST', path, { businessId, type: 'MENU', name: 'Lunch', items: [soup, bread], ...body })).body
    .response;
const read = async (id: number) => (await partner.call('GET', `${path}/${id}`)).body.response;
const patch = (id: number, body: object) => partner.call('PATCH', `${path}/${id}`, body);

describe('collections', () => {
  test('are created with ordered items, each with one image', async () => {
    const menu = await create({ identifier: 'lunch' });
    expect(menu).toEqual({
      id: expect.any(Number),
      businessId,
      type: 'MENU',
      name: 'Lunch',
      identifier: 'lunch',
      items: [
        { ...soup, currency: 'EUR', id: expect.any(Number), attributes: {} },
        { ...bread, id: expect.any(Number) },
      ],
      dateCreated: expect.any(String),
      lastUpdated: expect.any(String),
    });
    expect(await read(menu.id)).toEqual(menu);
  });

  test('replacing items matches them by id or identifier, reorders, adds and deletes', async () => {
    const menu = await create();
    const [first, second] = menu.items;
    const { items } = (
      await patch(menu.id, {
        items: [
          { name: 'Salad' },
          { id: second.id, name: 'White bread', description: null },
          { identifier: 'soup', name: 'Soup' },
        ],
      })
    ).body.response;
    expect(items).toEqual([
      { id: expect.any(Number), name: 'Salad', attributes: {} },
      { id: second.id, identifier: 'bread', name: 'White bread', attributes: { vegan: true } },
      { ...first, name: 'Soup' },
    ]);
    expect((await patch(menu.id, { items: [{ id: second.id, name: 'Only this' }] })).body.response.items).toHaveLength(
      1,
    );
    expect((await patch(menu.id, { items: [] })).body.response.items).toEqual([]);
  });

  test('an identifier matches without surrounding spaces', async () => {
    const menu = await create();
    const { items } = (await patch(menu.id, { items: [{ ...bread, identifier: ' bread ' }] })).body.response;
    expect(items).toMatchObject([{ id: menu.items[1].id, identifier: 'bread' }]);
  });

  test('rejects long attributes', async () => {
    const items = [{ name: 'A', attributes: { text: 'x'.repeat(10_000) } }];
    const { code, body } = await partner.call('POST', path, { businessId, type: 'MENU', name: 'Lunch', items });
    expect({ code, errors: body.errors }).toMatchObject({ code: 400, errors: [{ field: 'items[0].attributes' }] });
  });

  test('items can swap their identifiers', async () => {
    const { id, items } = await create();
    const [first, second] = items;
    const swapped = [
      { id: first.id, name: 'A', identifier: 'bread' },
      { id: second.id, name: 'B', identifier: 'soup' },
    ];
    expect((await patch(id, { items: swapped })).body.response.items).toMatchObject(swapped);
  });

  test('a change without items keeps them; null deletes the identifier', async () => {
    const menu = await create({ identifier: 'dinner' });
    const { identifier: _gone, ...rest } = menu;
    expect((await patch(menu.id, { name: 'Dinner', identifier: null })).body.response).toEqual({
      ...rest,
      name: 'Dinner',
      lastUpdated: expect.any(String),
    });
  });

  test.each([
    [{ items: [{ price: 100 }] }, 'items[0].name'],
    [{ items: [{ name: 'A', price: 100 }] }, 'items[0].currency'],
    [{ items: [{ name: 'A', price: 100, currency: 'COINS' }] }, 'items[0].currency'],
    [{ items: [{ name: 'A', price: 9.5, currency: 'EUR' }] }, 'items[0].price'],
    [{ items: [{ name: 'A', image: 'soup.jpg' }] }, 'items[0].image'],
    [{ items: [{ name: 'A', url: 'https://anna:secret@x.example/soup' }] }, 'items[0].url'],
    [{ items: [{ name: 'A', image: ['https://x.example/1', 'https://x.example/2'] }] }, 'items[0].image'],
    [
      {
        items: [
          { name: 'A', identifier: 'x' },
          { name: 'B', identifier: 'x' },
        ],
      },
      'items[1].identifier',
    ],
    [{ items: [{ id: 987654321, name: 'A' }] }, 'items[0].id'],
    [{ type: 'RUMOURS' }, 'type'],
    [{ name: '' }, 'name'],
  ])('rejects %j and stores nothing', async (body, field) => {
    const response = await partner.call('POST', path, { businessId, type: 'MENU', name: 'Lunch', ...body });
    expect(response).toMatchObject({ code: 400, body: { errors: [{ field }] } });
    expect((await partner.call('GET', path)).body.response.count).toBe(0);
  });

  test('an identifier is unique', async () => {
    await create({ identifier: 'taken' });
    const { id } = await create();
    expect(await patch(id, { identifier: 'taken' })).toMatchObject({
      code: 409,
      body: { errorCode: 'IDENTIFIER_NOT_UNIQUE' },
    });
  });

  test('filters and pages the list', async () => {
    const menu = await create();
    const people = await create({ type: 'PEOPLE', name: 'Team', items: [] });
    const ids = async (query: string) =>
      (await partner.call('GET', `${path}${query}`)).body.response.contentCollections.map(
        ({ id }: { id: number }) => id,
      );
    expect(await ids('')).toEqual([menu.id, people.id]);
    expect(await ids('?type=PEOPLE')).toEqual([people.id]);
    expect(await ids('?query=lun')).toEqual([menu.id]);
    expect(await ids(`?businessId=${businessId}&max=1`)).toEqual([menu.id]);
    expect(await ids(`?after=${menu.id}`)).toEqual([people.id]);
    expect(await ids('?businessId=987654321')).toEqual([]);
  });
});

describe('single items', () => {
  test('are listed, read, added to the end, changed and deleted', async () => {
    const { id, items } = await create();
    const at = `${path}/${id}/items`;
    const added = (await partner.call('POST', at, { name: 'Apple pie', price: 400, currency: 'EUR' })).body.response;
    const list = (await partner.call('GET', at)).body.response;
    expect(list).toEqual({ offset: 0, max: 50, count: 3, items: [...items, added] });
    expect((await partner.call('GET', `${at}?after=${items[0].id}&max=1`)).body.response.items).toEqual([items[1]]);
    const changed = await partner.call('PATCH', `${at}/${added.id}`, { price: null, description: 'Warm' });
    expect(changed.body.response).toEqual({ id: added.id, name: 'Apple pie', description: 'Warm', attributes: {} });
    expect((await partner.call('GET', `${at}/${added.id}`)).body.response).toEqual(changed.body.response);
    expect((await partner.call('DELETE', `${at}/${added.id}`)).body.response).toEqual({ success: true });
    expect((await partner.call('DELETE', `${at}/${added.id}`)).code).toBe(404);
    const created = await stranger.call('POST', path, { businessId, type: 'MENU', name: 'Mine' });
    expect(created).toMatchObject({ code: 400, body: { errors: [{ field: 'businessId' }] } });
    expect((await read(id)).items).toEqual(items);
  });

  test('an identifier is unique within a collection, and items of other collections are not found', async () => {
    const { id, items } = await create();
    const other = await create();
    expect((await partner.call('POST', `${path}/${id}/items`, soup)).body.errorCode).toBe('IDENTIFIER_NOT_UNIQUE');
    expect(
      (await partner.call('PATCH', `${path}/${id}/items/${items[1].id}`, { identifier: 'soup' })).body.errorCode,
    ).toBe('IDENTIFIER_NOT_UNIQUE');
    expect((await partner.call('GET', `${path}/${other.id}/items/${items[0].id}`)).code).toBe(404);
    expect((await partner.call('PATCH', `${path}/${other.id}/items/${items[0].id}`, { name: 'X' })).code).toBe(404);
  });

  test('items added concurrently get distinct positions', async () => {
    const { id } = await create({ items: [] });
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => partner.call('POST', `${path}/${id}/items`, { name: `Item ${index}` })),
    );
    const { rows } = await api.database.pool.query('select position from content_items where collection_id = $1', [id]);
    expect(rows.map(({ position }) => position).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});

describe('content lists of a location', () => {
  const put = (locationId: number, contentLists: object[]) =>
    partner.call('PUT', `/api/locations/${locationId}/content-lists`, { contentLists });
  const lists = async (locationId: number) =>
    (await partner.call('GET', `/api/locations/${locationId}/content-lists`)).body.response.contentLists;

  test('show the items of collections, in order, shared by locations', async () => {
    const menu = await create();
    const team = await create({ type: 'PEOPLE', name: 'Team', items: [{ name: 'Jonas' }] });
    const first = await addLocation(partner, { businessId });
    const second = await addLocation(partner, { businessId });
    expect(await lists(first.id)).toEqual([]);
    await put(first.id, [{ collectionId: team.id, name: 'Who we are' }, { collectionId: menu.id }]);
    await put(second.id, [{ collectionId: menu.id }]);
    expect(await lists(first.id)).toEqual([
      { id: expect.any(Number), name: 'Who we are', type: 'PEOPLE', collectionId: team.id, items: team.items },
      { id: expect.any(Number), name: 'Lunch', type: 'MENU', collectionId: menu.id, items: menu.items },
    ]);
    await patch(menu.id, { items: [{ name: 'Only this' }] });
    for (const { id } of [first, second]) {
      expect((await lists(id)).at(-1).items).toMatchObject([{ name: 'Only this' }]);
    }
    const { contentLists: found } = await contentListsOf(api.database.pool, [first.id, second.id, 987654321]);
    expect([...found.keys()]).toEqual([first.id, second.id]);
    expect(found.get(second.id)).toHaveLength(1);
  });

  test('update lastUpdated of the location', async () => {
    const menu = await create();
    const location = await addLocation(partner, { businessId });
    await put(location.id, [{ collectionId: menu.id }]);
    const { body } = await partner.call('GET', `/api/locations/${location.id}`);
    expect(body.response.lastUpdated > location.lastUpdated).toBe(true);
    const patched = await partner.call('PATCH', `/api/locations/${location.id}`, { contentLists: null });
    expect(patched.body.response.lastUpdated > body.response.lastUpdated).toBe(true);
  });

  test('records one event with the author, and none for a repeated change', async () => {
    const menu = await create();
    const location = await addLocation(partner, { businessId });
    const before = await put(location.id, [{ collectionId: menu.id }]);
    const again = await put(location.id, [{ collectionId: menu.id }]);
    expect(again.body.response).toEqual(before.body.response);
    expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toEqual([
      { comment: 'Changed: contentLists', location: location.id, user: 'PRIVATE_TOKEN' },
    ]);
  });

  test('can be written with the location; sent back unchanged they change nothing', async () => {
    const menu = await create();
    const location = await addLocation(partner, { businessId, contentLists: [{ collectionId: menu.id }] });
    expect(location.contentLists).toMatchObject([{ collectionId: menu.id, name: 'Lunch' }]);
    const at = `/api/locations/${location.id}`;
    for (const method of ['PATCH', 'PUT', 'POST'] as const) {
      expect((await partner.call(method, at, location)).body.response).toEqual(location);
    }
    expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toEqual([]);
    const inline = { name: 'Dinner', collection: { items: [{ name: 'Soup' }] } };
    const { body } = await partner.call('PATCH', at, { contentLists: [inline, { collectionId: menu.id }] });
    expect(body.response.contentLists).toMatchObject([{ items: [{ name: 'Soup' }] }, { collectionId: menu.id }]);
    expect((await partner.call('PATCH', at, { contentLists: null })).body.response.contentLists).toEqual([]);
    expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toHaveLength(2);
    const unknown = await partner.call('PATCH', at, { name: 'New', contentLists: [{ collectionId: 987654321 }] });
    expect(unknown).toMatchObject({ code: 400, body: { errors: [{ field: 'contentLists[0].collectionId' }] } });
    expect((await partner.call('GET', at)).body.response.name).toBe(location.name);
  });

  test('a change of a location and its lists records one event', async () => {
    const menu = await create();
    const location = await addLocation(partner, { businessId });
    const change = { name: 'New name', contentLists: [{ collectionId: menu.id }], services: [{ title: 'Delivery' }] };
    expect((await partner.call('PATCH', `/api/locations/${location.id}`, change)).code).toBe(200);
    const events = await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED');
    expect(events).toMatchObject([{ location: location.id, user: 'PRIVATE_TOKEN' }]);
    expect(events[0]?.comment).toMatch(/^Changed: (?=.*name)(?=.*contentLists)(?=.*services)/);
    const history = await partner.call('GET', `/api/locations/${location.id}/history`);
    expect(history.body.response.changes[0].fields).toEqual(expect.arrayContaining(['name', 'contentLists']));
  });

  test('locations that share a collection can be written concurrently', async () => {
    const menu = await create();
    const locations: { id: number }[] = [];
    for (let count = 0; count < 6; count += 1) locations.push(await addLocation(partner, { businessId }));
    const written = await Promise.all(
      locations.map(({ id }, index) =>
        put(id, [{ collectionId: menu.id, collection: { items: [{ ...soup, name: `Soup ${index}` }] } }]),
      ),
    );
    expect(written.map(({ code }) => code)).toEqual(locations.map(() => 200));
  });

  test('keeps the ids of remaining lists and removes the others', async () => {
    const menu = await create();
    const other = await create({ name: 'Dinner' });
    const location = await addLocation(partner, { businessId });
    await put(location.id, [{ collectionId: menu.id }, { collectionId: other.id }]);
    const [, kept] = await lists(location.id);
    await put(location.id, [{ collectionId: other.id, name: 'Evening' }]);
    expect(await lists(location.id)).toEqual([{ ...kept, name: 'Evening' }]);
    await put(location.id, []);
    expect(await lists(location.id)).toEqual([]);
  });

  test('rejects and names a collection of another business or partner, or a duplicate', async () => {
    const menu = await create();
    const elsewhere = await create({ businessId: (await addBusiness(partner)).id });
    const location = await addLocation(partner, { businessId });
    for (const collectionId of [elsewhere.id, 987654321]) {
      expect(await put(location.id, [{ collectionId: menu.id }, { collectionId }])).toMatchObject({
        code: 400,
        body: { errors: [{ field: 'contentLists[1].collectionId' }] },
      });
    }
    expect((await put(location.id, [{ collectionId: menu.id }, { collectionId: menu.id }])).code).toBe(400);
    const items = [{ name: 'Tea', price: 200 }];
    for (const list of [{ name: 'Drinks' }, { collectionId: menu.id }]) {
      expect(await put(location.id, [{ ...list, collection: { items } }])).toMatchObject({
        code: 400,
        body: { errors: [{ field: 'contentLists[0].collection.items[0].currency' }] },
      });
    }
    expect(await lists(location.id)).toEqual([]);
    expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toEqual([]);
  });

  test('a collection in use cannot be deleted', async () => {
    const menu = await create();
    const location = await addLocation(partner, { businessId });
    await put(location.id, [{ collectionId: menu.id }]);
    expect(await partner.call('DELETE', `${path}/${menu.id}`)).toMatchObject({ code: 409 });
    await put(location.id, []);
    expect((await partner.call('DELETE', `${path}/${menu.id}`)).code).toBe(200);
    expect((await partner.call('GET', `${path}/${menu.id}`)).code).toBe(404);
  });

  test('locations of other partners are not found', async () => {
    const location = await addLocation(partner, { businessId });
    const at = `/api/locations/${location.id}/content-lists`;
    expect((await stranger.call('GET', at)).code).toBe(404);
    expect((await stranger.call('PUT', at, { contentLists: [] })).code).toBe(404);
  });
});

describe('permissions', () => {
  test('collections and businesses of other partners are not found', async () => {
    const { id, items } = await create();
    const responses = [
      await stranger.call('GET', `${path}/${id}`),
      await stranger.call('PATCH', `${path}/${id}`, { name: 'Mine' }),
      await stranger.call('DELETE', `${path}/${id}`),
      await stranger.call('GET', `${path}/${id}/items`),
      await stranger.call('POST', `${path}/${id}/items`, { name: 'Mine' }),
      await stranger.call('GET', `${path}/${id}/items/${items[0].id}`),
      await stranger.call('PATCH', `${path}/${id}/items/${items[0].id}`, { name: 'Mine' }),
      await stranger.call('DELETE', `${path}/${id}/items/${items[0].id}`),
    ];
    for (const response of responses) expect(response).toMatchObject({ code: 404, body: { status: 'NOT_FOUND' } });
    const created = await stranger.call('POST', path, { businessId, type: 'MENU', name: 'Mine' });
    expect(created).toMatchObject({ code: 400, body: { errors: [{ field: 'businessId' }] } });
    expect((await read(id)).items).toEqual(items);
  });

  test('a business manager sees only collections of their own businesses', async () => {
    const mine = await create();
    const elsewhere = await create({ businessId: (await addBusiness(partner)).id });
    const manager = await addUser(api, partner, {
      role: 'BUSINESS_MANAGER',
      businessIds: [businessId],
      features: ['LOCATION_READ'],
    });
    expect((await manager.call('GET', path)).body.response).toMatchObject({
      count: 1,
      contentCollections: [{ id: mine.id }],
    });
    expect((await manager.call('GET', `${path}/${elsewhere.id}`)).code).toBe(404);
    expect((await manager.call('PATCH', `${path}/${mine.id}`, { name: 'No' })).code).toBe(403);
  });

  test('a user can change them with the field group SERVICES', async () => {
    const at = `${path}/${(await create()).id}`;
    const narrow = await addUser(api, partner, { role: 'ACCOUNT_MANAGER', fieldGroups: ['OPENING_HOURS'] });
    for (const [method, url, body] of [
      ['POST', path, { businessId, type: 'MENU', name: 'Dinner' }],
      ['PATCH', at, { name: 'Dinner' }],
      ['POST', `${at}/items`, bread],
      ['DELETE', at, undefined],
    ] as const) {
      expect(await narrow.call(method, url, body)).toMatchObject({
        code: 403,
        body: { message: expect.stringContaining('field group SERVICES') },
      });
    }
    const wide = await addUser(api, partner, { role: 'ACCOUNT_MANAGER', fieldGroups: ['SERVICES'] });
    expect((await wide.call('PATCH', at, { name: 'Dinner' })).code).toBe(200);
  });
});
