import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { addBusiness, addLocation, exampleLocation } from '../../../test/support/locations.ts';
import { enableCollections } from '../../../test/support/product-plans.ts';
import { eventsOf } from '../../../test/support/recorded-events.ts';

let api: TestApi;
let partner: TestPartner;
let businessId: number;

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
});
afterAll(() => api.close());
beforeEach(async () => {
  partner = await api.addPartner();
  await enableCollections(api, partner);
  businessId = (await addBusiness(partner)).id;
});

const create = (fields: object) =>
  partner.call('POST', '/api/locations', { ...exampleLocation, businessId, ...fields });
const read = async (id: number) => (await partner.call('GET', `/api/locations/${id}`)).body.response;
const patch = (id: number, fields: object) => partner.call('PATCH', `/api/locations/${id}`, fields);

test('keeps services by id, creates new ones and deletes absent ones', async () => {
  const { id, services } = await addLocation(partner, {
    businessId,
    services: [{ title: 'Cake', identifier: 'cake' }, { title: 'Bread' }, { title: 'Coffee' }],
  });
  const [cake, bread] = services;
  const { body } = await patch(id, {
    services: [
      { id: bread.id, description: 'Sourdough' },
      { identifier: 'cake', title: 'Cakes', price: 1200, currency: 'eur' },
      { title: 'Tea', translations: { de: { title: 'Tee' } } },
    ],
  });
  expect(body.response.services).toEqual([
    { id: bread.id, title: 'Bread', description: 'Sourdough' },
    { id: expect.any(Number), identifier: 'cake', title: 'Cakes', price: 1200, currency: 'EUR' },
    { id: expect.any(Number), title: 'Tea', translations: { de: { title: 'Tee' } } },
  ]);
  expect(body.response.services[1].id).not.toBe(cake.id);
  expect(await read(id)).toEqual(body.response);
  expect((await patch(id, { services: body.response.services })).body.response).toEqual(body.response);
  expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toHaveLength(1);
  expect((await patch(id, { services: null })).body.response.services).toEqual([]);
});

test.each([null, ''])('deletes service fields by %j and keeps absent fields', async (none) => {
  const full = {
    identifier: 'cut',
    title: 'Cut',
    description: 'With a wash',
    category: exampleLocation.categories[0],
    price: 5000,
    currency: 'EUR',
    googleService: 'haircut',
    translations: { de: { title: 'Schnitt' } },
  };
  const { id, services } = await addLocation(partner, { businessId, services: [full] });
  const [{ id: service }] = services;
  const change = async (fields: object) => (await patch(id, { services: [{ id: service, ...fields }] })).body;
  expect((await change({ title: 'Haircut' })).response.services).toEqual([{ ...full, id: service, title: 'Haircut' }]);
  const gone = Object.fromEntries(Object.keys(full).map((name) => [name, none]));
  expect((await change({ ...gone, title: 'Cut' })).response.services).toEqual([{ id: service, title: 'Cut' }]);
  const { lastUpdated } = await read(id);
  expect((await change({ ...gone, title: 'Cut', translations: {} })).response.lastUpdated).toBe(lastUpdated);
  expect((await change({ title: none })).errors).toMatchObject([{ field: 'services[0].title', rule: 'not-deletable' }]);
  expect((await patch(id, { services: [{ ...gone, identifier: 'new' }] })).body.errors).toMatchObject([
    { field: 'services[0].title', rule: 'required' },
  ]);
});

test('copies a service of another location by id', async () => {
  const first = await addLocation(partner, {
    businessId,
    services: [{ title: 'Cake', price: 500, currency: 'EUR' }],
  });
  const second = await addLocation(partner, { businessId, services: [{ id: first.services[0].id }] });
  expect(second.services).toMatchObject([{ title: 'Cake', price: 500, currency: 'EUR' }]);
  expect(second.services[0].id).not.toBe(first.services[0].id);
  const again = await patch(second.id, { services: [{ id: first.services[0].id }] });
  expect(again.body.response.services).toEqual(second.services);
  expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toEqual([]);
  const both = await patch(second.id, { services: [{ id: first.services[0].id }, { id: second.services[0].id }] });
  expect(both.body.response.services[1]).toEqual(second.services[0]);
  const elsewhere = await create({
    businessId: (await addBusiness(partner)).id,
    services: [{ id: first.services[0].id }],
  });
  expect(elsewhere.body.errors).toMatchObject([{ field: 'services[0].id', rule: 'known' }]);
  const stranger = await api.addPartner();
  await enableCollections(api, stranger);
  const theirs = await stranger.call('POST', '/api/locations', {
    ...exampleLocation,
    businessId: (await addBusiness(stranger)).id,
    services: [{ id: first.services[0].id }],
  });
  expect(theirs.body.errors).toMatchObject([{ field: 'services[0].id', rule: 'known' }]);
});
