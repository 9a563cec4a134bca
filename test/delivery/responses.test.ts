import { expect, test } from 'vitest';
import { DeliveryScene } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

const never = new Promise<number>(() => {});

test('treats any 2xx as success', async () => {
  const scene = await DeliveryScene.open();
  const statuses = [200, 201, 202, 204, 206, 299];
  const receiver = await scene.receiver(({ path }) => Number(path.slice(1)));
  const webhooks = await Promise.all(statuses.map((status) => scene.webhook(receiver.url(`/${status}`))));
  await scene.record();
  scene.worker();
  for (const [index, webhook] of webhooks.entries()) {
    await eventually(() => scene.attempts(webhook)).toMatchObject([
      { statusCode: statuses[index], outcome: 'delivered', verdict: 'DELIVERED' },
    ]);
    expect(await scene.queue(webhook)).toEqual([]);
  }
});

test('treats any other status as failure', async () => {
  const scene = await DeliveryScene.open();
  const statuses = [304, 400, 401, 404, 408, 429, 500, 503];
  const receiver = await scene.receiver(({ path }) => Number(path.slice(1)));
  const webhooks = await Promise.all(statuses.map((status) => scene.webhook(receiver.url(`/${status}`))));
  await scene.record();
  scene.worker({ retrySchedule: [] });
  for (const [index, webhook] of webhooks.entries()) {
    await eventually(() => scene.attempts(webhook)).toMatchObject([
      { statusCode: statuses[index], outcome: 'refused', verdict: 'DISCARDED' },
    ]);
  }
});

test('does not follow a redirect', async () => {
  const scene = await DeliveryScene.open();
  const statuses = [301, 302, 303, 307, 308];
  const elsewhere = await scene.receiver();
  const receiver = await scene.receiver(({ path }) => ({
    status: Number(path.slice(1)),
    headers: { location: elsewhere.url() },
  }));
  const webhooks = await Promise.all(statuses.map((status) => scene.webhook(receiver.url(`/${status}`))));
  await scene.record();
  scene.worker({ retrySchedule: [] });
  for (const webhook of webhooks) {
    await eventually(() => scene.attempts(webhook)).toMatchObject([{ outcome: 'refused', verdict: 'DISCARDED' }]);
  }
  expect(elsewhere.requests).toEqual([]);
});

test('keeps at most 16 KiB of a response', async () => {
  const scene = await DeliveryScene.open();
  const longBody = 'Grüße! '.repeat(10_000);
  const receiver = await scene.receiver(() => ({ status: 200, headers: { 'x-kind': 'long' }, body: longBody }));
  const webhook = await scene.webhook(receiver.url());
  await scene.record();
  scene.worker();
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
  const { rows } = await scene.api.database.pool.query(
    'select response_body, response_truncated, response_headers from attempts',
  );
  expect(rows[0].response_body.equals(Buffer.from(longBody).subarray(0, 16 * 1024))).toBe(true);
  expect(rows[0].response_truncated).toBe(true);
  expect(JSON.parse(rows[0].response_headers)).toMatchObject({ 'x-kind': 'long' });
});

test('retries after a timeout', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(() => (receiver.requests.length === 1 ? never : 200));
  const webhook = await scene.webhook(receiver.url());
  await scene.record();
  scene.worker({ deliveryTimeoutMs: 200, retrySchedule: [0.01] });
  await eventually(() => scene.attempts(webhook)).toMatchObject([
    { outcome: 'unreachable', reason: 'timeout', verdict: 'RETRY' },
    { outcome: 'delivered', verdict: 'DELIVERED' },
  ]);
});

test('retries after a reset connection', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(() => (receiver.requests.length === 1 ? 'reset' : 200));
  const webhook = await scene.webhook(receiver.url());
  await scene.record();
  scene.worker({ retrySchedule: [0.01] });
  await eventually(() => scene.attempts(webhook)).toMatchObject([
    { outcome: 'unreachable', reason: 'connection-reset', verdict: 'RETRY' },
    { outcome: 'delivered', verdict: 'DELIVERED' },
  ]);
});

test('disables the webhook after 410; other deliveries wait until it is enabled', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(({ path }) => (path === '/hook' ? 410 : 200));
  const webhook = await scene.webhook(receiver.url());
  const [first, second, third] = await scene.record(3);
  // One at a time, so that nothing else is in flight when the response arrives.
  scene.worker({ workerConcurrency: 1 });
  await eventually(() => scene.get(webhook)).toMatchObject({
    enabled: false,
    health: { state: 'OFF', reason: 'The receiver responded with 410 Gone.' },
  });
  expect(await scene.attempts(webhook)).toMatchObject([{ eventId: first, outcome: 'gone', verdict: 'DISCARDED' }]);

  // The worker now finds work of another webhook only.
  await scene.webhook(receiver.url('/other'));
  const [fourth] = await scene.record();
  await eventually(() => receiver.ids('/other')).toEqual([fourth]);
  expect((await scene.queue(webhook)).map(({ eventId }) => eventId)).toEqual([second, third]);
  expect(receiver.ids()).toEqual([first]);

  receiver.respond = () => 200;
  await scene.change(webhook, { enabled: true });
  await eventually(() => receiver.ids()).toEqual([first, second, third]);
  await eventually(() => scene.verdicts(webhook)).toEqual(['DISCARDED', 'DELIVERED', 'DELIVERED']);
});

test('does not disable the webhook after 410 from a previous URL', async () => {
  const scene = await DeliveryScene.open();
  const gone = Promise.withResolvers<number>();
  const old = await scene.receiver(() => gone.promise);
  const current = await scene.receiver();
  const webhook = await scene.webhook(old.url());
  await scene.record();
  scene.worker();
  await eventually(() => old.open).toBe(1);
  await scene.change(webhook, { pushUrl: current.url() });
  const [second] = await scene.record();
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
  gone.resolve(410);
  await eventually(() => scene.verdicts(webhook)).toEqual(['DISCARDED', 'DELIVERED']);
  expect(await scene.get(webhook)).toMatchObject({ enabled: true });
  const [third] = await scene.record();
  await eventually(() => current.ids()).toEqual([second, third]);
});

test('does not disable the webhook after 410 to a request from before it was enabled', async () => {
  const scene = await DeliveryScene.open();
  const held: ((status: number) => void)[] = [];
  const receiver = await scene.receiver(() => new Promise<number>((resolve) => held.push(resolve)));
  const webhook = await scene.webhook(receiver.url());
  await scene.record(2);
  scene.worker();
  await eventually(() => held.length).toBe(2);
  held[0]?.(410);
  await eventually(() => scene.get(webhook)).toMatchObject({ enabled: false });
  await scene.change(webhook, { enabled: true });
  held[1]?.(410);
  await eventually(() => scene.verdicts(webhook)).toEqual(['DISCARDED', 'DISCARDED']);
  expect(await scene.get(webhook)).toMatchObject({ enabled: true, health: { consecutiveFailures: 0 } });
  const [third] = await scene.record();
  await eventually(() => receiver.ids()).toContain(third);
  held[2]?.(200);
  await eventually(() => scene.depth(webhook)).toBe(0);
});
