import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { LogScene } from '../../../test/support/log-scene.ts';
import { latencyBinCount } from '../delivery/latency-bins.ts';
import { dropOldStatistics, foldStatistics } from './statistics-store.ts';

let scene: LogScene;
let partner: TestPartner;

beforeAll(async () => {
  scene = await LogScene.open();
});
beforeEach(async () => {
  partner = await scene.api.addPartner();
});
afterAll(() => scene.close());

const path = ({ id }: { id: number }, query = '') => `/api/sales-partners/webhooks/${id}/statistics${query}`;

async function statistics(webhook: { id: number }, query = '') {
  const { code, body } = await partner.call('GET', path(webhook, query));
  expect(code).toBe(200);
  return body.response;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The full hour that began this many hours ago. */
const hoursAgo = (count: number) => new Date((Math.floor(Date.now() / hourMs) - count) * hourMs);

/** Inserts statistics of this many attempts in one minute, all with one latency. */
async function counted(webhook: { id: number }, minute: Date, delivered: number, failed: number, bin = 10) {
  const latency = new Array(latencyBinCount).fill(0);
  latency[bin] = delivered + failed;
  await scene.query('insert into webhook_statistics values ($1, 60, $2, $3, $4, $5, $6)', [
    webhook.id,
    minute,
    delivered,
    failed,
    failed,
    latency,
  ]);
}

const rowsOf = async ({ id }: { id: number }) =>
  (await scene.query('select * from webhook_statistics where webhook_id = $1 order by bucket', [id])).rows;

describe('the statistics of a webhook', () => {
  test('count settled attempts', async () => {
    const webhook = await scene.webhook(partner, 500);
    await scene.record(partner);
    await scene.deliver(webhook);
    await scene.change(partner, webhook, { pushUrl: scene.receiver.url(`/200/${webhook.id}`) });
    await scene.record(partner);
    await scene.deliver(webhook);
    const { totals, bucket, buckets } = await statistics(webhook, `?since=${Date.now() - hourMs}`);
    expect(bucket).toBe('MINUTE');
    expect(buckets.length).toBeGreaterThanOrEqual(60);
    expect(totals).toMatchObject({ delivered: 1, failed: 2, discarded: 1, successRate: 0.3333 });
    expect(totals.latency.p50).toBeGreaterThan(0);
  });

  test('aggregate minutes to hours and days within the period', async () => {
    const webhook = await scene.webhook(partner);
    await counted(webhook, hoursAgo(30), 1000, 0);
    for (const minute of [0, 1, 59]) await counted(webhook, new Date(hoursAgo(2).getTime() + minute * minuteMs), 2, 1);
    await counted(webhook, hoursAgo(1), 5, 0);
    const { bucket, buckets, totals } = await statistics(webhook, `?since=${hoursAgo(4).toISOString()}`);
    expect(bucket).toBe('HOUR');
    expect(buckets.slice(0, 4)).toEqual([
      { start: hoursAgo(4).toISOString(), delivered: 0, failed: 0, discarded: 0 },
      { start: hoursAgo(3).toISOString(), delivered: 0, failed: 0, discarded: 0 },
      expect.objectContaining({ start: hoursAgo(2).toISOString(), delivered: 6, failed: 3, discarded: 3 }),
      expect.objectContaining({ start: hoursAgo(1).toISOString(), delivered: 5, failed: 0, successRate: 1 }),
    ]);
    expect(totals).toMatchObject({ delivered: 11, failed: 3 });
    const days = await statistics(webhook, `?since=${hoursAgo(30).toISOString()}&bucket=DAY`);
    expect(days.totals).toMatchObject({ delivered: 1011, failed: 3 });
  });

  test('cover the last day by default', async () => {
    const { buckets, bucket } = await statistics(await scene.webhook(partner));
    expect(bucket).toBe('HOUR');
    expect(buckets).toHaveLength(25);
    const { since, until } = await statistics(await scene.webhook(partner), '?until=2026-11-02T10:00:00Z');
    expect([since, until]).toEqual(['2026-11-01T10:00:00.000Z', '2026-11-02T11:00:00.000Z']);
  });

  test.each(['bucket=WEEK', 'since=x', 'since=2&until=1', 'since=2026-01-01&bucket=MINUTE'])(
    'are refused for %s',
    async (query) => {
      expect((await partner.call('GET', path(await scene.webhook(partner), `?${query}`))).code).toBe(400);
    },
  );

  test('are visible to the owner only', async () => {
    const stranger = await scene.api.addPartner();
    expect((await stranger.call('GET', path(await scene.webhook(partner)))).code).toBe(404);
  });
});

describe('folding', () => {
  test('converts minutes older than two days into hours, idempotently', async () => {
    const webhook = await scene.webhook(partner);
    const old = hoursAgo(50);
    for (const [minute, bin] of [
      [0, 5],
      [30, 5],
      [59, 7],
    ] as const) {
      await counted(webhook, new Date(old.getTime() + minute * minuteMs), 3, 1, bin);
    }
    await counted(webhook, hoursAgo(51), 1, 0);
    await counted(webhook, hoursAgo(47), 1, 0);
    const query = `?since=${hoursAgo(60).toISOString()}&bucket=HOUR`;
    const before = await statistics(webhook, query);
    for (let time = 0; time < 2; time++) {
      await foldStatistics(scene.api.database.pool);
      expect(await statistics(webhook, query)).toEqual(before);
    }
    expect(await rowsOf(webhook)).toMatchObject([
      { bucket: hoursAgo(51), width_seconds: 3600 },
      { bucket: old, width_seconds: 3600, delivered: 9, failed: 3, discarded: 3 },
      { bucket: hoursAgo(47), width_seconds: 60 },
    ]);
  });

  test('adds late minutes to an existing hour', async () => {
    const webhook = await scene.webhook(partner);
    const old = hoursAgo(50);
    await counted(webhook, old, 1, 0, 3);
    await foldStatistics(scene.api.database.pool);
    await counted(webhook, old, 2, 1, 3);
    await foldStatistics(scene.api.database.pool);
    const [hour, ...more] = await rowsOf(webhook);
    expect(more).toEqual([]);
    expect(hour).toMatchObject({ width_seconds: 3600, delivered: 3, failed: 1, discarded: 1 });
    expect(hour.latency[3]).toBe(4);
  });

  test('is atomic', async () => {
    const webhook = await scene.webhook(partner);
    await counted(webhook, hoursAgo(50), 1, 0);
    const before = await rowsOf(webhook);
    const aborted = scene.api.database.transaction(async (transaction) => {
      await foldStatistics(transaction);
      throw new Error('aborted');
    });
    await expect(aborted).rejects.toThrow('aborted');
    expect(await rowsOf(webhook)).toEqual(before);
  });
});

test('drops statistics past retention', async () => {
  const webhook = await scene.webhook(partner);
  await counted(webhook, hoursAgo(31 * 24), 1, 0);
  await counted(webhook, hoursAgo(29 * 24), 1, 0);
  await dropOldStatistics(scene.api.database.pool, 30);
  expect(await rowsOf(webhook)).toMatchObject([{ bucket: hoursAgo(29 * 24) }]);
});
