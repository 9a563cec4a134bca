import { expect, test } from 'vitest';
import type { Health } from './breaker.ts';
import type { DueDelivery } from './due-deliveries.ts';
import { lanes } from './lanes.ts';
import { ServedWebhook } from './served-webhook.ts';

const standing: Health = { window: 8, consecutiveFailures: 0, failingSince: null, trips: 0, openUntil: null };
const probing: Health = { ...standing, consecutiveFailures: 10, trips: 1 };
const { first, retry } = lanes;

const serve = (health = standing) => new ServedWebhook({ webhookId: 7, token: 1, standing: health }, 0);

const due = (...eventIds: number[]): DueDelivery[] =>
  eventIds.map((eventId) => ({
    eventId,
    webhookId: 7,
    recordedAt: '2026-11-15 01:02:03+00',
    dueAt: `2026-11-15 01:02:03.${String(eventId).padStart(6, '0')}+00`,
    attempts: 0,
    tries: 0,
    replayId: null,
    revision: 1,
    type: 'LOCATION_CREATED',
    eventText: '{}',
  }));

const ids = (deliveries: readonly DueDelivery[]) => deliveries.map(({ eventId }) => eventId);

test('a look begins behind what the last one has found, as long as something of it is in hand', () => {
  const served = serve();
  expect(served.ask(first, 2, 0)).toEqual({ webhookId: 7, after: null, limit: 2 });
  served.take(first, 2, due(1, 2), 0);
  expect(served.ask(first, 2, 10).after).toMatchObject({ eventId: 2 });
  served.putDown(first, 1);
  served.putDown(first, 2);
  expect(served.ask(first, 2, 20).after).toBe(null);
});

test('now and then a look begins afresh, and finds what was committed late without taking anything twice', () => {
  const served = serve();
  served.take(first, 2, due(2, 3), 0);
  const afresh = served.ask(first, 4, 1001);
  // As many more as are in hand, because it passes them again.
  expect(afresh).toEqual({ webhookId: 7, after: null, limit: 6 });
  expect(ids(served.take(first, 6, due(1, 2, 3), 1001))).toEqual([1]);
  expect(served.ask(first, 4, 1002).after).toMatchObject({ eventId: 3 });
});

test('there may be more after a full look, not after a short one, and again when somebody says so', () => {
  const served = serve();
  served.take(first, 2, due(1, 2), 0);
  expect(served.mayHaveMore(first)).toBe(true);
  served.take(first, 2, due(3), 0);
  expect(served.mayHaveMore(first)).toBe(false);
  expect(served.mayHaveMore(retry)).toBe(true);
  served.expectMore(first);
  expect(served.mayHaveMore(first)).toBe(true);
});

test('a lane takes its share of the window in hand, and one at least', () => {
  const served = serve();
  expect([served.room(first, 1), served.room(retry, 4)]).toEqual([8, 2]);
  served.take(first, 3, due(1, 2, 3), 0);
  expect([served.room(first, 1), served.room(retry, 4)]).toEqual([5, 2]);
  expect(serve({ ...standing, window: 1 }).room(retry, 4)).toBe(1);
});

test('a destination that is being probed gets one at a time, whatever the lane', () => {
  const served = serve(probing);
  expect([served.room(first, 1), served.room(retry, 4)]).toEqual([1, 1]);
  served.take(retry, 1, due(1), 0);
  expect([served.room(first, 1), served.room(retry, 4)]).toEqual([0, 0]);
});

test('nothing goes to a destination whose breaker is open', () => {
  const until = new Date('2026-11-15T01:02:03.456Z');
  const served = serve({ ...probing, openUntil: until });
  expect(served.isOpenFor(new Date(until.getTime() - 1))).toBe(false);
  expect(served.isOpenFor(until)).toBe(true);
});

test('a change of the webhook brings its new standing; a target remembered from an earlier lease does not', () => {
  const served = serve(probing);
  served.learn({ revision: 4, standing });
  expect(served.standing).toBe(probing);
  served.learn({ revision: 4, standing });
  expect(served.standing).toBe(probing);
  served.learn({ revision: 5, standing });
  expect(served.standing).toBe(standing);
});

test('what is in hand of any lane counts', () => {
  const served = serve();
  served.take(first, 2, due(1, 2), 0);
  served.take(retry, 2, due(3), 5);
  expect([served.inHand, served.lastUsedAt]).toEqual([3, 5]);
  for (const [lane, id] of [
    [first, 1],
    [first, 2],
    [retry, 3],
  ] as const) {
    served.putDown(lane, id);
  }
  expect(served.inHand).toBe(0);
});
