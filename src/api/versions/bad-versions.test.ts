import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { addLocation, venloerStrasse } from '../../../test/support/places.ts';
import { newestVersion } from './timeline.ts';

let api: TestApi;
let partner: TestPartner;
beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
});
afterAll(() => api.close());

test.for(['20211340', '20210229', '2021-01-01', 'newest', '__20210101', ''])('v=%s is no version', async (version) => {
  const { code, body } = await partner.call('GET', `/api/event-types?v=${version}`);
  expect(code).toBe(400);
  expect(body).toMatchObject({ status: 'INVALID_PARAMETER', errors: [{ field: 'v', rule: 'version' }] });
  const byHeader = await partner.call('GET', '/api/event-types', undefined, { 'x-api-version': version || 'x' });
  expect(byHeader.body.errors).toMatchObject([{ field: 'X-Api-Version' }]);
});

test('every answer says which version it is of', async () => {
  const versionOf = async (query: string) =>
    (await partner.call('GET', `/api/event-types${query}`)).headers.get('x-api-version');
  expect(await versionOf('')).toBe(newestVersion);
  expect(await versionOf('?v=_20230114')).toBe('20230110');
  expect(await versionOf('?v=20180101')).toBe('20190104');
  expect(await versionOf('?v=20990101')).toBe(newestVersion);
});

test('the version of a partner is read and pinned by itself, and a request may still ask for another', async () => {
  const pinned = await api.addPartner();
  const path = `/api/sales-partners/${pinned.partner.id}`;
  expect((await pinned.call('GET', path)).body.response.apiVersion).toBe(newestVersion);
  const { id } = await addLocation(pinned, { openingDate: '2031-01-01' });
  expect((await pinned.call('PUT', path, { apiVersion: '_20220101' })).body.response.apiVersion).toBe('20211102');
  await expect
    .poll(async () => (await pinned.call('GET', `/api/locations/${id}`)).body.response.futureOpeningDate)
    .toBe('2031-01-01');
  const asked = await pinned.call('GET', `/api/locations/${id}?v=20220222`);
  expect(asked.body.response.openingDate).toBe('2031-01-01');
  const refused = await pinned.call('PUT', path, { apiVersion: '20211340' });
  expect(refused).toMatchObject({ code: 400, body: { errors: [{ field: 'apiVersion' }] } });
});

test.for([
  ['POST', '/api/locations', { ...venloerStrasse, futureOpeningDate: '2031-01-01', openingDate: '2031-02-01' }],
  ['POST', '/api/social-posts', { callToAction: 'CALL', callToActions: [], dateStart: '2031-01-01', directories: [] }],
  ['POST', '/api/product-plans', { name: 'A', price: 1, currency: 'EUR', active: true, status: 'INACTIVE' }],
  ['POST', '/api/data-points/filters', { name: 'A', onlyUnread: true, isRead: true }],
  ['GET', '/api/data-points?onlyUnread=true&isRead=true', undefined],
] as const)('%s %s says a thing in the old way and the new: refused', async ([method, path, body]) => {
  const query = path.includes('?') ? '&' : '?';
  const answer = await partner.call(method, `${path}${query}v=20190104`, body);
  expect(answer).toMatchObject({ code: 400, body: { errors: [{ rule: 'contradiction' }] } });
});

test('websiteExtra and utms that differ are refused in every version', async () => {
  const utms = [{ type: 'GOOGLE', parameters: 'a=1' }];
  const { id } = await addLocation(partner, { utms, websiteExtra: 'a=1' });
  const answer = await partner.call('PATCH', `/api/locations/${id}`, { utms, websiteExtra: 'a=2' });
  expect(answer).toMatchObject({ code: 400, body: { errors: [{ field: 'websiteExtra', rule: 'contradiction' }] } });
});

test('an old field in a request of today is ignored and named; in one of old it is named as deprecated', async () => {
  const { id } = await addLocation(partner);
  const body = { name: 'Lindner', futureOpeningDate: '2031-01-01' };
  const today = await partner.call('PATCH', `/api/locations/${id}`, body);
  expect(today.body.warnings).toContain(
    'futureOpeningDate is of a version before _20220222 and was ignored: it is now openingDate.',
  );
  expect(today.body.response).not.toHaveProperty('openingDate');
  const old = await partner.call('PATCH', `/api/locations/${id}?v=20220101`, body);
  expect(old.body.warnings).toEqual(['futureOpeningDate is deprecated since _20220222: it is now openingDate.']);
  expect(old.body.response.futureOpeningDate).toBe('2031-01-01');
});

test('what is old and in use is counted for each partner and version', async () => {
  const { partner: who, call } = await api.addPartner();
  await call('GET', '/api/data-points?onlyUnread=true&v=20190104');
  await call('GET', '/api/data-points?onlyUnread=true&v=20190104');
  const { body } = await api.call('GET', '/metrics');
  expect(body).toContain(
    `waypost_deprecated_use_total{partner="${who.identifier}",version="20190104",name="onlyUnread"} 2`,
  );
});

test('a repeated request gets its first answer in the version that it asks for', async () => {
  const post = { ...venloerStrasse, openingDate: '2031-01-01', businessId: (await addLocation(partner)).businessId };
  const headers = { 'idempotency-key': 'twice' };
  const first = await partner.call('POST', '/api/locations?v=20220222', post, headers);
  const again = await partner.call('POST', '/api/locations?v=20220222', post, headers);
  expect(again.body).toEqual(first.body);
  expect(again.body.response.openingDate).toBe('2031-01-01');
});
