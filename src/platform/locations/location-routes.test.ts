import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { runJobs } from '../../../test/support/jobs.ts';
import { addBusiness, addLocation, bakery, venloerStrasse } from '../../../test/support/places.ts';
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
  businessId = (await addBusiness(partner)).id;
});

const create = (fields: object) => partner.call('POST', '/api/locations', { ...venloerStrasse, businessId, ...fields });
const read = async (id: number) => (await partner.call('GET', `/api/locations/${id}`)).body.response;
const patch = (id: number, fields: object) => partner.call('PATCH', `/api/locations/${id}`, fields);

describe('a new location', () => {
  test('is answered as it is kept, with what follows from it', async () => {
    const { code, body } = await create({ identifier: ' K-17 ', phone: '0221 9524300', country: 'de' });
    expect(code).toBe(200);
    expect(body.response).toEqual({
      id: expect.any(Number),
      businessId,
      identifier: 'K-17',
      name: 'Bäckerei Lindner Ehrenfeld',
      street: 'Venloer Straße',
      streetNo: '310',
      zip: '50823',
      city: 'Köln',
      country: 'DE',
      lat: 50.9483,
      lng: 6.9192,
      addressDisplay: true,
      timeZone: 'Europe/Berlin',
      phone: '+492219524300',
      categories: [bakery],
      autoSync: true,
      temporarilyClosed: false,
      labels: [],
      services: [],
      contentLists: [],
      status: 'CREATED',
      source: 'API',
      listings: 0,
      listingsInSync: 0,
      dataPoints: 0,
      profileCompleteness: 25,
      classification: 'BASIC',
      missingMandatoryFields: [],
      cleansingStatus: 'PENDING',
      normalizationStatus: 'NORMALIZED',
      locationSyncable: true,
      dateCreated: expect.any(String),
      lastUpdated: expect.any(String),
    });
    expect(await read(body.response.id)).toEqual(body.response);
  });

  test('has its event, with its source and in words where it is', async () => {
    const { id } = await addLocation(partner, { businessId });
    expect(await eventsOf(api.database, partner, 'LOCATION_CREATED')).toMatchObject([
      { location: id, source: 'API', comment: 'Bäckerei Lindner Ehrenfeld, Venloer Straße 310, 50823 Köln' },
    ]);
  });

  test('keeps everything that a profile can say', async () => {
    const profile = {
      descriptionShort: 'Bread since 1911',
      descriptionLong: 'Sourdough, rolls and cake.',
      imprint: 'Lindner GmbH',
      openingHours: [{ dayOfWeek: 1, from1: '06:30', to1: '18:00' }],
      specialOpeningHours: [{ date: '2026-12-24', from1: '06:30', to1: '13:00' }],
      openingHoursNotes: 'Coffee until 17:30',
      openingDate: '2026-03-01',
      keywords: ['bread', 'rolls'],
      brands: ['Demeter'],
      paymentOptions: ['CASH', 'GIROCARD'],
      languages: ['de', 'tr'],
      attributes: [
        { key: 'wheelchair', value: true },
        { key: 'seats', value: 12 },
        { key: 'diet', value: ['vegan', 'vegetarian'] },
      ],
      serviceAreas: [{ name: 'Köln-Ehrenfeld' }],
      socialProfiles: [{ type: 'INSTAGRAM', url: 'https://www.instagram.com/lindner' }],
      photos: [{ url: 'https://example.com/front.jpg', type: 'MAIN', description: 'The shop' }],
      videos: [{ url: 'https://example.com/oven.mp4' }],
      utms: [{ type: 'GOOGLE', parameters: 'utm_source=google' }],
      callTrackingNumbers: ['+492219524301'],
      customFields: [{ name: 'Region', value: 'West' }],
      website: 'https://www.lindner.example/ehrenfeld',
      email: 'ehrenfeld@lindner.example',
      fax: '+492219524309',
      cellphone: '+491711234567',
      province: 'NRW',
      addressExtra: 'In the courtyard',
      addressDisplay: false,
      autoSync: false,
      temporarilyClosed: true,
      timeZone: 'Europe/Paris',
      services: [{ title: 'Cake to order', price: 2500, currency: 'EUR', identifier: 'cake' }],
    };
    const { id } = await addLocation(partner, { businessId, ...profile });
    const kept = await read(id);
    expect(kept).toMatchObject({ ...profile, services: [{ ...profile.services[0], id: expect.any(Number) }] });
    expect(kept).toMatchObject({ profileCompleteness: 100, classification: 'BONUS' });
  });

  test.each([
    [{ phone: '+44 20 7946 0958' }, 'phone', 'phone'],
    [{ phone: '12' }, 'phone', 'phone'],
    [{ zip: 'ABC' }, 'zip', 'postalCode'],
    [{ country: 'XX' }, 'country', 'country'],
    [{ categories: [1] }, 'categories[0]', 'known'],
    [{ lng: null }, 'lng', 'required'],
    [{ lat: 91 }, 'lat', 'maximum'],
    [{ timeZone: 'Europe/Koeln' }, 'timeZone', 'timeZone'],
    [{ timeZone: '+02:00' }, 'timeZone', 'timeZone'],
    [{ website: 'ftp://example.com' }, 'website', 'url'],
    [{ website: 'www.example.com' }, 'website', 'url'],
    [{ email: 'nobody' }, 'email', 'email'],
    [{ descriptionShort: 'x'.repeat(201) }, 'descriptionShort', 'maxLength'],
    [{ descriptionLong: 'x'.repeat(1001) }, 'descriptionLong', 'maxLength'],
    [{ openingHoursNotes: 'x'.repeat(256) }, 'openingHoursNotes', 'maxLength'],
    [{ openingDate: '2026-02-30' }, 'openingDate', 'date'],
    [{ openingHours: [{ dayOfWeek: 8, closed: true }] }, 'openingHours[0].dayOfWeek', 'maximum'],
    [{ openingHours: [{ dayOfWeek: 1, from1: '25:00', to1: '06:00' }] }, 'openingHours[0].from1', 'pattern'],
    [{ languages: ['xx'] }, 'languages[0]', 'language'],
    [{ paymentOptions: ['SHELLS'] }, 'paymentOptions[0]', 'enum'],
    [{ socialProfiles: [{ type: 'FACEBOOK', url: 'https://example.com/me' }] }, 'socialProfiles[0].url', 'network'],
    [{ photos: [{ url: 'nowhere' }] }, 'photos[0].url', 'url'],
    [
      {
        photos: [
          { url: 'https://example.com/1.jpg', type: 'MAIN' },
          { url: 'https://example.com/2.jpg', type: 'MAIN' },
        ],
      },
      'photos',
      'single',
    ],
    [
      {
        utms: [
          { type: 'GOOGLE', parameters: 'a=1' },
          { type: 'GOOGLE', parameters: 'a=2' },
        ],
      },
      'utms[1]',
      'unique',
    ],
    [{ callTrackingNumbers: ['+44 20 7946 0958'] }, 'callTrackingNumbers[0]', 'phone'],
    [{ labels: [999_999] }, 'labels[0]', 'known'],
    [{ services: [{ description: 'without a title' }] }, 'services[0].title', 'required'],
    [{ services: [{ title: 'Cake', price: 100 }] }, 'services[0].currency', 'required'],
    [{ services: [{ title: 'Cake', price: 100, currency: 'XXQ' }] }, 'services[0].currency', 'currency'],
    [{ services: [{ title: 'Cake', id: 999_999 }] }, 'services[0].id', 'known'],
  ])('is refused with %j', async (fields, field, rule) => {
    const { code, body } = await create(fields);
    expect({ code, errors: body.errors }).toMatchObject({ code: 400, errors: [{ field, rule }] });
    expect((await partner.call('GET', '/api/locations')).body.response.count).toBe(0);
    expect(await eventsOf(api.database, partner, 'LOCATION_CREATED')).toEqual([]);
  });

  test.each(['businessId', 'name', 'street', 'city', 'country', 'categories'])('needs %s', async (field) => {
    const { code, body } = await create({ [field]: null });
    expect({ code, status: body.status, errors: body.errors }).toMatchObject({
      code: 400,
      status: 'MISSING_PARAMETER',
      errors: [{ field, rule: 'required' }],
    });
  });

  test('cannot belong to a business of another partner', async () => {
    const stranger = await api.addPartner();
    const { id } = await addBusiness(stranger);
    const { code, body } = await create({ businessId: id });
    expect({ code, message: body.message }).toEqual({ code: 404, message: `There is no business ${id}.` });
  });

  test('takes the place of a category that was merged, and no category that is not for places', async () => {
    const merged = (await partner.call('GET', '/api/categories?includeMerged=true&max=500')).body.response.categories;
    const old = merged.find((category: { mergedInto?: number }) => category.mergedInto !== undefined);
    const { body } = await create({ categories: [old.id, bakery, bakery] });
    if (body.status === 'SUCCESS') expect(body.response.categories).toEqual([old.mergedInto, bakery]);
    else expect(body.errors).toMatchObject([{ field: 'categories[0]', rule: 'selectable' }]);
  });
});

describe('identifiers', () => {
  test('are unique in a partner, not beyond it', async () => {
    await addLocation(partner, { businessId, identifier: 'K-1' });
    const { code, body } = await create({ identifier: 'K-1' });
    expect({ code, errorCode: body.errorCode }).toEqual({ code: 409, errorCode: 'IDENTIFIER_NOT_UNIQUE' });
    await addLocation(await api.addPartner(), { identifier: 'K-1' });
  });

  test('are unique in a race as well', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ identifier: 'K-2' })));
    expect(answers.map(({ code }) => code).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect(await eventsOf(api.database, partner, 'LOCATION_CREATED')).toHaveLength(1);
  });

  test('cannot be taken over by a change, also not in a race', async () => {
    await addLocation(partner, { businessId, identifier: 'K-3' });
    const others = await Promise.all([1, 2, 3].map(() => addLocation(partner, { businessId })));
    expect((await patch(others[0].id, { identifier: 'K-3' })).code).toBe(409);
    const answers = await Promise.all(others.map(({ id }) => patch(id, { identifier: 'K-4' })));
    expect(answers.map(({ code }) => code).sort()).toEqual([200, 409, 409]);
  });
});

describe('a change', () => {
  test('keeps what it does not name, deletes by null and by "", and says what it did in an event', async () => {
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

  test('that makes no difference is no event and no entry in the history', async () => {
    const location = await addLocation(partner, { businessId, keywords: ['bread'] });
    const same = { name: ' Bäckerei  Lindner Ehrenfeld ', phone: '0221 9524300', keywords: ['bread', 'Bread'] };
    const { body } = await patch(location.id, same);
    expect(body.response).toEqual(location);
    expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toEqual([]);
    const history = await partner.call('GET', `/api/locations/${location.id}/history`);
    expect(history.body.response).toMatchObject({ count: 0, changes: [] });
  });

  test('is in the history with who made it, the newest first', async () => {
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

  test.each(['PUT', 'POST'])('by %s is the same as by PATCH', async (method) => {
    const { id } = await addLocation(partner, { businessId, website: 'https://a.example' });
    const { code, body } = await partner.call(method, `/api/location/${id}`, { website: '', name: 'Lindner' });
    expect(code).toBe(200);
    expect(body.response).toMatchObject({ name: 'Lindner', phone: '+492219524300' });
    expect(body.response).not.toHaveProperty('website');
  });

  test.each(['PATCH', 'PUT', 'POST'])('by %s cannot delete what every location has', async (method) => {
    const { id } = await addLocation(partner, { businessId });
    for (const field of ['name', 'street', 'city', 'country', 'categories', 'businessId']) {
      const { code, body } = await partner.call(method, `/api/locations/${id}`, { [field]: null });
      expect({ code, errors: body.errors }).toMatchObject({ code: 400, errors: [{ field, rule: 'not-deletable' }] });
    }
  });

  test('of the country holds phone and postal code against the new one', async () => {
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

  test('of the coordinates takes along the time zone, unless somebody chose it', async () => {
    const london = { lat: 51.5, lng: -0.12 };
    const { id } = await addLocation(partner, { businessId });
    expect((await patch(id, london)).body.response.timeZone).toBe('Europe/London');
    const chosen = await addLocation(partner, { businessId, timeZone: 'Europe/Zurich' });
    expect((await patch(chosen.id, london)).body.response.timeZone).toBe('Europe/Zurich');
  });

  test('names fields that it does not know, and refuses to do nothing', async () => {
    const { id } = await addLocation(partner, { businessId });
    const { code, body } = await patch(id, { name: 'Lindner', listings: 7, colour: 'red' });
    expect({ code, warnings: body.warnings }).toEqual({
      code: 200,
      warnings: ['Unknown fields ignored: listings, colour.'],
    });
    expect((await patch(id, {})).code).toBe(400);
  });

  test('has profile completeness and classification follow', async () => {
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

describe('changes at the same moment', () => {
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
    const answers = await Promise.all(changes.map((change) => patch(id, change)));
    expect(answers.map(({ code }) => code)).toEqual(changes.map(() => 200));
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
  test('leaves nothing behind: no field, no event, no history', async () => {
    const location = await addLocation(partner, { businessId });
    const { code } = await patch(location.id, { name: 'Lindner', labels: ['New'], services: [{ id: 123_456 }] });
    expect(code).toBe(400);
    expect(await read(location.id)).toEqual(location);
    expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toEqual([]);
    expect((await partner.call('GET', '/api/labels')).body.response.count).toBe(0);
  });

  test('with its status moved in the same call changes neither', async () => {
    const location = await addLocation(partner, { businessId });
    const { code, body } = await patch(location.id, { name: 'Lindner', status: 'DELETED' });
    expect({ code, status: body.status }).toEqual({ code: 409, status: 'CONFLICT' });
    expect(await read(location.id)).toEqual(location);
  });
});

describe('labels', () => {
  test('are given by id, by name or as objects, and answered as objects', async () => {
    const west = (await partner.call('POST', '/api/labels', { name: 'West' })).body.response;
    const { id } = await addLocation(partner, { businessId, labels: [west.id, 'Flagship', { name: 'west' }] });
    const labels = (await read(id)).labels;
    expect(labels).toEqual([west, { id: expect.any(Number), name: 'Flagship', adminOnly: false }]);
    expect((await patch(id, { labels: [{ id: labels[1].id }] })).body.response.labels).toEqual([labels[1]]);
    expect((await patch(id, { labels: [] })).body.response.labels).toEqual([]);
  });

  test('of another partner do not exist', async () => {
    const stranger = await api.addPartner();
    const label = (await stranger.call('POST', '/api/labels', { name: 'Theirs' })).body.response;
    expect((await create({ labels: [label.id] })).body.errors).toMatchObject([{ field: 'labels[0]', rule: 'known' }]);
  });
});

describe('services', () => {
  test('keep their ids by id and by identifier; others are new, and those not named are gone', async () => {
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
      { id: cake.id, identifier: 'cake', title: 'Cakes', price: 1200, currency: 'EUR' },
      { id: expect.any(Number), title: 'Tea', translations: { de: { title: 'Tee' } } },
    ]);
    expect(await read(id)).toEqual(body.response);
    expect((await patch(id, { services: body.response.services })).body.response).toEqual(body.response);
    expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toHaveLength(1);
    expect((await patch(id, { services: null })).body.response.services).toEqual([]);
  });

  test('of another location are taken over by their id', async () => {
    const first = await addLocation(partner, {
      businessId,
      services: [{ title: 'Cake', price: 500, currency: 'EUR' }],
    });
    const second = await addLocation(partner, { businessId, services: [{ id: first.services[0].id }] });
    expect(second.services).toMatchObject([{ title: 'Cake', price: 500, currency: 'EUR' }]);
    expect(second.services[0].id).not.toBe(first.services[0].id);
    const stranger = await api.addPartner();
    const theirs = await stranger.call('POST', '/api/locations', {
      ...venloerStrasse,
      businessId: (await addBusiness(stranger)).id,
      services: [{ id: first.services[0].id }],
    });
    expect(theirs.body.errors).toMatchObject([{ field: 'services[0].id', rule: 'known' }]);
  });
});

describe('cleansing', () => {
  const statusOf = async (id: number) => (await read(id)).cleansingStatus;

  test('is done by a job, and what it rewrites is nobody’s change', async () => {
    const { id } = await addLocation(partner, { businessId, street: 'Venloer Straße 310', streetNo: null });
    expect(await statusOf(id)).toBe('PENDING');
    await runJobs(api.database);
    expect(await read(id)).toMatchObject({ street: 'Venloer Straße', streetNo: '310', cleansingStatus: 'CLEANSED' });
    expect(await eventsOf(api.database, partner, 'LOCATION_PROFILE_CHANGED')).toEqual([]);
    const history = await partner.call('GET', `/api/locations/${id}/history`);
    expect(history.body.response.changes).toMatchObject([{ changedBy: 'SYSTEM', fields: ['street', 'streetNo'] }]);
  });

  test('says of an address that cannot be right that it is invalid, until it is changed', async () => {
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
    ] as const;
    for (const [method, path, body] of calls) {
      const answer = await stranger.call(method, `/api/locations/${id}${path}`, body);
      expect({ method, path, code: answer.code, message: answer.body.message }).toEqual({
        method,
        path,
        code: 404,
        message: `There is no location ${id}.`,
      });
    }
    expect((await read(id)).name).toBe('Bäckerei Lindner Ehrenfeld');
  });
});
