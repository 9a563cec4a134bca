import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { addAsset } from '../../test/support/assets.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { addLocation, bakery } from '../../test/support/locations.ts';
import { addFinder } from '../../test/support/store-finder.ts';
import { addUser } from '../../test/support/users.ts';
import { claimCell } from '../database/cell.ts';
import { newCredential } from './credential.ts';

/** The last cell has the longest prefix and the largest ids. */
const cell = 255;
const firstId = cell * 2 ** 45;
let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  const database = await createTestDatabase();
  await claimCell(database, cell);
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' }, database);
  partner = await api.addPartner();
});
afterAll(() => api.close());

test('private keys can be passed as command line arguments', async () => {
  const database = await createTestDatabase();
  const keys = await Promise.all(Array.from({ length: 1000 }, () => newCredential(database.pool, 'privateKey')));
  await database.close();
  expect(keys.filter((key) => !/^\w[\w-]{42}$/.test(key))).toEqual([]);
  expect(new Set(keys).size).toBe(keys.length);
});

test('keys of partners start with the cell', async () => {
  expect(partner.privateKey).toMatch(/^c255~[\w-]{43}$/);
  expect(partner.partner.publicKey).toMatch(/^c255~pk_[\w-]{24}$/);
  expect(partner.partner.id).toBeGreaterThan(firstId);
  const created = await partner.call('POST', '/api/sales-partners', { identifier: 'child', name: 'Child' });
  expect(created.body.response).toMatchObject({
    privateKey: expect.stringMatching(/^c255~/),
    publicKey: expect.stringMatching(/^c255~pk_/),
  });
  const { id } = created.body.response;
  const rotated = await partner.call('POST', `/api/sales-partners/${id}/rotate-private-key`, { overlapHours: 0 });
  const { privateKey } = rotated.body.response;
  expect(privateKey).toMatch(/^c255~/);
  expect(await api.call('GET', '/api/sales-partners/webhooks', undefined, { privateKey })).toMatchObject({ code: 200 });
});

test('access tokens and session cookies start with the cell', async () => {
  const { user } = await addUser(api, partner, { role: 'ADMIN' });
  const { privateKey } = partner;
  const signIn = (body: object, headers: Record<string, string> = {}) =>
    api.call('POST', '/api/users/login', { userId: user.id, privateKey, ...body }, headers);
  const { accessToken } = (await signIn({})).body.response;
  expect(accessToken).toMatch(/^c255~[\w-]{43}$/);
  const authorization = `Bearer ${accessToken}`;
  expect(await api.call('GET', '/api/users/me', undefined, { authorization })).toMatchObject({ code: 200 });
  const { headers } = await signIn({ session: 'cookie' }, { 'x-waypost-console': '1' });
  const [cookie = ''] = headers.get('set-cookie')?.split(';') ?? [];
  expect(cookie).toMatch(/^waypost-session=c255~[\w-]{43}$/);
  expect(await api.call('GET', '/api/users/me', undefined, { cookie })).toMatchObject({ code: 200 });
});

test('store keys start with the cell', async () => {
  const { storeKey } = await addFinder(partner);
  expect(storeKey).toMatch(/^c255~sf_[\w-]{24}$/);
  for (const written of [storeKey, encodeURIComponent(storeKey), storeKey.replace('~', '%7E')]) {
    expect(await api.call('GET', `/api/store-finders/${written}/settings`)).toMatchObject({
      code: 200,
      body: { response: { storeKey } },
    });
  }
});

test('tokens of assets start with the cell, and their uses are found', async () => {
  const { id, url, thumbnailUrl } = await addAsset(partner);
  const path = new URL(url).pathname;
  expect(path).toMatch(/^\/api\/dam\/files\/c255~[\w-]{32}\.png$/);
  for (const file of [path, new URL(thumbnailUrl).pathname]) {
    expect(await api.call('GET', file)).toMatchObject({ code: 200 });
  }
  const template = { name: 'Draft', content: { description: 'Hello', photos: [{ photo: url }] } };
  expect((await partner.call('POST', '/api/social-templates', template)).body).toMatchObject({ status: 'SUCCESS' });
  expect(await partner.call('DELETE', `/api/dam/assets/${id}`)).toMatchObject({ code: 409 });
});

test('tokens of reports start with the cell', async () => {
  const business = { name: 'Bakery', streetAndNo: 'Street 1', zip: '50823', city: 'Köln', country: 'DE' };
  const created = await api.call(
    'POST',
    '/api/report',
    { ...business, categoryId: bakery, phone: '+492219524300' },
    {
      publicKey: partner.partner.publicKey,
    },
  );
  const { id, token } = created.body.response;
  expect(token).toMatch(/^c255~[\w-]{32}$/);
  expect(await api.call('GET', `/api/report/${id}?token=${token}`)).toMatchObject({ code: 200 });
});

test('records and events have ids of the cell', async () => {
  await addLocation(partner);
  const { rows } = await api.database.pool.query<{ id: number }>(
    'select id from events union select id from locations union select id from audit_trail',
  );
  expect(rows.length).toBeGreaterThan(2);
  expect(rows.filter(({ id }) => id <= firstId || id >= 2 ** 53)).toEqual([]);
});

test('credentials without a cell stay valid', async () => {
  const privateKey = randomBytes(32).toString('base64url');
  await api.database.pool.query('insert into partner_keys (partner_id, hash, sealed) values ($1, $2, $2)', [
    partner.partner.id,
    createHash('sha256').update(privateKey).digest(),
  ]);
  expect(await api.call('GET', '/api/sales-partners/webhooks', undefined, { privateKey })).toMatchObject({ code: 200 });
});

test('a credential of another cell is rejected like any other invalid one', async () => {
  const foreign = partner.privateKey.replace(/^c255~/, 'c3~');
  const responses = await Promise.all(
    [foreign, 'wrong'].map((privateKey) => api.call('GET', '/api/events', undefined, { privateKey })),
  );
  const [first, second] = responses.map(({ code, body }) => ({ code, body }));
  expect(first).toEqual(second);
});
