import { expect, test } from 'vitest';
import { eventually } from '../../src/events/transport/loopback-receivers.ts';
import type { Reply } from '../support/delivery.ts';
import { DeliveryScene } from '../support/delivery-scene.ts';

/** A receiver whose requests stay open until it is let go. */
async function holdingReceiver(scene: DeliveryScene) {
  const hold = Promise.withResolvers<Reply>();
  const receiver = await scene.receiver(() => hold.promise);
  const letGo = () => {
    receiver.answer = () => 200;
    hold.resolve(200);
  };
  return { receiver, letGo };
}

test('no more requests are under way for a webhook than its cap, also with two workers', async () => {
  const scene = await DeliveryScene.open();
  const { receiver, letGo } = await holdingReceiver(scene);
  const webhook = await scene.webhook(receiver.url());
  await scene.record(40);
  scene.worker({ webhookConcurrency: 3 });
  scene.worker({ webhookConcurrency: 3 });
  await eventually(() => receiver.open).toBe(3);
  await scene.otherWork();
  expect(receiver.arrivals).toHaveLength(3);
  letGo();
  await eventually(() => scene.queue(webhook)).toEqual([]);
  expect(receiver.arrivals).toHaveLength(40);
  expect(receiver.mostOpen).toBe(3);
});

test('no more requests are under way to a host than its cap, whichever webhooks they are for', async () => {
  const scene = await DeliveryScene.open();
  const { receiver, letGo } = await holdingReceiver(scene);
  const webhooks = await Promise.all(['/one', '/two', '/three'].map((path) => scene.webhook(receiver.url(path))));
  await scene.record(20);
  scene.worker({ hostConcurrency: 5 });
  await eventually(() => receiver.open).toBe(5);
  await scene.otherWork();
  expect(receiver.arrivals).toHaveLength(5);
  letGo();
  for (const webhook of webhooks) await eventually(() => scene.queue(webhook)).toEqual([]);
  expect(receiver.arrivals).toHaveLength(60);
  expect(receiver.mostOpen).toBe(5);
});

test('a webhook that moves to another host while its places are taken goes on there once they are free', async () => {
  const scene = await DeliveryScene.open();
  const { receiver: old, letGo } = await holdingReceiver(scene);
  const current = await scene.receiver();
  const webhook = await scene.webhook(old.url());
  await scene.record();
  scene.worker({ webhookConcurrency: 1 });
  await eventually(() => old.open).toBe(1);
  await scene.change(webhook, { pushUrl: current.url() });
  const [second] = await scene.record();
  // It has been taken in hand and waits for the one place that its webhook has.
  await scene.otherWork();
  letGo();
  await eventually(() => current.ids()).toEqual([second]);
});
