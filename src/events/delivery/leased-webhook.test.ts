import { expect, test } from 'vitest';
import { type DueDelivery, lanes } from './delivery-queue.ts';
import type { Health } from './health.ts';
import { LeasedWebhook } from './leased-webhook.ts';

const healthy = { window: 8, consecutiveFailures: 0, failingSince: null, trips: 0, openUntil: null };
const serve = (health: Health = healthy, maxPerSecond: number | null = null) =>
  new LeasedWebhook({ webhookId: 7, partnerId: 1, token: 1, health, maxPerSecond, ordered: false }, 0);
const due = (...ids: number[]) => ids.map((eventId) => ({ eventId, dueAt: `${eventId}` }) as DueDelivery);
const ids = (deliveries: readonly DueDelivery[]) => deliveries.map(({ eventId }) => eventId);

test('does not claim a delivery twice', () => {
  const leased = serve();
  leased.nextRead(lanes.first, 8, 0);
  expect(ids(leased.claim(lanes.first, 8, due(1, 2), 0))).toEqual([1, 2]);
  leased.nextRead(lanes.first, 6, 2000);
  expect(ids(leased.claim(lanes.first, 8, due(1, 2, 3), 2000))).toEqual([3]);
});

test('does not claim a delivery that was released during the read', () => {
  const leased = serve();
  leased.nextRead(lanes.first, 8, 0);
  leased.claim(lanes.first, 8, due(1), 0);
  leased.nextRead(lanes.first, 8, 5000);
  leased.release(lanes.first, 1);
  expect(ids(leased.claim(lanes.first, 8, due(1, 2), 5000))).toEqual([2]);
  leased.nextRead(lanes.first, 8, 9000);
  expect(ids(leased.claim(lanes.first, 8, due(1), 9000))).toEqual([1]);
});

test('reads a long queue from the cursor, and from the start once a second', () => {
  const leased = serve();
  leased.nextRead(lanes.first, 2, 0);
  leased.claim(lanes.first, 2, due(1, 2), 0);
  expect(leased.nextRead(lanes.first, 2, 500)).toMatchObject({ after: { eventId: 2 }, limit: 2, claimed: [] });
  leased.claim(lanes.first, 2, due(3, 4), 500);
  expect(leased.nextRead(lanes.first, 2, 1500)).toEqual({
    webhookId: 7,
    after: null,
    limit: 2,
    claimed: [1, 2, 3, 4],
  });
});

test('reads from the start after the end of the queue, skipping claimed deliveries', () => {
  const leased = serve();
  leased.nextRead(lanes.first, 8, 0);
  leased.claim(lanes.first, 8, due(5, 6), 0);
  expect(leased.nextRead(lanes.first, 6, 10)).toEqual({ webhookId: 7, after: null, limit: 6, claimed: [5, 6] });
  expect(ids(leased.claim(lanes.first, 6, due(4, 5, 6), 10))).toEqual([4]);
});

test('has a window per lane, and allows one probe over all lanes', () => {
  const leased = serve();
  expect([leased.capacity(lanes.first, 1), leased.capacity(lanes.retry, 4)]).toEqual([8, 2]);
  leased.nextRead(lanes.first, 8, 0);
  leased.claim(lanes.first, 8, due(1, 2, 3), 0);
  expect([leased.capacity(lanes.first, 1), leased.capacity(lanes.retry, 4)]).toEqual([5, 2]);
  const probing = serve({ ...healthy, trips: 1 });
  expect(probing.capacity(lanes.retry, 4)).toBe(1);
  probing.nextRead(lanes.retry, 1, 0);
  probing.claim(lanes.retry, 1, due(9), 0);
  expect([probing.capacity(lanes.first, 1), probing.capacity(lanes.retry, 4)]).toEqual([0, 0]);
});

test('claims one probe when two lanes read at the same time', () => {
  const probing = serve({ ...healthy, trips: 1 });
  probing.nextRead(lanes.first, 1, 0);
  probing.nextRead(lanes.retry, 1, 0);
  expect(ids(probing.claim(lanes.retry, 1, due(9), 0))).toEqual([9]);
  expect(ids(probing.claim(lanes.first, 1, due(3), 0))).toEqual([]);
  expect(probing.mayHaveMore(lanes.first)).toBe(true);
  probing.release(lanes.retry, 9);
  expect(probing.nextRead(lanes.first, 1, 10)).toEqual({ webhookId: 7, after: null, limit: 1, claimed: [] });
  expect(ids(probing.claim(lanes.first, 1, due(3), 10))).toEqual([3]);
});

test('probes with a first attempt after a retry, if one may be waiting', () => {
  const probing = serve({ ...healthy, trips: 1 });
  const probe = (lane: 0 | 1, ...found: number[]) => {
    probing.nextRead(lane, 1, 0);
    const claimed = ids(probing.claim(lane, 1, due(...found), 0));
    for (const id of claimed) probing.release(lane, id);
    return claimed;
  };
  expect(probe(lanes.retry, 1)).toEqual([1]);
  expect(probing.capacity(lanes.retry, 4)).toBe(0);
  expect(probe(lanes.first, 2)).toEqual([2]);
  expect(probe(lanes.retry, 1)).toEqual([1]);
  expect(probe(lanes.first)).toEqual([]);
  expect(probing.capacity(lanes.retry, 4)).toBe(1);
});

test('adopts the health of a changed webhook, not of a cached one', () => {
  const leased = serve({ ...healthy, consecutiveFailures: 3 });
  leased.refresh({ revision: 1, health: healthy, maxPerSecond: null, ordered: false });
  leased.markGone(1);
  expect([leased.isFailing, leased.isGone]).toEqual([true, true]);
  leased.refresh({ revision: 2, health: healthy, maxPerSecond: null, ordered: false });
  leased.markGone(1);
  expect([leased.isFailing, leased.isGone]).toEqual([false, false]);
});

test('allows a requested delivery while the breaker is open, and does not claim it from two lanes', () => {
  const openUntil = new Date(1000);
  const paused = serve({ ...healthy, trips: 1, openUntil });
  const during = new Date(500);
  expect([paused.admits(lanes.retry, during), paused.admits(lanes.requested, during)]).toEqual([false, true]);
  paused.nextRead(lanes.retry, 1, 0);
  paused.claim(lanes.retry, 1, due(9), 0);
  expect([paused.capacity(lanes.retry, 4), paused.capacity(lanes.requested, 4)]).toEqual([0, 2]);
  paused.nextRead(lanes.requested, 2, 10);
  expect(ids(paused.claim(lanes.requested, 2, due(9), 10))).toEqual([]);
  paused.nextRead(lanes.requested, 2, 20);
  paused.release(lanes.retry, 9);
  expect(ids(paused.claim(lanes.requested, 2, due(9), 20))).toEqual([]);
  paused.nextRead(lanes.requested, 2, 30);
  expect(ids(paused.claim(lanes.requested, 2, due(9), 30))).toEqual([9]);
});

test('claims no more than the rate limit allows, over all lanes', () => {
  const leased = serve(healthy, 20);
  expect([leased.capacity(lanes.first, 1, 0), leased.capacity(lanes.retry, 1, 0)]).toEqual([2, 2]);
  leased.nextRead(lanes.first, 2, 0);
  leased.nextRead(lanes.retry, 2, 0);
  expect(ids(leased.claim(lanes.first, 2, due(1, 2), 0))).toEqual([1, 2]);
  expect(ids(leased.claim(lanes.retry, 2, due(3, 4), 0))).toEqual([]);
  expect([leased.capacity(lanes.retry, 1, 0), leased.rateWaitMs(0)]).toEqual([0, 50]);
  expect([leased.mayHaveMore(lanes.retry), leased.capacity(lanes.retry, 1, 50)]).toEqual([true, 1]);
});

test('adopts a changed rate limit', () => {
  const leased = serve(healthy, 1);
  leased.refresh({ revision: 1, health: healthy, maxPerSecond: null, ordered: false });
  expect([leased.capacity(lanes.first, 1), leased.rateWaitMs(0)]).toEqual([8, 0]);
});

test('reads the ordered lane only of a webhook that is or was ordered', () => {
  const leased = serve();
  expect(leased.mayHaveMore(lanes.ordered)).toBe(false);
  leased.refresh({ revision: 1, health: healthy, maxPerSecond: null, ordered: true });
  leased.refresh({ revision: 2, health: healthy, maxPerSecond: null, ordered: false });
  expect(leased.mayHaveMore(lanes.ordered)).toBe(true);
});
