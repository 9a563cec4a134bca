import { createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Reply } from '../support/delivery.ts';
import { DeliveryScene } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

const path = '/api/sales-partners/webhooks';

test('sends custom headers, returns their names only and keeps their values encrypted', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const headers = { 'X-Api-Key': 'a secret value', 'x-region': 'EU west' };
  const webhook = await scene.webhook(receiver.url(), { headers });
  scene.worker();
  await scene.record();
  await eventually(() => receiver.requests).toHaveLength(1);
  expect(receiver.requests[0]?.headers).toMatchObject({
    'x-api-key': 'a secret value',
    'x-region': 'EU west',
    'content-type': 'application/json',
  });
  await scene.change(webhook, { headers: { 'x-region': null, 'X-Team': 'blue' } });
  const { body } = await scene.partner.call('GET', `${path}/${webhook.id}`);
  expect(body.response.headerNames).toEqual(['x-api-key', 'x-team']);
  expect(JSON.stringify(body)).not.toContain('a secret value');
  await scene.record();
  await eventually(() => receiver.requests).toHaveLength(2);
  expect(receiver.requests[1]?.headers).toMatchObject({ 'x-api-key': 'a secret value', 'x-team': 'blue' });
  expect(receiver.requests[1]?.headers).not.toHaveProperty('x-region');
  const [attempt] = await scene.attempts(webhook);
  const details = await scene.partner.call('GET', `/api/deliveries/${attempt?.eventId}-${webhook.id}`);
  expect(details.body.response.headers).toMatchObject({ 'x-api-key': '••••••', 'x-team': '••••••' });
  expect(JSON.stringify(details.body)).not.toContain('a secret value');
  const { rows } = await scene.api.database.pool.query(
    "select count(*) from webhooks, audit_trail where webhooks::text || audit_trail::text like '%a secret value%'",
  );
  expect(rows[0].count).toBe(0);
});

test.each([
  [{ Host: 'other.example' }, 'headers.Host', 'reserved'],
  [{ 'Webhook-Signature': 'v1,forged' }, 'headers.Webhook-Signature', 'reserved'],
  [{ 'content-length': '1' }, 'headers.content-length', 'reserved'],
  [{ 'x y': '1' }, 'headers.x y', 'name'],
  [{ 'x-a': 'b\r\nx-c: d' }, 'headers.x-a', 'value'],
  [{ 'x-a': 'ü' }, 'headers.x-a', 'value'],
  [{ 'x-a': '' }, 'headers.x-a', 'value'],
  [Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, 'a'])), 'headers', 'maxProperties'],
  [Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`x-${n}`, 'a'.repeat(1000)])), 'headers', 'maxProperties'],
])('rejects the headers %j', async (headers, field, rule) => {
  const scene = await DeliveryScene.open();
  const pushUrl = 'http://127.0.0.1:9/hook';
  const { code, body } = await scene.partner.call('POST', path, { pushUrl, type: 'LOCATION_CREATED', headers });
  expect({ code, errors: body.errors }).toMatchObject({ code: 400, errors: [{ field, rule }] });
});

test('a new type of a destination gets its headers and settings', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  await scene.webhook(receiver.url(), { headers: { 'x-api-key': '1' }, maxPerSecond: 5, timeoutSeconds: 7 });
  const query = new URLSearchParams({ pushUrl: receiver.url() });
  const types = ['LOCATION_CREATED', 'BUSINESS_CREATED'];
  const { body } = await scene.partner.call('PATCH', `${path}/destinations?${query}`, { types });
  expect(body.response.webhooks).toMatchObject(
    types.map((type) => ({ type, headerNames: ['x-api-key'], maxPerSecond: 5, timeoutSeconds: 7 })),
  );
});

test('a timeout of its own ends an attempt', async () => {
  const scene = await DeliveryScene.open();
  const never = Promise.withResolvers<Reply>();
  const receiver = await scene.receiver(() => never.promise);
  const webhook = await scene.webhook(receiver.url(), { timeoutSeconds: 1 });
  scene.worker({ retrySchedule: [3600] });
  await scene.record();
  await eventually(() => scene.attempts(webhook)).toMatchObject([{ outcome: 'unreachable', reason: 'timeout' }]);
  const { body } = await scene.partner.call('GET', `${path}/${webhook.id}/deliveries`);
  expect(body.response.deliveries[0].lastAttempt.error).toContain('1 s');
});

test('a rate limit delays deliveries of its webhook only, and none is lost', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const limited = await scene.webhook(receiver.url('/limited'), { maxPerSecond: 10 });
  const free = await scene.webhook(receiver.url('/free'));
  const ids = await scene.record(25);
  scene.worker();
  await eventually(() => scene.depth(free)).toBe(0);
  expect(await scene.depth(limited)).toBeGreaterThan(0);
  await eventually(() => scene.depth(limited)).toBe(0);
  expect(receiver.ids('/limited').toSorted((a, b) => a - b)).toEqual(ids);
  const starts = (await scene.attempts(limited)).map(({ startedAt }) => startedAt.getTime());
  // 24 intervals of 100 ms after the first delivery. The clock of the database is read once a second.
  expect(Math.max(...starts) - Math.min(...starts)).toBeGreaterThan(1500);
});

test('Ed25519 signatures verify with the published keys, also during a rotation', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url(), { asymmetricSignature: true });
  const { publicKeysPath } = await scene.get(webhook);
  const readKeys = async () => (await scene.api.server.inject(publicKeysPath)).json().keys;
  const [key] = await readKeys();
  expect(key).toMatchObject({ kty: 'OKP', crv: 'Ed25519', whpk: expect.stringMatching(/^whpk_[\w+/]{43}=$/) });
  scene.worker();
  await scene.record();
  await eventually(() => receiver.requests).toHaveLength(1);
  await scene.partner.call('POST', `${path}/${webhook.id}/rotate-secret`, { overlapHours: 1 });
  await scene.record();
  await eventually(() => receiver.requests).toHaveLength(2);
  const keys = await readKeys();
  expect(keys).toHaveLength(2);
  expect(keys[1]).toEqual(key);
  expect(receiver.requests.map((request) => keys.map((one: object) => isSigned(request, one)))).toEqual([
    [false, true],
    [true, true],
  ]);
  await scene.change(webhook, { asymmetricSignature: false });
  expect((await scene.api.server.inject(publicKeysPath)).statusCode).toBe(404);
});

/** Verifies as a receiver would, with the JSON Web Key. */
function isSigned({ headers, body }: { headers: object; body: string }, key: object): boolean {
  const sent = headers as Record<string, string>;
  const message = Buffer.from(`${sent['webhook-id']}.${sent['webhook-timestamp']}.${body}`);
  const signatures = (sent['webhook-signature'] ?? '').split(' ').filter((entry) => entry.startsWith('v1a,'));
  const publicKey = createPublicKey({ key, format: 'jwk' });
  return signatures.some((entry) => verify(null, message, publicKey, Buffer.from(entry.slice(4), 'base64')));
}
