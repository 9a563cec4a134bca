import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { afterStatement } from '../../../test/support/interleaving.ts';
import { activate, addBusiness, addLocation, exampleLocation } from '../../../test/support/locations.ts';
import { addUser } from '../../../test/support/users.ts';
import { systemActor } from '../accounts/actor.ts';
import { categoryId } from '../catalog/categories/category.ts';
import { createLocations } from './create-location.ts';
import { searchExpression } from './location-list-store.ts';

const cafe = categoryId('amenity/cafe');
let api: TestApi;
let partner: TestPartner;
const businesses: number[] = [];
const ids: Record<string, number> = {};

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
  for (const name of ['Lindner', 'Harbour & Vine']) businesses.push((await addBusiness(partner, { name })).id);
  const [lindner, harbour] = businesses as [number, number];
  const london = { country: 'GB', city: 'London', zip: 'EC1A 1BB', phone: '+44 20 7946 0958', lat: 51.52, lng: -0.1 };
  const add = async (key: string, fields: { businessId: number }) => {
    ids[key] = (await addLocation(partner, fields)).id;
  };
  await add('ehrenfeld', {
    businessId: lindner,
    name: 'Lindner Ehrenfeld',
    identifier: 'K-17',
    labels: ['West'],
  } as never);
  await add('nippes', { businessId: lindner, name: 'lindner Nippes', labels: ['West', 'Flagship'] } as never);
  await add('bonn', {
    businessId: lindner,
    name: 'Lindner Bonn',
    city: 'Bonn',
    zip: '53111',
    email: 'bonn@lindner.example',
  } as never);
  await add('harbour', { businessId: harbour, name: 'Harbour & Vine', categories: [cafe], ...london } as never);
  await activate(api, partner, ids.bonn as number);
});
afterAll(() => api.close());

const list = async (query = '', who: Pick<TestPartner, 'call'> = partner) =>
  (await who.call('GET', `/api/locations?${query}`)).body.response;
const found = async (query: string, who: Pick<TestPartner, 'call'> = partner) =>
  (await list(query, who)).locations.map(({ id }: { id: number }) => nameOf(id));
const nameOf = (id: number) => Object.keys(ids).find((key) => ids[key] === id);

/** Another partner with this many locations named "Lindner" and a number. */
async function partnerWith(locations: number): Promise<TestPartner> {
  const many = await api.addPartner();
  const businessId = (await addBusiness(many)).id;
  const inputs = Array.from({ length: locations }, (_, n) => ({
    ...exampleLocation,
    businessId,
    name: `Lindner ${n}`,
  }));
  await api.database.transaction((sql) => createLocations(sql, systemActor(many.partner), 'CSV_UPLOAD', inputs));
  return many;
}

describe('locations are found', () => {
  const everything = ['ehrenfeld', 'nippes', 'bonn', 'harbour'];
  test.each([
    ['', everything],
    ['status=ACTIVE', ['bonn']],
    ['status=ACTIVE,CREATED', everything],
    ['status=DELETED', []],
    ['labels=west', ['ehrenfeld', 'nippes']],
    ['labels=Flagship&labels=Unknown', ['nippes']],
    ['labels=Unknown', []],
    ['city=köln', ['ehrenfeld', 'nippes']],
    ['city=Bonn&city=London', ['bonn', 'harbour']],
    ['country=uk', ['harbour']],
    ['country=DE', ['ehrenfeld', 'nippes', 'bonn']],
    [`categories=${cafe}`, ['harbour']],
    ['query=lindner', ['ehrenfeld', 'nippes', 'bonn']],
    ['query=lindner%20nip', ['nippes']],
    ['query=lind%20nippes', []],
    ['query=nippes%20lind', ['nippes']],
    ['query=k-17', ['ehrenfeld']],
    ['query=bonn@lindner.ex', ['bonn']],
    ['query=50823', ['ehrenfeld', 'nippes']],
    ['query=020%207946%2009', ['harbour']],
    ['query=(020)%207946-0958', ['harbour']],
    ['query=%2B44%20(0)20%207946%200958', ['harbour']],
    ['query=0044%2020%2079460958', ['harbour']],
    ['query=030%207946%200958', []],
    ['query=!%26%7C', []],
    ['query=lindner&city=Bonn', ['bonn']],
    ['updatedSince=2099-01-01T00:00:00Z', []],
    ['updatedSince=2020-01-01', everything],
    ['updatedSince=2020-01-01T00:00:00+02:00', everything],
  ])('by "%s"', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
    expect(await list(query)).toMatchObject({ count: expected.length, countIsExact: true });
  });

  test('beyond the last page of a search, none', async () => {
    expect(await list('query=lindner&offset=2147483647')).toMatchObject({ count: 3, locations: [] });
  });

  test('by business, and by id', async () => {
    expect(await found(`businessIds=${businesses[1]}`)).toEqual(['harbour']);
    expect(await found(`businessIds=${businesses.join()}`)).toEqual(everything);
    expect(await found(`ids=${ids.bonn},${ids.harbour}`)).toEqual(['bonn', 'harbour']);
  });

  test.each([
    ['sort=name', ['harbour', 'bonn', 'ehrenfeld', 'nippes']],
    ['sort=name&order=DESC', ['nippes', 'ehrenfeld', 'bonn', 'harbour']],
    ['sort=city', ['bonn', 'ehrenfeld', 'nippes', 'harbour']],
    ['sort=dateCreated&order=desc', ['harbour', 'bonn', 'nippes', 'ehrenfeld']],
    ['sort=lastUpdated', ['ehrenfeld', 'nippes', 'harbour', 'bonn']],
    ['sort=id&order=DESC', ['harbour', 'bonn', 'nippes', 'ehrenfeld']],
  ])('sorted by "%s" in pages', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
    const pages: string[] = [];
    for (let after: number | undefined; ; ) {
      const page = await list(`${query}&max=1${after === undefined ? '' : `&after=${after}`}`);
      expect(page).toMatchObject({ max: 1, count: 4 });
      pages.push(...page.locations.map(({ id }: { id: number }) => nameOf(id)));
      after = page.after;
      if (after === undefined) break;
    }
    expect(pages).toEqual(expected);
    const skipped = await found(`${query}&offset=1&max=2`);
    expect(skipped).toEqual(expected.slice(1, 3));
  });

  test.each(['status=OPEN', 'sort=phone', 'updatedSince=yesterday', 'offset=-1', 'businessIds=x'])(
    'not by "%s"',
    async (query) => {
      expect((await partner.call('GET', `/api/locations?${query}`)).code).toBe(400);
    },
  );
});

describe('a field mask', () => {
  test('selects the fields and always includes the id', async () => {
    const page = await list('fieldMask=name&fieldMask=zip,labels,averageRating,locationSyncable&query=nippes');
    expect(page.locations).toEqual([
      {
        id: ids.nippes,
        name: 'lindner Nippes',
        zip: '50823',
        labels: [
          { id: expect.any(Number), name: 'West', adminOnly: false },
          { id: expect.any(Number), name: 'Flagship', adminOnly: false },
        ],
        locationSyncable: true,
      },
    ]);
  });

  test('selects the fields of a single location', async () => {
    const path = `/api/locations/${ids.nippes}`;
    const { body } = await partner.call('GET', `${path}?fieldMask=name&fieldMask=zip,openingDate`);
    expect(body).toEqual({ status: 'SUCCESS', response: { id: ids.nippes, name: 'lindner Nippes', zip: '50823' } });
    const old = await partner.call('GET', `${path}?v=20190601&fieldMask=futureOpeningDate,suggestions`);
    expect(old.body.response).toEqual({ id: ids.nippes, suggestions: [] });
  });

  test('rejects unknown fields by name', async () => {
    for (const path of ['/api/locations', `/api/locations/${ids.nippes}`]) {
      const { code, body } = await partner.call('GET', `${path}?fieldMask=name,colour&fieldMask=size`);
      expect(code).toBe(400);
      expect(body.errors).toMatchObject([{ field: 'fieldMask', rule: 'known' }]);
      expect(body.message).toContain('colour, size');
    }
  });

  test('is required for more than 50 locations', async () => {
    const many = await partnerWith(60);
    const without = await list('max=500', many);
    expect(without).toMatchObject({ count: 60, max: 50, after: expect.any(Number) });
    expect(without.locations).toHaveLength(50);
    expect((await list('max=500&fieldMask=name', many)).locations).toHaveLength(60);
    expect(await list(`after=${without.after}&max=500`, many)).toMatchObject({ count: 60 });
  });

  test('does not read other columns', async () => {
    const whole = await list(`ids=${ids.ehrenfeld}`);
    const names = Object.keys(whole.locations[0]).join(',');
    expect((await list(`ids=${ids.ehrenfeld}&fieldMask=${names}`)).locations).toEqual(whole.locations);
  });
});

test('returns the completeness level of each field', async () => {
  const { fields } = (await partner.call('GET', '/api/locations/fields')).body.response;
  const levels = Object.fromEntries(
    fields.map(({ name, classification }: Record<string, string>) => [name, classification]),
  );
  expect(levels).toMatchObject({
    name: 'REQUIRED',
    phone: 'REQUIRED',
    categories: 'REQUIRED',
    openingHours: 'BASIC',
    photos: 'BASIC',
    keywords: 'ADVANCED',
    services: 'ADVANCED',
    website: 'BONUS',
    email: 'BONUS',
  });
});

test('a page of a search has a cursor although one of its locations was deleted in the meantime', async () => {
  const many = await partnerWith(4);
  const [first, second, third, fourth] = (await list('', many)).locations.map(({ id }: { id: number }) => id);
  afterStatement(api.database, ['array_agg'], () =>
    api.database.pool.query("update locations set status = 'DELETED' where id = $1", [second]),
  );
  const page = await list('query=lindner&max=2&fieldMask=name', many);
  expect(page).toMatchObject({ count: 4, locations: [{ id: first }], after: second });
  const rest = await list(`query=lindner&max=2&fieldMask=name&after=${second}`, many);
  expect(rest.locations).toMatchObject([{ id: third }, { id: fourth }]);
});

test('counts and pages through more than 1000 search results', async () => {
  const many = await partnerWith(1002);
  const [named] = (await list('max=1', many)).locations;
  await many.call('PATCH', `/api/locations/${named.id}`, { name: 'Another' });
  expect(await list('query=lindner%20999', many)).toMatchObject({ count: 1, countIsExact: true });
  for (const order of ['ASC', 'DESC']) {
    const query = `query=lindner&sort=name&order=${order}&max=500&fieldMask=name`;
    const names: string[] = [];
    for (let after: number | undefined; ; ) {
      const page = await list(`${query}${after === undefined ? '' : `&after=${after}`}`, many);
      expect(page).toMatchObject({ count: 1001, countIsExact: true });
      names.push(...page.locations.map(({ name }: { name: string }) => name));
      after = page.after;
      if (after === undefined) break;
    }
    expect(new Set(names).size).toBe(1001);
    expect(names).toHaveLength(1001);
    const last = await list(`${query}&offset=1000`, many);
    expect(last.locations).toMatchObject([{ name: names.at(-1) }]);
  }
  await many.call('PATCH', `/api/locations/${(await list('query=lindner&max=1', many)).locations[0].id}`, {
    name: 'X',
  });
  expect(await list('query=lindner', many)).toMatchObject({ count: 1000, countIsExact: true });
});

describe('visibility', () => {
  test('hides locations from other partners', async () => {
    const stranger = await api.addPartner();
    expect(await list('', stranger)).toMatchObject({ count: 0, locations: [] });
    expect(await found(`businessIds=${businesses.join()}`, stranger)).toEqual([]);
    expect(await found(`ids=${ids.bonn}&sort=name&after=${ids.nippes}`, stranger)).toEqual([]);
  });

  test('limits business managers and location managers to their locations', async () => {
    const features = ['LOCATION_READ', 'LOCATION_WRITE'] as const;
    const business = await addUser(api, partner, { role: 'BUSINESS_MANAGER', businessIds: [businesses[1] as number] });
    const location = await addUser(api, partner, {
      role: 'LOCATION_MANAGER',
      locationIds: [ids.nippes as number],
      features: [...features],
    });
    expect(await found('', business)).toEqual(['harbour']);
    expect(await found('', location)).toEqual(['nippes']);
    expect((await location.call('GET', `/api/locations/${ids.nippes}`)).code).toBe(200);
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { name: 'Mine' }],
      ['POST', '/status', { status: 'CLOSED' }],
      ['GET', '/history'],
      ['DELETE', ''],
    ] as const) {
      const response = await location.call(method, `/api/locations/${ids.bonn}${path}`, body);
      expect({ method, path, code: response.code }).toEqual({ method, path, code: 404 });
    }
    const create = await location.call('POST', '/api/locations', { ...exampleLocation, businessId: businesses[0] });
    expect(create.code).toBe(400);
    const moved = await location.call('PATCH', `/api/locations/${ids.nippes}`, { businessId: businesses[1] });
    expect(moved.code).toBe(400);
  });

  test('requires the feature and limits a user to their fields', async () => {
    const reader = await addUser(api, partner, { role: 'ACCOUNT_MANAGER', features: ['LOCATION_READ'] });
    expect((await reader.call('GET', `/api/locations/${ids.bonn}`)).code).toBe(200);
    expect((await reader.call('PATCH', `/api/locations/${ids.bonn}`, { name: 'Mine' })).code).toBe(403);
    const hours = await addUser(api, partner, {
      role: 'ACCOUNT_MANAGER',
      features: ['LOCATION_READ', 'LOCATION_WRITE'],
      fieldGroups: ['OPENING_HOURS'],
    });
    const week = { openingHours: [{ dayOfWeek: 1, closed: true }] };
    expect((await hours.call('PATCH', `/api/locations/${ids.bonn}`, week)).code).toBe(200);
    const refused = await hours.call('PATCH', `/api/locations/${ids.bonn}`, { ...week, name: 'Mine' });
    expect(refused.code).toBe(403);
    expect(refused.body.message).toContain('name');
    expect((await hours.call('POST', `/api/locations/${ids.bonn}/status`, { status: 'CLOSED' })).code).toBe(403);
  });

  test('hides admin-only labels from other users, who cannot add or remove them', async () => {
    const secret = (await partner.call('POST', '/api/labels', { name: 'At risk', adminOnly: true })).body.response;
    const { id } = await addLocation(partner, { businessId: businesses[1] as number, labels: [secret.id, 'Open'] });
    const manager = await addUser(api, partner, { role: 'BUSINESS_MANAGER', businessIds: [businesses[1] as number] });
    const names = async (who: Pick<TestPartner, 'call'>) =>
      (await who.call('GET', `/api/locations/${id}`)).body.response.labels.map(({ name }: { name: string }) => name);
    expect(await names(manager)).toEqual(['Open']);
    expect((await manager.call('PATCH', `/api/locations/${id}`, { labels: ['Other'] })).code).toBe(200);
    expect((await names(partner)).sort()).toEqual(['At risk', 'Other']);
    const other = await addLocation(partner, { businessId: businesses[1] as number });
    const given = await manager.call('PATCH', `/api/locations/${other.id}`, { labels: [secret.id] });
    expect(given.body.errors).toMatchObject([{ field: 'labels[0]', rule: 'known' }]);
  });
});

test.each([
  ['Lindner Ehr', 'lindner & ehr:*'],
  ["O'Neill & Co", 'o & neill & co:*'],
  ['+49 (221)', '49 & 221:*'],
  ['  ', ''],
])('searches "%s" as "%s"', (query, expression) => {
  expect(searchExpression(query)).toBe(expression);
});
