import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { createCertificate } from '../../../test/support/certificates.ts';
import { LogScene } from '../../../test/support/log-scene.ts';
import { maxWebhooks } from '../subscriptions/webhook.ts';

const webhooksPath = '/api/sales-partners/webhooks';
const path = `${webhooksPath}/destinations`;
let scene: LogScene;
let partner: TestPartner;
let child: TestPartner;
let stranger: TestPartner;

beforeAll(async () => {
  scene = await LogScene.open();
  partner = await scene.api.addPartner();
  child = await scene.api.addPartner(partner);
  stranger = await scene.api.addPartner();
});
afterAll(() => scene.close());

const newUrl = (port = 9) => `http://127.0.0.1:${port}/${randomUUID()}?a=1&b=ü`;
const at = (pushUrl: string, more = '') => `${path}${more}?pushUrl=${encodeURIComponent(pushUrl)}`;
const types = ['LOCATION_CREATED', 'LISTING_UPDATE', 'BUSINESS_CREATED'];

async function succeed(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object, by = partner) {
  const response = await by.call(method, url, body);
  expect(response).toMatchObject({ code: 200 });
  return response.body.response;
}

const create = (body: object, by = partner) => succeed('POST', webhooksPath, { types, ...body }, by);
const destination = async (pushUrl: string, by = partner) =>
  (await succeed('GET', path, undefined, by)).find((entry: { pushUrl: string }) => entry.pushUrl === pushUrl);
const rowsOf = async (pushUrl: string) =>
  (await scene.query('select * from webhooks where push_url = $1 and deleted_at is null order by id', [pushUrl])).rows;
const secretsOf = async (pushUrl: string) =>
  (await rowsOf(pushUrl)).map(({ secret }) => scene.api.services.sealer.open(secret));

test('limits the webhooks of a partner, also in concurrent requests; a partner above the limit keeps them', async () => {
  const owner = await scene.api.addPartner();
  const fill = (count: number) =>
    scene.query(
      `with created as (
         insert into webhooks (partner_id, type, push_url, secret)
         select $1, 'LISTING_UPDATE', 'http://127.0.0.1:9/' || gen_random_uuid(), '' from generate_series(1, $2::integer) returning id
       )
       insert into webhook_health (webhook_id, send_window) select id, 1 from created`,
      [owner.partner.id, count],
    );
  await fill(maxWebhooks - 4);
  const [pushUrl, other] = [newUrl(), newUrl()];
  const requests = [pushUrl, other].map((url) => owner.call('POST', webhooksPath, { pushUrl: url, types }));
  const responses = await Promise.all(requests);
  expect(responses.map(({ code }) => code).sort()).toEqual([200, 409]);
  expect(responses.find(({ code }) => code === 409)?.body).toMatchObject({
    status: 'CONFLICT',
    message: expect.stringContaining(
      `has ${maxWebhooks - 1} webhooks; 3 more would exceed the maximum of ${maxWebhooks}.`,
    ),
  });
  const url = responses[0]?.code === 200 ? pushUrl : other;
  const four = [...types, 'LOCATION_STATUS_CHANGED'];
  await succeed('PATCH', at(url), { types: four }, owner);
  expect(await owner.call('PATCH', at(url), { types: [...four, 'LISTING_SYNC_CHECK'] })).toMatchObject({
    code: 409,
  });
  await fill(1);
  expect(await owner.call('POST', webhooksPath, { pushUrl, type: 'LISTING_SYNC_CHECK' })).toMatchObject({ code: 409 });
  const changed = await succeed('PATCH', at(url), { types: [...types, 'LISTING_SYNC_CHECK'] }, owner);
  expect(changed.types).toHaveLength(4);
});

describe('POST webhooks with types', () => {
  test('creates one webhook per type with the same secret and settings', async () => {
    const pushUrl = newUrl();
    const created = await create({ pushUrl, description: 'ERP', retrySchedule: [1], includeChildren: false });
    expect(created.map(({ type }: { type: string }) => type)).toEqual(types);
    for (const webhook of created) {
      expect(webhook).toMatchObject({ pushUrl, description: 'ERP', retrySchedule: [1], includeChildren: false });
      expect(webhook.secret).toBe(created[0].secret);
    }
    expect(await secretsOf(pushUrl)).toEqual(created.map(({ secret }: { secret: string }) => secret));
  });

  test('returns a list for one type too', async () => {
    expect(await create({ pushUrl: newUrl(), types: ['LISTING_UPDATE'] })).toHaveLength(1);
  });

  test('creates none if one of them exists', async () => {
    const pushUrl = newUrl();
    await create({ pushUrl, types: ['LISTING_UPDATE'] });
    const response = await partner.call('POST', webhooksPath, { pushUrl, types });
    expect(response).toMatchObject({ code: 409, body: { message: expect.stringContaining('LISTING_UPDATE') } });
    expect(await rowsOf(pushUrl)).toHaveLength(1);
  });

  test.each([
    [{ types: [] }, 'INVALID_PARAMETER', 'types'],
    [{ types: ['LISTING_UPDATE', 'LISTING_UPDATE'] }, 'INVALID_PARAMETER', 'types'],
    [{ types: ['NOTHING'] }, 'INVALID_PARAMETER', 'types[0]'],
    [{ types, type: 'LISTING_UPDATE' }, 'INVALID_PARAMETER', 'types'],
    [{}, 'MISSING_PARAMETER', 'type'],
  ])('rejects %j', async (body, status, field) => {
    const response = await partner.call('POST', webhooksPath, { pushUrl: newUrl(), ...body });
    expect(response).toMatchObject({ code: 400, body: { status, errors: [expect.objectContaining({ field })] } });
  });

  test('repeats the response of the same idempotency key', async () => {
    const body = { pushUrl: newUrl(), types };
    const headers = { 'idempotency-key': randomUUID() };
    const first = await partner.call('POST', webhooksPath, body, headers);
    const second = await partner.call('POST', webhooksPath, body, headers);
    expect(second.body).toEqual(first.body);
    expect(await rowsOf(body.pushUrl)).toHaveLength(types.length);
  });
});

describe('GET destinations', () => {
  test('groups webhooks by push URL with health and activity', async () => {
    const owner = await scene.api.addPartner();
    const good = await scene.webhook(owner);
    await succeed('POST', webhooksPath, { pushUrl: good.pushUrl, type: 'BUSINESS_CREATED' }, owner);
    const bad = await scene.webhook(owner, 503);
    const event = await scene.record(owner);
    await scene.deliver(good);
    await scene.deliver(bad);
    expect(await succeed('GET', path, undefined, owner)).toEqual([
      expect.objectContaining({
        pushUrl: good.pushUrl,
        salesPartnerId: owner.partner.id,
        types: ['LOCATION_CREATED', 'BUSINESS_CREATED'],
        health: { state: 'HEALTHY', consecutiveFailures: 0 },
        delivered: 1,
        failed: 0,
        successRate: 1,
        waiting: 0,
        lastDelivery: expect.objectContaining({ eventId: event, outcome: 'DELIVERED' }),
        webhooks: [expect.objectContaining({ id: good.id }), expect.objectContaining({ type: 'BUSINESS_CREATED' })],
      }),
      expect.objectContaining({
        pushUrl: bad.pushUrl,
        health: expect.objectContaining({ state: 'FAILING', lastError: expect.any(String) }),
        delivered: 0,
        successRate: 0,
      }),
    ]);
  });

  test('shows the worst state of the enabled webhooks, and OFF if all are disabled', async () => {
    const pushUrl = newUrl();
    const [first, second] = await create({ pushUrl });
    await succeed('PATCH', `${webhooksPath}/${first.id}`, { enabled: false });
    expect((await destination(pushUrl)).health.state).toBe('HEALTHY');
    await scene.query('update webhook_health set consecutive_failures = 3, last_error = $2 where webhook_id = $1', [
      second.id,
      'It failed.',
    ]);
    expect((await destination(pushUrl)).health).toEqual({
      state: 'FAILING',
      consecutiveFailures: 3,
      lastError: 'It failed.',
    });
    await succeed('PATCH', at(pushUrl), { enabled: false });
    expect((await destination(pushUrl)).health.state).toBe('OFF');
  });

  test('returns destinations of a child partner to its parent, and to no one else', async () => {
    const pushUrl = newUrl();
    await create({ pushUrl }, child);
    const ofChild = `${path}?salesPartnerId=${child.partner.id}`;
    expect(await succeed('GET', ofChild)).toEqual([expect.objectContaining({ pushUrl })]);
    expect((await stranger.call('GET', ofChild)).code).toBe(404);
    expect(await succeed('GET', path, undefined, stranger)).toEqual([]);
  });
});

describe('PATCH destinations', () => {
  test('changes all webhooks of the URL, and only those', async () => {
    const pushUrl = newUrl();
    const other = newUrl();
    await create({ pushUrl });
    await create({ pushUrl: other });
    const moved = newUrl();
    const changed = await succeed('PATCH', at(pushUrl), { pushUrl: moved, description: 'moved', enabled: false });
    expect(changed).toMatchObject({ pushUrl: moved, types, health: { state: 'OFF' } });
    for (const webhook of changed.webhooks)
      expect(webhook).toMatchObject({ pushUrl: moved, description: 'moved', enabled: false });
    expect(await rowsOf(pushUrl)).toEqual([]);
    for (const row of await rowsOf(other)) expect(row).toMatchObject({ description: '', enabled: true, revision: 1 });
  });

  test('adds and removes types; new webhooks have the secret and settings of the oldest', async () => {
    const pushUrl = newUrl();
    const [{ secret }] = await create({ pushUrl, retrySchedule: [7], description: 'ERP' });
    const changed = await succeed('PATCH', at(pushUrl), {
      types: ['LISTING_UPDATE', 'LOCATION_STATUS_CHANGED'],
      description: 'CRM',
    });
    expect(changed.types).toEqual(['LISTING_UPDATE', 'LOCATION_STATUS_CHANGED']);
    for (const webhook of changed.webhooks)
      expect(webhook).toMatchObject({ retrySchedule: [7], description: 'CRM', enabled: true });
    expect(await secretsOf(pushUrl)).toEqual([secret, secret]);
  });

  test('changes types and settings together, also if an added or removed type requires other settings', async () => {
    const pushUrl = newUrl();
    const failures = { field: 'updateResult', equals: 'FAILURE' };
    const ofBusiness = { field: 'business', equals: 3 };
    await create({ pushUrl, types: ['LISTING_UPDATE'], filter: failures, headers: { 'x-a': '1', 'x-b': '2' } });
    const replaced = { types: ['LOCATION_CREATED'], filter: ofBusiness, headers: { 'x-b': null } };
    const changed = await succeed('PATCH', at(pushUrl), replaced);
    expect(changed.webhooks).toEqual([
      expect.objectContaining({ type: 'LOCATION_CREATED', filter: ofBusiness, headerNames: ['x-a'] }),
    ]);
    const types = ['LOCATION_CREATED', 'LISTING_UPDATE'];
    const moved = newUrl();
    const elsewhere = await partner.call('PATCH', at(pushUrl), { types, filter: null, pushUrl: newUrl(10) });
    expect(elsewhere).toMatchObject({ code: 400, body: { errors: [expect.objectContaining({ rule: 'required' })] } });
    const both = await succeed('PATCH', at(pushUrl), { types, filter: null, enabled: false, pushUrl: moved });
    expect(both).toMatchObject({ pushUrl: moved, types });
    for (const webhook of both.webhooks) expect(webhook).toMatchObject({ enabled: false, headerNames: ['x-a'] });
    expect(new Set(await secretsOf(moved)).size).toBe(1);
  });

  test('a new webhook keeps an expired client certificate, and why the system disabled the oldest one', async () => {
    const pushUrl = newUrl().replace('http:', 'https:');
    const reason = 'The receiver responded with 410 Gone.';
    const { key: privateKey, cert: certificate } = await createCertificate();
    const clientCertificate = { certificate, privateKey };
    const [{ id }] = await create({ pushUrl, types: ['LISTING_UPDATE'], clientCertificate });
    await scene.query(
      `update webhooks set enabled = false, disabled_reason = $2,
         client_certificate = jsonb_set(client_certificate, '{notAfter}', '"2020-01-01T00:00:00.000Z"') where id = $1`,
      [id, reason],
    );
    const types = ['LISTING_UPDATE', 'LOCATION_CREATED'];
    const { webhooks } = await succeed('PATCH', at(pushUrl), { types });
    expect(webhooks[1]).toMatchObject({
      clientCertificate: { notAfter: '2020-01-01T00:00:00.000Z' },
      health: { state: 'OFF', reason },
    });
  });

  test('records each change in the audit trail', async () => {
    const pushUrl = newUrl();
    const created = await create({ pushUrl, types: ['LISTING_UPDATE', 'LOCATION_CREATED'] });
    await succeed('PATCH', at(pushUrl), { types: ['LISTING_UPDATE', 'BUSINESS_CREATED'], enabled: false });
    const added = (await destination(pushUrl)).webhooks[1];
    const ids = [...created.map(({ id }: { id: number }) => id), added.id];
    const { rows: entries } = await scene.query(
      `select action, subject_id from audit_trail where subject = 'WEBHOOK' and subject_id = any ($1) order by id`,
      [ids],
    );
    expect(entries.map(({ action, subject_id }) => [action, Number(subject_id)])).toEqual([
      ['CREATED', ids[0]],
      ['CREATED', ids[1]],
      ['CREATED', ids[2]],
      ['UPDATED', ids[0]],
      ['DELETED', ids[1]],
    ]);
  });

  test('changes nothing if the new URL has a webhook of the same type', async () => {
    const pushUrl = newUrl();
    const taken = newUrl();
    await create({ pushUrl });
    await create({ pushUrl: taken, types: ['BUSINESS_CREATED'] });
    expect(await partner.call('PATCH', at(pushUrl), { pushUrl: taken })).toMatchObject({ code: 409 });
    expect(await rowsOf(pushUrl)).toHaveLength(types.length);
  });

  test('requires a change, a known URL and a usable URL', async () => {
    const pushUrl = newUrl();
    await create({ pushUrl });
    expect(await partner.call('PATCH', at(pushUrl), {})).toMatchObject({ code: 400 });
    expect(await partner.call('PATCH', path, { enabled: false })).toMatchObject({
      code: 400,
      body: { errors: [expect.objectContaining({ field: 'pushUrl', rule: 'required' })] },
    });
    expect(await partner.call('PATCH', at(newUrl()), { enabled: false })).toMatchObject({ code: 404 });
    expect(await partner.call('PATCH', at(pushUrl), { pushUrl: 'ftp://x' })).toMatchObject({
      code: 400,
      body: { errors: [expect.objectContaining({ field: 'pushUrl' })] },
    });
    expect(await stranger.call('PATCH', at(pushUrl), { enabled: false })).toMatchObject({ code: 404 });
    for (const row of await rowsOf(pushUrl)) expect(row).toMatchObject({ enabled: true });
  });

  test('two concurrent changes of the types give one of the two results', async () => {
    const pushUrl = newUrl();
    await create({ pushUrl });
    const wanted = [
      ['LISTING_UPDATE', 'LISTING_LINK_CHANGE'],
      ['LISTING_UPDATE', 'BRAND_DATAPOINT_CHECK'],
    ];
    const codes = await Promise.all(
      wanted.map(async (list) => (await partner.call('PATCH', at(pushUrl), { types: list })).code),
    );
    expect(codes.filter((code) => code !== 200 && code !== 409)).toEqual([]);
    expect(wanted).toContainEqual((await destination(pushUrl)).types);
  });
});

describe('DELETE destinations', () => {
  test('deletes all webhooks of the URL', async () => {
    const pushUrl = newUrl();
    const created = await create({ pushUrl });
    expect((await stranger.call('DELETE', at(pushUrl))).code).toBe(404);
    expect(await succeed('DELETE', at(pushUrl))).toEqual({ success: true });
    expect(await destination(pushUrl)).toBeUndefined();
    expect((await partner.call('GET', `${webhooksPath}/${created[0].id}`)).code).toBe(404);
    expect((await partner.call('DELETE', at(pushUrl))).code).toBe(404);
  });
});

describe('POST destinations/rotate-secret', () => {
  test('gives all webhooks one new secret and keeps the previous ones for the overlap', async () => {
    const pushUrl = newUrl();
    const [{ secret: previous }] = await create({ pushUrl });
    await succeed('POST', webhooksPath, { pushUrl, type: 'LOCATION_STATUS_CHANGED' });
    const [, , , own] = await secretsOf(pushUrl);
    const { secret, previousSecretSignsUntil } = await succeed('POST', at(pushUrl, '/rotate-secret'), {
      overlapHours: 2,
    });
    expect(await secretsOf(pushUrl)).toEqual([secret, secret, secret, secret]);
    const rows = await rowsOf(pushUrl);
    const opened = rows.map((row) => scene.api.services.sealer.open(row.previous_secret));
    expect(opened).toEqual([previous, previous, previous, own]);
    for (const { previous_secret_expires_at } of rows)
      expect(previous_secret_expires_at.toISOString()).toBe(previousSecretSignsUntil);
    expect((await partner.call('POST', at(pushUrl, '/rotate-secret'), { overlapHours: 2 })).code).toBe(409);
    expect((await partner.call('POST', at(pushUrl, '/rotate-secret'), { overlapHours: 0 })).code).toBe(200);
  });
});
