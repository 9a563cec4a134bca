import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { LogScene } from '../../../test/support/log-scene.ts';
import { latencyBinCount } from '../delivery/latency-bins.ts';

let scene: LogScene;
let partner: TestPartner;

beforeAll(async () => {
  scene = await LogScene.open();
  partner = await scene.api.addPartner();
});
afterAll(() => scene.close());

const path = '/api/sales-partners/webhooks/activity';
const hourMs = 3_600_000;

async function activityOf(by: TestPartner, { id }: { id: number }) {
  const { code, body } = await by.call('GET', path);
  expect(code).toBe(200);
  return body.response.webhooks.find(({ webhookId }: { webhookId: number }) => webhookId === id);
}

test('returns attempts per hour, waiting deliveries and the last delivery of all webhooks', async () => {
  const good = await scene.webhook(partner);
  const bad = await scene.webhook(partner, 503);
  const idle = await scene.webhook(partner, 200, { type: 'BUSINESS_CREATED' });
  const first = await scene.record(partner);
  const last = await scene.record(partner);
  await scene.deliver(good);
  await scene.deliver(bad);
  expect(await activityOf(partner, good)).toMatchObject({
    delivered: 2,
    failed: 0,
    successRate: 1,
    waiting: 0,
    waitingIsExact: true,
    lastDelivery: { id: `${last}-${good.id}`, eventId: last, outcome: 'DELIVERED', statusCode: 200 },
  });
  const failing = await activityOf(partner, bad);
  expect(failing).toMatchObject({ delivered: 0, failed: 4, discarded: 2, successRate: 0 });
  expect(failing.lastDelivery).toMatchObject({ eventId: last, statusCode: 503, hint: expect.any(String) });
  expect(failing.hours).toHaveLength(24);
  expect(failing.hours.reduce((sum: number, { failed }: { failed: number }) => sum + failed, 0)).toBe(4);
  const nothing = await activityOf(partner, idle);
  expect(nothing).toMatchObject({ delivered: 0, failed: 0, waiting: 0 });
  expect(nothing).not.toHaveProperty('lastDelivery');
  expect(nothing).not.toHaveProperty('successRate');
  expect(first).toBeLessThan(last);
});

test('counts waiting deliveries of all lanes', async () => {
  const webhook = await scene.webhook(partner, 200, { type: 'LISTING_UPDATE' });
  const ids = await Promise.all(Array.from({ length: 3 }, () => scene.record(partner, 'LISTING_UPDATE')));
  await scene.query('update delivery_queue set lane = 2 where event_id = $1', [ids[0]]);
  await scene.query('update delivery_queue set lane = 1 where event_id = $1', [ids[1]]);
  expect((await activityOf(partner, webhook)).waiting).toBe(3);
});

test('covers the last 24 hours', async () => {
  const webhook = await scene.webhook(partner);
  const thisHour = Math.floor(Date.now() / hourMs) * hourMs;
  const count = (moment: number, delivered: number) =>
    scene.query('insert into webhook_statistics values ($1, 60, $2, $3, 1, 0, $4)', [
      webhook.id,
      new Date(moment),
      delivered,
      new Array(latencyBinCount).fill(0),
    ]);
  await count(thisHour - 24 * hourMs, 100);
  await count(thisHour - 23 * hourMs, 7);
  await count(thisHour - 23 * hourMs + 60_000, 5);
  const { hours, ...sums } = await activityOf(partner, webhook);
  expect(hours[0]).toEqual({ start: new Date(thisHour - 23 * hourMs).toISOString(), delivered: 12, failed: 2 });
  expect(sums).toMatchObject({ delivered: 12, failed: 2, successRate: 0.8571 });
});

test("shows a child's webhooks to the parent only", async () => {
  const child = await scene.api.addPartner(partner);
  const webhook = await scene.webhook(child);
  const query = `${path}?salesPartnerId=${child.partner.id}`;
  expect((await partner.call('GET', query)).body.response.webhooks).toMatchObject([{ webhookId: webhook.id }]);
  const stranger = await scene.api.addPartner();
  expect((await stranger.call('GET', query)).code).toBe(404);
  expect((await stranger.call('GET', path)).body.response.webhooks).toEqual([]);
});
