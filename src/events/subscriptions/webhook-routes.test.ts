import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { nameServer } from '../../../test/support/loopback-name-server.ts';
import { initialWindow } from '../delivery/health.ts';
import { deliveriesChannel } from '../outbox/record-event.ts';

const path = '/api/sales-partners/webhooks';
let api: TestApi;
let partner: TestPartner;
let child: TestPartner;
let stranger: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
  child = await api.addPartner(partner);
  stranger = await api.addPartner();
});
afterAll(() => api.close());

const newWebhook = (more: object = {}) => ({
  pushUrl: `http://127.0.0.1:9/${randomUUID()}`,
  type: 'LOCATION_CREATED',
  ...more,
});

async function create(more: object = {}, by = partner) {
  const response = await by.call('POST', path, newWebhook(more));
  expect(response.code).toBe(200);
  return response.body.response;
}

const row = async (id: number) => (await api.database.pool.query('select * from webhooks where id = $1', [id])).rows[0];
const health = async (id: number) =>
  (await api.database.pool.query('select * from webhook_health where webhook_id = $1', [id])).rows[0];
const everything = async () =>
  (
    await api.database.pool.query(
      'select w, h from webhooks w join webhook_health h on h.webhook_id = w.id order by id',
    )
  ).rows;

describe('creating', () => {
  test('creates an enabled, healthy webhook and returns its secret once', async () => {
    const given = newWebhook();
    const { code, body } = await partner.call('POST', path, given);
    expect(code).toBe(200);
    expect(body).toEqual({
      status: 'SUCCESS',
      response: {
        ...given,
        id: expect.any(Number),
        enabled: true,
        includeChildren: true,
        cloudEvents: false,
        ordered: false,
        salesPartnerId: partner.partner.id,
        health: { state: 'HEALTHY', consecutiveFailures: 0 },
        dateCreated: expect.any(String),
        lastUpdated: expect.any(String),
        secret: expect.stringMatching(/^whsec_/),
      },
    });
    const { secret, ...rest } = body.response;
    expect((await partner.call('GET', `${path}/${rest.id}`)).body.response).toEqual(rest);
    expect((await partner.call('GET', path)).body.response).toContainEqual(rest);
    expect(api.services.sealer.open((await row(rest.id)).secret)).toBe(secret);
    expect(await health(rest.id)).toMatchObject({ send_window: initialWindow, trips: 0 });
  });

  test('stores all settings', async () => {
    const settings = { description: 'ß🙂', enabled: false, includeChildren: false, retrySchedule: [1, 86_400] };
    expect(await create(settings)).toMatchObject({ ...settings, health: { state: 'OFF' } });
  });

  test('allows one URL for two types and one type for two URLs', async () => {
    const given = newWebhook();
    await create(given);
    await create({ ...given, type: 'BUSINESS_CREATED' });
    await create();
  });

  test('rejects a duplicate of URL and type, also in concurrent requests', async () => {
    const given = newWebhook();
    const responses = await Promise.all(Array.from({ length: 5 }, () => partner.call('POST', path, given)));
    expect(responses.map(({ code }) => code).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(responses.find(({ code }) => code === 409)?.body).toMatchObject({
      status: 'CONFLICT',
      message: expect.stringContaining(given.pushUrl),
      errors: [{ field: 'pushUrl', rule: 'unique' }],
    });
    expect(await create(given, stranger)).toBeDefined();
  });

  test('allows the URL and type of a deleted webhook', async () => {
    const given = newWebhook();
    const { id } = await create(given);
    await partner.call('DELETE', `${path}/${id}`);
    expect((await create(given)).id).not.toBe(id);
  });

  test('accepts a host name that does not resolve yet, with a warning', async () => {
    const response = await partner.call('POST', path, newWebhook({ pushUrl: 'https://not-there-yet.invalid/hook' }));
    expect(response).toMatchObject({
      code: 200,
      body: { warnings: [expect.stringContaining('not-there-yet.invalid')] },
    });
  });

  test('responds to an internal host name as to one that does not exist, also in an update', async () => {
    await nameServer({ 'db.internal.example': [['10.0.0.7']] });
    const { id } = await create();
    const warningsOf = async (host: string) => {
      const pushUrl = `https://${host}/hook`;
      const created = await partner.call('POST', path, newWebhook({ pushUrl }));
      const changed = await partner.call('PATCH', `${path}/${id}`, { pushUrl: `${pushUrl}/changed` });
      const checked = await partner.call('POST', `${path}/check-url`, { pushUrl });
      expect([created.code, changed.code]).toEqual([200, 200]);
      const expected = [checked.body.response.message];
      expect([created.body.warnings, changed.body.warnings]).toEqual([expected, expected]);
      return expected[0];
    };
    const inside = await warningsOf('db.internal.example');
    expect(await warningsOf('xx.internal.example')).toBe(inside.replace('db.', 'xx.'));
  });

  test.each([
    ['no scheme', 'example.com/hook'],
    ['another scheme', 'ftp://example.com/'],
    ['a script', 'javascript:alert(1)'],
    ['a file', 'file:///etc/passwd'],
    ['credentials', 'https://user:secret@example.com/'],
    ['a guarded address', 'https://10.0.0.1/'],
    ['cloud metadata', 'http://169.254.169.254/latest'],
    ['a guarded address in disguise', 'https://0x0a.0.0.1/'],
    ['a very long one', `https://example.com/${'x'.repeat(2048)}`],
    ['text', 'hook'],
  ])('%s is not a push URL', async (_what, pushUrl) => {
    const before = await everything();
    const response = await partner.call('POST', path, newWebhook({ pushUrl }));
    expect(response).toMatchObject({
      code: 400,
      body: { status: 'INVALID_PARAMETER', errors: [{ field: 'pushUrl', message: expect.any(String) }] },
    });
    expect(await everything()).toEqual(before);
  });

  test.each([
    ['a long description', { description: 'x'.repeat(501) }, 'description'],
    ['eleven retries', { retrySchedule: new Array(11).fill(5) }, 'retrySchedule'],
    ['a retry at once', { retrySchedule: [0] }, 'retrySchedule[0]'],
    ['a retry after more than a day', { retrySchedule: [86_401] }, 'retrySchedule[0]'],
    ['a retry after a fraction of a second', { retrySchedule: [1.5] }, 'retrySchedule[0]'],
    ['a schedule in words', { retrySchedule: '5s' }, 'retrySchedule'],
    ['a type in small letters', { type: 'location_created' }, 'type'],
  ])('%s is refused', async (_what, more, field) => {
    const before = await everything();
    expect(await partner.call('POST', path, newWebhook(more))).toMatchObject({
      code: 400,
      body: { errors: [{ field }] },
    });
    expect(await everything()).toEqual(before);
  });
});

describe('listing', () => {
  test('returns webhooks in id order, filtered by type', async () => {
    const who = await api.addPartner();
    const types = ['LOCATION_CREATED', 'BUSINESS_CREATED', 'LISTING_UPDATE'];
    const ids: number[] = [];
    for (const type of types) ids.push((await create({ type }, who)).id);
    const listed = async (query: string) =>
      (await who.call('GET', path + query)).body.response.map(({ id }: { id: number }) => id);
    expect(await listed('')).toEqual(ids);
    expect(await listed('?type=BUSINESS_CREATED')).toEqual([ids[1]]);
    expect(await listed('?type=LISTING_UPDATE,LOCATION_CREATED')).toEqual([ids[0], ids[2]]);
    expect(await listed('?type=LISTING_UPDATE&type=LOCATION_CREATED')).toEqual([ids[0], ids[2]]);
    expect(await listed('?type=LISTING_LINK_CHANGE')).toEqual([]);
  });
});

describe('access by partner', () => {
  test("returns 404 for another partner's webhook", async () => {
    const { id } = await create();
    const before = await everything();
    const calls = [
      ['GET', ''],
      ['PATCH', '', { description: 'mine' }],
      ['DELETE', ''],
      ['POST', '/rotate-secret', {}],
    ] as const;
    for (const who of [stranger, child]) {
      for (const [method, tail, body] of calls) {
        const theirs = await who.call(method, `${path}/${id}${tail}`, body);
        const missing = await who.call(method, `${path}/999999${tail}`, body);
        expect(theirs).toMatchObject({ code: 404, body: { status: 'NOT_FOUND' } });
        expect(theirs.body.message.replace(String(id), '999999')).toBe(missing.body.message);
      }
      expect((await who.call('GET', path)).body.response).not.toContainEqual(expect.objectContaining({ id }));
    }
    expect(await everything()).toEqual(before);
  });

  test('lets a parent manage webhooks of its child', async () => {
    const salesPartnerId = child.partner.id;
    const webhook = await create({ salesPartnerId });
    expect(webhook).toMatchObject({ salesPartnerId });
    expect((await child.call('GET', path)).body.response).toMatchObject([{ id: webhook.id }]);
    expect((await partner.call('GET', `${path}?salesPartnerId=${salesPartnerId}`)).body.response).toMatchObject([
      { id: webhook.id },
    ]);
    const own = (await partner.call('GET', path)).body.response;
    expect(own).not.toContainEqual(expect.objectContaining({ id: webhook.id }));
    const all = (await partner.call('GET', `${path}?includeChildren=true`)).body.response;
    expect(all).toMatchObject([...own, { id: webhook.id, salesPartnerId }]);
    expect(await partner.call('DELETE', `${path}/${webhook.id}`)).toMatchObject({ code: 200 });
  });

  test('rejects a partner that the caller cannot access', async () => {
    const before = await everything();
    for (const salesPartnerId of [partner.partner.id, 999_999]) {
      expect(await child.call('POST', path, newWebhook({ salesPartnerId }))).toMatchObject({ code: 400 });
      expect(await child.call('GET', `${path}?salesPartnerId=${salesPartnerId}`)).toMatchObject({ code: 404 });
    }
    expect(await everything()).toEqual(before);
  });
});

describe('changing', () => {
  const patch = (id: number, body: unknown) => partner.call('PATCH', `${path}/${id}`, body);

  test('changes only the given fields and bumps the revision', async () => {
    const { secret: _shownOnce, ...webhook } = await create({ description: 'Before', retrySchedule: [5] });
    const { revision } = await row(webhook.id);
    const { body } = await patch(webhook.id, { type: 'BUSINESS_CREATED' });
    expect(body.response).toEqual({ ...webhook, type: 'BUSINESS_CREATED', lastUpdated: expect.any(String) });
    expect(Date.parse(body.response.lastUpdated)).toBeGreaterThan(Date.parse(webhook.lastUpdated));
    expect((await row(webhook.id)).revision).toBe(revision + 1);
  });

  test.each([null, ''])('clears an optional field with %j', async (gone) => {
    const { id } = await create({ description: 'Before', retrySchedule: [5] });
    const { body } = await patch(id, { description: gone, retrySchedule: gone });
    expect(body.response).not.toHaveProperty('description');
    expect(body.response).not.toHaveProperty('retrySchedule');
  });

  test.each([
    [{}, 'MISSING_PARAMETER', 'body'],
    [undefined, 'MISSING_PARAMETER', 'body'],
    [{ colour: 'green' }, 'MISSING_PARAMETER', 'body'],
    [{ pushUrl: null }, 'INVALID_PARAMETER', 'pushUrl'],
    [{ pushUrl: '', description: 'x' }, 'INVALID_PARAMETER', 'pushUrl'],
    [{ type: null }, 'INVALID_PARAMETER', 'type'],
    [{ enabled: null }, 'INVALID_PARAMETER', 'enabled'],
    [{ enabled: 1 }, 'WRONG_PARAMETER_TYPE', 'enabled'],
    [{ type: 'NEWS' }, 'INVALID_PARAMETER', 'type'],
    [{ pushUrl: 'http://10.0.0.1/' }, 'INVALID_PARAMETER', 'pushUrl'],
    [{ retrySchedule: [0] }, 'INVALID_PARAMETER', 'retrySchedule[0]'],
  ])('%j is refused and changes nothing', async (body, status, field) => {
    const { id } = await create();
    const before = await everything();
    expect(await patch(id, body)).toMatchObject({ code: 400, body: { status, errors: [{ field }] } });
    expect(await everything()).toEqual(before);
  });

  test('rejects a change to the URL and type of another webhook', async () => {
    const [one, other] = [await create(), await create()];
    expect(await patch(one.id, { pushUrl: other.pushUrl })).toMatchObject({ code: 409, body: { status: 'CONFLICT' } });
    expect((await row(one.id)).push_url).toBe(one.pushUrl);
  });

  async function fail(id: number): Promise<void> {
    await api.database.pool.query(
      `update webhook_health set send_window = 1, consecutive_failures = 12, failing_since = now(), trips = 2,
         open_until = now() + interval '1 hour', last_error = 'It responded with 500.' where webhook_id = $1`,
      [id],
    );
  }

  const switchOff = (id: number) =>
    api.database.pool.query("update webhooks set enabled = false, disabled_reason = 'Gone.' where id = $1", [id]);

  test('returns the reason why the platform disabled a webhook', async () => {
    const { id } = await create();
    await fail(id);
    await switchOff(id);
    expect((await partner.call('GET', `${path}/${id}`)).body.response.health).toMatchObject({
      state: 'OFF',
      reason: 'Gone.',
      lastError: 'It responded with 500.',
    });
  });

  test.each([
    ['a webhook that is enabled again', switchOff, { enabled: true }],
    ['a paused webhook that gets another URL', async () => {}, { pushUrl: 'http://127.0.0.1:9/elsewhere' }],
  ])('resets the health of %s and notifies the workers', async (_what, happens, change) => {
    const { id } = await create();
    await fail(id);
    await happens(id);
    let woken = 0;
    const unsubscribe = api.database.notifications.subscribe(deliveriesChannel, () => woken++);
    const { body } = await patch(id, change);
    unsubscribe();
    expect(body.response).toMatchObject({ enabled: true, health: { state: 'HEALTHY', consecutiveFailures: 0 } });
    expect(await health(id)).toMatchObject({
      send_window: initialWindow,
      trips: 0,
      open_until: null,
      last_error: null,
    });
    expect((await row(id)).disabled_reason).toBeNull();
    expect(woken).toBeGreaterThan(0);
  });

  test('keeps the breaker open when the description changes', async () => {
    const { id } = await create();
    await fail(id);
    const { body } = await patch(id, { description: 'Still paused' });
    expect(body.response.health).toMatchObject({ state: 'PAUSED', consecutiveFailures: 12 });
  });

  test('keeps the reason while the webhook stays disabled', async () => {
    const { id } = await create();
    await switchOff(id);
    const { body } = await patch(id, { description: 'Noted' });
    expect(body.response.health).toMatchObject({ state: 'OFF', reason: 'Gone.' });
  });
});

test('hides a deleted webhook everywhere except in the log', async () => {
  const { id } = await create();
  const { revision } = await row(id);
  const response = await partner.call('DELETE', `${path}/${id}`);
  expect(response).toMatchObject({ code: 200, body: { status: 'SUCCESS', response: { success: true } } });
  expect(await partner.call('GET', `${path}/${id}`)).toMatchObject({ code: 404 });
  expect(await partner.call('PATCH', `${path}/${id}`, { enabled: true })).toMatchObject({ code: 404 });
  expect(await partner.call('DELETE', `${path}/${id}`)).toMatchObject({ code: 404 });
  expect(await row(id)).toMatchObject({ deleted_at: expect.any(Date), revision: revision + 1 });
});

test('rejects a list of more than 10,000 webhooks of child partners', async () => {
  const parent = await api.addPartner();
  const { partner: below } = await api.addPartner(parent);
  await api.database.pool.query(
    `with created as (
       insert into webhooks (partner_id, type, push_url, secret)
       select $1, 'LOCATION_CREATED', 'http://127.0.0.1:9/' || n, '' from generate_series(1, 10001) as n returning id
     )
     insert into webhook_health (webhook_id, send_window) select id, 8 from created`,
    [below.id],
  );
  const { code, body } = await parent.call('GET', `${path}?includeChildren=true`);
  expect({ code, errors: body.errors }).toMatchObject({
    code: 400,
    errors: [{ field: 'includeChildren', rule: 'maximum', message: expect.stringContaining('more than 10000') }],
  });
});
