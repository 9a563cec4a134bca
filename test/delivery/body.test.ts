import { createHmac } from 'node:crypto';
import canonicalize from 'canonicalize';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { eventTypeNames, exampleEvent } from '../../src/events/catalogue/catalogue.ts';
import type { ReceivedRequest } from '../support/delivery.ts';
import { DeliveryScene } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

/** The event and its signature, extracted from the raw body. */
function parts({ body }: ReceivedRequest): { event: string; signature: string } {
  const [, event = '', signature = ''] = /^\{"event":(\{.*\}),"signature":"([A-Za-z0-9+/]{43}=)"\}$/s.exec(body) ?? [];
  return { event, signature };
}

const hmac = (key: string, text: string) => createHmac('sha256', key).update(text, 'utf8').digest('base64');

const isVerified = (secret: string, { body, headers }: ReceivedRequest): boolean => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

test('sends the sorted event and its signature for every type', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  for (const type of eventTypeNames) await scene.webhook(receiver.url(`/${type}`), { type });
  for (const type of eventTypeNames) await scene.recordAs(type);
  scene.worker();
  await eventually(() => receiver.requests.length).toBe(eventTypeNames.length);
  for (const request of receiver.requests) {
    const { event, signature } = parts(request);
    expect(event).toBe(canonicalize(JSON.parse(event)));
    expect(signature).toBe(hmac(scene.partner.privateKey, event));
    expect(signature).toBe(hmac(scene.partner.privateKey, canonicalize(JSON.parse(request.body).event) ?? ''));
    const type = request.path.slice(1) as (typeof eventTypeNames)[number];
    expect(JSON.parse(event)).toEqual({
      ...exampleEvent(type),
      id: expect.any(Number),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
      salesPartnerIdentifier: scene.partner.partner.identifier,
    });
  }
});

test('sends headers that a Standard Webhooks library verifies', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url());
  const [id] = await scene.record();
  scene.worker();
  await eventually(() => receiver.requests.length).toBe(1);
  const [request] = receiver.requests as [ReceivedRequest];
  expect(request.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Waypost/test',
    'webhook-id': String(id),
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    'webhook-signature': expect.stringMatching(/^v1,\S+$/),
  });
  expect(isVerified(webhook.secret, request)).toBe(true);
  expect(isVerified(webhook.secret, { ...request, body: request.body.replace('"id"', '"iD"') })).toBe(false);
});

test('signs a retry with its own timestamp', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(() => (receiver.requests.length === 1 ? 500 : 200));
  const webhook = await scene.webhook(receiver.url());
  await scene.record();
  scene.worker({ retrySchedule: [1] });
  await eventually(() => receiver.requests.length).toBe(2);
  const [first, second] = receiver.requests as [ReceivedRequest, ReceivedRequest];
  expect(second.body).toBe(first.body);
  expect(Number(second.headers['webhook-timestamp'])).toBeGreaterThan(Number(first.headers['webhook-timestamp']));
  expect(isVerified(webhook.secret, second)).toBe(true);
});

test('signs with both secrets during a rotation, then with the new one', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url());
  const rotated = await scene.partner.call('POST', `/api/sales-partners/webhooks/${webhook.id}/rotate-secret`, {});
  const { secret } = rotated.body.response;
  scene.worker();
  await scene.record();
  await eventually(() => receiver.requests.length).toBe(1);
  await scene.api.database.pool.query(
    'update webhooks set previous_secret_expires_at = now(), revision = revision + 1',
  );
  await scene.record();
  await eventually(() => receiver.requests.length).toBe(2);
  const [during, after] = receiver.requests as [ReceivedRequest, ReceivedRequest];
  expect([isVerified(webhook.secret, during), isVerified(secret, during)]).toEqual([true, true]);
  expect([isVerified(webhook.secret, after), isVerified(secret, after)]).toEqual([false, true]);
});

test('signs with the old private key until its overlap ends, then with the new one', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  await scene.webhook(receiver.url());
  scene.worker();
  await scene.record();
  await eventually(() => receiver.requests.length).toBe(1);
  const path = `/api/sales-partners/${scene.partner.partner.id}/rotate-private-key`;
  const { privateKey } = (await scene.partner.call('POST', path, {})).body.response;
  await scene.record();
  await eventually(() => receiver.requests.length).toBe(2);
  await scene.api.database.pool.query('update partner_keys set expires_at = now() where expires_at is not null');
  await scene.api.database.pool.query('update webhooks set revision = revision + 1');
  await scene.record();
  await eventually(() => receiver.requests.length).toBe(3);
  const signer = (request: ReceivedRequest) =>
    [scene.partner.privateKey, privateKey].findIndex(
      (key) => hmac(key, parts(request).event) === parts(request).signature,
    );
  expect(receiver.requests.map(signer)).toEqual([0, 0, 1]);
});
