import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { addBusiness, addLocation, bakery, exampleLocation } from '../../../test/support/locations.ts';
import { enableCollections } from '../../../test/support/product-plans.ts';
import { eventsOf } from '../../../test/support/recorded-events.ts';
import { allCategories, currentCategory } from '../catalog/categories/categories.ts';

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

describe('a new location', () => {
  test('is returned in its stored form with derived fields', async () => {
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

  test('records an event with source and address', async () => {
    const { id } = await addLocation(partner, { businessId });
    expect(await eventsOf(api.database, partner, 'LOCATION_CREATED')).toMatchObject([
      { location: id, source: 'API', comment: 'Bäckerei Lindner Ehrenfeld, Venloer Straße 310, 50823 Köln' },
    ]);
  });

  test('stores every profile field', async () => {
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
    [{ website: 'https://anna:secret@example.com' }, 'website', 'url'],
    [{ website: 'https://:secret@example.com' }, 'website', 'url'],
    [{ email: 'not-an-address' }, 'email', 'email'],
    [{ descriptionShort: 'x'.repeat(201) }, 'descriptionShort', 'maxLength'],
    [{ descriptionLong: 'x'.repeat(1001) }, 'descriptionLong', 'maxLength'],
    [{ openingHoursNotes: 'x'.repeat(256) }, 'openingHoursNotes', 'maxLength'],
    [{ openingDate: '2026-02-30' }, 'openingDate', 'date'],
    [{ openingHours: [{ dayOfWeek: 8, closed: true }] }, 'openingHours[0].dayOfWeek', 'maximum'],
    [{ openingHours: [{ dayOfWeek: 1, from1: '25:00', to1: '06:00' }] }, 'openingHours[0].from1', 'pattern'],
    [
      {
        specialOpeningHours: [
          { date: '2027-01-01', from1: '01:00', to1: '06:00' },
          { date: '2026-12-31', from1: '18:00', to1: '03:00' },
        ],
      },
      'specialOpeningHours',
      'overlap',
    ],
    [{ utms: [{ type: 'NOPE', parameters: 'a=1' }] }, 'utms[0].type', 'known'],
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
  ])('is rejected with %j', async (fields, field, rule) => {
    const { code, body } = await create(fields);
    expect({ code, errors: body.errors }).toMatchObject({ code: 400, errors: [{ field, rule }] });
    expect((await partner.call('GET', '/api/locations')).body.response.count).toBe(0);
    expect(await eventsOf(api.database, partner, 'LOCATION_CREATED')).toEqual([]);
  });

  test.each([
    [{ keywords: [' '] }, 'keywords[0] must not be empty.'],
    [{ labels: [{ name: ' ' }] }, 'labels[0].name must not be empty.'],
  ])('reports the error of %j', async (fields, message) => {
    expect((await create(fields)).body.message).toBe(message);
  });

  test.each(['businessId', 'name', 'street', 'city', 'country', 'categories'])('requires %s', async (field) => {
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
    expect({ code, message: body.message }).toEqual({
      code: 400,
      message: `There is no business ${id}. Set businessId to an existing one.`,
    });
  });

  test('stores the successor of a merged category and rejects one that is not selectable', async () => {
    const categories = [...allCategories().values()];
    const old = categories.find(({ id, mergedInto }) => mergedInto !== undefined && currentCategory(id)?.selectable);
    const { body } = await create({ categories: [old?.id, bakery, bakery] });
    expect(body.response.categories).toEqual([currentCategory(old?.id ?? 0)?.id, bakery]);
    const road = categories.find(({ mergedInto, selectable }) => mergedInto === undefined && !selectable);
    const refused = await create({ categories: [road?.id] });
    expect(refused.body.errors).toMatchObject([{ field: 'categories[0]', rule: 'selectable' }]);
  });
});

describe('identifiers', () => {
  test('are unique within a partner', async () => {
    await addLocation(partner, { businessId, identifier: 'K-1' });
    const { code, body } = await create({ identifier: 'K-1' });
    expect({ code, errorCode: body.errorCode }).toEqual({ code: 409, errorCode: 'IDENTIFIER_NOT_UNIQUE' });
    await addLocation(await api.addPartner(), { identifier: 'K-1' });
  });

  test('are unique with concurrent requests', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, () => create({ identifier: 'K-2' })));
    expect(responses.map(({ code }) => code).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect(await eventsOf(api.database, partner, 'LOCATION_CREATED')).toHaveLength(1);
  });

  test('cannot be changed to one in use, also with concurrent requests', async () => {
    await addLocation(partner, { businessId, identifier: 'K-3' });
    const others = await Promise.all([1, 2, 3].map(() => addLocation(partner, { businessId })));
    expect((await patch(others[0].id, { identifier: 'K-3' })).code).toBe(409);
    const responses = await Promise.all(others.map(({ id }) => patch(id, { identifier: 'K-4' })));
    expect(responses.map(({ code }) => code).sort()).toEqual([200, 409, 409]);
  });
});
