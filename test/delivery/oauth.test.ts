import { expect, test } from 'vitest';
import { DeliveryScene } from '../support/delivery-scene.ts';
import { nameServer } from '../support/loopback-name-server.ts';
import { eventually } from '../support/loopback-receivers.ts';
import { tokenServer } from '../support/token-server.ts';

const path = '/api/sales-partners/webhooks';
const client = (tokenUrl: string) => ({ tokenUrl, clientId: 'waypost', clientSecret: 'the client secret' });
const shown = (tokenUrl: string) => ({ tokenUrl, clientId: 'waypost', authMethod: 'client_secret_basic' });

test('sends an access token, and never shows the client secret or the token', async () => {
  const tokens = await tokenServer();
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url(), { oauth: client(tokens.url) });
  expect(webhook).toMatchObject({ oauth: shown(tokens.url) });
  scene.worker();
  const [eventId] = await scene.record();
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
  expect(receiver.requests[0]?.headers.authorization).toBe('Bearer t1');
  await scene.change(webhook, { oauth: { ...client(tokens.url), clientSecret: undefined, scope: 'events' } });
  expect((await scene.get(webhook)).oauth).toEqual({ ...shown(tokens.url), scope: 'events' });
  await scene.record();
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED', 'DELIVERED']);
  expect(tokens.requests[1]).toMatchObject({
    headers: { authorization: tokens.requests[0]?.headers.authorization },
    form: { scope: 'events' },
  });
  const details = await scene.partner.call('GET', `/api/deliveries/${eventId}-${webhook.id}`);
  expect(details.body.response.headers.authorization).toBe('••••••');
  expect(details.body.response.history).toMatchObject([{ durations: { tokenMs: expect.any(Number) } }]);
  expect(JSON.stringify(details.body)).not.toMatch(/the client secret|Bearer/);
  const { rows } = await scene.api.database.pool.query(
    `select details, webhooks::text || audit_trail::text || attempts::text as stored
     from webhooks, audit_trail, attempts where action = 'UPDATED'`,
  );
  expect(rows[0].details).toEqual({ oauth: { ...shown(tokens.url), scope: 'events' } });
  for (const { stored } of rows) expect(stored).not.toMatch(/the client secret|Bearer t/);
  await scene.change(webhook, { oauth: null });
  expect(await scene.get(webhook)).not.toHaveProperty('oauth');
  await scene.record();
  await eventually(() => receiver.requests).toHaveLength(3);
  expect(receiver.requests[2]?.headers).not.toHaveProperty('authorization');
});

test('a test delivery gets a token, and names the token server if it fails', async () => {
  let status = 200;
  const tokens = await tokenServer((response) => {
    response.writeHead(status).end('{"access_token":"t","token_type":"Bearer","error":"invalid_client"}');
  });
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver((received) => (received.headers.authorization === 'Bearer t' ? 200 : 401));
  const send = async (clientId: string) => {
    const oauth = { ...client(tokens.url), clientId };
    const { id } = await scene.webhook(receiver.url(`/${clientId}`), { oauth });
    return (await scene.partner.call('POST', `${path}/${id}/test`)).body.response;
  };
  expect(await send('good')).toMatchObject({ delivered: true, durations: { tokenMs: expect.any(Number) } });
  status = 401;
  const failed = await send('bad');
  expect(failed).toMatchObject({
    outcome: 'UNREACHABLE',
    reason: 'TOKEN',
    error: expect.stringMatching(/token server .* responded with 401 Unauthorized \(invalid_client\)/),
    hint: expect.stringContaining('client secret'),
  });
  expect(failed).not.toHaveProperty('response');
  expect(receiver.requests).toHaveLength(1);
});

test('a failure of the token server counts against the webhook, and is retried', async () => {
  let isBroken = true;
  const tokens = await tokenServer((response, token) => {
    if (isBroken) response.writeHead(503).end();
    else response.end(JSON.stringify({ access_token: token, token_type: 'Bearer' }));
  });
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url(), { oauth: client(tokens.url) });
  scene.worker({ retrySchedule: [0.2, 0.2, 0.2, 0.2, 0.2, 3600] });
  await scene.record();
  await eventually(() => scene.attempts(webhook)).toMatchObject([{ outcome: 'unreachable', reason: 'token' }]);
  expect(await scene.get(webhook)).toMatchObject({
    health: { state: 'FAILING', lastError: expect.stringContaining('token server') },
  });
  isBroken = false;
  await eventually(() => scene.verdicts(webhook)).toContain('DELIVERED');
  expect(await scene.get(webhook)).toMatchObject({ health: { state: 'HEALTHY' } });
});

test('a failure of the name servers does not count against the webhook', { timeout: 60_000 }, async () => {
  const { state } = await nameServer({ 'tokens.example': [['127.0.0.1']] });
  const tokens = await tokenServer();
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const tokenUrl = tokens.url.replace('127.0.0.1', 'tokens.example');
  const webhook = await scene.webhook(receiver.url(), { oauth: client(tokenUrl) });
  state.failure = 'broken';
  scene.worker({ retrySchedule: [] });
  await scene.record();
  const postponed = "select from delivery_queue where due_at > recorded_at + interval '1 second'";
  await eventually(async () => (await scene.api.database.pool.query(postponed)).rowCount).toBe(1);
  expect(await scene.get(webhook)).toMatchObject({ health: { consecutiveFailures: 0 } });
  state.failure = undefined;
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
});

test('a new type of a destination gets its OAuth client, and a change applies to all types', async () => {
  const tokens = await tokenServer();
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  await scene.webhook(receiver.url(), { oauth: client(tokens.url) });
  const query = new URLSearchParams({ pushUrl: receiver.url() });
  const change = async (body: object) =>
    (await scene.partner.call('PATCH', `${path}/destinations?${query}`, body)).body.response;
  const { webhooks } = await change({ types: ['LOCATION_CREATED', 'BUSINESS_CREATED'] });
  expect(webhooks).toMatchObject(Array(2).fill({ oauth: shown(tokens.url) }));
  for (const { id } of webhooks) await scene.partner.call('POST', `${path}/${id}/test`);
  expect(receiver.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t1']);
  const scoped = await change({ oauth: { tokenUrl: tokens.url, clientId: 'waypost', scope: 'a' } });
  expect(scoped.webhooks).toMatchObject(Array(2).fill({ oauth: { scope: 'a' } }));
});

test.each([
  [{ tokenUrl: 'ftp://auth.example/' }, 'oauth.tokenUrl', 'scheme'],
  [{ tokenUrl: 'https://169.254.169.254/token' }, 'oauth.tokenUrl', 'address'],
  [{ tokenUrl: 'https://user:pass@auth.example/' }, 'oauth.tokenUrl', 'credentials'],
  [{ clientId: '' }, 'oauth.clientId', 'minLength'],
  [{ clientSecret: undefined }, 'oauth.clientSecret', 'required'],
  [{ authMethod: 'private_key_jwt' }, 'oauth.authMethod', 'enum'],
])('rejects %j', async (wrong, field, rule) => {
  const scene = await DeliveryScene.open();
  const oauth = { ...client('http://127.0.0.1:9/token'), ...wrong };
  const body = { pushUrl: 'http://127.0.0.1:9/hook', type: 'LOCATION_CREATED', oauth };
  const rejected = await scene.partner.call('POST', path, body);
  expect(rejected).toMatchObject({ code: 400, body: { errors: [{ field, rule }] } });
  expect(rejected.body.message).not.toContain('push URL');
});

test('requires the client secret and the header values again for a push URL of another origin', async () => {
  const scene = await DeliveryScene.open();
  const oauth = client('http://127.0.0.1:9/token');
  const webhook = await scene.webhook('http://127.0.0.1:9/hook', {
    oauth,
    headers: { 'X-Key': 'k', 'X-Team': 'blue' },
  });
  const change = (body: object) => scene.partner.call('PATCH', `${path}/${webhook.id}`, body);
  const required = (field: string) => ({ code: 400, body: { errors: [{ field, rule: 'required' }] } });
  const pushUrl = 'http://127.0.0.1:10/hook';
  const headers = { 'x-key': 'new', 'X-TEAM': null };
  expect(await change({ pushUrl: 'http://127.0.0.1:9/other' })).toMatchObject({ code: 200 });
  expect(await change({ pushUrl, headers })).toMatchObject(required('oauth.clientSecret'));
  expect(await change({ pushUrl, headers, oauth: shown(oauth.tokenUrl) })).toMatchObject(
    required('oauth.clientSecret'),
  );
  const kept = await change({ pushUrl, oauth, headers: { 'X-Key': 'new' } });
  expect(kept).toMatchObject(required('headers'));
  expect(kept.body.errors[0].message).toContain('x-team');
  expect(await change({ pushUrl, oauth })).toMatchObject(required('headers'));
  expect((await scene.get(webhook)).pushUrl).toBe('http://127.0.0.1:9/other');
  const query = new URLSearchParams({ pushUrl: 'http://127.0.0.1:9/other' });
  const moved = await scene.partner.call('PATCH', `${path}/destinations?${query}`, { pushUrl });
  expect(moved).toMatchObject(required('oauth.clientSecret'));
  expect(await change({ pushUrl, oauth, headers })).toMatchObject({ code: 200 });
  expect(await scene.get(webhook)).toMatchObject({ pushUrl, headerNames: ['x-key'], oauth: shown(oauth.tokenUrl) });
  const removed = { pushUrl: 'http://127.0.0.1:11/hook', oauth: null, headers: null };
  expect(await change(removed)).toMatchObject({ code: 200 });
});

test('does not send a saved secret to a new token URL, and rejects a second Authorization header', async () => {
  const scene = await DeliveryScene.open();
  const oauth = client('http://127.0.0.1:9/token');
  const webhook = await scene.webhook('http://127.0.0.1:9/hook', { oauth });
  const change = (body: object) => scene.partner.call('PATCH', `${path}/${webhook.id}`, body);
  const moved = { tokenUrl: 'http://127.0.0.1:9/other', clientId: 'waypost' };
  expect(await change({ oauth: moved })).toMatchObject({
    code: 400,
    body: { errors: [{ field: 'oauth.clientSecret', rule: 'required' }] },
  });
  expect(await change({ oauth: { ...moved, clientSecret: 'again' } })).toMatchObject({ code: 200 });
  const exclusive = { code: 400, body: { errors: [{ field: 'oauth', rule: 'exclusive' }] } };
  expect(await change({ headers: { Authorization: 'Basic abc' } })).toMatchObject(exclusive);
  const body = { pushUrl: 'http://127.0.0.1:9/both', type: 'LOCATION_CREATED', oauth, headers: { authorization: 'x' } };
  expect(await scene.partner.call('POST', path, body)).toMatchObject(exclusive);
  expect(await change({ oauth: null, headers: { Authorization: 'Basic abc' } })).toMatchObject({ code: 200 });
});
