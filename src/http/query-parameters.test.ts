import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { addBusiness, addLocation } from '../../test/support/locations.ts';
import { parseQuery } from './query-parameters.ts';

let api: TestApi;
let partner: TestPartner;
let businessId: number;
let other: number;
const ids: number[] = [];

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
  businessId = (await addBusiness(partner)).id;
  other = (await addBusiness(partner)).id;
  const places = [
    { identifier: 'one', businessId, city: 'Köln', zip: '50667', labels: [{ name: 'Flagship' }] },
    { identifier: 'two', businessId, city: 'Berlin', zip: '10115' },
    { identifier: 'three', businessId: other, city: 'Berlin', zip: '10115' },
  ];
  for (const place of places) ids.push((await addLocation(partner, place)).id);
});
afterAll(() => api.close());

const found = async (query: string) => {
  const { code, body } = await partner.call('GET', `/api/locations?${query}`);
  expect(body, query).toMatchObject({ status: 'SUCCESS' });
  expect(code).toBe(200);
  return body.response.locations.map(({ identifier }: { identifier: string }) => identifier);
};

describe('unknown query parameters', () => {
  test.for([
    ['GET', '/api/locations?busnessId=1', 'busnessId', 'businessId'],
    ['GET', '/api/locations?IDENTIFIER=x', 'IDENTIFIER', 'identifier'],
    ['GET', '/api/data-points?locatonIds=1', 'locatonIds', 'locationIds'],
    ['DELETE', '/api/locations?idz=1', 'idz', 'ids'],
    ['PATCH', '/api/locations?dryrun=true', 'dryrun', 'dryRun'],
  ] as const)('%s %s is refused and names the nearest', async ([method, path, field, nearest]) => {
    const { code, body } = await partner.call(method, path, method === 'GET' ? undefined : {});
    expect(code).toBe(400);
    expect(body).toMatchObject({ status: 'INVALID_PARAMETER', errors: [{ field, rule: 'known' }] });
    expect(body.message).toContain(`Did you mean ${nearest}?`);
  });

  test('are rejected by an endpoint without parameters', async () => {
    expect(await partner.call('GET', `/api/locations/${ids[0]}?expand=listings`)).toMatchObject({
      code: 400,
      body: { errors: [{ field: 'expand' }] },
    });
  });

  test('ignores cache busters and campaign parameters silently', async () => {
    const { code, body } = await partner.call('GET', '/api/locations?_=1699&utm_source=mail');
    expect(code).toBe(200);
    expect(body).not.toHaveProperty('warnings');
  });

  test('public endpoints ignore them with a warning and know language', async () => {
    const finder = await partner.call('POST', '/api/store-finders', { name: 'Shops' });
    const path = `/api/store-finders/${finder.body.response.storeKey}/locations/all`;
    const key = `publicKey=${partner.partner.publicKey}`;
    expect((await api.call('GET', `${path}?${key}&widget=3&language=de`)).body.warnings).toEqual([
      'Unknown query parameter ignored: widget.',
    ]);
  });
});

describe('an empty list', () => {
  test.for(['ids', 'locationId', 'labels', 'status', 'identifier'])('is rejected: %s', async (name) => {
    for (const value of ['', ',', ` , &${name}=`, `&${name}[]=`]) {
      const { code, body } = await partner.call('GET', `/api/locations?${name}=${encodeURI(value)}`);
      expect(code, value).toBe(400);
      expect(body).toMatchObject({
        status: 'INVALID_PARAMETER',
        errors: [
          {
            field: name,
            rule: 'minItems',
            message: `${name} is empty. Send at least one value, or omit the parameter.`,
          },
        ],
      });
    }
  });

  test('of fields counts as absent', async () => {
    expect(await partner.call('GET', '/api/locations?fieldMask=')).toMatchObject({ code: 200 });
  });

  test('is rejected together with a value under another name', async () => {
    expect(await partner.call('GET', `/api/locations?ids=${ids[0]}&locationIds=`)).toMatchObject({
      code: 400,
      body: { errors: [{ field: 'locationIds' }] },
    });
    expect(await found(`ids=${ids[0]},`)).toEqual(['one']);
  });
});

describe('location filters', () => {
  test.for([
    ['identifier=two', ['two']],
    ['identifiers=one,two', ['one', 'two']],
    ['city=köln', ['one']],
    ['cities=Berlin', ['two', 'three']],
    ['zip=10115', ['two', 'three']],
    ['country=DE&status=CREATED&query=10115', ['two', 'three']],
    ['label=Flagship', ['one']],
    ['labels=Flagship', ['one']],
    ['query=', ['one', 'two', 'three']],
  ] as const)('%s finds %j', async ([query, expected]) => {
    expect(await found(query)).toEqual(expected);
  });

  test('by id in every notation', async () => {
    const [one, two] = ids;
    const lists = [
      `ids=${one},${two}`,
      `locationIds=${one}&locationIds=${two}`,
      `locationId=${one}&ids=${two}`,
      `ids[]=${one}&ids[]=${two}`,
      `ids%5B0%5D=${one}&ids%5B1%5D=${two}`,
    ];
    for (const list of lists) expect(await found(list), list).toEqual(['one', 'two']);
    for (const list of [`businessId=${other}`, `businessIds[0]=${other}`]) expect(await found(list)).toEqual(['three']);
  });
});

test('a max above the limit is capped, in the response and with a warning', async () => {
  for (const path of ['/api/businesses', '/api/labels', '/api/events', '/api/listings', '/api/users']) {
    const { code, body } = await partner.call('GET', `${path}?max=100000`);
    expect(code, path).toBe(200);
    expect(body, path).toMatchObject({ response: { max: 500 }, warnings: [expect.stringContaining('capped at 500')] });
  }
  expect((await partner.call('GET', '/api/locations?max=100000')).body).toMatchObject({
    response: { max: 50 },
    warnings: [expect.stringContaining('capped at 50')],
  });
  expect((await partner.call('GET', '/api/locations?max=100000&fieldMask=name')).body).toMatchObject({
    response: { max: 500 },
    warnings: [expect.stringContaining('capped at 500')],
  });
  expect((await partner.call('GET', '/api/data-points?max=100000')).body).toMatchObject({
    response: { inbox: { pageSize: 1000 } },
    warnings: [expect.stringContaining('capped at 1000')],
  });
  expect((await partner.call('GET', '/api/dam/assets?size=100000')).body).toMatchObject({
    warnings: [expect.stringMatching(/^size=100000 was capped/)],
  });
  expect(await partner.call('GET', '/api/businesses?max=many')).toMatchObject({ code: 400 });
});

test('reads lists in PHP notation', () => {
  expect({ ...parseQuery('ids[]=1&ids[]=2&a[0]=x&a[7]=y&b=1&c[d]=2&ids=3') }).toEqual({
    ids: ['1', '2', '3'],
    a: ['x', 'y'],
    b: '1',
    'c[d]': '2',
  });
});
