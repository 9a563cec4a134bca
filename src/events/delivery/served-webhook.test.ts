import { expect, test } from 'vitest';
import type { Health } from './breaker.ts';
import type { DueDelivery } from './due-deliveries.ts';
import { lanes } from './lanes.ts';
import { ServedWebhook } from './served-webhook.ts';

const healthy = { window: 8, consecutiveFailures: 0, failingSince: null, trips: 0, openUntil: null };
const serve = (standing: Health = healthy) => new ServedWebhook({ webhookId: 7, token: 1, standing }, 0);
const due = (...ids: number[]) => ids.map((eventId) => ({ eventId, dueAt: `${eventId}` }) as DueDelivery);
const ids = (deliveries: readonly DueDelivery[]) => deliveries.map(({ eventId }) => eventId);

test('what is in hand is not taken twice', () => {
  const served = serve();
  served.ask(lanes.first, 8, 0);
  expect(ids(served.take(lanes.first, 8, due(1, 2), 0))).toEqual([1, 2]);
  served.ask(lanes.first, 6, 2000);
  expect(ids(served.take(lanes.first, 8, due(1, 2, 3), 2000))).toEqual([3]);
});

test('what is settled while a look is under way is not taken again from its older snapshot', () => {
  const served = serve();
  served.ask(lanes.first, 8, 0);
  served.take(lanes.first, 8, due(1), 0);
  served.ask(lanes.first, 8, 5000);
  served.putDown(lanes.first, 1);
  expect(ids(served.take(lanes.first, 8, due(1, 2), 5000))).toEqual([2]);
  served.ask(lanes.first, 8, 9000);
  expect(ids(served.take(lanes.first, 8, due(1), 9000))).toEqual([1]);
});

test('a long queue is read on behind the place reached, and from the beginning once a second', () => {
  const served = serve();
  served.ask(lanes.first, 2, 0);
  served.take(lanes.first, 2, due(1, 2), 0);
  expect(served.ask(lanes.first, 2, 500)).toMatchObject({ after: { eventId: 2 }, limit: 2 });
  served.take(lanes.first, 2, due(3, 4), 500);
  expect(served.ask(lanes.first, 2, 1500)).toEqual({ webhookId: 7, after: null, limit: 6 });
});

test('the end of the queue is followed by a look from the beginning, past what is in hand', () => {
  const served = serve();
  served.ask(lanes.first, 8, 0);
  served.take(lanes.first, 8, due(5, 6), 0);
  expect(served.ask(lanes.first, 6, 10)).toEqual({ webhookId: 7, after: null, limit: 8 });
  expect(ids(served.take(lanes.first, 8, due(4, 5, 6), 10))).toEqual([4]);
});

test('lanes have windows of their own, and a probing breaker lets one delivery through in all', () => {
  const served = serve();
  expect([served.room(lanes.first, 1), served.room(lanes.retry, 4)]).toEqual([8, 2]);
  served.ask(lanes.first, 8, 0);
  served.take(lanes.first, 8, due(1, 2, 3), 0);
  expect([served.room(lanes.first, 1), served.room(lanes.retry, 4)]).toEqual([5, 2]);
  const probing = serve({ ...healthy, trips: 1 });
  expect(probing.room(lanes.retry, 4)).toBe(1);
  probing.ask(lanes.retry, 1, 0);
  probing.take(lanes.retry, 1, due(9), 0);
  expect([probing.room(lanes.first, 1), probing.room(lanes.retry, 4)]).toEqual([0, 0]);
});

test('a webhook that was changed has a new standing; one that is only remembered has not', () => {
  const served = serve({ ...healthy, consecutiveFailures: 3 });
  served.isGone = true;
  served.learn({ revision: 1, standing: healthy });
  expect(served.isFailing).toBe(true);
  served.learn({ revision: 2, standing: healthy });
  expect([served.isFailing, served.isGone]).toEqual([false, false]);
});

test('a delivery that a user asks for passes the breaker, and is not taken a second time from another lane', () => {
  const openUntil = new Date(1000);
  const paused = serve({ ...healthy, trips: 1, openUntil });
  const during = new Date(500);
  expect([paused.admits(lanes.retry, during), paused.admits(lanes.requested, during)]).toEqual([false, true]);
  paused.ask(lanes.retry, 1, 0);
  paused.take(lanes.retry, 1, due(9), 0);
  expect([paused.room(lanes.retry, 4), paused.room(lanes.requested, 4)]).toEqual([0, 2]);
  paused.ask(lanes.requested, 2, 10);
  expect(ids(paused.take(lanes.requested, 2, due(9), 10))).toEqual([]);
  paused.ask(lanes.requested, 2, 20);
  paused.putDown(lanes.retry, 9);
  expect(ids(paused.take(lanes.requested, 2, due(9), 20))).toEqual([]);
  paused.ask(lanes.requested, 2, 30);
  expect(ids(paused.take(lanes.requested, 2, due(9), 30))).toEqual([9]);
});
