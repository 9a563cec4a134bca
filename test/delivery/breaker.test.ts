import { expect, test } from 'vitest';
import { AlertScene } from '../support/alert-scene.ts';
import type { Receiver, Reply } from '../support/delivery.ts';
import { DeliveryScene, type TestWebhook } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

const policy = { breakerThreshold: 3, breakerFirstPause: 1000, breakerMaxPause: 3600, retrySchedule: [3600] };

async function healthOf(scene: DeliveryScene, { id }: TestWebhook) {
  const { rows } = await scene.api.database.pool.query(
    `select trips, consecutive_failures as failures, open_until > now() as open,
       extract(epoch from open_until - now())::float8 as seconds
     from webhook_health where webhook_id = $1`,
    [id],
  );
  return rows[0];
}

const endPause = (scene: DeliveryScene, { id }: TestWebhook) =>
  scene.api.database.pool.query(
    'update webhook_health set open_until = now() where webhook_id = $1 and open_until is not null',
    [id],
  );

/** Waits until the breaker is open and all requests are settled. Returns the number of requests. */
async function requestsUntilPause(scene: DeliveryScene, webhook: TestWebhook, receiver: Receiver): Promise<number> {
  await eventually(() => healthOf(scene, webhook)).toMatchObject({ trips: 1 });
  await eventually(async () => (await scene.attempts(webhook)).length - receiver.requests.length).toBe(0);
  return receiver.requests.length;
}

/** Queued deliveries without an attempt. */
const countUnattempted = async (scene: DeliveryScene, webhook: TestWebhook) =>
  (await scene.queue(webhook)).filter(({ attempts }) => attempts === 0).length;

test('opens after consecutive failures; waiting deliveries use no attempts', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(() => 500);
  const webhook = await scene.webhook(receiver.url());
  await scene.record(10);
  scene.worker({ ...policy, workerConcurrency: 1 });
  await eventually(() => healthOf(scene, webhook)).toMatchObject({ trips: 1, failures: 3, open: true });
  expect(await scene.get(webhook)).toMatchObject({
    enabled: true,
    health: { state: 'PAUSED', consecutiveFailures: 3 },
  });
  await scene.deliverUnrelatedEvent();
  expect(receiver.requests).toHaveLength(3);
  expect(await countUnattempted(scene, webhook)).toBe(7);
});

test('stays closed after a success in between', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(() => (receiver.requests.length % 3 === 0 ? 200 : 500));
  const webhook = await scene.webhook(receiver.url());
  await scene.record(9);
  scene.worker({ ...policy, workerConcurrency: 1 });
  await eventually(() => scene.attempts(webhook)).toHaveLength(9);
  expect(await healthOf(scene, webhook)).toMatchObject({ trips: 0, failures: 0 });
});

test('a success while a failure is being settled ends the failures', async () => {
  const scene = await DeliveryScene.open();
  const second = Promise.withResolvers<Reply>();
  const replies = [500, second.promise];
  const receiver = await scene.receiver(() => replies[receiver.requests.length - 1] ?? new Promise(() => {}));
  const webhook = await scene.webhook(receiver.url());
  await scene.record(3);
  const connection = await scene.api.database.pool.connect();
  await connection.query('begin');
  const { rows } = await connection.query('select pg_backend_pid() as pid from webhook_health for update');
  scene.worker({ ...policy, webhookConcurrency: 1 });
  const blocked = 'select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))';
  await eventually(async () => (await scene.api.database.pool.query(blocked, [rows[0].pid])).rowCount).toBe(1);
  second.resolve(200);
  // One request at a time: the second attempt has ended when the third request arrives.
  await eventually(() => receiver.requests.length).toBe(3);
  expect(await scene.attempts(webhook)).toEqual([]);
  await connection.query('commit');
  connection.release();
  await eventually(() => scene.verdicts(webhook)).toEqual(['RETRY', 'DELIVERED']);
  expect(await healthOf(scene, webhook)).toMatchObject({ failures: 0 });
});

test('failures of requests to the previous URL do not pause the webhook or cause alerts', async () => {
  const alerts = await AlertScene.open();
  const { scene } = alerts;
  const reply = Promise.withResolvers<Reply>();
  const old = await scene.receiver(() => reply.promise);
  const current = await scene.receiver();
  const webhook = await scene.webhook(old.url());
  await scene.record(4);
  scene.worker(policy);
  await eventually(() => old.open).toBe(4);
  await scene.change(webhook, { pushUrl: current.url() });
  reply.resolve(503);
  await eventually(() => scene.verdicts(webhook)).toEqual(Array(4).fill('RETRY'));
  expect(await healthOf(scene, webhook)).toMatchObject({ trips: 0, failures: 0 });
  expect((await scene.get(webhook)).health).not.toHaveProperty('lastError');
  expect(await alerts.causes(webhook)).toEqual([]);
  const [id] = await scene.record();
  await eventually(() => current.ids()).toEqual([id]);
});

test('sends one probe after the pause; failure doubles the pause, success sends all deliveries', async () => {
  const scene = await DeliveryScene.open();
  let probe = Promise.withResolvers<Reply>();
  const receiver = await scene.receiver(() => 500);
  const webhook = await scene.webhook(receiver.url());
  await scene.record(30);
  scene.worker(policy);
  const spent = await requestsUntilPause(scene, webhook, receiver);
  receiver.respond = () => probe.promise;

  await endPause(scene, webhook);
  await eventually(() => receiver.open).toBe(1);
  await scene.deliverUnrelatedEvent();
  expect(receiver.requests).toHaveLength(spent + 1);

  const failed = probe;
  probe = Promise.withResolvers<Reply>();
  failed.resolve(503);
  await eventually(() => healthOf(scene, webhook)).toMatchObject({ trips: 2 });
  // Twice the first pause. The worker estimates the clock of the database.
  const { seconds } = await healthOf(scene, webhook);
  expect(seconds).toBeGreaterThan(1500);
  expect(seconds).toBeLessThan(2500);

  await endPause(scene, webhook);
  await eventually(() => receiver.open).toBe(1);
  expect(receiver.requests).toHaveLength(spent + 2);
  expect(await countUnattempted(scene, webhook)).toBeGreaterThanOrEqual(30 - spent - 2);
  receiver.respond = () => 200;
  probe.resolve(200);
  await eventually(() => countUnattempted(scene, webhook)).toBe(0);
  expect(await healthOf(scene, webhook)).toMatchObject({ trips: 0, failures: 0 });
  expect(await scene.get(webhook)).toMatchObject({ health: { state: 'HEALTHY' } });
});

test('limits the pause', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(() => 500);
  const webhook = await scene.webhook(receiver.url());
  await scene.record(30);
  scene.worker({ ...policy, breakerFirstPause: 36_000 });
  await eventually(() => healthOf(scene, webhook)).toMatchObject({ trips: 1, open: true });
  expect((await healthOf(scene, webhook)).seconds).toBeLessThan(7200);
});

test('ends the pause when the webhook is enabled again', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(() => 500);
  const webhook = await scene.webhook(receiver.url());
  await scene.record(10);
  scene.worker({ ...policy, workerConcurrency: 1 });
  await eventually(() => healthOf(scene, webhook)).toMatchObject({ open: true });
  receiver.respond = () => 200;
  await scene.change(webhook, { enabled: true });
  await eventually(() => countUnattempted(scene, webhook)).toBe(0);
});

test('sends one probe with two workers', async () => {
  const scene = await DeliveryScene.open();
  const probe = Promise.withResolvers<Reply>();
  const receiver = await scene.receiver(() => 500);
  const webhook = await scene.webhook(receiver.url());
  await scene.record(30);
  scene.worker(policy);
  scene.worker(policy);
  const spent = await requestsUntilPause(scene, webhook, receiver);
  receiver.respond = () => probe.promise;
  await endPause(scene, webhook);
  await eventually(() => receiver.open).toBe(1);
  await scene.deliverUnrelatedEvent();
  expect(receiver.requests).toHaveLength(spent + 1);
});
