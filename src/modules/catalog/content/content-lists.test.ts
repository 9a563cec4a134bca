import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { afterStatement } from '../../../../test/support/interleaving.ts';
import { runJobs } from '../../../../test/support/jobs.ts';
import { addBusiness, addLocation } from '../../../../test/support/locations.ts';
import { eventsOf } from '../../../../test/support/recorded-events.ts';
import { addUser } from '../../../../test/support/users.ts';

const path = '/api/content-collections';
let api: TestApi;
let partner: TestPartner;
let businessId: number;

beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.close());
beforeEach(async () => {
  partner = await api.addPartner();
  businessId = (await addBusiness(partner)).id;
});

const create = async (items: object[] = [{ name: 'Soup' }]) =>
  (await partner.call('POST', path, { businessId, type: 'MENU', name: 'Lunch', items })).body.response;
const changedLocations = async () =>
  (await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).map(({ location }) => location);

test('a change of items is recorded for the locations that use the collection', async () => {
  const menu = await create();
  const contentLists = [{ collectionId: menu.id }];
  const first = await addLocation(partner, { businessId, contentLists });
  const second = await addLocation(partner, { businessId, contentLists });
  await addLocation(partner, { businessId });
  const deleted = await addLocation(partner, { businessId, contentLists });
  await api.database.pool.query(`update locations set status = 'DELETED' where id = $1`, [deleted.id]);

  for (const name of ['Bread', 'Tea']) await partner.call('POST', `${path}/${menu.id}/items`, { name });
  await runJobs(api.database);
  expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toEqual(
    [first, second].map(({ id }) => ({ comment: 'Changed: contentLists', location: id, user: 'PRIVATE_TOKEN' })),
  );
  const { body } = await partner.call('GET', `/api/locations/${first.id}`);
  expect(body.response.lastUpdated > first.lastUpdated).toBe(true);
  const history = await partner.call('GET', `/api/locations/${first.id}/history`);
  expect(history.body.response.changes[0]).toMatchObject({ fields: ['contentLists'], changedBy: 'PRIVATE_TOKEN' });

  const { items } = body.response.contentLists[0];
  await partner.call('PATCH', `${path}/${menu.id}`, { name: 'Dinner', items });
  await runJobs(api.database);
  expect(await changedLocations()).toHaveLength(2);
  await partner.call('PATCH', `${path}/${menu.id}`, { items: items.slice(1) });
  await runJobs(api.database);
  expect(await changedLocations()).toHaveLength(4);
});

test('items written with a location are recorded once for each location', async () => {
  const menu = await create();
  const contentLists = [{ collectionId: menu.id }];
  const first = await addLocation(partner, { businessId, contentLists });
  const second = await addLocation(partner, { businessId, contentLists });
  await partner.call('PUT', `/api/locations/${first.id}/content-lists`, {
    contentLists: [{ collectionId: menu.id, collection: { items: [{ name: 'Tea' }] } }],
  });
  await runJobs(api.database);
  expect(await changedLocations()).toEqual([first.id, second.id]);
});

test('a collection that only a deleted location used can be deleted', async () => {
  const menu = await create();
  const { id } = await addLocation(partner, { businessId, contentLists: [{ collectionId: menu.id }] });
  expect((await partner.call('DELETE', `${path}/${menu.id}`)).code).toBe(409);
  expect((await partner.call('DELETE', `/api/locations/${id}`)).code).toBe(200);
  expect((await partner.call('DELETE', `${path}/${menu.id}`)).code).toBe(200);
  // A status can be written again.
  expect((await partner.call('PATCH', `/api/locations/${id}`, { status: 'DELETED' })).code).toBe(200);
});

test('a location that moved to another business can be written back as read', async () => {
  const menu = await create();
  const { id } = await addLocation(partner, { businessId, contentLists: [{ collectionId: menu.id }] });
  const other = await addBusiness(partner);
  const moved = await partner.call('PATCH', `/api/locations/${id}`, { businessId: other.id });
  const { contentLists } = moved.body.response;
  expect(contentLists).toMatchObject([{ collectionId: menu.id }]);
  expect((await partner.call('PATCH', `/api/locations/${id}`, { name: 'Moved', contentLists })).code).toBe(200);
});

test('changes of single items are in the audit log', async () => {
  const { id, items } = await create();
  await partner.call('POST', `${path}/${id}/items`, { name: 'Tea' });
  await partner.call('PATCH', `${path}/${id}/items/${items[0].id}`, { name: 'Stew' });
  await partner.call('DELETE', `${path}/${id}/items/${items[0].id}`);
  const { body } = await partner.call('GET', '/api/audit-trail?subject=CONTENT_COLLECTION');
  const change = { action: 'CHANGED', subjectId: id, details: { fields: ['items'] } };
  expect(body.response.entries).toMatchObject([change, change, change, { action: 'CREATED' }]);
});

test('a list with a decomposed name is found by it', async () => {
  const { id } = await addLocation(partner, { businessId });
  const contentLists = [{ name: ' Menu\u0308', collection: { items: [{ identifier: 'soup', name: 'Soup' }] } }];
  const put = () => partner.call('PUT', `/api/locations/${id}/content-lists`, { contentLists });
  const created = (await put()).body.response.contentLists;
  expect(created).toMatchObject([{ name: 'Menü' }]);
  expect((await put()).body.response.contentLists).toEqual(created);
});

test('a location manager can change collections that only their locations use', async () => {
  const own = await addLocation(partner, { businessId });
  const other = await addLocation(partner, { businessId });
  const manager = await addUser(api, partner, { role: 'LOCATION_MANAGER', locationIds: [own.id] });
  const put = (contentLists: object[]) =>
    manager.call('PUT', `/api/locations/${own.id}/content-lists`, { contentLists });
  const items = [{ identifier: 'soup', name: 'Soup' }];
  const created = await put([{ name: 'Lunch', collection: { items } }]);
  const [{ collectionId }] = created.body.response.contentLists;
  expect((await put([{ collectionId, collection: { items } }])).code).toBe(200);
  const changed = [{ collectionId, collection: { items: [{ identifier: 'soup', name: 'Stew' }] } }];
  expect(await put(changed)).toMatchObject({ code: 200, body: { response: { contentLists: [{ collectionId }] } } });

  await partner.call('PUT', `/api/locations/${other.id}/content-lists`, { contentLists: [{ collectionId }] });
  expect(await put(changed)).toMatchObject({ code: 200 });
  expect(await put([{ collectionId, collection: { items } }])).toMatchObject({ code: 403 });
  const unused = await create();
  expect(await put([{ collectionId: unused.id, collection: { items } }])).toMatchObject({ code: 403 });
});

test('rejects the cursor of a deleted item', async () => {
  const { id, items } = await create([{ name: 'Soup' }, { name: 'Tea' }]);
  await partner.call('DELETE', `${path}/${id}/items/${items[0].id}`);
  expect(await partner.call('GET', `${path}/${id}/items?after=${items[0].id}`)).toMatchObject({
    code: 400,
    body: { errors: [{ field: 'after' }] },
  });
});

describe('the number of items in a response', () => {
  const add = async (query: string, ...values: unknown[]) => (await api.database.pool.query(query, values)).rows;
  const addCollections = async (owner: TestPartner, count: number) =>
    add(
      `with added as (
         insert into content_collections (partner_id, business_id, type, name)
         select $1, $2, 'MENU', 'Menu ' || number from generate_series(1, $3) as number returning id
       ), items as (
         insert into content_items (collection_id, name, position)
         select id, 'Item', position from added cross join generate_series(1, 1000) as position
       )
       select id from added order by id`,
      owner.partner.id,
      (await addBusiness(owner)).id,
      count,
    );

  test('shortens the pages of collections, also with child partners', async () => {
    const parent = await api.addPartner();
    const child = await api.addPartner(parent);
    await addCollections(parent, 22);
    await addCollections(child, 1);
    const page = async (query: string) => (await parent.call('GET', `${path}?${query}`)).body;
    const first = await page('');
    expect(first.response).toMatchObject({ max: 20, count: 22, after: expect.any(Number) });
    expect(first.response.contentCollections).toHaveLength(20);
    expect(first.warnings).toEqual([expect.stringContaining('max=50 was capped at 20')]);
    const rest = await page(`after=${first.response.after}`);
    expect(rest.response.contentCollections).toHaveLength(2);
    expect(rest.response).toMatchObject({ max: 50 });
    expect(rest).not.toHaveProperty('warnings');

    const joined = (query: string) => page(`includeChildren=true&${query}`);
    expect((await joined('max=30')).response).toMatchObject({ max: 20, count: 23 });
    expect((await joined('max=30&offset=20')).response.contentCollections).toHaveLength(3);
  });

  test('shortens the pages of locations', async () => {
    const itemsOf = ({ contentLists }: { contentLists: { items: object[] }[] }) =>
      contentLists.flatMap(({ items }) => items).length;
    const [{ id }] = await addCollections(partner, 1);
    for (let count = 0; count < 21; count += 1) await addLocation(partner, { businessId });
    await add(
      `insert into content_lists (partner_id, location_id, collection_id, name, position)
       select partner_id, id, $2, 'Menu', 0 from locations where partner_id = $1`,
      partner.partner.id,
      id,
    );
    const { body } = await partner.call('GET', '/api/locations?fieldMask=contentLists');
    expect(body.response).toMatchObject({ max: 20, count: 21, after: expect.any(Number) });
    expect(body.warnings).toEqual([expect.stringContaining('max=50 was capped at 20')]);
    const rest = await partner.call('GET', `/api/locations?fieldMask=contentLists&after=${body.response.after}`);
    expect(rest.body.response.locations).toHaveLength(1);
    const descending = await partner.call('GET', '/api/locations?fieldMask=contentLists&order=DESC');
    expect(descending.body.response.locations).toHaveLength(20);
    expect(descending.body.response.locations.map(itemsOf)).toEqual(Array(20).fill(1000));
    const names = await partner.call('GET', '/api/locations?fieldMask=name');
    expect(names.body.response.locations).toHaveLength(21);
  });
});

test('a page of collections has a cursor although one of its collections was deleted in the meantime', async () => {
  const [first, second, third] = [await create(), await create(), await create()];
  afterStatement(api.database, ['"item_count"'], () => partner.call('DELETE', `${path}/${second.id}`));
  const page = (await partner.call('GET', `${path}?max=2`)).body.response;
  expect(page).toMatchObject({ contentCollections: [{ id: first.id }], after: second.id });
  const rest = (await partner.call('GET', `${path}?max=2&after=${page.after}`)).body.response;
  expect(rest.contentCollections).toMatchObject([{ id: third.id }]);
});
