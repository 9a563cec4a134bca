import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { LogScene } from '../../../test/support/log-scene.ts';
import { lanes } from '../delivery/delivery-queue.ts';
import { deliveriesChannel } from '../outbox/record-event.ts';
import * as store from './delivery-store.ts';

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

describe('a retry', () => {
  test('makes a waiting delivery due now', async () => {
    const webhook = await scene.webhook(partner, 500, { retrySchedule: [3600] });
    const eventId = await scene.record(partner);
    await scene.deliverUntil(async () => (await scene.queueOf(webhook))[0]?.attempts === 1);
    const { code, body } = await retry(eventId, webhook);
    expect(code).toBe(200);
    expect(body.response).toMatchObject({ id: `${eventId}-${webhook.id}`, state: 'RETRYING', attempts: 1 });
    expect(Date.parse(body.response.nextTry)).toBeLessThanOrEqual(Date.now() + 1000);
    expect(await scene.queueOf(webhook)).toMatchObject([{ lane: lanes.requested, attempts: 1, tries: 1 }]);
    await scene.change(partner, webhook, { pushUrl: scene.receiver.url(`/200/${webhook.id}`) });
    await scene.deliver(webhook);
    expect((await story(eventId, webhook)).state).toBe('DELIVERED');
  });

  test('notifies the workers', async () => {
    const webhook = await scene.webhook(partner);
    const eventId = await scene.record(partner);
    await scene.deliver(webhook);
    const calls: string[] = [];
    const stop = scene.api.database.notifications.subscribe(deliveriesChannel, () => calls.push('awake'));
    await retry(eventId, webhook);
    expect(calls).toContain('awake');
    stop();
  });

  test('keeps the due time of a due delivery', async () => {
    const webhook = await scene.webhook(partner);
    const eventId = await scene.record(partner);
    const [before] = await scene.queueOf(webhook);
    expect((await retry(eventId, webhook)).code).toBe(200);
    expect(await scene.queueOf(webhook)).toEqual([{ ...before, lane: lanes.requested }]);
  });

  test('is sent while the webhook is paused; other deliveries wait', async () => {
    const webhook = await scene.webhook(partner);
    const [requested, other] = [await scene.record(partner), await scene.record(partner)];
    await scene.pause(webhook);
    const { body } = await retry(requested, webhook);
    expect(body.response).not.toHaveProperty('heldUp');
    expect(Date.parse(body.response.nextTry)).toBeLessThanOrEqual(Date.now() + 1000);
    expect(await story(other, webhook)).toHaveProperty('heldUp.reason', 'PAUSED');
    const list = await partner.call('GET', `/api/sales-partners/webhooks/${webhook.id}/deliveries?order=asc`);
    const [first, second] = list.body.response.deliveries;
    expect([first.heldUp, second.heldUp?.reason]).toEqual([undefined, 'PAUSED']);
  });

  test('sends an ended delivery again: attempt numbers continue, the schedule restarts', async () => {
    const webhook = await scene.webhook(partner, 500);
    const eventId = await scene.record(partner);
    await scene.deliver(webhook);
    const { body } = await retry(eventId, webhook);
    expect(body.response).toMatchObject({ state: 'WAITING', attempts: 2 });
    expect(await scene.queueOf(webhook)).toMatchObject([
      { event_id: eventId, lane: lanes.requested, attempts: 2, tries: 0, replay_id: null },
    ]);
    await scene.deliver(webhook);
    const { state, history } = await story(eventId, webhook);
    expect(state).toBe('DISCARDED');
    expect(history.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3, 4]);
  });

  test('sends a delivery again that ends while the retry is requested', async () => {
    const webhook = await scene.webhook(partner, 500, { retrySchedule: [3600] });
    const eventId = await scene.record(partner);
    await scene.deliverUntil(async () => (await scene.queueOf(webhook))[0]?.attempts === 1);
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    const { requested } = await scene.api.database.transaction(async (transaction) => {
      await store.discard(transaction, { eventId, webhookId: webhook.id });
      const requesting = retry(eventId, webhook);
      await expect.poll(async () => (await scene.query(waiting)).rowCount).toBe(1);
      return { requested: requesting };
    });
    expect(await requested).toMatchObject({ code: 200, body: { response: { state: 'WAITING', attempts: 1 } } });
    expect(await scene.queueOf(webhook)).toMatchObject([{ lane: lanes.requested, attempts: 1, tries: 0 }]);
  });

  test('sends a delivered event again', async () => {
    const webhook = await scene.webhook(partner);
    const eventId = await scene.record(partner);
    await scene.deliver(webhook);
    expect((await retry(eventId, webhook)).code).toBe(200);
    await scene.deliver(webhook);
    expect(await story(eventId, webhook)).toMatchObject({ state: 'DELIVERED', attempts: 2 });
  });

  test('is sent once for concurrent requests', async () => {
    const webhook = await scene.webhook(partner);
    const eventId = await scene.record(partner);
    await scene.deliver(webhook);
    const responses = await Promise.all(Array.from({ length: 5 }, () => retry(eventId, webhook)));
    expect(responses.map(({ code }) => code)).toEqual([200, 200, 200, 200, 200]);
    expect(await scene.queueOf(webhook)).toHaveLength(1);
  });

  test('is executed once per Idempotency-Key', async () => {
    const webhook = await scene.webhook(partner);
    const eventId = await scene.record(partner);
    await scene.deliver(webhook);
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await retry(eventId, webhook, partner, headers);
    await scene.deliver(webhook);
    expect((await retry(eventId, webhook, partner, headers)).body).toEqual(first.body);
    expect(await scene.queueOf(webhook)).toEqual([]);
  });

  test('is rejected for a disabled webhook, with a remedy', async () => {
    const webhook = await scene.webhook(partner);
    const eventId = await scene.record(partner);
    await scene.change(partner, webhook, { enabled: false });
    const { code, body } = await retry(eventId, webhook);
    expect(code).toBe(409);
    expect(body).toMatchObject({ status: 'CONFLICT', message: expect.stringContaining('Enable it first') });
  });

  test('is rejected for a deleted webhook', async () => {
    const webhook = await scene.webhook(partner);
    const eventId = await scene.record(partner);
    await scene.deliver(webhook);
    await scene.remove(partner, webhook);
    const { code, body } = await retry(eventId, webhook);
    expect(code).toBe(409);
    expect(body.message).toContain('deleted');
    expect(await scene.queueOf(webhook)).toEqual([]);
  });
});

describe('a discard', () => {
  const discard = (eventId: number, webhook: { id: number }, by = partner) =>
    by.call('POST', `${path(eventId, webhook)}/discard`);

  test('ends a delivery after a failed attempt, which can be sent again', async () => {
    const webhook = await scene.webhook(partner, 500, { retrySchedule: [3600, 3600] });
    const eventId = await scene.record(partner);
    await scene.deliverUntil(async () => (await scene.queueOf(webhook))[0]?.attempts === 1);
    await retry(eventId, webhook);
    await scene.deliverUntil(async () => (await scene.queueOf(webhook))[0]?.attempts === 2);
    const { code, body } = await discard(eventId, webhook);
    expect(code).toBe(200);
    expect(body.response).toMatchObject({
      state: 'DISCARDED',
      attempts: 2,
      history: [{ verdict: 'RETRY' }, { verdict: 'DISCARDED' }],
    });
    expect(await scene.queueOf(webhook)).toEqual([]);
    const list = await partner.call('GET', `/api/sales-partners/webhooks/${webhook.id}/deliveries?states=DISCARDED`);
    expect(list.body.response).toMatchObject({ count: 1, deliveries: [{ eventId, state: 'DISCARDED' }] });
    const figures = await partner.call('GET', `/api/sales-partners/webhooks/${webhook.id}/statistics`);
    expect(figures.body.response.totals).toMatchObject({ failed: 2, discarded: 1 });
    expect((await discard(eventId, webhook)).code).toBe(409);
    await scene.change(partner, webhook, { pushUrl: scene.receiver.url(`/200/${webhook.id}`) });
    await retry(eventId, webhook);
    await scene.deliver(webhook);
    expect(await story(eventId, webhook)).toMatchObject({ state: 'DELIVERED', attempts: 3 });
  });

  test('is rejected before the first attempt and after the delivery', async () => {
    const webhook = await scene.webhook(partner);
    const eventId = await scene.record(partner);
    const rejected = { code: 409, body: { message: expect.stringContaining('is not being retried') } };
    expect(await discard(eventId, webhook)).toMatchObject(rejected);
    expect(await scene.queueOf(webhook)).toHaveLength(1);
    await scene.deliver(webhook);
    expect(await discard(eventId, webhook)).toMatchObject(rejected);
    expect((await story(eventId, webhook)).state).toBe('DELIVERED');
  });

  test('of another partner is not found', async () => {
    const webhook = await scene.webhook(partner, 500, { retrySchedule: [3600] });
    const eventId = await scene.record(partner);
    await scene.deliverUntil(async () => (await scene.queueOf(webhook))[0]?.attempts === 1);
    expect((await discard(eventId, webhook, await scene.api.addPartner())).code).toBe(404);
    expect(await scene.queueOf(webhook)).toHaveLength(1);
  });
});
