import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addLocation, exampleLocation } from '../../../../test/support/locations.ts';
import { eventually } from '../../../../test/support/loopback-receivers.ts';
import { addPlan } from '../../../../test/support/product-plans.ts';
import { eventsOf } from '../../../../test/support/recorded-events.ts';
import { addUser } from '../../../../test/support/users.ts';
import { createLocation } from '../../locations/create-location.ts';
import { markSynced } from '../../locations/location-figures.ts';
import { findBusiness } from './business-store.ts';
import { createBusiness, deleteBusiness } from './change-business.ts';

const path = '/api/businesses';
let api: TestApi;
let partner: TestPartner;
let stranger: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
  stranger = await api.addPartner();
});
afterAll(() => api.close());

const create = async (body: object = {}) =>
  (await partner.call('POST', path, { name: 'Harbour & Vine Ltd', ...body })).body.response;
const patch = (id: number, body: object) => partner.call('PATCH', `${path}/${id}`, body);
const read = async (id: number) => (await partner.call('GET', `${path}/${id}`)).body.response;

describe('creating', () => {
  const bristol = { street: 'Queen Square', streetNo: '7', zip: 'bs1 4ju', city: 'Bristol', country: 'uk' };

  test('stores all fields normalized and records an event', async () => {
    const plan = await addPlan(partner, { identifier: 'presence' });
    const own = await partner.call('POST', path, {
      identifier: 'hv',
      name: ' Harbour & Vine Ltd ',
      type: 'ENTERPRISE',
      address: bristol,
      phone: '0117 922 2000',
      email: 'office@harbour.example',
      website: 'https://harbour.example',
      productPlanId: plan.id,
    });
    expect(own.body.response).toEqual({
      id: expect.any(Number),
      identifier: 'hv',
      name: 'Harbour & Vine Ltd',
      type: 'ENTERPRISE',
      address: { ...bristol, zip: 'BS1 4JU', country: 'GB' },
      phone: '+441179222000',
      email: 'office@harbour.example',
      website: 'https://harbour.example',
      productPlanId: plan.id,
      productPlan: { id: plan.id, identifier: 'presence', name: 'Presence', price: 2900, currency: 'EUR' },
      status: 'CREATED',
      dateCreated: expect.any(String),
      lastUpdated: expect.any(String),
    });
    expect(await read(own.body.response.id)).toEqual(own.body.response);
    expect(await eventsOf(api.database, partner, 'BUSINESS_CREATED')).toContainEqual({
      business: own.body.response.id,
      comment: 'Harbour & Vine Ltd, Bristol',
      changedBy: 'PRIVATE_TOKEN',
    });
    expect(await eventsOf(api.database, partner, 'BUSINESS_PRODUCT_PLAN_CHANGED')).toEqual([]);
  });

  test("the event contains the user's e-mail address", async () => {
    const user = await addUser(api, partner, { role: 'ACCOUNT_MANAGER', email: 'anna@harbour.example' });
    const { id } = (await user.call('POST', path, { name: 'Of Anna' })).body.response;
    expect(await eventsOf(api.database, partner, 'BUSINESS_CREATED')).toContainEqual({
      business: id,
      comment: 'Of Anna',
      changedBy: 'anna@harbour.example',
    });
  });

  test('records no event if the change is rolled back', async () => {
    const own = await api.addPartner();
    const actor = { partner: own.partner, by: 'PRIVATE_TOKEN' };
    const failing = api.database.transaction(async (transaction) => {
      await createBusiness(transaction, actor, { name: 'Never' });
      throw new Error('and then something failed');
    });
    await expect(failing).rejects.toThrow('something failed');
    expect(await eventsOf(api.database, own, 'BUSINESS_CREATED')).toEqual([]);
    expect((await own.call('GET', path)).body.response.count).toBe(0);
  });

  test('a repeated request with the same key creates one business and one event', async () => {
    const own = await api.addPartner();
    const headers = { 'Idempotency-Key': 'once' };
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => own.call('POST', path, { name: 'Once' }, headers)),
    );
    expect(new Set(responses.map(({ body }) => body.response.id)).size).toBe(1);
    expect(await eventsOf(api.database, own, 'BUSINESS_CREATED')).toHaveLength(1);
  });

  test.each([
    [{ name: ' ' }, 'name'],
    [{ name: 'N', type: 'GIANT' }, 'type'],
    [{ name: 'N', address: { country: 'ZZ' } }, 'address.country'],
    [{ name: 'N', address: { country: 'DE', zip: '123' } }, 'address.zip'],
    [{ name: 'N', address: { country: 'DE' }, phone: '+33 1 42 68 53 00' }, 'phone'],
    [{ name: 'N', phone: '030 901820' }, 'phone'],
    [{ name: 'N', email: 'invalid' }, 'email'],
    [{ name: 'N', website: 'ftp://x.example' }, 'website'],
    [{ name: 'N', website: 'https://anna:secret@x.example/' }, 'website'],
    [{ name: 'N', effectiveDate: '2999-01-01' }, 'nextProductPlanId'],
  ])('rejects %j and stores nothing', async (body, field) => {
    const own = await api.addPartner();
    expect(await own.call('POST', path, body)).toMatchObject({ code: 400, body: { errors: [{ field }] } });
    expect((await own.call('GET', path)).body.response.count).toBe(0);
    expect(await eventsOf(api.database, own, 'BUSINESS_CREATED')).toEqual([]);
  });

  test('accepts only active plans of the partner', async () => {
    const waiting = (await partner.call('POST', '/api/product-plans', { name: 'W', price: 1, currency: 'EUR' })).body;
    const foreign = await addPlan(stranger);
    const ask = (productPlanId: number) => partner.call('POST', path, { name: 'N', productPlanId });
    expect(await ask(waiting.response.id)).toMatchObject({
      code: 409,
      body: { status: 'CONFLICT', errors: [{ field: 'productPlanId' }] },
    });
    expect((await ask(waiting.response.id)).body.message).toContain('PENDING_APPROVAL');
    expect(await ask(foreign.id)).toMatchObject({ code: 400 });
    expect(await ask(987654321)).toMatchObject({ code: 400 });
  });

  test('an identifier is unique among businesses that are not deleted', async () => {
    const { id } = await create({ identifier: 'single' });
    expect(await partner.call('POST', path, { name: 'N', identifier: 'single' })).toMatchObject({
      code: 409,
      body: { errorCode: 'IDENTIFIER_NOT_UNIQUE', errors: [{ field: 'identifier' }] },
    });
    expect((await stranger.call('POST', path, { name: 'N', identifier: 'single' })).code).toBe(200);
    await partner.call('DELETE', `${path}/${id}`);
    expect((await create({ identifier: 'single' })).identifier).toBe('single');
  });
});

describe('changing', () => {
  test('changes only the given fields; null and "" delete; PUT behaves like PATCH', async () => {
    const before = await create({
      identifier: 'to-change',
      address: { street: 'Domkloster', zip: '50667', city: 'Köln', country: 'DE' },
      phone: '0221 9258 4730',
      email: 'a@b.example',
    });
    const after = await patch(before.id, { name: 'Renamed', address: { street: 'Neumarkt', city: '' }, email: null });
    expect(after.body.response).toEqual({
      id: before.id,
      identifier: 'to-change',
      name: 'Renamed',
      type: 'SMB',
      address: { street: 'Neumarkt', zip: '50667', country: 'DE' },
      phone: before.phone,
      status: 'CREATED',
      dateCreated: before.dateCreated,
      lastUpdated: expect.any(String),
    });
    const put = await partner.call('PUT', `${path}/${before.id}`, { address: null, phone: null });
    expect(put.body.response.address).toEqual({});
    expect(put.body.response).not.toHaveProperty('phone');
  });

  test('rejects another country while the phone number belongs to the old one', async () => {
    const { id } = await create({ address: { country: 'DE' }, phone: '030 901820' });
    expect(await patch(id, { address: { country: 'FR' } })).toMatchObject({
      code: 400,
      body: { errors: [{ field: 'phone' }] },
    });
    expect(await read(id)).toMatchObject({ address: { country: 'DE' }, phone: '+4930901820' });
    expect((await patch(id, { address: { country: 'FR' }, phone: '01 42 68 53 00' })).code).toBe(200);
  });

  test('concurrent changes of different fields are both kept', async () => {
    const { id } = await create();
    await Promise.all([
      patch(id, { name: 'New name' }),
      patch(id, { email: 'new@b.example' }),
      patch(id, { website: 'https://new.example' }),
    ]);
    expect(await read(id)).toMatchObject({ name: 'New name', email: 'new@b.example', website: 'https://new.example' });
  });

  test.each([
    [{}, 'body'],
    [{ name: null }, 'name'],
    [{ productPlanId: null }, 'productPlanId'],
    [{ status: 'DELETED' }, 'status'],
  ])('rejects %j', async (body, field) => {
    const { id } = await create();
    expect(await patch(id, body)).toMatchObject({ code: 400, body: { errors: [{ field }] } });
  });

  test('lists unknown fields in the warnings', async () => {
    const { id } = await create();
    const { body } = await patch(id, { name: 'Known', colour: 'red', address: { planet: 'Earth' } });
    expect(body.warnings.join(' ')).toMatch(/colour.*address\.planet/);
  });
});

describe('status', () => {
  test('a business can be activated but not reset to CREATED', async () => {
    const { id } = await create();
    expect((await patch(id, { status: 'ACTIVE' })).body.response.status).toBe('ACTIVE');
    expect((await patch(id, { status: 'ACTIVE' })).code).toBe(200);
    expect(await patch(id, { status: 'CREATED' })).toMatchObject({ code: 409 });
    expect((await read(id)).status).toBe('ACTIVE');
  });

  test('it becomes active with its first synced location', async () => {
    const { id } = await create();
    const location = await addLocation(partner, { businessId: id });
    const actor = { partner: partner.partner, by: 'SYSTEM' };
    expect((await read(id)).status).toBe('CREATED');
    await api.database.transaction((transaction) => markSynced(transaction, actor, location.id));
    expect((await read(id)).status).toBe('ACTIVE');
  });
});

describe('deleting', () => {
  test('a deleted business is readable, listed only by status filter, and cannot be changed', async () => {
    const { id } = await create();
    expect((await partner.call('DELETE', `${path}/${id}`)).body.response).toEqual({ success: true });
    expect((await read(id)).status).toBe('DELETED');
    const ids = async (query: string) =>
      (await partner.call('GET', `${path}?max=500${query}`)).body.response.businesses.map(
        (one: { id: number }) => one.id,
      );
    expect(await ids('')).not.toContain(id);
    expect(await ids('&status=DELETED')).toContain(id);
    expect((await patch(id, { name: 'Again' })).code).toBe(409);
    expect((await partner.call('DELETE', `${path}/${id}`)).code).toBe(409);
  });

  test('rejects the deletion of a business with locations', async () => {
    const { id } = await create();
    const location = await addLocation(partner, { businessId: id });
    const refused = await partner.call('DELETE', `${path}/${id}`);
    expect(refused).toMatchObject({ code: 409, body: { status: 'CONFLICT' } });
    expect(refused.body.message).toContain('1 location');
    await api.database.pool.query("update locations set status = 'DELETED' where id = $1", [location.id]);
    expect((await partner.call('DELETE', `${path}/${id}`)).code).toBe(200);
  });

  test('waits for a concurrent location creation and is then rejected', async () => {
    const { id } = await create();
    const actor = { partner: partner.partner, by: 'PRIVATE_TOKEN' };
    const deletion = await api.database.transaction(async (transaction) => {
      await findBusiness(transaction, partner.partner.id, id);
      const deleting = partner.call('DELETE', `${path}/${id}`);
      await untilQueryIsBlocked();
      await createLocation(transaction, actor, 'API', { ...exampleLocation, businessId: id });
      return { deleting };
    });
    expect((await deletion.deleting).code).toBe(409);
    expect((await read(id)).status).toBe('CREATED');
  });

  test('a location created during the deletion is rejected', async () => {
    const { id } = await create();
    const actor = { partner: partner.partner, by: 'PRIVATE_TOKEN' };
    const creation = await api.database.transaction(async (transaction) => {
      await deleteBusiness(transaction, actor, id);
      const creating = partner.call('POST', '/api/locations', { ...exampleLocation, businessId: id });
      await untilQueryIsBlocked();
      return { creating };
    });
    expect((await creation.creating).code).toBe(400);
    expect((await read(id)).status).toBe('DELETED');
  });

  const untilQueryIsBlocked = () =>
    eventually(async () => {
      const { rows } = await api.database.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows.length;
    }).toBe(1);
});

describe('list', () => {
  test('filters, searches, sorts and pages', async () => {
    const own = await api.addPartner();
    const plan = await addPlan(own);
    const add = async (body: object) => (await own.call('POST', path, body)).body.response.id as number;
    const berlin = await add({
      name: 'Zur Linde',
      identifier: 'SHOP-12',
      address: { city: 'Berlin' },
      productPlanId: plan.id,
    });
    const bonn = await add({ name: 'alte Post', type: 'ENTERPRISE', address: { city: 'Bonn' } });
    const koeln = await add({ name: 'Bäckerei Lindner', address: { city: 'Köln' } });
    await own.call('PATCH', `${path}/${bonn}`, { status: 'ACTIVE' });
    const ids = async (query: string) =>
      (await own.call('GET', `${path}${query}`)).body.response.businesses.map((one: { id: number }) => one.id);
    expect((await own.call('GET', path)).body.response).toMatchObject({
      offset: 0,
      max: 50,
      count: 3,
      countIsExact: true,
    });
    expect(await ids('')).toEqual([berlin, bonn, koeln]);
    expect(await ids('?status=ACTIVE')).toEqual([bonn]);
    expect(await ids('?status=ACTIVE,CREATED')).toEqual([berlin, bonn, koeln]);
    expect(await ids('?type=ENTERPRISE')).toEqual([bonn]);
    expect(await ids(`?productPlanId=${plan.id}`)).toEqual([berlin]);
    expect(await ids('?identifier=SHOP-12')).toEqual([berlin]);
    expect(await ids('?query=lind')).toEqual([berlin, koeln]);
    expect(await ids('?query=shop-12')).toEqual([berlin]);
    expect(await ids('?query=lind%20k%C3%B6ln')).toEqual([koeln]);
    expect(await ids('?query=%27:*%20%26%20!')).toEqual([]);
    expect(await ids('?query=')).toEqual([berlin, bonn, koeln]);
    expect(await ids('?sort=name')).toEqual([bonn, koeln, berlin]);
    expect(await ids('?sort=name&order=desc')).toEqual([berlin, koeln, bonn]);
    expect(await ids(`?sort=name&after=${bonn}`)).toEqual([koeln, berlin]);
    expect(await ids(`?sort=name&order=desc&after=${berlin}&max=1`)).toEqual([koeln]);
    expect(await ids('?offset=1&max=1')).toEqual([bonn]);
    expect((await own.call('GET', `${path}?max=1`)).body.response.after).toBe(berlin);
    expect(await own.call('GET', `${path}?sort=colour`)).toMatchObject({ code: 400 });
    expect(await own.call('GET', `${path}?status=GONE`)).toMatchObject({ code: 400 });
  });
});

describe('permissions', () => {
  test('businesses of other partners are not found', async () => {
    const { id } = await create();
    const responses = [
      await stranger.call('GET', `${path}/${id}`),
      await stranger.call('PATCH', `${path}/${id}`, { name: 'Mine' }),
      await stranger.call('PUT', `${path}/${id}`, { name: 'Mine' }),
      await stranger.call('DELETE', `${path}/${id}`),
      await partner.call('GET', `${path}/987654321`),
    ];
    for (const response of responses) expect(response).toMatchObject({ code: 404, body: { status: 'NOT_FOUND' } });
    expect((await read(id)).name).toBe('Harbour & Vine Ltd');
  });

  test('a business manager can change their own businesses but not the plan', async () => {
    const plan = await addPlan(partner);
    const mine = await create();
    const other = await create();
    const manager = await addUser(api, partner, {
      role: 'BUSINESS_MANAGER',
      businessIds: [mine.id],
      features: ['LOCATION_READ', 'LOCATION_WRITE'],
    });
    const list = (await manager.call('GET', path)).body.response;
    expect(list).toMatchObject({ count: 1, businesses: [{ id: mine.id }] });
    expect((await manager.call('GET', `${path}/${other.id}`)).code).toBe(404);
    expect((await manager.call('PATCH', `${path}/${other.id}`, { name: 'No' })).code).toBe(404);
    expect((await manager.call('PATCH', `${path}/${mine.id}`, { name: 'Yes' })).code).toBe(200);
    expect((await manager.call('PATCH', `${path}/${mine.id}`, { productPlanId: plan.id })).code).toBe(403);
    expect((await manager.call('PATCH', `${path}/${mine.id}`, { status: 'ACTIVE' })).code).toBe(403);
    expect((await manager.call('POST', path, { name: 'No' })).code).toBe(403);
    expect((await manager.call('DELETE', `${path}/${mine.id}`)).code).toBe(403);
    expect(await read(mine.id)).toMatchObject({ name: 'Yes', status: 'CREATED' });
  });
});
