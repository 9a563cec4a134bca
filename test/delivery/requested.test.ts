import { expect, test } from 'vitest';
import type { Receiver, Reply } from '../support/delivery.ts';
import { DeliveryScene, type TestWebhook } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

/** Deliveries requested by a user ignore the open breaker and the retry schedule. */

const policy = { breakerThreshold: 3, breakerFirstPause: 3600, retrySchedule: [3600], workerConcurrency: 8 };
const path = ({ id }: TestWebhook) => `/api/sales-partners/webhooks/${id}`;

/** A webhook paused for an hour, with failed deliveries whose retry is due in an hour. */
async function pausedScene(count = 3): Promise<{ scene: DeliveryScene; receiver: Receiver; webhook: TestWebhook }> {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(() => 500);
  const webhook = await scene.webhook(receiver.url());
  await scene.record(count);
  scene.worker(policy);
  await eventually(() => scene.get(webhook)).toMatchObject({ health: { state: 'PAUSED' } });
  await eventually(async () => (await scene.attempts(webhook)).length - receiver.requests.length).toBe(0);
  return { scene, receiver, webhook };
}

const retry = (scene: DeliveryScene, webhook: TestWebhook, eventId: number | undefined) =>
  scene.partner.call('POST', `/api/deliveries/${eventId}-${webhook.id}/retry`);

test('sends a requested retry while the breaker is open; success closes it', async () => {
  const { scene, receiver, webhook } = await pausedScene();
  const [first] = await scene.queue(webhook);
  receiver.respond = () => 200;
  expect((await retry(scene, webhook, first?.eventId)).code).toBe(200);
  await eventually(() => scene.verdicts(webhook)).toEqual(['RETRY', 'RETRY', 'RETRY', 'DELIVERED']);
  await eventually(() => scene.get(webhook)).toMatchObject({ health: { state: 'HEALTHY' } });
});

test('a failed requested retry does not change the pause', async () => {
  const { scene, receiver, webhook } = await pausedScene();
  const before = (await scene.get(webhook)).health;
  const [first] = await scene.queue(webhook);
  const sent = receiver.requests.length;
  await retry(scene, webhook, first?.eventId);
  await eventually(() => scene.attempts(webhook)).toHaveLength(sent + 1);
  const after = (await scene.get(webhook)).health;
  expect(after).toMatchObject({ state: 'PAUSED', pausedUntil: before.pausedUntil, consecutiveFailures: 4 });
  await scene.deliverUnrelatedEvent();
  expect(receiver.requests).toHaveLength(sent + 1);
});

test('does not send a delivery in flight a second time', async () => {
  const scene = await DeliveryScene.open();
  const held = Promise.withResolvers<Reply>();
  const receiver = await scene.receiver(() => held.promise);
  const webhook = await scene.webhook(receiver.url());
  const [id] = await scene.record();
  scene.worker(policy);
  await eventually(() => receiver.open).toBe(1);
  await retry(scene, webhook, id);
  const other = await scene.webhook(receiver.url('/other'), { type: 'BUSINESS_CREATED' });
  const otherId = await scene.recordAs('BUSINESS_CREATED');
  await retry(scene, other, otherId);
  // The later request was sent, so the earlier one was read and skipped.
  await eventually(() => receiver.requests.map(({ path }) => path)).toContain('/other');
  held.resolve(200);
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
  expect(await scene.depth(webhook)).toBe(0);
});

test('resume ends the pause and sends waiting retries now', async () => {
  const { scene, receiver, webhook } = await pausedScene();
  receiver.respond = () => 200;
  // The pause holds back a retry that is already due.
  await scene.api.database.pool.query(`update delivery_queue set due_at = now() - interval '1 minute'
    where event_id = (select min(event_id) from delivery_queue where webhook_id = ${webhook.id})`);
  const { code, body } = await scene.partner.call('POST', `${path(webhook)}/resume`);
  expect(code).toBe(200);
  expect(body.response).toMatchObject({ id: webhook.id, health: { state: 'HEALTHY' }, dueNow: 3 });
  await eventually(() => scene.depth(webhook)).toBe(0);
  expect((await scene.verdicts(webhook)).slice(3)).toEqual(['DELIVERED', 'DELIVERED', 'DELIVERED']);
});

test('rejects resume of a disabled webhook with a remedy', async () => {
  const scene = await DeliveryScene.open();
  const webhook = await scene.webhook((await scene.receiver()).url(), { enabled: false });
  for (const action of ['resume', 'retry-failed']) {
    const { code, body } = await scene.partner.call('POST', `${path(webhook)}/${action}`);
    expect(code).toBe(409);
    expect(body.message).toContain('Enable it first');
  }
});

test('enabling a webhook sends waiting retries now', async () => {
  const { scene, receiver, webhook } = await pausedScene();
  await scene.change(webhook, { enabled: false });
  receiver.respond = () => 200;
  await scene.change(webhook, { enabled: true });
  await eventually(() => scene.depth(webhook)).toBe(0);
});

test('other changes do not affect the retry schedule', async () => {
  const { scene, webhook } = await pausedScene();
  const before = await scene.queue(webhook);
  await scene.change(webhook, { description: 'Warehouse', enabled: true });
  expect(await scene.queue(webhook)).toEqual(before);
});
