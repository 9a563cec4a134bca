import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testBrokers } from '../support/brokers.ts';
import { DeliveryScene, type TestWebhook } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';
import { brokerSecrets, type TestBroker } from '../support/test-broker.ts';

const startMs = 180_000;
// Brokers and their clients need more time than HTTP receivers on a busy machine.
const testMs = 60_000;
const webhooks = '/api/sales-partners/webhooks';
const destinations = `${webhooks}/destinations`;

describe.each(testBrokers)('$name', { timeout: testMs }, ({ isInstalled, create }) => {
  let broker: TestBroker;
  let queues = 0;

  if (isInstalled) {
    beforeAll(async () => {
      broker = await create();
      await broker.start();
    }, startMs);
    afterAll(() => broker.stop(), startMs);
  }

  async function newQueue(): Promise<string> {
    queues += 1;
    await broker.create(`delivery-${queues}`);
    return `delivery-${queues}`;
  }

  const storedIds = async (queue: string) =>
    (await broker.read(queue)).map(({ body }) => JSON.parse(body).event.id as number).sort((a, b) => a - b);

  const settled = (scene: DeliveryScene, webhook: TestWebhook, count: number) =>
    eventually(() => scene.verdicts(webhook)).toEqual(Array(count).fill('DELIVERED'));

  const check = test.skipIf(!isInstalled);

  check('delivers the same signed body and headers as HTTP', async () => {
    const scene = await DeliveryScene.open();
    const queue = await newQueue();
    const receiver = await scene.receiver();
    const settings = { headers: { 'x-tenant': 'blue' }, cloudEvents: true };
    const webhook = await scene.webhook(broker.url(queue), settings);
    const overHttp = await scene.webhook(receiver.url(), settings);
    const [eventId] = await scene.record();
    scene.worker();
    await settled(scene, webhook, 1);
    await settled(scene, overHttp, 1);
    const [[message], [request]] = [await broker.read(queue), receiver.requests];
    expect(message?.body).toBe(request?.body);
    const {
      'webhook-signature': _s,
      'webhook-timestamp': _t,
      host: _h,
      connection: _c,
      ...headers
    } = request?.headers ?? {};
    const { 'content-length': _l, ...shared } = headers;
    expect(message?.headers).toMatchObject(shared);
    expect(message?.headers).toHaveProperty(['webhook-signature'], expect.stringMatching(/^v1,/));

    const { body } = await scene.partner.call('GET', `/api/deliveries/${eventId}-${webhook.id}`);
    const [attempt] = body.response.history;
    expect(attempt).toMatchObject({
      outcome: 'DELIVERED',
      url: webhook.pushUrl,
      request: { method: 'PUBLISH' },
      receipt: expect.any(Object),
    });
    expect(attempt.statusCode).toBeUndefined();
    const sent = Object.fromEntries(
      attempt.request.headers.map(({ name, value }: { name: string; value: string }) => [name, value]),
    );
    expect(sent).toMatchObject({ 'webhook-signature': message?.headers['webhook-signature'], 'x-tenant': '••••••' });
  });

  check('never shows or stores the credentials in plain text', async () => {
    const scene = await DeliveryScene.open();
    const queue = await newQueue();
    const webhook = await scene.webhook(broker.url(queue));
    expect(webhook).toMatchObject({ hasCredentials: true, pushUrl: expect.not.stringContaining('@') });
    await scene.change(webhook, { pushUrl: broker.url('missing'), description: 'changed' });
    await scene.record();
    scene.worker({ retrySchedule: [1000] });
    await eventually(() => scene.verdicts(webhook)).toEqual(['RETRY']);
    const { body: test } = await scene.partner.call('POST', `${webhooks}/${webhook.id}/test`, {});
    expect(test.response).toMatchObject({ delivered: false, outcome: 'REFUSED', reason: 'UNROUTABLE' });
    const duplicate = await scene.partner.call('POST', webhooks, {
      pushUrl: broker.url('missing'),
      type: 'LOCATION_CREATED',
    });
    expect(duplicate.code).toBe(409);
    const query = `?pushUrl=${encodeURIComponent(broker.url('unknown'))}`;
    const unknown = await scene.partner.call('DELETE', `${destinations}${query}`);
    expect(unknown.code).toBe(404);
    const responses = await Promise.all(
      [
        webhooks,
        destinations,
        `${webhooks}/${webhook.id}/deliveries`,
        '/api/audit-trail',
        `${webhooks}/${webhook.id}`,
      ].map(async (path) => (await scene.partner.call('GET', path)).body),
    );
    const tables = ['webhooks', 'webhook_history', 'webhook_health', 'attempts', 'request_settings', 'audit_trail'];
    const rows = await Promise.all(
      tables.map(async (table) => (await scene.api.database.pool.query(`select ${table}::text from ${table}`)).rows),
    );
    const shown = JSON.stringify([webhook, test, duplicate.body, unknown.body, responses, rows, scene.api.logLines]);
    expect(shown).toContain('missing');
    for (const secret of brokerSecrets) expect(shown).not.toContain(secret);
  });

  check('keeps saved credentials for the same broker only', async () => {
    const scene = await DeliveryScene.open();
    const [first, second] = [await newQueue(), await newQueue()];
    const webhook = await scene.webhook(broker.url(first));
    const withoutLogin = (queue: string) => broker.url(queue).replace(`${broker.login}@`, '');
    await scene.change(webhook, { pushUrl: withoutLogin(second) });
    expect(await scene.get(webhook)).toMatchObject({ hasCredentials: true, pushUrl: withoutLogin(second) });
    await scene.record();
    scene.worker();
    await settled(scene, webhook, 1);
    expect(await broker.read(second)).toHaveLength(1);
    await scene.change(webhook, { pushUrl: withoutLogin(second).replace('127.0.0.1', 'localhost') });
    expect(await scene.get(webhook)).not.toHaveProperty('hasCredentials');
  });

  check('deletes saved credentials with an empty user name', async () => {
    const scene = await DeliveryScene.open();
    const queue = await newQueue();
    const webhook = await scene.webhook(broker.url(queue));
    await scene.change(webhook, { pushUrl: broker.url(queue).replace(broker.login, '') });
    const changed = await scene.get(webhook);
    expect(changed).not.toHaveProperty('hasCredentials');
    expect(changed.pushUrl).toBe(webhook.pushUrl);
  });

  check('retries, recovers and resends', async () => {
    const scene = await DeliveryScene.open();
    const queue = await newQueue();
    const webhook = await scene.webhook(broker.url('not-yet-created'), { retrySchedule: [1, 1, 1, 1, 1, 1, 1, 1] });
    const [eventId] = await scene.record();
    scene.worker();
    await eventually(() => scene.verdicts(webhook)).toContain('RETRY');
    expect((await scene.get(webhook)).health).toMatchObject({ state: 'FAILING', lastError: expect.any(String) });
    await scene.change(webhook, { pushUrl: broker.url(queue) });
    await eventually(() => scene.depth(webhook)).toBe(0);
    expect(await storedIds(queue)).toEqual([eventId]);
    expect((await scene.get(webhook)).health.state).toBe('HEALTHY');

    const attempts = (await scene.attempts(webhook)).length;
    const resent = await scene.partner.call('POST', `/api/deliveries/${eventId}-${webhook.id}/retry`, {});
    expect(resent.code).toBe(200);
    await eventually(async () => (await scene.attempts(webhook)).length).toBe(attempts + 1);
    expect((await scene.attempts(webhook)).at(-1)?.verdict).toBe('DELIVERED');
    // NATS stores an event once, RabbitMQ again.
    expect(new Set(await storedIds(queue))).toEqual(new Set([eventId]));
  });

  check('delivers events of one location in order', async () => {
    const scene = await DeliveryScene.open();
    const queue = await newQueue();
    const webhook = await scene.webhook(broker.url(queue), { ordered: true });
    const ids = await scene.record(20);
    scene.worker();
    await settled(scene, webhook, 20);
    const stored = (await broker.read(queue)).map(({ body }) => JSON.parse(body).event.id);
    expect(stored).toEqual(ids);
  });
});
