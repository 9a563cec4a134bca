import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addBusiness, bakery } from '../../../../test/support/locations.ts';
import { enableCollections } from '../../../../test/support/product-plans.ts';
import {
  addFinder,
  addVisibleLocation,
  alwaysOpen,
  neverOpen,
  visitor,
} from '../../../../test/support/store-finder.ts';
import { categoryId } from '../../catalog/categories/category.ts';

const cafe = categoryId('amenity/cafe');
const places = {
  ehrenfeld: { lat: 50.9483, lng: 6.9192 },
  deutz: { lat: 50.9369, lng: 6.975 },
  bonn: { lat: 50.7352, lng: 7.1002, city: 'Bonn', zip: '53111' },
  london: { lat: 51.5155, lng: -0.0922, city: 'London', zip: 'EC2V 7HH', country: 'GB', phone: '+44 20 7946 0958' },
};
const cathedral = 'lat=50.9413&lng=6.9583';

let api: TestApi;
let partner: TestPartner;
let visit: ReturnType<typeof visitor>;
let storeKey: string;

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
  await enableCollections(api, partner);
  const businessId = (await addBusiness(partner)).id;
  const add = (name: string, overrides: object) => addVisibleLocation(api, partner, { businessId, name, ...overrides });
  await partner.call('POST', '/api/labels', { name: 'Secret', adminOnly: true });
  await add('Ehrenfeld', {
    ...places.ehrenfeld,
    labels: ['Drive-in'],
    openingHours: alwaysOpen,
    paymentOptions: ['CASH', 'VISA'],
    email: 'hidden@lindner.example.com',
    identifier: 'SHOP-77',
    photos: [{ url: 'https://img.example.com/1.jpg' }],
  });
  await add('Deutz', {
    ...places.deutz,
    labels: ['Drive-in', 'Late, very late', 'Secret'],
    categories: [cafe],
    openingHours: neverOpen,
    paymentOptions: ['CASH'],
  });
  await add('Bonn', {
    ...places.bonn,
    categories: [bakery, cafe],
    services: [{ title: 'Catering, large', translations: { de: { title: 'Großes Catering' } } }],
  });
  await add('London', { ...places.london, openingHours: alwaysOpen, labels: ['Late, very late'] });
  await add('Nowhere', { lat: undefined, lng: undefined, city: 'Aachen', zip: '52062', openingHours: alwaysOpen });
  ({ storeKey } = await addFinder(partner));
  visit = visitor(api, partner, { storeKey });
});
afterAll(() => api.close());

const search = async (query: string) => {
  const { code, body } = await visit(`/locations?${query}`);
  expect(code, JSON.stringify(body)).toBe(200);
  return body.response;
};
const names = async (query: string): Promise<string[]> =>
  (await search(query)).locations.map(({ name }: { name: string }) => name);
const filtered = (filters: string) => names(`filters=${encodeURIComponent(filters)}`);

describe('around a position', () => {
  test('lists the nearest first with the distance in kilometres', async () => {
    const { locations, ...rest } = await search(`${cathedral}&radius=50`);
    expect(rest).toEqual({ page: 0, max: 50, count: 3, countIsExact: true });
    expect(locations.map(({ name, distance }: { name: string; distance: number }) => [name, distance])).toEqual([
      ['Deutz', expect.closeTo(1.269, 2)],
      ['Ehrenfeld', expect.closeTo(2.847, 2)],
      ['Bonn', expect.closeTo(25, 0)],
    ]);
    expect(locations[1]).toMatchObject({ photo: 'https://img.example.com/1.jpg', openingHours: alwaysOpen });
  });

  test('the radius is in kilometres for any unit of the finder', async () => {
    expect(await names(`${cathedral}&radius=2`)).toEqual(['Deutz']);
    expect(await names(`${cathedral}&radius=1`)).toEqual([]);
    expect(await names(`${cathedral}&radius=1000`)).toEqual(['Deutz', 'Ehrenfeld', 'Bonn', 'London']);
  });

  test('defaults to the radius of the finder', async () => {
    const near = visitor(api, partner, await addFinder(partner, { defaultRadiusKm: 2, unit: 'MI' }));
    expect((await near(`/locations?${cathedral}`)).body.response.count).toBe(1);
  });

  test('is paginated', async () => {
    const pages = await Promise.all([0, 1, 2, 3].map((page) => search(`${cathedral}&radius=1000&max=1&page=${page}`)));
    expect(pages.map(({ locations }) => locations[0]?.name)).toEqual(['Deutz', 'Ehrenfeld', 'Bonn', 'London']);
    expect(pages.every(({ count }) => count === 4)).toBe(true);
  });

  test('finds locations across the date line', async () => {
    const owner = await api.addPartner();
    await addVisibleLocation(api, owner, {
      name: 'Taveuni',
      country: 'FJ',
      city: 'Matei',
      zip: undefined,
      phone: '+679 888 0000',
      lat: -16.69,
      lng: -179.87,
    });
    const near = visitor(api, owner, await addFinder(owner));
    const { locations } = (await near('/locations?lat=-16.69&lng=179.9&radius=50')).body.response;
    expect(locations).toMatchObject([{ name: 'Taveuni', distance: expect.closeTo(24.5, 0) }]);
  });
});

describe('without a position', () => {
  test('sorts by name without distance', async () => {
    const { locations, count } = await search('');
    expect(locations.map(({ name }: { name: string }) => name)).toEqual([
      'Bonn',
      'Deutz',
      'Ehrenfeld',
      'London',
      'Nowhere',
    ]);
    expect(count).toBe(5);
    expect(locations[0]).not.toHaveProperty('distance');
    expect(locations[4]).not.toHaveProperty('lat');
  });

  test.each([
    ['cities=bonn,AACHEN', ['Bonn', 'Nowhere']],
    ['cities=Bonn&cities=Aachen', ['Bonn', 'Nowhere']],
    ['zips=ec2v7hh', ['London']],
    ['zips=EC2V-7HH,53111', ['Bonn', 'London']],
    ['countries=uk', ['London']],
    ['countries=DE&cities=London', []],
    ['query=bonn', ['Bonn']],
    ['query=venl', ['Bonn', 'Deutz', 'Ehrenfeld', 'London', 'Nowhere']],
    ['query=53111%20bonn', ['Bonn']],
    ['query=!!', []],
  ])('%s finds %j', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  test('does not search hidden fields', async () => {
    expect(await names('query=hidden')).toEqual([]);
    expect(await names('query=SHOP-77')).toEqual([]);
  });
});

describe('filters', () => {
  test.each([
    ['labels:Drive-in', ['Deutz', 'Ehrenfeld']],
    ['labels:drive-IN', ['Deutz', 'Ehrenfeld']],
    ['labels:Late, very late', ['Deutz', 'London']],
    ['labels:Late, very late,labels:Drive-in', ['Deutz', 'Ehrenfeld', 'London']],
    ['labels:Drive-in,categories:Café', ['Deutz']],
    [`categories:${cafe}`, ['Bonn', 'Deutz']],
    ['categories:Bäckerei,countries:Allemagne', ['Bonn', 'Ehrenfeld', 'Nowhere']],
    ['categories:no such thing', []],
    ['services:catering, large', ['Bonn']],
    ['services:Großes Catering', ['Bonn']],
    ['paymentOptions:visa', ['Ehrenfeld']],
    ['paymentOptions:Cash', ['Deutz', 'Ehrenfeld']],
    ['paymentOptions:Bargeld', ['Deutz', 'Ehrenfeld']],
    ['cities:Bonn', ['Bonn']],
    ['countries:GB', ['London']],
  ])('%s finds %j', async (filters, expected) => {
    expect(await filtered(filters)).toEqual(expected);
  });

  test('accepts repeated keys and combines with other parameters', async () => {
    expect(await names('filters=labels:Drive-in&filters=categories:Bakery')).toEqual(['Ehrenfeld']);
    expect(await names(`filters=categories:Bakery&${cathedral}&radius=50&countries=DE`)).toEqual(['Ehrenfeld', 'Bonn']);
    expect(await names('filters=cities:Bonn&cities=Aachen')).toEqual([]);
  });

  test('ignores adminOnly labels', async () => {
    const { labels } = await api.database.pool
      .query<{ id: number }>("select id from labels where name = 'Secret'")
      .then(({ rows }) => ({ labels: rows.map(({ id }) => id) }));
    expect(await filtered('labels:Secret')).toEqual([]);
    expect(await filtered(`labels:${labels[0]}`)).toEqual([]);
  });

  test.each(['colour:red', 'labels', 'labels:', ':x'])('rejects %s', async (filters) => {
    const { code, body } = await visit(`/locations?filters=${encodeURIComponent(filters)}`);
    expect({ code, field: body.errors[0].field }).toEqual({ code: 400, field: 'filters' });
    expect(body.message).toContain('paymentOptions');
  });

  test('rejects a filter that the finder does not offer', async () => {
    const few = visitor(api, partner, await addFinder(partner, { filters: ['cities'] }));
    expect((await few('/locations?filters=labels:Drive-in')).code).toBe(400);
    expect((await few('/locations?filters=cities:Bonn')).code).toBe(200);
  });
});

describe('openNow', () => {
  test('returns open locations with openNow', async () => {
    const { locations, count } = await search('openNow=true');
    expect(locations.map(({ name, openNow }: { name: string; openNow: boolean }) => [name, openNow])).toEqual([
      ['Ehrenfeld', true],
      ['London', true],
    ]);
    expect(count).toBe(2);
    expect(await names(`openNow=true&${cathedral}&radius=1000`)).toEqual(['Ehrenfeld', 'London']);
  });

  test('is paginated', async () => {
    expect(await names('openNow=true&max=1&page=1')).toEqual(['London']);
    expect(await search('openNow=true&max=1&page=2')).toMatchObject({ count: 2, countIsExact: true, locations: [] });
  });

  test('is absent unless requested', async () => {
    for (const query of ['', 'openNow=false', 'v=20210824']) {
      for (const location of (await search(query)).locations) expect(location).not.toHaveProperty('openNow');
    }
  });

  test('was always present before _20210824, false without opening hours', async () => {
    const { locations } = await search('v=20210823');
    expect(locations.map(({ name, openNow }: { name: string; openNow?: boolean }) => [name, openNow])).toEqual([
      ['Bonn', false],
      ['Deutz', false],
      ['Ehrenfeld', true],
      ['London', true],
      ['Nowhere', false],
    ]);
  });
});

describe('bad input', () => {
  test.each([
    ['lat=50', 'lng'],
    ['lng=6', 'lat'],
    ['radius=5', 'radius'],
    ['lat=91&lng=6', 'lat'],
    ['lat=50&lng=181', 'lng'],
    ['lat=north&lng=6', 'lat'],
    ['lat=50&lng=6&radius=0', 'radius'],
    ['lat=50&lng=6&radius=-1', 'radius'],
    ['lat=50&lng=6&radius=20000', 'radius'],
    ['max=0', 'max'],
    ['page=-1', 'page'],
    ['openNow=maybe', 'openNow'],
    ['countries=Germany', 'countries[0]'],
    [`query=${'x'.repeat(201)}`, 'query'],
  ])('rejects %s', async (query, field) => {
    expect(await visit(`/locations?${query}`)).toMatchObject({ code: 400, body: { errors: [{ field }] } });
  });
});
