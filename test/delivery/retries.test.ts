import { expect, test } from 'vitest';
import { lanes } from '../../src/events/delivery/delivery-queue.ts';
import { DeliveryScene, type TestWebhook } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

/** Seconds between the first attempt and its retry. */
async function retryDelay(scene: DeliveryScene, webhook: TestWebhook): Promise<number> {
  await eventually(() => scene.verdicts(webhook)).toEqual(['RETRY']);
  const [[waiting], [attempt]] = await Promise.all([scene.queue(webhook), scene.attempts(webhook)]);
  return ((waiting?.dueAt.getTime() ?? 0) - (attempt?.startedAt.getTime() ?? 0)) / 1000;
}

/** The delay contains the duration of the attempt, which can be long on a busy machine. */
function expectDelay(seconds: number, expected: number): void {
  expect(seconds).toBeGreaterThanOrEqual(expected);
  expect(seconds).toBeLessThan(expected + 50);
}

/** For changes before the retry: a short delay could end before the change, on a busy machine. */
const longDelay = [3600];
const retryNow = (scene: DeliveryScene, { id }: TestWebhook) =>
  scene.api.database.pool.query('update delivery_queue set due_at = now() where webhook_id = $1', [id]);

test('retries by schedule, then discards the delivery and keeps the event', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(() => 500);
  const webhook = await scene.webhook(receiver.url());
  const [id] = await scene.record();
  scene.worker({ retrySchedule: [0.05, 0.1] });
  await eventually(() => scene.verdicts(webhook)).toEqual(['RETRY', 'RETRY', 'DISCARDED']);
  const attempts = await scene.attempts(webhook);
  expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3]);
  const [first, second, third] = attempts.map(({ startedAt }) => startedAt.getTime()) as [number, number, number];
  expect(second - first).toBeGreaterThanOrEqual(50);
  expect(third - second).toBeGreaterThanOrEqual(100);
  expect(receiver.ids()).toEqual([id, id, id]);
  expect(await scene.queue(webhook)).toEqual([]);
  expect((await scene.api.database.pool.query('select id from events')).rows).toEqual([{ id }]);
});

test('delivers after a failed attempt', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(() => (receiver.requests.length < 3 ? 503 : 200));
  const webhook = await scene.webhook(receiver.url());
  await scene.record();
  scene.worker({ retrySchedule: [0.01, 0.01, 0.01] });
  await eventually(() => scene.verdicts(webhook)).toEqual(['RETRY', 'RETRY', 'DELIVERED']);
  expect(await scene.queue(webhook)).toEqual([]);
});

test('uses the retry schedule of the webhook', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(() => 500);
  const own = await scene.webhook(receiver.url('/own'), { retrySchedule: [100] });
  const none = await scene.webhook(receiver.url('/none'), { retrySchedule: [] });
  const platform = await scene.webhook(receiver.url('/platform'));
  await scene.record();
  scene.worker({ retrySchedule: [1000] });
  expectDelay(await retryDelay(scene, own), 100);
  expectDelay(await retryDelay(scene, platform), 1000);
  await eventually(() => scene.verdicts(none)).toEqual(['DISCARDED']);
});

test.each([
  ['extends the delay', '600', 600],
  ['does not shorten the delay', '1', 60],
  ['extends the delay to at most four hours', '100000', 4 * 3600],
  ['accepts a date', () => new Date(Date.now() + 900_500).toUTCString(), 900],
])('Retry-After %s', async (_rule, header, expected) => {
  const scene = await DeliveryScene.open();
  const retryAfter = typeof header === 'function' ? header() : header;
  const receiver = await scene.receiver(() => ({ status: 503, headers: { 'retry-after': retryAfter } }));
  const webhook = await scene.webhook(receiver.url());
  await scene.record();
  scene.worker({ retrySchedule: [60] });
  // A date has no fractions of a second, and is later when it is read.
  expectDelay(await retryDelay(scene, webhook), expected - (typeof header === 'function' ? 30 : 0));
});

test('applies a new URL to the next attempt', async () => {
  const scene = await DeliveryScene.open();
  const old = await scene.receiver(() => 500);
  const current = await scene.receiver();
  const webhook = await scene.webhook(old.url());
  const [id] = await scene.record();
  scene.worker({ retrySchedule: longDelay });
  await eventually(() => scene.verdicts(webhook)).toEqual(['RETRY']);
  await scene.change(webhook, { pushUrl: current.url() });
  await retryNow(scene, webhook);
  await eventually(() => scene.attempts(webhook)).toMatchObject([
    { url: old.url(), verdict: 'RETRY' },
    { url: current.url(), verdict: 'DELIVERED' },
  ]);
  expect([old.ids(), current.ids()]).toEqual([[id], [id]]);
});

test('logs the URL of each attempt, also within one batch', async () => {
  const scene = await DeliveryScene.open();
  const held = Promise.withResolvers<number>();
  const [old, current] = [await scene.receiver(() => held.promise), await scene.receiver(() => held.promise)];
  const webhook = await scene.webhook(old.url());
  const [first] = await scene.record();
  scene.worker();
  await eventually(() => old.open).toBe(1);
  await scene.change(webhook, { pushUrl: current.url() });
  const [second] = await scene.record();
  await eventually(() => current.open).toBe(1);
  held.resolve(200);
  await eventually(() => scene.attempts(webhook)).toMatchObject([
    { eventId: first, url: old.url() },
    { eventId: second, url: current.url() },
  ]);
});

test('does not retry while the webhook is disabled, and retries after it is enabled', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(({ path }) => (path === '/hook' ? 500 : 200));
  const webhook = await scene.webhook(receiver.url());
  const [id] = await scene.record();
  scene.worker({ retrySchedule: longDelay });
  await eventually(() => scene.verdicts(webhook)).toEqual(['RETRY']);
  await scene.change(webhook, { enabled: false });
  await retryNow(scene, webhook);

  // A later retry of another webhook was sent, so this one was skipped.
  const other = await scene.webhook(receiver.url('/other'));
  receiver.respond = () => (receiver.ids('/other').length === 1 ? 500 : 200);
  await scene.record();
  await eventually(() => scene.verdicts(other)).toEqual(['RETRY']);
  await retryNow(scene, other);
  await eventually(() => scene.verdicts(other)).toEqual(['RETRY', 'DELIVERED']);
  expect(receiver.ids()).toEqual([id]);
  expect(await scene.queue(webhook)).toMatchObject([{ eventId: id, attempts: 1, lane: lanes.retry }]);

  await scene.change(webhook, { enabled: true });
  await eventually(() => scene.verdicts(webhook)).toEqual(['RETRY', 'DELIVERED']);
});

test('does not send events recorded while the webhook was disabled', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url(), { enabled: false });
  await scene.record();
  scene.worker();
  await scene.change(webhook, { enabled: true });
  const [id] = await scene.record();
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
  expect(receiver.ids()).toEqual([id]);
});

test('does not send to a deleted webhook', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url());
  await scene.record();
  await scene.partner.call('DELETE', `/api/sales-partners/webhooks/${webhook.id}`);
  scene.worker();
  await scene.webhook(receiver.url('/other'));
  await scene.record();
  await eventually(() => receiver.ids('/other').length).toBe(1);
  expect(receiver.ids()).toEqual([]);
});

test('counts attempts that the database rejects, and waits longer after each', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(() => 418);
  const webhook = await scene.webhook(receiver.url());
  const { pool } = scene.api.database;
  await pool.query('alter table attempts add constraint rejected check (status_code <> 418)');
  await scene.record();
  scene.worker();
  for (let attempts = 1; attempts <= 3; attempts++) {
    await eventually(() => scene.queue(webhook)).toMatchObject([{ attempts, lane: lanes.retry }]);
    const [{ minutes }] = (
      await pool.query('select extract(epoch from due_at - now()) / 60 as minutes from delivery_queue')
    ).rows;
    expect(Math.round(Number(minutes))).toBe(2 ** (attempts - 1));
    await pool.query('update delivery_queue set due_at = now()');
  }
});
