import { expect, test } from 'vitest';
import type { Reply } from '../support/delivery.ts';
import { DeliveryScene } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

/** A receiver whose requests stay open until they are released. */
async function holdingReceiver(scene: DeliveryScene) {
  const hold = Promise.withResolvers<Reply>();
  const receiver = await scene.receiver(() => hold.promise);
  const release = () => {
    receiver.respond = () => 200;
    hold.resolve(200);
  };
  return { receiver, release };
}

test('limits concurrent requests per webhook, also with two workers', async () => {
  const scene = await DeliveryScene.open();
  const { receiver, release } = await holdingReceiver(scene);
  const webhook = await scene.webhook(receiver.url());
  await scene.record(40);
  scene.worker({ webhookConcurrency: 3 });
  scene.worker({ webhookConcurrency: 3 });
  await eventually(() => receiver.open).toBe(3);
  await scene.deliverUnrelatedEvent();
  expect(receiver.requests).toHaveLength(3);
  release();
  await eventually(() => scene.queue(webhook)).toEqual([]);
  expect(receiver.requests).toHaveLength(40);
  expect(receiver.maxOpen).toBe(3);
});

test('limits concurrent requests per host over all webhooks', async () => {
  const scene = await DeliveryScene.open();
  const { receiver, release } = await holdingReceiver(scene);
  const webhooks = await Promise.all(['/one', '/two', '/three'].map((path) => scene.webhook(receiver.url(path))));
  await scene.record(20);
  // The last request is for another partner.
  scene.worker({ hostConcurrency: 6 });
  await eventually(() => receiver.open).toBe(5);
  await scene.deliverUnrelatedEvent();
  expect(receiver.requests).toHaveLength(5);
  release();
  for (const webhook of webhooks) await eventually(() => scene.queue(webhook)).toEqual([]);
  expect(receiver.requests).toHaveLength(60);
  expect(receiver.maxOpen).toBe(5);
});

test('continues at the new host of a webhook when its requests to the old host end', async () => {
  const scene = await DeliveryScene.open();
  const { receiver: old, release } = await holdingReceiver(scene);
  const current = await scene.receiver();
  const webhook = await scene.webhook(old.url());
  await scene.record();
  scene.worker({ webhookConcurrency: 1 });
  await eventually(() => old.open).toBe(1);
  await scene.change(webhook, { pushUrl: current.url() });
  const [second] = await scene.record();
  // It is claimed and waits for the only request slot of its webhook.
  await scene.deliverUnrelatedEvent();
  release();
  await eventually(() => current.ids()).toEqual([second]);
});
