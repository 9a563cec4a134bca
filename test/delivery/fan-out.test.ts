import { createHmac } from 'node:crypto';
import canonicalize from 'canonicalize';
import { expect, test } from 'vitest';
import type { ReceivedRequest } from '../support/delivery.ts';
import { DeliveryScene } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

test("sends events of children to the parent's webhook, signed with the parent's key", async () => {
  const scene = await DeliveryScene.open();
  const child = await scene.api.addPartner(scene.partner);
  const receiver = await scene.receiver();
  await scene.webhook(receiver.url('/parent'));
  await scene.webhook(receiver.url('/parent-alone'), { includeChildren: false });
  await scene.webhook(receiver.url('/child'), {}, child);
  await scene.record(1, child);
  scene.worker();
  await eventually(() => receiver.requests.length).toBe(2);
  const signedWith = (privateKey: string, path: string) => {
    const { body, event } = receiver.requests.find((request) => request.path === path) as ReceivedRequest;
    const signature = createHmac('sha256', privateKey)
      .update(canonicalize(event) ?? '')
      .digest('base64');
    return JSON.parse(body).signature === signature;
  };
  expect(signedWith(scene.partner.privateKey, '/parent')).toBe(true);
  expect(signedWith(child.privateKey, '/child')).toBe(true);
  expect(receiver.requests.map(({ event }) => event.salesPartnerIdentifier)).toEqual([
    child.partner.identifier,
    child.partner.identifier,
  ]);
});

test('sends an event to several URLs with the same id', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  for (const path of ['/one', '/two', '/three']) await scene.webhook(receiver.url(path));
  await scene.webhook(receiver.url('/business'), { type: 'BUSINESS_CREATED' });
  const [id] = await scene.record();
  scene.worker();
  await eventually(() => receiver.requests.length).toBe(3);
  expect(['/one', '/two', '/three', '/business'].map((path) => receiver.ids(path))).toEqual([[id], [id], [id], []]);
});
