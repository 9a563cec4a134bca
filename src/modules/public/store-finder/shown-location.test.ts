import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { bakery } from '../../../../test/support/locations.ts';
import { enableCollections } from '../../../../test/support/product-plans.ts';
import { addFinder, addVisibleLocation } from '../../../../test/support/store-finder.ts';

let api: TestApi;
let partner: TestPartner;
let id: number;
let hiddenId: number;
let storeKey: string;

const photos = [
  { url: 'https://img.example.com/1.jpg', type: 'PHOTO' },
  { url: 'https://img.example.com/main.jpg', type: 'MAIN' },
];
const openingHours = [
  { dayOfWeek: 1, from1: '08:00', to1: '12:00', from2: '13:00', to2: '24:00' },
  { dayOfWeek: 7, closed: true },
];
const content = {
  identifier: 'SHOP-1',
  name: 'Lindner',
  addressExtra: 'Second floor',
  province: 'NW',
  website: 'https://lindner.example.com/',
  email: 'shop@lindner.example.com',
  openingHours,
  specialOpeningHours: [{ date: '2031-12-25', closed: true }],
  photos,
  services: [{ title: 'Catering' }],
  attributes: [{ key: 'wheelchair', value: true }],
};
const openingDate = '2020-03-01';

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
  await enableCollections(api, partner);
  ({ storeKey } = await addFinder(partner));
  ({ id } = await addVisibleLocation(api, partner, { ...content, openingDate }));
  ({ id: hiddenId } = await addVisibleLocation(api, partner, { name: 'Hidden', addressDisplay: false }));
});
afterAll(() => api?.close());

const visit = (path: string, headers: Record<string, string> = {}) =>
  api.call('GET', `/api/store-finders/${storeKey}${path}`, undefined, headers);

const listsAndDetails = () => ['/locations/all', '/locations', `/locations/${id}`];
// biome-ignore lint/suspicious/noExplicitAny: responses of every shape
const firstOf = ({ response }: any) => response.locations?.find((one: { id: number }) => one.id === id) ?? response;

describe('a location', () => {
  test('has all documented fields in lists and details', async () => {
    for (const path of listsAndDetails()) {
      expect(firstOf((await visit(path)).body), path).toMatchObject({
        ...content,
        id,
        street: 'Venloer Straße',
        streetNo: '310',
        streetAndNumber: 'Venloer Straße 310',
        photos: [photos[1], photos[0]],
        services: [{ title: 'Catering' }],
        categories: [{ id: bakery, name: 'Bakery' }],
        phone: expect.any(String),
        zip: '50823',
        city: 'Köln',
        country: 'DE',
        lat: 50.9483,
        lng: 6.9192,
      });
    }
  });

  test('has photos and services in lists of older versions', async () => {
    for (const path of listsAndDetails()) {
      const old = firstOf((await visit(`${path}?v=20210906`)).body);
      expect(old).toMatchObject({ photos: [photos[1]], services: ['Catering'] });
    }
  });
});

describe('a fieldMask', () => {
  test('limits lists and details to its fields and the id', async () => {
    for (const path of listsAndDetails()) {
      const { body } = await visit(`${path}?fieldMask=name&fieldMask=streetAndNumber,labels`);
      expect(firstOf(body), path).toEqual({ id, name: 'Lindner', streetAndNumber: 'Venloer Straße 310', labels: [] });
    }
  });

  test('uses the field names of the version', async () => {
    const { body } = await visit(`/locations/all?v=20220221&fieldMask=futureOpeningDate`);
    expect(firstOf(body)).toEqual({ id, futureOpeningDate: openingDate });
  });

  test('rejects unknown fields', async () => {
    for (const path of listsAndDetails()) {
      expect(await visit(`${path}?fieldMask=nmae`)).toMatchObject({
        code: 400,
        body: { status: 'INVALID_PARAMETER', message: expect.stringContaining('nmae') },
      });
    }
  });

  test('does not reveal fields that the finder hides', async () => {
    const finder = await addFinder(partner, { fields: ['website'] });
    const { body } = await api.call(
      'GET',
      `/api/store-finders/${finder.storeKey}/locations/${id}?fieldMask=phone,photo`,
    );
    expect(body.response).toEqual({ id });
  });
});

test('language selects the names of categories', async () => {
  for (const path of listsAndDetails()) {
    const named = async (language: string) => firstOf((await visit(`${path}?language=${language}`)).body).categories;
    expect(await named('de')).toEqual([{ id: bakery, name: 'Bäckerei' }]);
    expect(await named('not a language')).toEqual([{ id: bakery, name: 'Bakery' }]);
  }
});

test('warns about unknown parameters, but not about language', async () => {
  const { code, body } = await visit('/locations/all?language=de&widget=3');
  expect(code).toBe(200);
  expect(body.warnings).toEqual(['Unknown query parameter ignored: widget.']);
});

describe('schema.org markup', () => {
  const linkedData = { accept: 'application/ld+json' };

  test('describes a location as a LocalBusiness', async () => {
    const { code, headers, body: markup } = await visit(`/locations/${id}`, linkedData);
    expect(code).toBe(200);
    expect(headers.get('content-type')).toContain('application/ld+json');
    expect(headers.get('vary')).toContain('accept');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(markup).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'LocalBusiness',
      identifier: 'SHOP-1',
      name: 'Lindner',
      url: content.website,
      email: content.email,
      address: {
        '@type': 'PostalAddress',
        streetAddress: 'Venloer Straße 310, Second floor',
        postalCode: '50823',
        addressLocality: 'Köln',
        addressRegion: 'NW',
        addressCountry: 'DE',
      },
      geo: { '@type': 'GeoCoordinates', latitude: 50.9483, longitude: 6.9192 },
      image: [photos[1]?.url, photos[0]?.url],
      makesOffer: [{ itemOffered: { '@type': 'Service', name: 'Catering' } }],
    });
    const hours = { '@type': 'OpeningHoursSpecification' };
    expect(markup.openingHoursSpecification).toEqual([
      { ...hours, dayOfWeek: 'https://schema.org/Monday', opens: '08:00', closes: '12:00' },
      { ...hours, dayOfWeek: 'https://schema.org/Monday', opens: '13:00', closes: '23:59' },
      { ...hours, dayOfWeek: 'https://schema.org/Sunday', opens: '00:00', closes: '00:00' },
    ]);
    expect(markup.specialOpeningHoursSpecification).toEqual([
      { ...hours, validFrom: '2031-12-25', validThrough: '2031-12-25', opens: '00:00', closes: '00:00' },
    ]);
  });

  test('is returned for lists by Accept header or format', async () => {
    for (const [path, headers] of [
      ['/locations/all', linkedData],
      ['/locations?format=schema.org', {}],
    ] as const) {
      const { body } = await visit(path, headers);
      expect(body['@graph'].map(({ name }: { name: string }) => name).sort()).toEqual(['Hidden', 'Lindner']);
    }
    expect((await visit('/locations?format=json', linkedData)).body.status).toBe('SUCCESS');
    expect(await visit('/locations?format=xml')).toMatchObject({ code: 400, body: { errors: [{ field: 'format' }] } });
  });

  test('omits the position of a hidden address', async () => {
    const { body: markup } = await visit(`/locations/${hiddenId}`, linkedData);
    expect(markup).not.toHaveProperty('geo');
    expect(markup.address).not.toHaveProperty('streetAddress');
  });
});
