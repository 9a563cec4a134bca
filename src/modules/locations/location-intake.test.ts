import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { runJobs } from '../../../test/support/jobs.ts';
import { addBusiness, bakery, exampleLocation } from '../../../test/support/locations.ts';
import { eventsOf } from '../../../test/support/recorded-events.ts';
import { startSandbox, type TestSandbox } from '../../../test/support/sandbox.ts';
import { addUser } from '../../../test/support/users.ts';
import { categoryId } from '../catalog/categories/category.ts';

let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
});
afterAll(() => api.close());
beforeEach(async () => {
  partner = await api.addPartner();
});

describe('a checkout', () => {
  const sell = (body: object, who: Pick<TestPartner, 'call'> = partner) =>
    who.call('POST', '/api/checkout/locations', body);

  test('creates business, plan and location with their events', async () => {
    const plan = (await partner.call('POST', '/api/product-plans', { name: 'Basic', price: 4900, currency: 'EUR' }))
      .body.response;
    await partner.call('PATCH', `/api/product-plans/${plan.id}`, { status: 'ACTIVE' });
    const { code, body } = await sell({
      business: { name: 'Bäckerei Lindner', productPlanId: plan.id },
      location: exampleLocation,
    });
    expect(code).toBe(200);
    const { business, location } = body.response;
    expect(location).toMatchObject({ businessId: business.id, source: 'CHECKOUT', status: 'CREATED' });
    expect(business).toMatchObject({ name: 'Bäckerei Lindner', productPlanId: plan.id });
    expect(await eventsOf(api.database, partner, 'BUSINESS_CREATED')).toMatchObject([{ business: business.id }]);
    expect(await eventsOf(api.database, partner, 'LOCATION_CREATED')).toMatchObject([
      { location: location.id, source: 'CHECKOUT' },
    ]);
  });

  test('for an existing business creates only the location', async () => {
    const { id: businessId } = await addBusiness(partner);
    const { body } = await sell({ businessId, location: exampleLocation });
    expect(body.response).toMatchObject({ business: { id: businessId }, location: { businessId } });
    expect(await eventsOf(api.database, partner, 'BUSINESS_CREATED')).toHaveLength(1);
  });

  test('that fails creates nothing and names the part', async () => {
    const wrong = { ...exampleLocation, zip: 'X' };
    const { code, body } = await sell({ business: { name: 'Bäckerei Lindner' }, location: wrong });
    expect({ code, errors: body.errors }).toMatchObject({ code: 400, errors: [{ field: 'location.zip' }] });
    expect(body.errors[0].message).toMatch(/^location\.zip /);
    expect(body.message).toBe(body.errors[0].message);
    expect((await partner.call('GET', '/api/businesses')).body.response.count).toBe(0);
    expect(await eventsOf(api.database, partner, 'BUSINESS_CREATED')).toEqual([]);
  });

  test.each([{ phone: '1' }, { country: 'XX' }])('names the field of an error once: %j', async (wrong) => {
    const { body } = await sell({ business: { name: 'Lindner' }, location: { ...exampleLocation, ...wrong } });
    const [field = ''] = Object.keys(wrong);
    const [error] = body.errors;
    expect(error.field).toBe(`location.${field}`);
    expect(error.message.split(error.field)).toEqual(['', expect.stringMatching(/^ must be a /)]);
  });

  test('requires a business of the partner', async () => {
    expect((await sell({ location: exampleLocation })).code).toBe(400);
    const theirs = await addBusiness(await api.addPartner());
    expect((await sell({ businessId: theirs.id, location: exampleLocation })).code).toBe(400);
    expect((await sell({ businessId: 1, business: { name: 'Both' }, location: exampleLocation })).code).toBe(400);
  });

  test('is idempotent with an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'order-1' };
    const order = { business: { name: 'Bäckerei Lindner' }, location: exampleLocation };
    const responses = await Promise.all(
      [1, 2, 3].map(() => partner.call('POST', '/api/checkout/locations', order, headers)),
    );
    expect(new Set(responses.map(({ body }) => body.response.location.id)).size).toBe(1);
    expect(await eventsOf(api.database, partner, 'LOCATION_CREATED')).toHaveLength(1);
  });

  test('is rejected for a user who may not create businesses', async () => {
    const manager = await addUser(api, partner, { role: 'BUSINESS_MANAGER', businessIds: [] });
    expect((await sell({ business: { name: 'Mine' }, location: exampleLocation }, manager)).code).toBe(403);
  });
});

describe('a directory listing', () => {
  let sandbox: TestSandbox;
  let businessId: number;

  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());
  beforeEach(async () => {
    businessId = (await addBusiness(partner)).id;
  });

  const shown = {
    name: 'Café am Ring',
    street: 'Hohenzollernring',
    streetNo: '22',
    zip: '50672',
    city: 'Köln',
    country: 'DE',
    phone: '+492212570611',
    website: 'https://cafe-am-ring.example',
    categories: ['Cafe'],
    openingHours: [{ dayOfWeek: 1, from1: '08:00', to1: '20:00' }],
  };
  const download = async (body: object) =>
    partner.call('POST', '/api/locations/data-download', { businessId, ...body });
  const finish = async (id: number) => {
    await runJobs(api.database, { directories: sandbox.directories });
    return (await partner.call('GET', `/api/tasks/${id}`)).body.response;
  };

  test('becomes a location by id', async () => {
    const { id: externalId } = await sandbox.control.addListing('GOOGLE', shown);
    const { code, body } = await download({ directoryType: 'GOOGLE', externalId, identifier: 'ring' });
    expect({ code, status: body.response.status }).toEqual({ code: 200, status: 'CREATED' });
    const task = await finish(body.response.id);
    expect(task).toMatchObject({ status: 'FINISHED', progress: 100, result: { externalId } });
    const location = (await partner.call('GET', `/api/locations/${task.result.locationId}`)).body.response;
    expect(location).toMatchObject({
      ...shown,
      categories: [categoryId('amenity/cafe')],
      identifier: 'ring',
      businessId,
      source: 'LOCATION_DATA_DOWNLOAD',
    });
    expect(await eventsOf(api.database, partner, 'LOCATION_CREATED')).toMatchObject([
      { location: location.id, source: 'LOCATION_DATA_DOWNLOAD' },
    ]);
  });

  test('is not read for a user who may not write all of its fields', async () => {
    const body = { businessId, directoryType: 'GOOGLE', externalId: 'g-1' };
    const narrow = await addUser(api, partner, { role: 'ACCOUNT_MANAGER', fieldGroups: ['OPENING_HOURS'] });
    const refused = await narrow.call('POST', '/api/locations/data-download', body);
    expect({ code: refused.code, message: refused.body.message }).toEqual({
      code: 403,
      message: expect.stringContaining('You may not change name, street'),
    });
    const wide = await addUser(api, partner, { role: 'ACCOUNT_MANAGER' });
    expect((await wide.call('POST', '/api/locations/data-download', body)).code).toBe(200);
  });

  test('becomes a location by search', async () => {
    await sandbox.control.addListing('GOOGLE', { ...shown, name: 'Teehaus am Ring' });
    const search = { name: 'Teehaus am Ring', street: shown.street, zip: shown.zip, city: shown.city, country: 'DE' };
    const { body } = await download({ directoryType: 'GOOGLE', search, categories: [bakery] });
    const task = await finish(body.response.id);
    const location = (await partner.call('GET', `/api/locations/${task.result.locationId}`)).body.response;
    expect(location).toMatchObject({ name: 'Teehaus am Ring', categories: [bakery] });
  });

  test.each([[['Caf']], [['!!!']]])('with the categories %j needs categories', async (categories) => {
    const { id: externalId } = await sandbox.control.addListing('GOOGLE', { ...shown, categories });
    const { body } = await download({ directoryType: 'GOOGLE', externalId });
    expect(await finish(body.response.id)).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('categories'),
    });
  });

  test('that is missing or incomplete fails the task with a reason', async () => {
    const missing = await download({ directoryType: 'GOOGLE', externalId: 'nowhere' });
    expect(await finish(missing.body.response.id)).toMatchObject({
      status: 'FAILED',
      error: 'The listing was not found on GOOGLE.',
    });
    const { id: externalId } = await sandbox.control.addListing('GOOGLE', { ...shown, name: 'Bar', phone: '12' });
    const wrong = await download({ directoryType: 'GOOGLE', externalId });
    expect(await finish(wrong.body.response.id)).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('phone'),
    });
    expect((await partner.call('GET', '/api/locations')).body.response.count).toBe(0);
  });

  test.each([
    [{ directoryType: 'NOWHERE', externalId: 'x' }, 400],
    [{ directoryType: 'GOOGLE' }, 400],
    [{ directoryType: 'GOOGLE', externalId: 'x', search: { name: 'x' } }, 400],
    [{ directoryType: 'GOOGLE', externalId: 'x', businessId: 999_999 }, 400],
  ])('is rejected with %j', async (body, code) => {
    expect((await download(body)).code).toBe(code);
  });
});
