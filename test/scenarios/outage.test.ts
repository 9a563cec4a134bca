import { expect, onTestFinished, test } from 'vitest';
import { DatabaseProxy } from '../support/database-proxy.ts';
import { type Reply, startReceiver } from '../support/delivery.ts';
import { Fleet } from '../support/fleet.ts';
import { freePort } from '../support/free-port.ts';

const type = 'LOCATION_CREATED';
const soon = { timeout: 30_000, interval: 50 };

/** The platform in one process, with its database behind a proxy that can be interrupted. */
async function platform() {
  const fleet = await Fleet.create({ WAYPOST_RETRY_SCHEDULE: '200ms,200ms,200ms,200ms,200ms' });
  const proxy = await DatabaseProxy.to(fleet.database.url);
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  await fleet.webhook(receiver.url(), type);
  const port = await freePort();
  const service = fleet.start('start', { DATABASE_URL: proxy.url, PORT: `${port}` });
  await service.waitForOutput(/Waypost is running/);
  const call = async (method: string, path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      signal: AbortSignal.timeout(30_000),
      headers: { privateKey: fleet.privateKey, 'content-type': 'application/json' },
      ...(method === 'POST' && { body: '{}' }),
    });
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
  return {
    fleet,
    proxy,
    receiver,
    service,
    emit: () => call('POST', `/api/event-types/${type}/emit`),
    ready: async () => (await call('GET', '/health/ready')).status,
    live: async () => (await call('GET', '/health/live')).status,
    /** Ids of the received events. */
    arrived: () => new Set(receiver.ids()),
  };
}

test('loses nothing during a database outage', { timeout: 120_000 }, async () => {
  const { fleet, proxy, receiver, service, emit, ready, live, arrived } = await platform();
  const ids: number[] = (await emit()).body.response.eventIds;
  await expect.poll(arrived, soon).toEqual(new Set(ids));

  const held = Promise.withResolvers<Reply>();
  receiver.respond = () => held.promise;
  ids.push(...(await fleet.record(type, 5)));
  await expect.poll(() => receiver.open, soon).toBe(5);
  await proxy.cut();

  await expect.poll(ready, soon).toBe(503);
  expect(await live()).toBe(200);
  const rejected = await emit();
  expect(rejected).toMatchObject({ status: 503, body: { status: 'SERVICE_UNAVAILABLE' } });
  expect(rejected.body.message).toMatch(/^The database is unavailable\. Try again in \d+ s/);
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
  // These five are delivered, but cannot be settled.
  receiver.respond = () => 200;
  held.resolve(200);
  await service.waitForOutput(/settle\.postponed/);
  // Other processes can still connect to the database.
  ids.push(...(await fleet.record(type, 20)));

  await proxy.restore();
  await expect.poll(ready, soon).toBe(200);
  ids.push(...(await emit()).body.response.eventIds);
  await expect.poll(arrived, soon).toEqual(new Set(ids));
  await expect.poll(() => fleet.waiting(), soon).toBe(0);
  const delivered = "select distinct event_id as id from attempts where verdict = 'DELIVERED' order by id";
  expect(await fleet.rows(delivered)).toEqual(ids.map((id) => ({ id })));
  expect(await fleet.rows('select from events where type = $1', [type])).toHaveLength(ids.length);
  expect((await service.interrupt()).code).toBe(0);
});

test('loses nothing while the database does not respond', { timeout: 120_000 }, async () => {
  const { fleet, proxy, service, emit, ready, live, arrived } = await platform();
  const ids: number[] = (await emit()).body.response.eventIds;
  await expect.poll(arrived, soon).toEqual(new Set(ids));
  proxy.stall();
  ids.push(...(await fleet.record(type, 20)));
  await expect.poll(ready, soon).toBe(503);
  expect(await live()).toBe(200);
  await proxy.restore();
  await expect.poll(ready, soon).toBe(200);
  ids.push(...(await emit()).body.response.eventIds);
  await expect.poll(arrived, soon).toEqual(new Set(ids));
  await expect.poll(() => fleet.waiting(), soon).toBe(0);
  expect((await service.interrupt()).code).toBe(0);
});

test('survives a database outage during a job', { timeout: 120_000 }, async () => {
  const { fleet, proxy, service, emit, ready } = await platform();
  // Blocks the upkeep job.
  const blocker = await fleet.database.pool.connect();
  await blocker.query('begin; lock table idempotency_keys in access exclusive mode');
  const [interrupted] = await fleet.rows<{ id: number }>("select (graphile_worker.add_job('upkeep')).id");
  const blocked = "select from pg_locks where not granted and relation = 'idempotency_keys'::regclass";
  await expect.poll(() => fleet.rows(blocked), soon).toHaveLength(1);
  await proxy.cut();
  await service.waitForOutput(/Failed to fail jobs/);
  await blocker.query('commit');
  blocker.release();
  await proxy.restore();
  await expect.poll(ready, soon).toBe(200);
  expect((await emit()).status).toBe(200);
  const [job] = await fleet.rows<{ id: number }>("select (graphile_worker.add_job('upkeep')).id");
  const done = 'select from graphile_worker.jobs where id = $1';
  await expect.poll(() => fleet.rows(done, [job?.id]), soon).toEqual([]);
  await expect.poll(() => fleet.rows(done, [interrupted?.id]), soon).toEqual([]);
  expect((await service.interrupt()).code).toBe(0);
});

test('survives repeated loss of all database connections', {
  timeout: 120_000,
}, async () => {
  const { fleet, service, emit, ready, arrived } = await platform();
  const ids: number[] = [];
  for (let round = 0; round < 10; round++) {
    ids.push(...(await fleet.record(type, 50)));
    await fleet.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'waypost%' and application_name <> 'waypost tests'`,
    );
  }
  await expect.poll(ready, soon).toBe(200);
  ids.push(...(await emit()).body.response.eventIds);
  await expect.poll(arrived, soon).toEqual(new Set(ids));
  await expect.poll(() => fleet.waiting(), soon).toBe(0);
  expect((await service.interrupt()).code).toBe(0);
});
