import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addPlan } from '../../../../test/support/product-plans.ts';
import { addUser } from '../../../../test/support/users.ts';

const path = '/api/product-plans';
let api: TestApi;
let partner: TestPartner;
let stranger: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
  stranger = await api.addPartner();
});
afterAll(() => api.close());

const presence = { name: 'Presence', price: 2900, currency: 'eur' };
const create = async (body: object = presence) => (await partner.call('POST', path, body)).body.response;
const patch = (id: number, body: object) => partner.call('PATCH', `${path}/${id}`, body);
const read = async (id: number) => (await partner.call('GET', `${path}/${id}`)).body.response;

describe('creating', () => {
  test('a new plan is pending approval', async () => {
    const given = {
      ...presence,
      identifier: 'p-1',
      description: 'All basics',
      directoryTypes: ['GOOGLE'],
      features: ['COLLECTIONS'],
    };
    const plan = await create(given);
    expect(plan).toEqual({
      ...given,
      currency: 'EUR',
      id: expect.any(Number),
      status: 'PENDING_APPROVAL',
      dateCreated: expect.any(String),
      lastUpdated: expect.any(String),
    });
    expect(await read(plan.id)).toEqual(plan);
  });

  test.each([
    [{ ...presence, price: 29.5 }, 'price'],
    [{ ...presence, price: -1 }, 'price'],
    [{ ...presence, price: 2 ** 31 }, 'price'],
    [{ ...presence, currency: 'EURO' }, 'currency'],
    [{ ...presence, name: '  ' }, 'name'],
    [{ name: 'No price', currency: 'EUR' }, 'price'],
    [{ ...presence, directoryTypes: ['MYSPACE'] }, 'directoryTypes[0]'],
    [{ ...presence, features: ['lower case'] }, 'features[0]'],
    [{ ...presence, status: 'INACTIVE' }, 'status'],
  ])('rejects %j', async (body, field) => {
    expect(await partner.call('POST', path, body)).toMatchObject({ code: 400, body: { errors: [{ field }] } });
  });

  test('an identifier is unique per partner, even for concurrent requests', async () => {
    const raced = { ...presence, identifier: 'raced' };
    const responses = await Promise.all(Array.from({ length: 4 }, () => partner.call('POST', path, raced)));
    expect(responses.map(({ code }) => code).sort()).toEqual([200, 409, 409, 409]);
    expect(responses.find(({ code }) => code === 409)?.body.errorCode).toBe('IDENTIFIER_NOT_UNIQUE');
    expect((await stranger.call('POST', path, raced)).code).toBe(200);
    const other = await create();
    expect(await patch(other.id, { identifier: 'raced' })).toMatchObject({
      code: 409,
      body: { errorCode: 'IDENTIFIER_NOT_UNIQUE' },
    });
  });
});

describe('changing', () => {
  test('changes only the given fields; null deletes; PUT behaves like PATCH', async () => {
    const plan = await create({ ...presence, identifier: 'changing', description: 'Old' });
    expect((await patch(plan.id, { price: 3900, description: null })).body.response).toEqual({
      ...plan,
      price: 3900,
      description: '',
      lastUpdated: expect.any(String),
    });
    const put = await partner.call('PUT', `${path}/${plan.id}`, { identifier: '' });
    expect(put.body.response).not.toHaveProperty('identifier');
    expect(put.body.response.price).toBe(3900);
  });

  const moves = [
    ['PENDING_APPROVAL', ['ACTIVE'], ['INACTIVE']],
    ['ACTIVE', ['INACTIVE'], ['PENDING_APPROVAL']],
    ['INACTIVE', ['ACTIVE'], ['PENDING_APPROVAL']],
  ] as const;
  test.each(moves)('%s can become %s but not %s', async (from, allowed, refused) => {
    for (const [targets, code] of [
      [allowed, 200],
      [refused, 409],
    ] as const) {
      for (const to of targets) {
        const { id } = await create();
        if (from !== 'PENDING_APPROVAL') await patch(id, { status: 'ACTIVE' });
        if (from === 'INACTIVE') await patch(id, { status: 'INACTIVE' });
        const response = await patch(id, { status: to });
        expect(response.code).toBe(code);
        if (code === 409) expect(response.body.message).toContain(allowed.join(' or '));
        expect((await read(id)).status).toBe(code === 200 ? to : from);
      }
    }
  });

  test.each([
    [{}, 'body'],
    [{ name: null }, 'name'],
    [{ price: 'free' }, 'price'],
    [{ status: 'GONE' }, 'status'],
  ])('rejects %j', async (body, field) => {
    const { id } = await create();
    expect(await patch(id, body)).toMatchObject({ code: 400, body: { errors: [{ field }] } });
  });
});

describe('deleting', () => {
  test('deletes an unused plan', async () => {
    const { id } = await create();
    expect((await partner.call('DELETE', `${path}/${id}`)).body.response).toEqual({ success: true });
    expect(await partner.call('GET', `${path}/${id}`)).toMatchObject({ code: 404 });
    expect(await partner.call('DELETE', `${path}/${id}`)).toMatchObject({ code: 404 });
  });

  test('rejects the deletion of a plan that is in use or scheduled', async () => {
    const has = await addPlan(partner);
    const agreed = await addPlan(partner);
    await partner.call('POST', '/api/businesses', {
      name: 'Its business',
      productPlanId: has.id,
      nextProductPlanId: agreed.id,
      effectiveDate: '2999-01-01',
    });
    for (const { id } of [has, agreed]) {
      const response = await partner.call('DELETE', `${path}/${id}`);
      expect(response).toMatchObject({ code: 409, body: { status: 'CONFLICT' } });
      expect(response.body.message).toContain('INACTIVE');
      expect((await read(id)).status).toBe('ACTIVE');
    }
  });
});

describe('list', () => {
  test('filters and pages', async () => {
    const own = await api.addPartner();
    const plans = [];
    for (const name of ['Alpha', 'Beta', 'Gamma']) plans.push(await addPlan(own, { name }));
    const waiting = (await own.call('POST', path, { ...presence, name: 'Delta beta' })).body.response;
    const ids = async (query: string) =>
      (await own.call('GET', `${path}${query}`)).body.response.productPlans.map(({ id }: { id: number }) => id);
    expect((await own.call('GET', path)).body.response).toMatchObject({ offset: 0, max: 50, count: 4 });
    expect(await ids('?status=ACTIVE')).toEqual(plans.map(({ id }) => id));
    expect(await ids('?query=BETA')).toEqual([plans[1].id, waiting.id]);
    expect(await ids('?offset=1&max=2')).toEqual([plans[1].id, plans[2].id]);
    expect(await ids(`?after=${plans[2].id}`)).toEqual([waiting.id]);
  });
});

describe('permissions', () => {
  test('plans of other partners are not found', async () => {
    const { id } = await create();
    const responses = [
      await stranger.call('GET', `${path}/${id}`),
      await stranger.call('PATCH', `${path}/${id}`, { name: 'Mine' }),
      await stranger.call('PUT', `${path}/${id}`, { name: 'Mine' }),
      await stranger.call('DELETE', `${path}/${id}`),
    ];
    for (const response of responses) expect(response).toMatchObject({ code: 404, body: { status: 'NOT_FOUND' } });
    const list = await stranger.call('GET', `${path}?max=500`);
    expect(list.body.response.productPlans.map((plan: { id: number }) => plan.id)).not.toContain(id);
    expect((await read(id)).name).toBe('Presence');
  });

  test('only administrators can write plans; all users can read them', async () => {
    const { id } = await create();
    const manager = await addUser(api, partner, { role: 'ACCOUNT_MANAGER' });
    const admin = await addUser(api, partner, { role: 'ADMIN' });
    expect((await manager.call('GET', `${path}/${id}`)).code).toBe(200);
    expect((await manager.call('POST', path, presence)).code).toBe(403);
    expect((await manager.call('PATCH', `${path}/${id}`, { name: 'No' })).code).toBe(403);
    expect((await manager.call('DELETE', `${path}/${id}`)).code).toBe(403);
    expect((await admin.call('PATCH', `${path}/${id}`, { name: 'Yes' })).code).toBe(200);
  });
});
