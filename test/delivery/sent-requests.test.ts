import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runUpkeep } from '../../src/events/event-service.ts';
import { HmacKey } from '../../src/events/signing/signature.ts';
import { startWorker } from '../support/delivery.ts';
import { DeliveryScene, type TestWebhook } from '../support/delivery-scene.ts';
import { eventually, tcpReceiver } from '../support/loopback-receivers.ts';
import { tokenServer } from '../support/token-server.ts';

const path = '/api/sales-partners/webhooks';

/** Stores the exact bytes of each request. The status is that of the first segment of the path. */
async function startByteReceiver(): Promise<{ requests: string[]; url: (path: string) => string }> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    socket.setEncoding('latin1').on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk;
      const bodyAt = text.indexOf('\r\n\r\n') + 4;
      const length = Number(/\r\ncontent-length: (\d+)\r\n/.exec(text)?.[1]);
      if (bodyAt < 4 || text.length < bodyAt + length) return;
      requests.push(Buffer.from(text, 'latin1').toString('utf8'));
      const status = /^POST \/(\d+)/.exec(text)?.[1];
      text = '';
      socket.write(`HTTP/1.1 ${status} -\r\ncontent-length: 0\r\n\r\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { requests, url: (path) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}` };
}

interface Key {
  signature: string;
  keyId: string;
  isValid: boolean;
}

interface Sent {
  url: string;
  request: { method: string; headers: { name: string; value: string }[]; signature: string; keys: Key[] };
}

/** The message as the API describes it: the event is that of the body, which is signed with the current key. */
function messageOf({ url, request }: Sent, currentBody: string): string {
  const { pathname, search } = new URL(url);
  const head = request.headers.map(({ name, value }) => `${name}: ${value}\r\n`);
  const body = currentBody.replace(/"signature":"[^"]+"}$/, `"signature":"${request.signature}"}`);
  return `${request.method} ${pathname}${search} HTTP/1.1\r\n${head.join('')}\r\n${body}`;
}

const masked = (message: string) => message.replace(/^(x-[\w-]+|7|authorization): .*\r$/gm, '$1: ••••••\r');

async function historyOf(scene: DeliveryScene, eventId: number | undefined, { id }: TestWebhook, auth = {}) {
  const { code, body } = await scene.partner.call('GET', `/api/deliveries/${eventId}-${id}`, undefined, auth);
  expect(code).toBe(200);
  const { history, body: currentBody } = body.response as { history: Sent[]; body: string };
  return { text: JSON.stringify(body), history, messages: history.map((sent) => messageOf(sent, currentBody)) };
}

test('shows the request of each attempt byte for byte, after every kind of change', async () => {
  const scene = await DeliveryScene.open();
  const { partner } = scene;
  const receiver = await startByteReceiver();
  const tokens = await tokenServer();
  const headers = { 'x-api-key': 'first value', '7': 'a header with a numeric name' };
  const webhook = await scene.webhook(receiver.url('/500/hook'), { headers, retrySchedule: [3600] });
  const worker = scene.worker();
  const [eventId] = await scene.record();
  let auth = { privateKey: partner.privateKey };
  const call = async (target: string, body: object) => {
    const { code, body: sent } = await partner.call('POST', target, body, auth);
    expect(code).toBe(200);
    return sent.response;
  };
  const rotateKey = (overlapHours: number) =>
    call(`/api/sales-partners/${partner.partner.id}/rotate-private-key`, { overlapHours });
  const rotateSecret = (overlapHours: number) => call(`${path}/${webhook.id}/rotate-secret`, { overlapHours });
  let attempts = 1;
  await eventually(() => scene.attempts(webhook)).toHaveLength(attempts);
  const changes = [
    () => scene.change(webhook, { headers: { 'x-api-key': 'second value', 'x-team': 'red', '7': null } }),
    () => scene.change(webhook, { pushUrl: receiver.url('/200/%C3%A4?team=blue&x=%27~') }),
    () => scene.change(webhook, { asymmetricSignature: true, cloudEvents: true }),
    () => rotateSecret(1),
    () => rotateSecret(0),
    () => rotateKey(1),
    () => scene.change(webhook, { asymmetricSignature: false, cloudEvents: false, headers: null }),
    () =>
      scene.change(webhook, { oauth: { tokenUrl: tokens.url, clientId: 'waypost', clientSecret: 'a client secret' } }),
    () => scene.change(webhook, { oauth: null, description: 'Other settings do not change the request' }),
    async () => {
      await worker.stop();
      const updated = startWorker(scene.api.services, {}, 'Waypost/next');
      onTestFinished(() => updated.stop());
    },
    async () => {
      auth = await rotateKey(0);
    },
  ];
  for (const change of changes) {
    await change();
    await call(`/api/deliveries/${eventId}-${webhook.id}/retry`, {});
    await eventually(() => scene.attempts(webhook)).toHaveLength(++attempts);
  }

  const { text, history, messages } = await historyOf(scene, eventId, webhook, auth);
  expect(receiver.requests).toHaveLength(attempts);
  expect(messages).toEqual(receiver.requests.map(masked));
  for (const value of ['first value', 'second value', '"red"', 'a header with', 'Bearer', 'client secret'])
    expect(text).not.toContain(value);
  const signatures = history.map(({ request }) => request.keys.map((key) => key.signature).join(' '));
  const withEd25519 = 'BODY V1 V1A';
  expect(signatures).toEqual([
    ...['BODY V1', 'BODY V1', 'BODY V1', withEd25519, `${withEd25519} V1 V1A`, withEd25519, withEd25519],
    ...['BODY V1', 'BODY V1', 'BODY V1', 'BODY V1', 'BODY V1'],
  ]);
  // The first secret and the first private key have expired, the last ones have not.
  expect(history[0]?.request.keys.map(({ isValid }) => isValid)).toEqual([false, false]);
  expect(history.at(-1)?.request.keys.map(({ isValid }) => isValid)).toEqual([true, true]);
  const bodyKeys = history.map(({ request }) => request.keys[0]?.keyId);
  expect(new Set(bodyKeys.slice(0, -1)).size).toBe(1);
  expect(new Set(bodyKeys).size).toBe(2);
});

test('shows which secrets signed at the end of an overlap', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await startByteReceiver();
  const webhook = await scene.webhook(receiver.url('/200/hook'));
  await scene.partner.call('POST', `${path}/${webhook.id}/rotate-secret`, { overlapHours: 1 });
  scene.worker();
  const ids = await scene.record();
  await eventually(() => scene.attempts(webhook)).toHaveLength(1);
  // Requests before and after this time are sent with the same settings.
  await scene.api.database.pool.query(
    `update webhooks set previous_secret_expires_at = now() + interval '1 s', revision = revision + 1 where id = $1`,
    [webhook.id],
  );
  const signatureCount = (message: string | undefined) =>
    /webhook-signature: (.*)\r/.exec(message ?? '')?.[1]?.split(' ').length;
  do {
    ids.push(...(await scene.record()));
    await eventually(() => scene.attempts(webhook)).toHaveLength(ids.length);
  } while (signatureCount(receiver.requests.at(-1)) === 2);
  const settings = await scene.api.database.pool.query(
    'select request_settings_id as id from attempts order by event_id',
  );
  const [, ...atTheEnd] = receiver.requests.map(signatureCount);
  expect(new Set(atTheEnd)).toEqual(new Set([2, 1]));
  expect(new Set(settings.rows.slice(1).map(({ id }) => id)).size).toBe(1);
  const shown = await Promise.all(ids.map(async (id) => (await historyOf(scene, id, webhook)).messages));
  expect(shown.flat().toSorted()).toEqual(receiver.requests.toSorted());
});

test('decrypts the settings and signs the event once for all attempts', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await startByteReceiver();
  const webhook = await scene.webhook(receiver.url('/200/hook'), { asymmetricSignature: true });
  scene.worker();
  const [eventId] = await scene.record();
  await eventually(() => scene.verdicts(webhook)).toHaveLength(1);
  const { sealer } = scene.api.services;
  const opened = vi.spyOn(sealer, 'openWithKey');
  const signed = vi.spyOn(HmacKey.prototype, 'sign');
  onTestFinished(() => void vi.restoreAllMocks());
  const callsOfRead = async () => {
    vi.clearAllMocks();
    const { messages } = await historyOf(scene, eventId, webhook);
    expect(messages).toEqual(receiver.requests);
    const events = signed.mock.calls.filter(([text]) => text.startsWith('{'));
    return { opened: opened.mock.calls.length, events: events.length };
  };
  const forOne = await callsOfRead();
  for (const attempts of [2, 3]) {
    await scene.partner.call('POST', `/api/deliveries/${eventId}-${webhook.id}/retry`, {});
    await eventually(() => scene.verdicts(webhook)).toHaveLength(attempts);
  }
  expect(await callsOfRead()).toEqual(forOne);
  expect(forOne.events).toBeGreaterThan(0);
});

/** Closes each connection as soon as it receives data. */
const closingReceiver = () => tcpReceiver((socket) => socket.once('data', () => socket.destroy()));

const attemptTo = async (pushUrl: string, settings: object = {}) => {
  const scene = await DeliveryScene.open();
  const webhook = await scene.webhook('http://127.0.0.1:1/hook', { ...settings, retrySchedule: [3600] });
  // Push URLs that are not allowed any more are checked again when sending.
  await scene.api.database.pool.query('update webhooks set push_url = $2, revision = revision + 1 where id = $1', [
    webhook.id,
    pushUrl,
  ]);
  scene.worker();
  const [eventId] = await scene.record();
  await eventually(() => scene.verdicts(webhook)).toEqual(['RETRY']);
  const { body } = await scene.partner.call('GET', `/api/deliveries/${eventId}-${webhook.id}`);
  return body.response.history[0];
};

test.each([
  ['to a target that is not allowed', 'GUARDED', () => attemptTo('http://10.0.0.1/hook')],
  ['whose connection was refused', 'CONNECTION_REFUSED', () => attemptTo('http://127.0.0.1:1/hook')],
  [
    'whose TLS handshake failed',
    'CONNECTION_RESET',
    async () => attemptTo((await closingReceiver()).url.replace('http:', 'https:')),
  ],
  [
    'without an access token',
    'TOKEN',
    async () => {
      const oauth = { tokenUrl: 'http://127.0.0.1:1/token', clientId: 'waypost', clientSecret: 'a client secret' };
      return attemptTo((await startByteReceiver()).url('/200/hook'), { oauth });
    },
  ],
])('an attempt %s has no request', async (_name, reason, attempt) => {
  const shown = await attempt();
  expect(shown).toMatchObject({ outcome: 'UNREACHABLE', reason });
  expect(shown).not.toHaveProperty('request');
});

test('an attempt without a response has a request', async () => {
  const shown = await attemptTo((await closingReceiver()).url);
  expect(shown).toMatchObject({ reason: 'CONNECTION_RESET', request: { method: 'POST' } });
});

test('attempts of earlier releases have no request', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await startByteReceiver();
  const webhook = await scene.webhook(receiver.url('/200/hook'));
  scene.worker();
  const [eventId] = await scene.record();
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
  await scene.api.database.pool.query('update attempts set request_settings_id = null, waited_ms = null');
  const { body } = await scene.partner.call('GET', `/api/deliveries/${eventId}-${webhook.id}`);
  expect(body.response.history).toMatchObject([{ outcome: 'DELIVERED' }]);
  expect(body.response.history[0]).not.toHaveProperty('request');
});

test('upkeep deletes settings that no attempt can refer to', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await startByteReceiver();
  const webhook = await scene.webhook(receiver.url('/200/hook'));
  scene.worker();
  await scene.record();
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
  const { pool } = scene.api.database;
  const loaded = (days: number) =>
    pool.query('update request_settings set loaded_at = now() - make_interval(days => $1)', [days]);
  const count = async () => (await pool.query('select count(*) as count from request_settings')).rows[0].count;
  await loaded(31);
  await runUpkeep(scene.api.database, 30, scene.api.services.log);
  expect(await count()).toBe(1);
  await loaded(33);
  await runUpkeep(scene.api.database, 30, scene.api.services.log);
  expect(await count()).toBe(0);
});
