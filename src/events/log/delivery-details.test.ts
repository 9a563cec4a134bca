import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { reordering } from '../../../test/support/interleaving.ts';
import { LogScene } from '../../../test/support/log-scene.ts';
import { eventTypes } from '../catalogue/catalogue.ts';
import { recordEvent } from '../outbox/record-event.ts';
import { stateOf } from './delivery.ts';
import { findDelivery } from './delivery-store.ts';

let scene: LogScene;
let partner: TestPartner;

beforeAll(async () => {
  scene = await LogScene.open();
});
beforeEach(async () => {
  partner = await scene.api.addPartner();
});
afterAll(() => scene.close());

const path = (eventId: number, { id }: { id: number }) => `/api/deliveries/${eventId}-${id}`;

async function story(eventId: number, webhook: { id: number }, by = partner) {
  const { code, body } = await by.call('GET', path(eventId, webhook));
  expect(code).toBe(200);
  return body.response;
}

const retry = (eventId: number, webhook: { id: number }, by = partner, headers = {}) =>
  by.call('POST', `${path(eventId, webhook)}/retry`, undefined, headers);

describe('the details of a delivery', () => {
  test('do not show a delivery as cancelled that is delivered while they are read', async () => {
    const webhook = await scene.webhook(partner);
    const eventId = await scene.record(partner);
    const sql = reordering(scene.api.database.pool, () => scene.deliver(webhook));
    const found = await findDelivery(sql, partner.partner.id, { eventId, webhookId: webhook.id });
    expect(['WAITING', 'DELIVERED']).toContain(found && stateOf(found.delivery, found.webhook));
    expect((await story(eventId, webhook)).state).toBe('DELIVERED');
  });

  test('omit an event of more than 16 KiB, like the list', async () => {
    const webhook = await scene.webhook(partner);
    const comment = 'ü'.repeat(10_000);
    const fields = { ...eventTypes.LOCATION_CREATED.example, comment };
    const eventId = await scene.api.database.transaction((transaction) =>
      recordEvent(transaction, { partner: partner.partner, type: 'LOCATION_CREATED', fields }),
    );
    const { body } = await partner.call('GET', `/api/sales-partners/webhooks/${webhook.id}/deliveries`);
    expect(body.response.deliveries).toMatchObject([{ eventId }]);
    expect(body.response.deliveries[0]).not.toHaveProperty('event');
    const details = await story(eventId, webhook);
    expect(details).not.toHaveProperty('event');
    expect(JSON.parse(details.body).event).toMatchObject({ id: eventId, comment });
  });

  test('contain each attempt with its response and verdict', async () => {
    const webhook = await scene.webhook(partner);
    const eventId = await scene.record(partner);
    const respond = scene.receiver.respond;
    scene.receiver.respond = ({ path }) =>
      path.startsWith('/500')
        ? {
            status: 503,
            headers: { 'content-type': 'text/plain', 'x-trace': 'abc' },
            body: 'Zu viel auf einmal: später!',
          }
        : { status: 200, body: Buffer.from('89504e47ff00', 'hex') };
    await scene.change(partner, webhook, { pushUrl: scene.receiver.url(`/500/${webhook.id}`), retrySchedule: [3600] });
    await scene.deliverUntil(async () => (await scene.queueOf(webhook))[0]?.attempts === 1);
    await scene.change(partner, webhook, { pushUrl: scene.receiver.url(`/200/${webhook.id}`) });
    await retry(eventId, webhook);
    await scene.deliver(webhook);
    scene.receiver.respond = respond;

    const { body, headers, history, ...delivery } = await story(eventId, webhook);
    expect(delivery).toMatchObject({
      id: `${eventId}-${webhook.id}`,
      state: 'DELIVERED',
      attempts: 2,
      pushUrl: scene.receiver.url(`/200/${webhook.id}`),
    });
    expect(delivery).not.toHaveProperty('nextTry');
    expect(history).toEqual([
      {
        number: 1,
        at: expect.any(String),
        url: scene.receiver.url(`/500/${webhook.id}`),
        request: expect.objectContaining({ method: 'POST', signature: JSON.parse(body).signature }),
        outcome: 'REFUSED',
        statusCode: 503,
        error: 'The receiver responded with 503 Service Unavailable.',
        hint: expect.stringContaining('overloaded'),
        durations: expect.objectContaining({ firstByteMs: expect.any(Number), totalMs: expect.any(Number) }),
        response: {
          headers: expect.objectContaining({ 'content-type': 'text/plain', 'x-trace': 'abc' }),
          body: 'Zu viel auf einmal: später!',
          bodyEncoding: 'UTF-8',
          truncated: false,
        },
        verdict: 'RETRY',
      },
      {
        number: 2,
        at: expect.any(String),
        url: scene.receiver.url(`/200/${webhook.id}`),
        request: expect.objectContaining({ method: 'POST', signature: JSON.parse(body).signature }),
        outcome: 'DELIVERED',
        statusCode: 200,
        durations: expect.objectContaining({ totalMs: expect.any(Number) }),
        response: expect.objectContaining({ body: 'iVBOR/8A', bodyEncoding: 'BASE64' }),
        verdict: 'DELIVERED',
      },
    ]);
    const requests = scene.receiver.requests.filter((request) => request.path.endsWith(`/${webhook.id}`));
    expect(requests.map((request) => request.body)).toEqual([body, body]);
    expect(headers).toEqual({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Waypost\//),
      'webhook-id': String(eventId),
      'webhook-timestamp': expect.stringMatching(/^\d+$/),
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
  });

  test('explain why a receiver was unreachable', async () => {
    const webhook = await scene.webhook(partner, 200, { pushUrl: 'http://127.0.0.1:1/closed' });
    const eventId = await scene.record(partner);
    await scene.deliver(webhook);
    const { state, history } = await story(eventId, webhook);
    expect(state).toBe('DISCARDED');
    expect(history.map(({ verdict }: { verdict: string }) => verdict)).toEqual(['RETRY', 'DISCARDED']);
    expect(history[0]).toMatchObject({
      outcome: 'UNREACHABLE',
      error: 'The receiver refused the connection.',
      hint: expect.stringContaining('Check the port'),
    });
    expect(history[0]).not.toHaveProperty('response');
  });

  test('show the signed body, but no key or secret', async () => {
    const webhook = await scene.webhook(partner);
    const eventId = await scene.record(partner);
    const { body } = await story(eventId, webhook);
    const { event, signature } = JSON.parse(body);
    expect(event.id).toBe(eventId);
    expect(signature).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    const whole = JSON.stringify(await story(eventId, webhook));
    expect(whole).not.toContain(partner.privateKey);
    expect(whole).not.toContain('whsec_');
  });

  test('say that the webhook is disabled', async () => {
    const webhook = await scene.webhook(partner);
    const eventId = await scene.record(partner);
    await scene.change(partner, webhook, { enabled: false });
    const { heldUp, ...delivery } = await story(eventId, webhook);
    expect(delivery).not.toHaveProperty('nextTry');
    expect(heldUp).toEqual({ reason: 'WEBHOOK_OFF', message: expect.stringContaining('after it is enabled') });
  });

  test('say that the webhook is paused', async () => {
    const webhook = await scene.webhook(partner);
    const eventId = await scene.record(partner);
    expect(await story(eventId, webhook)).not.toHaveProperty('heldUp');
    await scene.pause(webhook);
    const { heldUp, nextTry } = await story(eventId, webhook);
    expect(heldUp).toMatchObject({ reason: 'PAUSED', until: nextTry });
    expect(Date.parse(nextTry)).toBeGreaterThan(Date.now() + 3_000_000);
  });

  test('ignore a superseded attempt', async () => {
    const webhook = await scene.webhook(partner);
    const eventId = await scene.record(partner);
    await scene.deliver(webhook);
    await scene.query(
      `insert into attempts select event_id, webhook_id, number + 1, recorded_at, now(), url, 'refused', 500, 0, 0, 0, 0, 1,
         null, null, false, null, null, 'SUPERSEDED', null from attempts where event_id = $1`,
      [eventId],
    );
    const { state, attempts, history } = await story(eventId, webhook);
    expect({ state, attempts }).toEqual({ state: 'DELIVERED', attempts: 1 });
    expect(history.map(({ verdict }: { verdict: string }) => verdict)).toEqual(['DELIVERED', 'SUPERSEDED']);
  });

  test('show CANCELLED after the webhook was deleted', async () => {
    const webhook = await scene.webhook(partner, 500);
    const discarded = await scene.record(partner);
    await scene.deliver(webhook);
    const waiting = await scene.record(partner);
    await scene.remove(partner, webhook);
    expect((await story(discarded, webhook)).state).toBe('DISCARDED');
    const cancelled = await story(waiting, webhook);
    expect(cancelled.state).toBe('CANCELLED');
    expect(cancelled).not.toHaveProperty('nextTry');
  });

  test('are visible to the owner of the webhook and its ancestors only', async () => {
    const child = await scene.api.addPartner(partner);
    const stranger = await scene.api.addPartner();
    const [own, childs] = [await scene.webhook(partner), await scene.webhook(child)];
    const eventId = await scene.record(child);
    expect((await story(eventId, own)).webhookId).toBe(own.id);
    expect((await story(eventId, childs)).webhookId).toBe(childs.id);
    expect((await story(eventId, childs, child)).webhookId).toBe(childs.id);
    // An event of the child, but a webhook of the parent.
    for (const by of [child, stranger]) {
      expect((await by.call('GET', path(eventId, own))).code).toBe(404);
      expect((await retry(eventId, own, by)).code).toBe(404);
    }
  });

  test.each(['1-999999999', '999999999-1', '1', 'abc', '0-1', '1-1-1', `${'9'.repeat(30)}-1`])(
    'is not there for %s',
    async (id) => {
      expect((await partner.call('GET', `/api/deliveries/${id}`)).code).toBe(404);
      expect((await partner.call('POST', `/api/deliveries/${id}/retry`)).code).toBe(404);
    },
  );

  test('return 404 for an event without a delivery to the webhook', async () => {
    const eventId = await scene.record(partner);
    const webhook = await scene.webhook(partner);
    expect((await partner.call('GET', path(eventId, webhook))).code).toBe(404);
    expect((await retry(eventId, webhook)).code).toBe(404);
  });
});
