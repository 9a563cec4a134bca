import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { lanes } from '../../src/events/delivery/delivery-queue.ts';
import { Sender } from '../../src/events/transport/sender.ts';
import type { Receiver } from '../support/delivery.ts';
import { DeliveryScene, type TestWebhook } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';
import { tokenServer } from '../support/token-server.ts';

const never = new Promise<number>(() => {});
const type = 'BUSINESS_CREATED';

/** A healthy webhook for another type that must not be delayed. */
async function healthyWebhook(scene: DeliveryScene): Promise<{ receiver: Receiver; webhook: TestWebhook }> {
  const receiver = await scene.receiver();
  return { receiver, webhook: await scene.webhook(receiver.url(), { type }) };
}

/** Inserts a backlog of many deliveries. */
async function backlog(scene: DeliveryScene, webhook: TestWebhook, rows: number, lane = 0): Promise<void> {
  const [example] = await scene.record();
  await scene.api.database.pool.query(
    `with copied as (
       insert into events select nextval('event_id'), recorded_at, partner_id, type,
         replace(body, '"id":' || id, '"id":' || currval('event_id'))
       from events, generate_series(1, $2) where id = $1 returning id, recorded_at
     )
     insert into delivery_queue
     select id, $3, recorded_at, $4::smallint, recorded_at, sign($4), sign($4) from copied`,
    [example, rows, webhook.id, lane],
  );
}

test('a backlog of one webhook does not delay another webhook', { timeout: 90_000 }, async () => {
  const scene = await DeliveryScene.open();
  const busy = await scene.receiver();
  const webhook = await scene.webhook(busy.url());
  const healthy = await healthyWebhook(scene);
  await backlog(scene, webhook, 5000);
  scene.worker();
  await eventually(() => busy.requests.length).toBeGreaterThan(100);
  await scene.recordAs(type);
  await eventually(() => healthy.receiver.requests.length).toBe(1);
  expect(busy.requests.length).toBeLessThan(5000);
  await expect.poll(() => scene.depth(webhook), { timeout: 60_000, interval: 100 }).toBe(0);
  expect(new Set(busy.ids()).size).toBe(5001);
});

test('hanging webhooks do not delay another webhook', async () => {
  const scene = await DeliveryScene.open();
  const hanging = await scene.receiver(() => never);
  for (let n = 0; n < 10; n++) await scene.webhook(hanging.url(`/${n}`));
  const healthy = await healthyWebhook(scene);
  await scene.record(50);
  scene.worker();
  await eventually(() => hanging.open).toBeGreaterThanOrEqual(10);
  await scene.recordAs(type);
  await eventually(() => scene.verdicts(healthy.webhook)).toEqual(['DELIVERED']);
  expect(hanging.open).toBeGreaterThanOrEqual(10);
});

test('hanging webhooks of one partner with wide windows do not delay another partner', async () => {
  const scene = await DeliveryScene.open();
  const hanging = await scene.receiver(() => never);
  for (const path of ['/one', '/two']) await scene.webhook(hanging.url(path));
  await scene.api.database.pool.query('update webhook_health set send_window = 32');
  const receiver = await scene.receiver();
  const other = await scene.api.addPartner();
  const webhook = await scene.webhook(receiver.url(), {}, other);
  await scene.record(32);
  scene.worker({ webhookConcurrency: 4, workerConcurrency: 16 });
  await eventually(() => hanging.open).toBe(8);
  const third = await scene.webhook(receiver.url('/third'));
  await scene.record();
  await scene.record(1, other);
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
  expect(hanging.open).toBe(8);
  // Left for another worker, which has capacity for this partner.
  const leases = await scene.api.database.pool.query('select from webhook_leases where webhook_id = $1', [third.id]);
  expect(leases.rowCount).toBe(0);
  scene.worker();
  await eventually(() => scene.verdicts(third)).toEqual(['DELIVERED']);
});

test('slow receivers of one partner do not delay another partner on the same host', async () => {
  const scene = await DeliveryScene.open();
  const host = await scene.receiver(({ path }) => (path.startsWith('/slow') ? never : 200));
  for (const path of ['/slow/1', '/slow/2']) await scene.webhook(host.url(path));
  const other = await scene.api.addPartner();
  const webhook = await scene.webhook(host.url('/fast'), {}, other);
  await scene.record(10);
  scene.worker({ hostConcurrency: 8 });
  await eventually(() => host.open).toBe(7);
  await scene.record(3, other);
  await eventually(() => scene.verdicts(webhook)).toEqual(Array(3).fill('DELIVERED'));
  expect(host.open).toBe(7);
});

test('a hanging token server does not delay webhooks of other partners to the same host', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const waiting: ServerResponse[] = [];
  const tokens = await tokenServer((response) => waiting.push(response));
  const oauth = { tokenUrl: tokens.url, clientId: 'waypost', clientSecret: 'secret' };
  const slow = await scene.webhook(receiver.url('/with-token'), { oauth });
  const other = await scene.api.addPartner();
  const webhook = await scene.webhook(receiver.url('/without'), {}, other);
  await scene.record(10);
  scene.worker({ hostConcurrency: 2 });
  await eventually(() => tokens.requests).toHaveLength(1);
  await scene.record(1, other);
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
  expect(await scene.attempts(slow)).toEqual([]);
  for (const response of waiting) response.end();
});

test('failing webhooks use at most half of the worker', async () => {
  const scene = await DeliveryScene.open();
  const hanging = await scene.receiver(() => never);
  for (let n = 0; n < 40; n++) await scene.webhook(hanging.url(`/${n}`));
  await scene.api.database.pool.query('update webhook_health set consecutive_failures = 1');
  const healthy = await healthyWebhook(scene);
  await scene.record(2);
  scene.worker({ workerConcurrency: 32 });
  await eventually(() => hanging.open).toBeGreaterThanOrEqual(16);
  await scene.recordAs(type);
  await eventually(() => scene.verdicts(healthy.webhook)).toEqual(['DELIVERED']);
  expect(hanging.open).toBe(16);
});

test('a first attempt does not wait behind retries of the same webhook', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url());
  await backlog(scene, webhook, 3000, 1);
  scene.worker();
  await eventually(() => receiver.requests.length).toBeGreaterThan(100);
  const [id] = await scene.record();
  await eventually(() => receiver.ids()).toContain(id);
  expect(receiver.requests.length).toBeLessThan(3000);
  await eventually(() => scene.depth(webhook)).toBe(0);
});

test('retries, replays and requested deliveries leave capacity for first attempts', async () => {
  const scene = await DeliveryScene.open();
  const hanging = await scene.receiver(() => never);
  const healthy = await healthyWebhook(scene);
  for (const [n, lane] of [lanes.retry, lanes.retry, lanes.replay, lanes.requested].entries()) {
    await backlog(scene, await scene.webhook(hanging.url(`/${n}`)), 4, lane);
  }
  await scene.api.database.pool.query('delete from delivery_queue where lane = $1', [lanes.first]);
  scene.worker({ workerConcurrency: 8 });
  await eventually(() => hanging.open).toBeGreaterThanOrEqual(6);
  await scene.recordAs(type);
  await eventually(() => scene.verdicts(healthy.webhook)).toEqual(['DELIVERED']);
  expect(hanging.open).toBe(6);
});

test('an error of the transport is a failed attempt and does not end the worker', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  // The saved credentials are kept for the same host and port. The signature of a request cannot contain them.
  const broker = receiver.url('').replace('http://', '');
  const webhook = await scene.webhook(`amqp://ключ:secret@${broker}?queue=q`);
  await scene.change(webhook, { pushUrl: `sqs+http://${broker}/1/q?region=r` });
  const broken = await scene.webhook(receiver.url('/broken'));
  const healthy = await healthyWebhook(scene);
  const { send } = Sender.prototype;
  const failing = vi.spyOn(Sender.prototype, 'send').mockImplementation(function (this: Sender, request) {
    return request.url.endsWith('/broken') ? Promise.reject(new Error('Broken.')) : send.call(this, request);
  });
  onTestFinished(() => failing.mockRestore());
  await scene.record();
  scene.worker({ retrySchedule: [] });
  await eventually(() => scene.attempts(webhook)).toMatchObject([{ reason: 'credentials', verdict: 'DISCARDED' }]);
  await eventually(() => scene.attempts(broken)).toMatchObject([{ reason: 'unreachable', verdict: 'DISCARDED' }]);
  await scene.recordAs(type);
  await eventually(() => scene.verdicts(healthy.webhook)).toEqual(['DELIVERED']);
});

test('a webhook with an unreadable secret does not block others and recovers', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const broken = await scene.webhook(receiver.url());
  const healthy = await healthyWebhook(scene);
  const { pool } = scene.api.database;
  const [kept] = (await pool.query('select secret from webhooks where id = $1', [broken.id])).rows;
  const replace = (secret: Buffer) =>
    pool.query('update webhooks set secret = $2, revision = revision + 1 where id = $1', [broken.id, secret]);
  await replace(Buffer.alloc(60));
  const [id] = await scene.record();
  scene.worker();
  for (let n = 1; n <= 3; n++) {
    await scene.recordAs(type);
    await eventually(() => healthy.receiver.requests.length).toBe(n);
  }
  expect(receiver.ids()).toEqual([]);
  await replace(kept.secret);
  await eventually(() => receiver.ids()).toEqual([id]);
});
