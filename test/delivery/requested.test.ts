import { expect, test } from 'vitest';
import { eventually } from '../../src/events/transport/loopback-receivers.ts';
import type { Receiver, Reply } from '../support/delivery.ts';
import { DeliveryScene, type TestWebhook } from '../support/delivery-scene.ts';

/** What a user asks for is sent now: neither the open breaker nor the retry schedule holds it up. */

const policy = { breakerThreshold: 3, breakerFirstPause: 3600, retrySchedule: [3600], workerConcurrency: 8 };
const path = ({ id }: TestWebhook) => `/api/sales-partners/webhooks/${id}`;

/** A webhook that is paused for an hour with failed deliveries that wait for their retry in an hour. */
async function pausedScene(count = 3): Promise<{ scene: DeliveryScene; receiver: Receiver; webhook: TestWebhook }> {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(() => 500);
  const webhook = await scene.webhook(receiver.url());
  await scene.record(count);
  scene.worker(policy);
  await eventually(() => scene.look(webhook)).toMatchObject({ health: { state: 'PAUSED' } });
  await eventually(async () => (await scene.attempts(webhook)).length - receiver.arrivals.length).toBe(0);
  return { scene, receiver, webhook };
}

const retry = (scene: DeliveryScene, webhook: TestWebhook, eventId: number | undefined) =>
  scene.partner.call('POST', `/api/deliveries/${eventId}-${webhook.id}/retry`);

test('a retry by hand is sent while the breaker is open, and a success closes it', async () => {
  const { scene, receiver, webhook } = await pausedScene();
  const [first] = await scene.queue(webhook);
  receiver.answer = () => 200;
  expect((await retry(scene, webhook, first?.eventId)).code).toBe(200);
  await eventually(() => scene.verdicts(webhook)).toEqual(['RETRY', 'RETRY', 'RETRY', 'DELIVERED']);
  await eventually(() => scene.look(webhook)).toMatchObject({ health: { state: 'HEALTHY' } });
});

test('a retry by hand that fails neither ends the pause nor lengthens it', async () => {
  const { scene, receiver, webhook } = await pausedScene();
  const before = (await scene.look(webhook)).health;
  const [first] = await scene.queue(webhook);
  const sent = receiver.arrivals.length;
  await retry(scene, webhook, first?.eventId);
  await eventually(() => scene.attempts(webhook)).toHaveLength(sent + 1);
  const after = (await scene.look(webhook)).health;
  expect(after).toMatchObject({ state: 'PAUSED', pausedUntil: before.pausedUntil, consecutiveFailures: 4 });
  await scene.otherWork();
  expect(receiver.arrivals).toHaveLength(sent + 1);
});

test('a delivery that is on its way is not sent a second time by a retry', async () => {
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
  // The later request was read and sent, so the earlier one was read and passed over.
  await eventually(() => receiver.arrivals.map(({ path }) => path)).toContain('/other');
  held.resolve(200);
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
  expect(await scene.depth(webhook)).toBe(0);
});

test('resume ends the pause and sends now what waits for its retry', async () => {
  const { scene, receiver, webhook } = await pausedScene();
  receiver.answer = () => 200;
  const { code, body } = await scene.partner.call('POST', `${path(webhook)}/resume`);
  expect(code).toBe(200);
  expect(body.response).toMatchObject({ id: webhook.id, health: { state: 'HEALTHY' }, dueNow: 3 });
  await eventually(() => scene.depth(webhook)).toBe(0);
  expect((await scene.verdicts(webhook)).slice(3)).toEqual(['DELIVERED', 'DELIVERED', 'DELIVERED']);
});

test('resume of a disabled webhook is refused, and the message says what to do', async () => {
  const scene = await DeliveryScene.open();
  const webhook = await scene.webhook((await scene.receiver()).url(), { enabled: false });
  for (const action of ['resume', 'retry-failed']) {
    const { code, body } = await scene.partner.call('POST', `${path(webhook)}/${action}`);
    expect(code).toBe(409);
    expect(body.message).toContain('Enable it first');
  }
});

test('enabling a webhook sends now what waits for its retry', async () => {
  const { scene, receiver, webhook } = await pausedScene();
  await scene.change(webhook, { enabled: false });
  receiver.answer = () => 200;
  await scene.change(webhook, { enabled: true });
  await eventually(() => scene.depth(webhook)).toBe(0);
});

test('a change that enables nothing leaves the schedule as it is', async () => {
  const { scene, webhook } = await pausedScene();
  const before = await scene.queue(webhook);
  await scene.change(webhook, { description: 'Warehouse', enabled: true });
  expect(await scene.queue(webhook)).toEqual(before);
});
