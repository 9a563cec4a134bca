import { expect, test } from 'vitest';
import { type EventTypeName, eventTypeNames } from '../../src/events/catalogue/catalogue.ts';
import { DeliveryScene } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

const path = '/api/sales-partners/webhooks';
const attributes = ['ce-specversion', 'ce-id', 'ce-type', 'ce-source', 'ce-time'];
const cloudEventNames = (headers: object) => Object.keys(headers).filter((name) => name.startsWith('ce-'));

test('deliveries of every event type have valid CloudEvents headers', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const types = [...eventTypeNames];
  const { body } = await scene.partner.call('POST', path, { pushUrl: receiver.url(), types, cloudEvents: true });
  expect(body.response.map((webhook: { cloudEvents: boolean }) => webhook.cloudEvents)).toEqual(types.map(() => true));
  scene.worker();
  for (const type of types) await scene.recordAs<EventTypeName>(type);
  await eventually(() => receiver.requests).toHaveLength(types.length);
  for (const { headers, event } of receiver.requests) {
    expect(cloudEventNames(headers)).toEqual(expect.arrayContaining(attributes));
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'ce-specversion': '1.0',
      'ce-id': headers['webhook-id'],
      'ce-type': event.type,
      'ce-source': `/sales-partners/${event.salesPartnerIdentifier}`,
      'ce-time': event.time,
    });
    // Names of attributes are lower-case letters and digits, and no value is empty.
    for (const name of cloudEventNames(headers)) expect(name).toMatch(/^ce-[a-z0-9]+$/);
    for (const name of cloudEventNames(headers)) expect(headers[name]).toMatch(/^[!#$&-~]+$/);
    expect(new Date(String(headers['ce-time'])).getTime()).not.toBeNaN();
  }
});

test('is off by default, changes at any time, and is sent by a test delivery', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url());
  expect(await scene.get(webhook)).toMatchObject({ cloudEvents: false });
  scene.worker();
  await scene.record();
  await eventually(() => receiver.requests).toHaveLength(1);
  expect(cloudEventNames(receiver.requests[0]?.headers ?? {})).toEqual([]);
  const query = new URLSearchParams({ pushUrl: receiver.url() });
  const changed = await scene.partner.call('PATCH', `${path}/destinations?${query}`, { cloudEvents: true });
  expect(changed.body.response.webhooks).toMatchObject([{ cloudEvents: true }]);
  expect((await scene.partner.call('POST', `${path}/${webhook.id}/test`)).code).toBe(200);
  expect(receiver.requests[1]?.headers).toMatchObject({ 'ce-specversion': '1.0', 'waypost-test': 'true' });
});
