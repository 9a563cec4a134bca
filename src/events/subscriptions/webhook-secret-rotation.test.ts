import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';

const path = '/api/sales-partners/webhooks';
let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
});
afterAll(() => api.close());

async function create() {
  const webhook = { pushUrl: `http://127.0.0.1:9/${randomUUID()}`, type: 'LOCATION_CREATED' };
  const { code, body } = await partner.call('POST', path, webhook);
  expect(code).toBe(200);
  return body.response;
}

const row = async (id: number) => (await api.database.pool.query('select * from webhooks where id = $1', [id])).rows[0];
const rotate = (id: number, body?: object) => partner.call('POST', `${path}/${id}/rotate-secret`, body);
const secrets = async (id: number) => {
  const { secret, previous_secret } = await row(id);
  const { sealer } = api.services;
  return [sealer.open(secret), previous_secret && sealer.open(previous_secret)];
};

test('signs with the old secret too until the overlap ends', async () => {
  const { id, secret } = await create();
  const { revision } = await row(id);
  const { body } = await rotate(id, { overlapHours: 2 });
  expect(body.response.secret).toMatch(/^whsec_/);
  expect(Date.parse(body.response.previousSecretSignsUntil) - Date.now()).toBeGreaterThan(7_195_000);
  expect(await secrets(id)).toEqual([body.response.secret, secret]);
  expect((await row(id)).revision).toBe(revision + 1);
  const webhook = (await partner.call('GET', `${path}/${id}`)).body.response;
  expect(webhook).not.toHaveProperty('secret');
  expect(webhook.previousSecretSignsUntil).toBe(body.response.previousSecretSignsUntil);
});

test('replaces the secret immediately with overlap 0', async () => {
  const { id } = await create();
  const { body } = await rotate(id, { overlapHours: 0 });
  expect(await secrets(id)).toEqual([body.response.secret, null]);
  expect((await partner.call('GET', `${path}/${id}`)).body.response).not.toHaveProperty('previousSecretSignsUntil');
});

test('uses the configured overlap by default', async () => {
  const { id } = await create();
  const until = Date.parse((await rotate(id)).body.response.previousSecretSignsUntil);
  expect((until - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
});

test('rejects a second rotation during the overlap, unless its overlap is 0', async () => {
  const { id, secret } = await create();
  const first = (await rotate(id, { overlapHours: 1 })).body.response.secret;
  expect(await rotate(id, { overlapHours: 1 })).toMatchObject({ code: 409, body: { status: 'CONFLICT' } });
  expect(await secrets(id)).toEqual([first, secret]);
  const last = (await rotate(id, { overlapHours: 0 })).body.response.secret;
  expect(await secrets(id)).toEqual([last, null]);
});
