import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
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

test('changes of single items are in the audit log', async () => {
  const { id, items } = await create();
  await partner.call('POST', `${path}/${id}/items`, { name: 'Tea' });
  await partner.call('PATCH', `${path}/${id}/items/${items[0].id}`, { name: 'Stew' });
  await partner.call('DELETE', `${path}/${id}/items/${items[0].id}`);
  const { body } = await partner.call('GET', '/api/audit-trail?subject=CONTENT_COLLECTION');
  const change = { action: 'CHANGED', subjectId: id, details: { fields: ['items'] } };
  expect(body.response.entries).toMatchObject([change, change, change, { action: 'CREATED' }]);
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
