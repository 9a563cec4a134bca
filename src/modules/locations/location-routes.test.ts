import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { runJobs } from '../../../test/support/jobs.ts';
import { addBusiness, addLocation, exampleLocation } from '../../../test/support/locations.ts';
import { enableCollections } from '../../../test/support/product-plans.ts';
import { eventsOf } from '../../../test/support/recorded-events.ts';
import { addUser } from '../../../test/support/users.ts';

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

describe('a change', () => {
  test('keeps absent fields, deletes fields by null or "", and records an event', async () => {
    const { id } = await addLocation(partner, { businessId, website: 'https://a.example', email: 'a@a.example' });
    const { code, body } = await patch(id, { website: null, email: '', descriptionShort: 'New' });
    expect(code).toBe(200);
    expect(body.response).toMatchObject({ name: 'Bäckerei Lindner Ehrenfeld', descriptionShort: 'New' });
    expect(body.response).not.toHaveProperty('website');
    expect(body.response).not.toHaveProperty('email');
    expect(await read(id)).toEqual(body.response);
    expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toMatchObject([
      { location: id, user: 'PRIVATE_TOKEN', comment: 'Changed: website, email, descriptionShort' },
    ]);
  });

  test('without differences records no event and no history', async () => {
    const location = await addLocation(partner, { businessId, keywords: ['bread'] });
    const same = { name: ' Bäckerei  Lindner Ehrenfeld ', phone: '0221 9524300', keywords: ['bread', 'Bread'] };
    const { body } = await patch(location.id, same);
    expect(body.response).toEqual(location);
    expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toEqual([]);
    const history = await partner.call('GET', `/api/locations/${location.id}/history`);
    expect(history.body.response).toMatchObject({ count: 0, changes: [] });
  });

  test('is in the history with its user, newest first', async () => {
    const { id } = await addLocation(partner, { businessId });
    await patch(id, { name: 'Lindner' });
    await patch(id, { phone: null, keywords: ['rolls'] });
    const { body } = await partner.call('GET', `/api/locations/${id}/history?max=1`);
    expect(body.response).toMatchObject({
      count: 2,
      changes: [{ changedBy: 'PRIVATE_TOKEN', fields: ['phone', 'keywords'] }],
    });
    const rest = await partner.call('GET', `/api/locations/${id}/history?after=${body.response.after}`);
    expect(rest.body.response.changes).toMatchObject([{ fields: ['name'] }]);
  });

  test.each(['PUT', 'POST'])('by %s has the same effect as by PATCH', async (method) => {
    const { id } = await addLocation(partner, { businessId, website: 'https://a.example' });
    const { code, body } = await partner.call(method, `/api/location/${id}`, { website: '', name: 'Lindner' });
    expect(code).toBe(200);
    expect(body.response).toMatchObject({ name: 'Lindner', phone: '+492219524300' });
    expect(body.response).not.toHaveProperty('website');
  });

  test.each(['PATCH', 'PUT', 'POST'])('by %s cannot delete required fields', async (method) => {
    const { id } = await addLocation(partner, { businessId });
    for (const field of ['name', 'street', 'city', 'country', 'categories', 'businessId']) {
      const { code, body } = await partner.call(method, `/api/locations/${id}`, { [field]: null });
      expect({ code, errors: body.errors }).toMatchObject({ code: 400, errors: [{ field, rule: 'not-deletable' }] });
    }
  });

  test('of the country validates phone and postal code again', async () => {
    const { id } = await addLocation(partner, { businessId });
    const { code, body } = await patch(id, { country: 'AT' });
    expect(code).toBe(400);
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(['zip', 'phone']);
    const moved = await patch(id, {
      country: 'AT',
      zip: '1010',
      phone: '+43 1 5123456',
      city: 'Wien',
      lat: 48.2,
      lng: 16.37,
    });
    expect(moved.body.response).toMatchObject({ country: 'AT', phone: '+4315123456', timeZone: 'Europe/Vienna' });
  });

  test('of the country validates call tracking numbers again unless they are deleted', async () => {
    const { id } = await addLocation(partner, { businessId, callTrackingNumbers: ['0221 9524301'] });
    const moved = { country: 'AT', zip: null, phone: null };
    const refused = await patch(id, moved);
    expect(refused.body.errors).toMatchObject([{ field: 'callTrackingNumbers[0]' }]);
    const { code, body } = await patch(id, { ...moved, callTrackingNumbers: null });
    expect(code).toBe(200);
    expect(body.response).not.toHaveProperty('callTrackingNumbers');
  });

  test('of the coordinates updates a derived time zone', async () => {
    const london = { lat: 51.5, lng: -0.12 };
    const { id } = await addLocation(partner, { businessId });
    expect((await patch(id, london)).body.response.timeZone).toBe('Europe/London');
    const chosen = await addLocation(partner, { businessId, timeZone: 'Europe/Zurich' });
    expect((await patch(chosen.id, london)).body.response.timeZone).toBe('Europe/Zurich');
  });

  test('warns about unknown fields and rejects an empty change', async () => {
    const { id } = await addLocation(partner, { businessId });
    const { code, body } = await patch(id, { name: 'Lindner', listings: 7, colour: 'red' });
    expect({ code, warnings: body.warnings }).toEqual({
      code: 200,
      warnings: ['Unknown fields ignored: listings, colour.'],
    });
    expect((await patch(id, {})).code).toBe(400);
  });

  test('updates profile completeness and classification', async () => {
    const { id } = await addLocation(partner, { businessId });
    const hours = [{ dayOfWeek: 1, from1: '08:00', to1: '18:00' }];
    expect((await patch(id, { openingHours: hours })).body.response.profileCompleteness).toBe(36);
    const { body } = await patch(id, { phone: null, zip: null });
    expect(body.response).toMatchObject({
      profileCompleteness: 24,
      classification: 'REQUIRED',
      missingMandatoryFields: ['zip', 'phone'],
      normalizationStatus: 'NOT_NORMALIZED',
      cleansingStatus: 'NOT_CLEANSED',
      locationSyncable: false,
    });
  });
});

describe('concurrent changes', () => {
  test('of different fields are all kept', async () => {
    const { id } = await addLocation(partner, { businessId });
    const changes = [
      { name: 'Lindner' },
      { website: 'https://a.example' },
      { descriptionShort: 'Bread' },
      { keywords: ['rolls'] },
      { openingHoursNotes: 'Ring the bell' },
      { customFields: [{ name: 'Region', value: 'West' }] },
      { services: [{ title: 'Cake' }] },
      { labels: ['West'] },
    ];
    const responses = await Promise.all(changes.map((change) => patch(id, change)));
    expect(responses.map(({ code }) => code)).toEqual(changes.map(() => 200));
    const { services, labels, ...rest } = await read(id);
    expect(rest).toMatchObject(Object.assign({}, ...changes.slice(0, 6)));
    expect(services).toMatchObject([{ title: 'Cake' }]);
    expect(labels).toMatchObject([{ name: 'West' }]);
    expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toHaveLength(8);
    const history = await partner.call('GET', `/api/locations/${id}/history`);
    expect(history.body.response.count).toBe(8);
    const { rows } = await api.database.pool.query('select revision from locations where id = $1', [id]);
    expect(rows).toEqual([{ revision: 9 }]);
  });
});

describe('a change that fails', () => {
  test('changes no field, event or history', async () => {
    const location = await addLocation(partner, { businessId });
    const { code } = await patch(location.id, { name: 'Lindner', labels: ['New'], services: [{ id: 123_456 }] });
    expect(code).toBe(400);
    expect(await read(location.id)).toEqual(location);
    expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toEqual([]);
    expect((await partner.call('GET', '/api/labels')).body.response.count).toBe(0);
  });

  test('changes no field if only its status change fails', async () => {
    const location = await addLocation(partner, { businessId });
    const { code, body } = await patch(location.id, { name: 'Lindner', status: 'CLOSED' });
    expect({ code, status: body.status }).toEqual({ code: 409, status: 'CONFLICT' });
    expect(await read(location.id)).toEqual(location);
  });
});

describe('labels', () => {
  test('are accepted by id, name or object, and returned as objects', async () => {
    const west = (await partner.call('POST', '/api/labels', { name: 'West' })).body.response;
    const { id } = await addLocation(partner, { businessId, labels: [west.id, 'Flagship', { name: 'west' }] });
    const labels = (await read(id)).labels;
    expect(labels).toEqual([west, { id: expect.any(Number), name: 'Flagship', adminOnly: false }]);
    expect((await patch(id, { labels: [{ id: labels[1].id }] })).body.response.labels).toEqual([labels[1]]);
    expect((await patch(id, { labels: [] })).body.response.labels).toEqual([]);
  });

  test('are created as adminOnly on request', async () => {
    const { id } = await addLocation(partner, { businessId, labels: [{ name: 'Key account', adminOnly: true }] });
    expect((await read(id)).labels).toEqual([{ id: expect.any(Number), name: 'Key account', adminOnly: true }]);
    const manager = await addUser(api, partner, {
      role: 'LOCATION_MANAGER',
      features: ['LOCATION_READ', 'LOCATION_WRITE'],
      locationIds: [id],
    });
    const refused = await manager.call('PATCH', `/api/locations/${id}`, {
      labels: [{ name: 'Mine', adminOnly: true }],
    });
    expect(refused).toMatchObject({ code: 400, body: { errors: [{ field: 'labels[0].adminOnly', rule: 'role' }] } });
    expect((await partner.call('GET', '/api/labels')).body.response.count).toBe(1);
  });

  test('of another partner are rejected', async () => {
    const stranger = await api.addPartner();
    const label = (await stranger.call('POST', '/api/labels', { name: 'Theirs' })).body.response;
    expect((await create({ labels: [label.id] })).body.errors).toMatchObject([{ field: 'labels[0]', rule: 'known' }]);
  });
});

test('rejects a change with only unknown fields and names them', async () => {
  const { id } = await addLocation(partner, { businessId });
  const { code, body } = await patch(id, { nmae: 'X' });
  expect({ code, message: body.message }).toEqual({ code: 400, message: expect.stringContaining('ignored: nmae.') });
});

test.each([null, ''])('%j in a list entry deletes the value', async (none) => {
  const { id } = await addLocation(partner, { businessId });
  const change = {
    openingHours: [{ dayOfWeek: 1, closed: none, from1: '08:00', to1: '18:00', from2: none, to2: none }],
    photos: [{ url: 'https://example.com/front.jpg', type: none, description: none }],
  };
  const kept = {
    openingHours: [{ dayOfWeek: 1, from1: '08:00', to1: '18:00' }],
    photos: [{ url: 'https://example.com/front.jpg', type: 'PHOTO' }],
  };
  expect(await patch(id, change)).toMatchObject({ code: 200, body: { response: kept } });
  await patch(id, { openingHours: null, photos: null });
  const bulk = await partner.call('PATCH', '/api/locations', { ids: [id], changes: change });
  expect(bulk.body.response).toMatchObject({ updatedCount: 1 });
  const { openingHours, photos } = await read(id);
  expect({ openingHours, photos }).toEqual(kept);
});

describe('cleansing', () => {
  const statusOf = async (id: number) => (await read(id)).cleansingStatus;

  test('runs as a job and records no event', async () => {
    const { id } = await addLocation(partner, { businessId, street: 'Venloer Straße 310', streetNo: null });
    expect(await statusOf(id)).toBe('PENDING');
    await runJobs(api.database);
    expect(await read(id)).toMatchObject({ street: 'Venloer Straße', streetNo: '310', cleansingStatus: 'CLEANSED' });
    expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toEqual([]);
    const history = await partner.call('GET', `/api/locations/${id}/history`);
    expect(history.body.response.changes).toMatchObject([{ changedBy: 'SYSTEM', fields: ['street', 'streetNo'] }]);
  });

  test('does not run again for an equivalent address', async () => {
    const { id } = await addLocation(partner, { businessId });
    await runJobs(api.database);
    const { body } = await patch(id, { street: 'Venloer  Straße 310', streetNo: null, city: '50823 Köln' });
    expect(body.response).toMatchObject({ street: 'Venloer Straße', streetNo: '310', cleansingStatus: 'CLEANSED' });
    expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toEqual([]);
  });

  test('marks an invalid address as INVALID_DATA until it changes', async () => {
    const { id } = await addLocation(partner, { businessId, lat: 40.4168, lng: -3.7038 });
    await runJobs(api.database);
    expect(await statusOf(id)).toBe('INVALID_DATA');
    await patch(id, { name: 'Lindner' });
    expect(await statusOf(id)).toBe('INVALID_DATA');
    await patch(id, { lat: 50.9483, lng: 6.9192 });
    expect(await statusOf(id)).toBe('PENDING');
    await runJobs(api.database);
    expect(await statusOf(id)).toBe('CLEANSED');
  });
});

test('lists missing fields by level', async () => {
  const { id } = await addLocation(partner, { businessId, phone: undefined, email: 'a@a.example' });
  const missingByLevel = async () => {
    const { body } = await partner.call('GET', `/api/locations/${id}/completeness`);
    expect(body.response.profileCompleteness).toBe((await read(id)).profileCompleteness);
    return Object.fromEntries(
      body.response.levels.map((level: { classification: string; missing: string[][] }) => [
        level.classification,
        level.missing,
      ]),
    );
  };
  expect(await missingByLevel()).toEqual({
    REQUIRED: [['phone']],
    BASIC: [['openingHours'], ['descriptionShort', 'descriptionLong'], ['photos'], ['attributes']],
    ADVANCED: [['keywords'], ['services']],
    BONUS: [['website']],
  });
  await patch(id, { phone: '+49 221 9524300', descriptionLong: 'Bread.', keywords: ['bread'] });
  expect(await missingByLevel()).toEqual({
    REQUIRED: [],
    BASIC: [['openingHours'], ['photos'], ['attributes']],
    ADVANCED: [['services']],
    BONUS: [['website']],
  });
});

describe('other partners', () => {
  test('get 404 for a location, as for one that does not exist', async () => {
    const { id } = await addLocation(partner, { businessId });
    const stranger = await api.addPartner();
    const calls = [
      ['GET', ''],
      ['PATCH', '', { name: 'Mine' }],
      ['PUT', '', { name: 'Mine' }],
      ['POST', '', { name: 'Mine' }],
      ['DELETE', ''],
      ['POST', '/status', { status: 'ACTIVE' }],
      ['GET', '/history'],
      ['GET', '/completeness'],
    ] as const;
    for (const [method, path, body] of calls) {
      const response = await stranger.call(method, `/api/locations/${id}${path}`, body);
      expect({ method, path, code: response.code, message: response.body.message }).toEqual({
        method,
        path,
        code: 404,
        message: `There is no location ${id}.`,
      });
    }
    expect((await read(id)).name).toBe('Bäckerei Lindner Ehrenfeld');
  });
});
