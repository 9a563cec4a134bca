import { expect, onTestFinished, test } from 'vitest';
import { Database, type Sql } from '../../src/database/connection.ts';
import { lanes, openQueueDatabase, readDueDeliveries } from '../../src/events/delivery/delivery-queue.ts';
import { leaseWaitingWebhooks } from '../../src/events/delivery/leases.ts';
import type { Reply } from '../support/delivery.ts';
import { DeliveryScene, type TestWebhook } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

// Longer than any test, so that no lease expires by itself.
const longLease = { leaseSeconds: 3600 };

const leases = async (scene: DeliveryScene) =>
  (await scene.api.database.pool.query('select webhook_id as id, worker_id as worker, token from webhook_leases')).rows;

/** Server processes that hold the advisory locks of workers. */
const sessions = async (scene: DeliveryScene): Promise<number[]> =>
  (
    await scene.api.database.pool.query(
      `select pid from pg_locks join pg_database on oid = database
       where locktype = 'advisory' and objsubid = 2 and granted and datname = current_database() order by pid`,
    )
  ).rows.map(({ pid }) => pid);

/** A receiver whose first request stays open until the test responds to it; all others get 200 immediately. */
async function holdingReceiver(scene: DeliveryScene) {
  const first = Promise.withResolvers<Reply>();
  const receiver = await scene.receiver(() => (receiver.requests.length === 1 ? first.promise : 200));
  return { receiver, respondFirst: first.resolve };
}

/** Verdicts in order. */
const settledVerdicts = async (scene: DeliveryScene, webhook: TestWebhook) =>
  (await scene.attempts(webhook)).map(({ eventId, verdict }) => ({ eventId, verdict }));

/** Attempts in the statistics, and failures in the health of the webhook. */
const counts = async (scene: DeliveryScene, { id }: TestWebhook) =>
  (
    await scene.api.database.pool.query(
      `select consecutive_failures as failing, coalesce(sum(delivered), 0)::integer as delivered,
         coalesce(sum(failed), 0)::integer as failed, coalesce(sum(total), 0)::integer as timed
       from webhook_health left join webhook_statistics using (webhook_id)
       left join lateral (select sum(bin) as total from unnest(latency) as bin) as bins on true
       where webhook_id = $1 group by consecutive_failures`,
      [id],
    )
  ).rows[0];

test('two workers send each delivery once', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const paths = ['/one', '/two', '/three', '/four'];
  const webhooks = await Promise.all(paths.map((path) => scene.webhook(receiver.url(path))));
  scene.worker();
  scene.worker();
  const ids: number[] = [];
  for (let n = 0; n < 20; n++) ids.push(...(await scene.record(15)));
  for (const webhook of webhooks) await eventually(() => scene.depth(webhook)).toBe(0);
  for (const path of paths) expect(receiver.ids(path).sort((a, b) => a - b)).toEqual(ids);
});

test('a read skips claimed deliveries and returns as many others as requested', async () => {
  const scene = await DeliveryScene.open();
  const webhook = await scene.webhook('http://127.0.0.1:9/hook');
  const ids = await scene.record(5);
  const read = async (claimed: number[], limit: number) => {
    const request = { webhookId: webhook.id, after: null, limit, claimed };
    const due = await readDueDeliveries(scene.api.database.pool, lanes.first, [request]);
    return due.map(({ eventId }) => eventId);
  };
  expect(await read([], 2)).toEqual(ids.slice(0, 2));
  expect(await read(ids.slice(0, 2), 2)).toEqual(ids.slice(2, 4));
  expect(await read(ids, 2)).toEqual([]);
});

test('only one of two concurrent workers gets the lease', async () => {
  const scene = await DeliveryScene.open();
  const webhook = await scene.webhook('http://127.0.0.1:9/hook');
  await scene.record();
  const [one, two] = [await scene.api.database.pool.connect(), await scene.api.database.pool.connect()];
  const request = { lane: lanes.first, leaseSeconds: 60, limit: 10, includeFailing: true, exceptPartners: [] };
  const lease = (sql: Sql, workerId: number) => leaseWaitingWebhooks(sql, { ...request, workerId });
  await Promise.all([one.query('begin'), two.query('begin')]);
  const first = await lease(one, 1);
  const second = lease(two, 2);
  const blocked = "select from pg_locks where not granted and locktype = 'transactionid'";
  await eventually(async () => (await scene.api.database.pool.query(blocked)).rowCount).toBeGreaterThan(0);
  await one.query('commit');
  expect(first).toMatchObject([{ webhookId: webhook.id }]);
  expect(await second).toEqual([]);
  await two.query('commit');
  for (const connection of [one, two]) connection.release();
  expect(await leases(scene)).toMatchObject([{ id: webhook.id, worker: 1 }]);
});

test('a search for due deliveries skips webhooks that are disabled or have only later deliveries', async () => {
  const scene = await DeliveryScene.open();
  const others = 'http://127.0.0.1:9/others';
  const { partnerId } = (await scene.api.database.pool.query('select id as "partnerId" from sales_partners')).rows[0];
  await scene.api.database.pool.query(
    `with created as (
       insert into webhooks (partner_id, type, push_url, secret, enabled)
       select $1, 'LISTING_SYNC_CHECK', $2 || n, '', n > 200 from generate_series(1, 400) as n returning id, enabled
     ), healthy as (
       insert into webhook_health (webhook_id, send_window) select id, 8 from created
     )
     insert into delivery_queue (event_id, webhook_id, recorded_at, lane, due_at, attempts, tries)
     select nextval('event_id'), id, now(), ${lanes.first}, now() + enabled::integer * interval '1 hour', 0, 0
     from created, generate_series(1, case when id = (select min(id) from created where enabled) then 20000 else 1 end)`,
    [partnerId, others],
  );
  const webhook = await scene.webhook('http://127.0.0.1:9/hook');
  await scene.record();
  const queue = openQueueDatabase(scene.api.database.url);
  onTestFinished(() => queue.close());
  const request = { lane: lanes.first, leaseSeconds: 60, limit: 10, includeFailing: true, exceptPartners: [] };
  await queue.transaction(async (transaction) => {
    const leased = await leaseWaitingWebhooks(transaction, { ...request, workerId: 1 });
    expect(leased).toMatchObject([{ webhookId: webhook.id }]);
    const { rows } = await transaction.query<{ scans: number; pages: number }>(
      `select pg_stat_get_xact_numscans(oid) as scans, pg_stat_get_xact_blocks_fetched(oid) as pages
       from pg_class where relname = 'delivery_queue_turn'`,
    );
    expect(rows[0]?.scans).toBeLessThan(20);
    // All deliveries of the index are on more than 100 pages.
    expect(rows[0]?.pages).toBeLessThan(60);
  });
});

test('a worker that lost its lease cannot settle; the delivery is sent under the new lease', async () => {
  const scene = await DeliveryScene.open();
  const { receiver, respondFirst } = await holdingReceiver(scene);
  const webhook = await scene.webhook(receiver.url());
  const [id] = await scene.record();
  scene.worker(longLease);
  await eventually(() => receiver.open).toBe(1);
  await scene.api.database.pool.query("update webhook_leases set token = nextval('lease_token')");
  respondFirst(500);
  await eventually(() => settledVerdicts(scene, webhook)).toEqual([{ eventId: id, verdict: 'SUPERSEDED' }]);
  expect(await scene.queue(webhook)).toMatchObject([{ eventId: id, attempts: 0, lane: 0 }]);
  expect(await counts(scene, webhook)).toEqual({ failing: 0, delivered: 0, failed: 0, timed: 0 });

  await scene.api.database.pool.query("update webhook_leases set lease_until = now() - interval '1 second'");
  await eventually(() => scene.verdicts(webhook)).toEqual(['SUPERSEDED', 'DELIVERED']);
  expect(await scene.queue(webhook)).toEqual([]);
});

test('a success after a lost lease is logged as SUPERSEDED', async () => {
  const scene = await DeliveryScene.open();
  const { receiver, respondFirst } = await holdingReceiver(scene);
  const webhook = await scene.webhook(receiver.url());
  await scene.record();
  scene.worker(longLease);
  await eventually(() => receiver.open).toBe(1);
  await scene.api.database.pool.query('delete from webhook_leases');
  scene.worker(longLease);
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
  respondFirst(200);
  // The superseded attempt started first.
  await eventually(() => scene.verdicts(webhook)).toEqual(['SUPERSEDED', 'DELIVERED']);
  expect(await counts(scene, webhook)).toEqual({ failing: 0, delivered: 1, failed: 0, timed: 1 });
});

test('410 after a lost lease does not disable the webhook', async () => {
  const scene = await DeliveryScene.open();
  const { receiver, respondFirst } = await holdingReceiver(scene);
  const webhook = await scene.webhook(receiver.url());
  await scene.record();
  scene.worker(longLease);
  await eventually(() => receiver.open).toBe(1);
  await scene.api.database.pool.query('delete from webhook_leases');
  respondFirst(410);
  await eventually(() => scene.verdicts(webhook)).toEqual(['SUPERSEDED', 'DELIVERED']);
  expect(await scene.get(webhook)).toMatchObject({ enabled: true });
});

test('two attempts of a delivery that end at the same time are both logged', async () => {
  const scene = await DeliveryScene.open();
  const held: ((reply: Reply) => void)[] = [];
  const receiver = await scene.receiver(() => new Promise((resolve) => held.push(resolve)));
  const webhook = await scene.webhook(receiver.url());
  await scene.record();
  scene.worker(longLease);
  await eventually(() => held.length).toBe(1);
  await scene.api.database.pool.query('delete from webhook_leases');
  await eventually(() => held.length).toBe(2);
  held[0]?.(500);
  held[1]?.(200);
  await eventually(() => scene.verdicts(webhook)).toEqual(['SUPERSEDED', 'DELIVERED']);
  expect(await counts(scene, webhook)).toEqual({ failing: 0, delivered: 1, failed: 0, timed: 1 });
});

test('a webhook leased again while it was failing recovers, also if an attempt of its earlier lease ends with it', async () => {
  const scene = await DeliveryScene.open();
  const held: ((reply: Reply) => void)[] = [];
  const receiver = await scene.receiver(() => new Promise((resolve) => held.push(resolve)));
  const webhook = await scene.webhook(receiver.url());
  // The largest window: a success changes the health only if the webhook was failing.
  await scene.api.database.pool.query('update webhook_health set send_window = 16');
  await scene.record();
  scene.worker({ ...longLease, webhookConcurrency: 2 });
  await eventually(() => held.length).toBe(1);
  await scene.api.database.pool.query('update webhook_health set consecutive_failures = 3, failing_since = now()');
  await scene.api.database.pool.query('delete from webhook_leases');
  await eventually(() => held.length).toBe(2);
  for (const respond of held) respond(200);
  await eventually(() => scene.verdicts(webhook)).toEqual(['SUPERSEDED', 'DELIVERED']);
  expect(await counts(scene, webhook)).toEqual({ failing: 0, delivered: 1, failed: 0, timed: 1 });
});

test('a delivery that was deleted while it was sent does not end the lease of its webhook', async () => {
  const scene = await DeliveryScene.open();
  const held: ((reply: Reply) => void)[] = [];
  const receiver = await scene.receiver(() => new Promise((resolve) => held.push(resolve)));
  const webhook = await scene.webhook(receiver.url());
  const ids = await scene.record(2);
  scene.worker(longLease);
  await eventually(() => held.length).toBe(2);
  const [before] = await leases(scene);
  await scene.api.database.pool.query('delete from delivery_queue where event_id = $1', [receiver.ids()[0]]);
  held[0]?.(500);
  await eventually(() => scene.verdicts(webhook)).toEqual(['SUPERSEDED']);
  expect(await counts(scene, webhook)).toEqual({ failing: 0, delivered: 0, failed: 0, timed: 0 });
  await scene.deliverUnrelatedEvent();
  expect(await leases(scene)).toContainEqual(before);
  held[1]?.(200);
  await eventually(() => scene.queue(webhook)).toEqual([]);
  expect(receiver.ids().sort()).toEqual(ids);
});

test('a stalled worker loses its webhooks when the lease expires', async () => {
  const scene = await DeliveryScene.open();
  const { receiver } = await holdingReceiver(scene);
  const webhook = await scene.webhook(receiver.url());
  const [id] = await scene.record();
  scene.worker(longLease);
  await eventually(() => receiver.open).toBe(1);
  const [before] = await leases(scene);
  scene.worker(longLease);
  // Simulates an expired lease.
  await scene.api.database.pool.query("update webhook_leases set lease_until = now() - interval '1 second'");
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
  expect(receiver.ids()).toEqual([id, id]);
  const [after] = await leases(scene);
  expect(after.token).toBeGreaterThan(before.token);
});

test('a lease is renewed before it expires', async () => {
  const scene = await DeliveryScene.open();
  const { receiver } = await holdingReceiver(scene);
  await scene.webhook(receiver.url());
  await scene.record();
  scene.worker({ leaseSeconds: 2 });
  await eventually(() => receiver.open).toBe(1);
  const remaining = async () => {
    const { rows } = await scene.api.database.pool.query(
      'select token, lease_until as until, lease_until > now() as valid from webhook_leases',
    );
    return rows[0];
  };
  const first = await remaining();
  await eventually(async () => (await remaining()).until > first.until).toBe(true);
  expect(await remaining()).toMatchObject({ token: first.token, valid: true });
});

test('leases of a worker that lost its connection are released before they expire', async () => {
  const scene = await DeliveryScene.open();
  const { receiver } = await holdingReceiver(scene);
  const webhook = await scene.webhook(receiver.url());
  const [id] = await scene.record();
  scene.worker(longLease);
  await eventually(() => receiver.open).toBe(1);
  const [expired] = await sessions(scene);
  scene.worker(longLease);
  await eventually(async () => (await sessions(scene)).length).toBe(2);
  await scene.api.database.pool.query('select pg_terminate_backend($1)', [expired]);
  await eventually(() => receiver.ids()).toEqual([id, id]);
  await eventually(() => receiver.open).toBe(1);
  await eventually(() => scene.queue(webhook)).toEqual([]);
});

test('a worker that lost its connection reloads webhooks: a failover may have lost their last change', async () => {
  const scene = await DeliveryScene.open();
  const [restored, lost] = [await scene.receiver(), await scene.receiver()];
  const webhook = await scene.webhook(restored.url());
  await scene.change(webhook, { pushUrl: lost.url() });
  await scene.record();
  scene.worker(longLease);
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
  const [before] = await sessions(scene);
  await scene.api.database.pool.query('update webhooks set push_url = $1, revision = revision - 1', [restored.url()]);
  await scene.api.database.pool.query('select pg_terminate_backend($1)', [before]);
  await eventually(async () => (await sessions(scene)).filter((pid) => pid !== before).length).toBe(1);
  const [id] = await scene.record();
  await eventually(() => restored.ids()).toEqual([id]);
});

test('workers of another database on the same server do not count as alive', async () => {
  const [scene, other] = [await DeliveryScene.open(), await DeliveryScene.open()];
  const { receiver } = await holdingReceiver(scene);
  const webhook = await scene.webhook(receiver.url());
  await scene.record();
  scene.worker(longLease);
  await eventually(() => receiver.open).toBe(1);
  // Both databases assign worker ids from 1.
  other.worker(longLease);
  await eventually(async () => (await sessions(other)).length).toBe(1);
  const [expired] = await sessions(scene);
  await scene.api.database.pool.query('select pg_terminate_backend($1)', [expired]);
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
});

test('releases the lease of an idle webhook', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url());
  await scene.record();
  scene.worker(longLease);
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
  await eventually(() => leases(scene)).toEqual([]);
});

test('stop finishes and settles requests in flight, then releases the leases', async () => {
  const scene = await DeliveryScene.open();
  const { receiver, respondFirst } = await holdingReceiver(scene);
  const webhook = await scene.webhook(receiver.url(), { timeoutSeconds: 30 });
  const [first, ...rest] = await scene.record(5);
  const worker = scene.worker({ ...longLease, webhookConcurrency: 1, deliveryTimeoutMs: 10 });
  await eventually(() => receiver.open).toBe(1);
  let stopped = false;
  const stopping = worker.stop().then(() => {
    stopped = true;
  });
  // A second worker finds other work, but not this webhook, which is still leased by the first.
  scene.worker(longLease);
  const other = await scene.webhook(receiver.url('/other'), { type: 'BUSINESS_CREATED' });
  await scene.recordAs('BUSINESS_CREATED');
  await eventually(() => scene.verdicts(other)).toEqual(['DELIVERED']);
  expect([stopped, receiver.ids()]).toEqual([false, [first]]);

  respondFirst(200);
  await stopping;
  expect(await scene.attempts(webhook)).toMatchObject([{ eventId: first, verdict: 'DELIVERED' }]);
  await eventually(() => scene.verdicts(webhook)).toEqual(Array(5).fill('DELIVERED'));
  expect(receiver.ids()).toEqual([first, ...rest]);
});

test('a stopped worker holds no leases, locks or connections', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url());
  const database = new Database(scene.api.database.url, { connections: 2, name: 'worker' });
  const worker = scene.worker(longLease, { database });
  await scene.record(20);
  await eventually(() => receiver.requests.length).toBeGreaterThan(0);
  await worker.stop();
  await database.close();
  expect(await leases(scene)).toEqual([]);
  // The server ends the session after the client has closed it.
  await eventually(() => sessions(scene)).toEqual([]);
  const [waiting, attempted] = [await scene.queue(webhook), await scene.attempts(webhook)];
  expect(waiting.length + attempted.length).toBe(20);
  expect(receiver.requests).toHaveLength(attempted.length);
});
