import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { bakery } from '../../test/support/locations.ts';
import { addUser } from '../../test/support/users.ts';
import { deleteExpiredIdempotencyKeys } from './idempotency.ts';

const path = '/api/sales-partners/webhooks';
let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
});
afterAll(() => api.close());

const newWebhook = () => ({ pushUrl: `http://127.0.0.1:9/${randomUUID()}`, type: 'LOCATION_CREATED' });
const post = (body: object, key: string, by = partner) => by.call('POST', path, body, { 'Idempotency-Key': key });

async function webhooksTo(pushUrl: string): Promise<number> {
  const { rowCount } = await api.database.pool.query('select from webhooks where push_url = $1', [pushUrl]);
  return rowCount ?? 0;
}

async function ageStoredKeys(hours: number): Promise<void> {
  await api.database.pool.query(
    'update idempotency_keys set date_created = date_created - make_interval(hours => $1)',
    [hours],
  );
}

test('the same key returns the first response, including secrets and warnings', async () => {
  const body = { ...newWebhook(), colour: 'green' };
  const first = await post(body, 'again');
  const second = await post(body, 'again');
  expect(first).toMatchObject({ code: 200, body: { warnings: [expect.stringContaining('colour')] } });
  expect(second).toMatchObject({ code: 200, body: first.body });
  expect(await webhooksTo(body.pushUrl)).toBe(1);
});

test('ten concurrent requests execute once and get the same response', async () => {
  const body = newWebhook();
  const responses = await Promise.all(Array.from({ length: 10 }, () => post(body, 'race')));
  expect(responses.map(({ code }) => code)).toEqual(new Array(10).fill(200));
  expect(new Set(responses.map((response) => JSON.stringify(response.body))).size).toBe(1);
  expect(await webhooksTo(body.pushUrl)).toBe(1);
});

test('the same key with a different request is a conflict', async () => {
  await post(newWebhook(), 'taken');
  const other = newWebhook();
  expect(await post(other, 'taken')).toMatchObject({
    code: 409,
    body: { status: 'CONFLICT', message: expect.stringContaining('"taken"') },
  });
  expect(await webhooksTo(other.pushUrl)).toBe(0);
});

test('keys are scoped to the partner', async () => {
  const other = await api.addPartner();
  const body = newWebhook();
  const [mine, theirs] = [await post(body, 'shared'), await post(body, 'shared', other)];
  expect(theirs.body.response.id).not.toBe(mine.body.response.id);
});

test('a failed request does not use up its key', async () => {
  const body = newWebhook();
  await partner.call('POST', path, body);
  expect(await post(body, 'free')).toMatchObject({ code: 409 });
  expect(await post(newWebhook(), 'free')).toMatchObject({ code: 200 });
});

test('replays the first response after the data has changed', async () => {
  const body = newWebhook();
  const first = await post(body, 'stands');
  await partner.call('DELETE', `${path}/${first.body.response.id}`);
  expect(await post(body, 'stands')).toMatchObject({ code: 200, body: first.body });
});

test('a key can be reused after a day', async () => {
  const first = await post(newWebhook(), 'day');
  await ageStoredKeys(25);
  const second = await post(newWebhook(), 'day');
  expect(second.code).toBe(200);
  expect(second.body.response.id).not.toBe(first.body.response.id);
});

test('deletes responses after a day', async () => {
  await ageStoredKeys(25);
  await post(newWebhook(), 'young');
  expect(await deleteExpiredIdempotencyKeys(api.database.pool)).toBeGreaterThan(0);
  const { rows } = await api.database.pool.query('select key from idempotency_keys');
  expect(rows).toEqual([{ key: 'young' }]);
});

test.each([
  ['an empty one', ''],
  ['a long one', 'x'.repeat(256)],
  ['one that is not printable', 'a\tb'],
])('%s is not a key', async (_what, key) => {
  const body = newWebhook();
  expect(await post(body, key)).toMatchObject({
    code: 400,
    body: { status: 'INVALID_PARAMETER', errors: [{ field: 'Idempotency-Key' }] },
  });
  expect(await webhooksTo(body.pushUrl)).toBe(0);
});

test('stored responses are encrypted', async () => {
  const { body } = await post(newWebhook(), 'sealed');
  const { rows } = await api.database.pool.query("select answer from idempotency_keys where key = 'sealed'");
  const kept = Buffer.from(rows[0].answer, 'base64').toString('latin1') + rows[0].answer;
  expect(kept).not.toContain(body.response.secret);
  expect(kept).not.toContain('pushUrl');
});

test('keys are scoped to the user', async () => {
  const [anna, bert] = [await addUser(api, partner, { role: 'ADMIN' }), await addUser(api, partner, { role: 'ADMIN' })];
  const secrets = [];
  for (const { call } of [anna, bert, partner]) {
    const body = newWebhook();
    const once = { 'Idempotency-Key': 'shared' };
    const first = await call('POST', path, body, once);
    expect(first).toMatchObject({ code: 200 });
    expect(await call('POST', path, body, once)).toMatchObject({ code: 200, body: first.body });
    expect(await call('POST', path, newWebhook(), once)).toMatchObject({
      code: 409,
      body: { message: expect.stringContaining('"shared"') },
    });
    expect(await webhooksTo(body.pushUrl)).toBe(1);
    secrets.push(first.body.response.secret);
  }
  expect(new Set(secrets).size).toBe(3);
});

test('keys are scoped to the visitor', async () => {
  const body = { name: 'Shop', streetAndNo: 'Street 1', city: 'Berlin', country: 'DE', categoryId: bakery };
  const once = { 'Idempotency-Key': 'one' };
  const visit = (name: string) =>
    api.call('POST', '/api/report', { ...body, name }, { publicKey: partner.partner.publicKey, ...once });
  const first = await visit('Shop');
  expect(first).toMatchObject({ code: 200, body: { token: expect.any(String) } });
  expect(await visit('Shop')).toMatchObject({ code: 200, body: first.body });
  expect(await visit('Other')).toMatchObject({ code: 409, body: { message: expect.stringContaining('"one"') } });
  expect(await post(newWebhook(), 'one')).toMatchObject({ code: 200 });
  const { rows } = await api.database.pool.query("select key from idempotency_keys where key like '%\none'");
  expect(rows.map(({ key }) => key).join()).not.toContain('127.0.0.1');
});

test('concurrent requests of a user execute once', async () => {
  const { call } = await addUser(api, partner, { role: 'ADMIN' });
  const body = newWebhook();
  const responses = await Promise.all(
    Array.from({ length: 5 }, () => call('POST', path, body, { 'Idempotency-Key': 'race of a user' })),
  );
  expect(new Set(responses.map((response) => JSON.stringify(response.body))).size).toBe(1);
  expect(await webhooksTo(body.pushUrl)).toBe(1);
});

test('does not replay a response to a user who lost access', async () => {
  const user = await addUser(api, partner, { role: 'ADMIN' });
  const body = newWebhook();
  const once = { 'Idempotency-Key': 'before' };
  expect(await user.call('POST', path, body, once)).toMatchObject({ code: 200 });
  await partner.call('PATCH', `/api/users/${user.user.id}`, { role: 'ACCOUNT_MANAGER' });
  expect(await user.call('POST', path, body, once)).toMatchObject({ code: 403 });
});

test('the stored request hash does not allow guessing a password', async () => {
  const body = { email: 'guess@example.com', role: 'ADMIN', password: 'a weak password' };
  await partner.call('POST', '/api/users', body, { 'Idempotency-Key': 'weak' });
  const { rows } = await api.database.pool.query<{ hash: Buffer }>(
    "select request_hash as hash from idempotency_keys where key = 'weak'",
  );
  const guess = createHash('sha256')
    .update(`POST /api/users\n${JSON.stringify(body)}`)
    .digest();
  expect(rows[0]?.hash).toHaveLength(32);
  expect(rows[0]?.hash.equals(guess)).toBe(false);
});
