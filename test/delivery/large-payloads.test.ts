import { expect, test } from 'vitest';
import { eventTypes } from '../../src/events/catalogue/catalogue.ts';
import { eventually } from '../../src/events/transport/loopback-receivers.ts';
import type { Reply } from '../support/delivery.ts';
import { DeliveryScene } from '../support/delivery-scene.ts';

const fields = { ...eventTypes.LOCATION_CREATED.example, comment: 'x'.repeat(900 * 1024) };
const payloadBytes = fields.comment.length;
const roomBytes = 32 * 1024 * 1024;

test('a worker holds no more bytes of large payloads than it has room for, and delivers all of them', {
  timeout: 120_000,
}, async () => {
  const scene = await DeliveryScene.open();
  const hold = Promise.withResolvers<Reply>();
  const receiver = await scene.receiver(() => hold.promise);
  const paths = Array.from({ length: 20 }, (_, number) => `/${number}`);
  const webhooks = await Promise.all(paths.map((path) => scene.webhook(receiver.url(path))));
  for (let n = 0; n < 4; n++) await scene.recordAs('LOCATION_CREATED', fields);
  scene.worker({ hostConcurrency: 100 });
  const most = Math.floor(roomBytes / payloadBytes);
  await eventually(() => receiver.open).toBeGreaterThan(most - 2);
  // Small ones have room all the same.
  await scene.otherWork();
  expect(receiver.open * payloadBytes).toBeLessThan(roomBytes);
  receiver.answer = () => 200;
  hold.resolve(200);
  for (const webhook of webhooks) await eventually(() => scene.queue(webhook)).toEqual([]);
  expect(receiver.arrivals).toHaveLength(80);
  expect(receiver.arrivals.every(({ body }) => body.length > payloadBytes)).toBe(true);
  expect(receiver.mostOpen * payloadBytes).toBeLessThan(roomBytes);
});
