import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startCli } from '../support/cli.ts';
import { Fleet } from '../support/fleet.ts';
import { ListingScene } from '../support/listings.ts';

const soon = { timeout: 60_000, interval: 50 };

/** A directory network that accepts every connection and never responds. */
async function silentNetwork(): Promise<{ url: string; calls: () => number }> {
  let calls = 0;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('data', () => calls++);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls: () => calls };
}

test('another process runs the job of a worker that was killed', { timeout: 120_000 }, async () => {
  const fleet = await Fleet.create();
  const worker = fleet.start('work');
  await worker.waitForOutput(/worker is running/);
  await expect.poll(() => fleet.rows('select from graphile_worker.jobs'), soon).toEqual([]);
  // Keeps the job from ending.
  const blocker = await fleet.database.pool.connect();
  await blocker.query('begin; lock table idempotency_keys in access exclusive mode');
  const [job] = await fleet.rows<{ id: number }>("select (graphile_worker.add_job('upkeep')).id");
  const blocked = "select from pg_locks where not granted and relation = 'idempotency_keys'::regclass";
  await expect.poll(() => fleet.rows(blocked), soon).toHaveLength(1);
  worker.child.kill('SIGKILL');
  await worker.ended;
  await blocker.query('commit');
  blocker.release();
  const next = fleet.start('work');
  await next.waitForOutput(/worker is running/);
  const remaining = 'select from graphile_worker.jobs where id = $1';
  await expect.poll(() => fleet.rows(remaining, [job?.id]), soon).toEqual([]);
  expect((await next.interrupt()).code).toBe(0);
  expect(await fleet.rows('select from job_workers')).toEqual([]);
});

test('another process checks the listing that a killed worker had leased', { timeout: 120_000 }, async () => {
  const scene = await ListingScene.open();
  onTestFinished(() => scene.close());
  const partner = await scene.api.addPartner();
  const { id } = await scene.addLocation(partner, ['BING']);
  await partner.call('POST', `/api/locations/${id}/sync`, { submit: false });
  const network = await silentNetwork();
  const settings = {
    DATABASE_URL: scene.api.database.url,
    WAYPOST_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    WAYPOST_SANDBOX_URL: network.url,
    WAYPOST_SANDBOX_KEY: 'key',
  };
  const holder = async () =>
    (await scene.query('select lease_process from listings where location_id = $1 and lease_until > now()', [id]))
      .rows[0]?.lease_process;

  const worker = startCli(['work'], settings);
  await expect.poll(network.calls, soon).toBeGreaterThan(0);
  const killed = await holder();
  expect(killed).toEqual(expect.any(Number));
  worker.child.kill('SIGKILL');
  await worker.ended;

  startCli(['work'], settings);
  await expect.poll(holder, soon).not.toBe(killed);
  await expect.poll(holder, soon).toEqual(expect.any(Number));
});
