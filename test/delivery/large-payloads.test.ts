import { expect, test } from 'vitest';
import { eventTypes } from '../../src/events/catalogue/catalogue.ts';
import type { Reply } from '../support/delivery.ts';
import { DeliveryScene } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

const fields = { ...eventTypes.LOCATION_CREATED.example, comment: 'x'.repeat(900 * 1024) };
const payloadBytes = fields.comment.length;
const capacityBytes = 32 * 1024 * 1024;
const count = 20;

test('slow receivers of large payloads use only the memory reserved for them, and every webhook is served', {
  timeout: 120_000,
}, async () => {
  const scene = await DeliveryScene.open();
  const hold = Promise.withResolvers<Reply>();
  const receiver = await scene.receiver(() => hold.promise);
  const paths = Array.from({ length: count }, (_, number) => `/${number}`);
  const webhooks = await Promise.all(paths.map((path) => scene.webhook(receiver.url(path))));
  for (let n = 0; n < 4; n++) await scene.recordAs('LOCATION_CREATED', fields);
  scene.worker({ hostConcurrency: 100 });
  const reached = () => new Set(receiver.requests.map(({ path }) => path)).size;
  await eventually(reached).toBe(count);
  await scene.deliverUnrelatedEvent();
  const maxOpen = Math.floor(capacityBytes / payloadBytes) + count;
  await eventually(() => receiver.open).toBeGreaterThanOrEqual(Math.floor(capacityBytes / payloadBytes) - 1);
  expect(receiver.maxOpen).toBeLessThanOrEqual(maxOpen);
  receiver.respond = () => 200;
  hold.resolve(200);
  for (const webhook of webhooks) await eventually(() => scene.queue(webhook)).toEqual([]);
  expect(receiver.requests).toHaveLength(4 * count);
  expect(receiver.requests.every(({ body }) => body.length > payloadBytes)).toBe(true);
  expect(receiver.maxOpen).toBeLessThanOrEqual(maxOpen);
});
