import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { addBusiness, addLocation, exampleLocation } from '../../../test/support/locations.ts';
import { newestVersion } from './timeline.ts';

let api: TestApi;
let partner: TestPartner;
beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
});
afterAll(() => api.close());

test.for(['20211340', '20210229', '2021-01-01', 'newest', '__20210101', ''])('rejects v=%s', async (version) => {
  const { code, body } = await partner.call('GET', `/api/event-types?v=${version}`);
  expect(code).toBe(400);
  expect(body).toMatchObject({ status: 'INVALID_PARAMETER', errors: [{ field: 'v', rule: 'version' }] });
  const byHeader = await partner.call('GET', '/api/event-types', undefined, { 'x-api-version': version || 'x' });
  expect(byHeader.body.errors).toMatchObject([{ field: 'X-Api-Version' }]);
});

test('every response has a version header', async () => {
  const versionOf = async (query: string) =>
    (await partner.call('GET', `/api/event-types${query}`)).headers.get('x-api-version');
  expect(await versionOf('')).toBe(newestVersion);
  expect(await versionOf('?v=_20230114')).toBe('20230110');
  expect(await versionOf('?v=20180101')).toBe('20190104');
  expect(await versionOf('?v=20990101')).toBe(newestVersion);
});

test('responses to unauthenticated requests have the requested version', async () => {
  const unknownKey = { privateKey: 'unknown' };
  for (const [query, version] of [
    ['?v=20210804', '20210804'],
    ['?v=never', newestVersion],
    ['', newestVersion],
  ]) {
    const response = await partner.call('GET', `/api/locations${query}`, undefined, unknownKey);
    expect({ code: response.code, version: response.headers.get('x-api-version') }).toEqual({ code: 401, version });
  }
});

test('a partner can pin its version, and a request can override it', async () => {
  const pinned = await api.addPartner();
  const path = `/api/sales-partners/${pinned.partner.id}`;
  expect((await pinned.call('GET', path)).body.response.apiVersion).toBe(newestVersion);
  const { id } = await addLocation(pinned, { openingDate: '2031-01-01' });
  expect((await pinned.call('PUT', path, { apiVersion: '_20220101' })).body.response.apiVersion).toBe('20211102');
  await expect
    .poll(async () => (await pinned.call('GET', `/api/locations/${id}`)).body.response.futureOpeningDate)
    .toBe('2031-01-01');
  const overridden = await pinned.call('GET', `/api/locations/${id}?v=20220222`);
  expect(overridden.body.response.openingDate).toBe('2031-01-01');
  const rejected = await pinned.call('PUT', path, { apiVersion: '20211340' });
  expect(rejected).toMatchObject({ code: 400, body: { errors: [{ field: 'apiVersion' }] } });
});

test.for([
  ['POST', '/api/locations', { ...exampleLocation, futureOpeningDate: '2031-01-01', openingDate: '2031-02-01' }],
  ['POST', '/api/social-posts', { callToAction: 'CALL', callToActions: [], dateStart: '2031-01-01', directories: [] }],
  ['POST', '/api/product-plans', { name: 'A', price: 1, currency: 'EUR', active: true, status: 'INACTIVE' }],
  ['POST', '/api/data-points/filters', { name: 'A', onlyUnread: true, isRead: true }],
  ['GET', '/api/data-points?onlyUnread=true&isRead=true', undefined],
] as const)('%s %s rejects an old and a new field with the same meaning', async ([method, path, body]) => {
  const query = path.includes('?') ? '&' : '?';
  const response = await partner.call(method, `${path}${query}v=20190104`, body);
  expect(response).toMatchObject({ code: 400, body: { errors: [{ rule: 'contradiction' }] } });
});

test('errors of a bulk change name the fields of the version', async () => {
  const { id } = await addLocation(partner);
  const body = { ids: [id], changes: { futureOpeningDate: '2031-02-30' } };
  const response = await partner.call('PATCH', '/api/locations?v=20210101', body);
  const [failure] = response.body.response.failed;
  expect(response.code).toBe(400);
  expect(failure.errors[0].field).toBe('futureOpeningDate');
  for (const { message } of [response.body, failure]) expect(message).toMatch(/^futureOpeningDate /);
});

const post = { directories: ['GOOGLE'], description: 'Book now', dateStart: '2031-01-01T00:00:00Z' };

test.for([
  ['20220221', '/api/locations', { ...exampleLocation, futureOpeningDate: 'soon' }, 'futureOpeningDate'],
  ['20200127', '/api/product-plans', { name: 'A', price: 1, currency: 'EUR', active: 3 }, 'active'],
  ['20191021', '/api/data-points/filters', { name: 'A', onlyUnreplied: 'maybe' }, 'onlyUnreplied'],
  ['20211101', '/api/locations', { ...exampleLocation, services: ['Cut', ''] }, 'services[1]'],
  ['20210823', '/api/social-posts', { ...post, callToAction: 'BOOK' }, 'url'],
  ['20210823', '/api/social-posts', { ...post, callToAction: 'SING', url: 'https://a.example' }, 'callToAction'],
  [
    '20210213',
    '/api/locations',
    { ...exampleLocation, contentLists: [{ name: 'Drinks', items: [{ name: 7 }] }] },
    'contentLists[0].items[0].name',
  ],
] as const)('at _%s an error of %s names the field of this version', async ([version, path, body, field]) => {
  const businessId = path === '/api/locations' && { businessId: (await addBusiness(partner)).id };
  const locationIds = path === '/api/social-posts' && { locationIds: [(await addLocation(partner)).id] };
  const response = await partner.call('POST', `${path}?v=${version}`, { ...body, ...businessId, ...locationIds });
  expect(response).toMatchObject({ code: 400, body: { errors: [{ field }] } });
  expect(response.body.errors[0].message).toContain(field);
  expect(response.body.message).toBe(response.body.errors[0].message);
});

test('rejects contradicting websiteExtra and utms in every version', async () => {
  const utms = [{ type: 'GOOGLE', parameters: 'a=1' }];
  const { id } = await addLocation(partner, { utms, websiteExtra: 'a=1' });
  const response = await partner.call('PATCH', `/api/locations/${id}`, { utms, websiteExtra: 'a=2' });
  expect(response).toMatchObject({ code: 400, body: { errors: [{ field: 'websiteExtra', rule: 'contradiction' }] } });
});

test('a replayed response has the requested version', async () => {
  const post = { ...exampleLocation, openingDate: '2031-01-01', businessId: (await addLocation(partner)).businessId };
  const headers = { 'idempotency-key': 'twice' };
  const first = await partner.call('POST', '/api/locations?v=20220222', post, headers);
  const again = await partner.call('POST', '/api/locations?v=20220222', post, headers);
  expect(again.body).toEqual(first.body);
  expect(again.body.response.openingDate).toBe('2031-01-01');
});
