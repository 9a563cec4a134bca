import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { shiftedClockEnv } from '../support/clock.ts';
import { startReceiver } from '../support/delivery.ts';
import { DeliveryScene } from '../support/delivery-scene.ts';
import { Fleet } from '../support/fleet.ts';
import { nameServer } from '../support/loopback-name-server.ts';

const type = 'LOCATION_CREATED';
const soon = { timeout: 60_000, interval: 50 };
const limitFiles = (pid: number, max: number) => execFileSync('/usr/bin/prlimit', [`--pid=${pid}`, `--nofile=${max}:`]);

async function scene(settings: NodeJS.ProcessEnv) {
  const fleet = await Fleet.create(settings);
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const webhookId = await fleet.webhook(receiver.url(), type);
  const health = () =>
    fleet.rows('select consecutive_failures, open_until from webhook_health where webhook_id = $1', [webhookId]);
  return { fleet, receiver, health };
}

test.skipIf(process.platform !== 'linux')(
  'running out of file descriptors does not count as a failed attempt',
  {
    timeout: 120_000,
  },
  async () => {
    const { fleet, receiver, health } = await scene({ WAYPOST_RETRY_SCHEDULE: 'none' });
    const worker = fleet.start('work');
    await worker.waitForOutput(/worker is running/);
    // The first delivery opens the connections to the database, and closes its own.
    receiver.respond = () => ({ status: 200, headers: { connection: 'close' } });
    const first = await fleet.record(type, 1);
    await expect.poll(() => fleet.waiting(), soon).toBe(0);
    await expect.poll(() => receiver.connections(), soon).toBe(0);
    const pid = worker.child.pid as number;
    limitFiles(pid, readdirSync(`/proc/${pid}/fd`).length);
    const ids = [...first, ...(await fleet.record(type, 3))];
    await worker.waitForOutput(/"delivery\.not-sent"/);
    expect(await fleet.rows("select from attempts where verdict <> 'DELIVERED'")).toEqual([]);
    expect(await health()).toEqual([{ consecutive_failures: 0, open_until: null }]);
    limitFiles(pid, 1024);
    await expect.poll(() => new Set(receiver.ids()), soon).toEqual(new Set(ids));
    await expect.poll(() => fleet.waiting(), soon).toBe(0);
    expect(await fleet.rows('select distinct number, verdict from attempts')).toEqual([
      { number: 1, verdict: 'DELIVERED' },
    ]);
  },
);

test.for([-1, +1])(
  'retries are on time if the clock of the worker is off by %i h',
  {
    timeout: 120_000,
  },
  async (hours) => {
    const { fleet, receiver } = await scene({ WAYPOST_RETRY_SCHEDULE: '1s,1h', WAYPOST_RETRY_JITTER: '0' });
    receiver.respond = () => 500;
    const worker = fleet.start('work', shiftedClockEnv(hours * 3_600_000));
    await worker.waitForOutput(/worker is running/);
    await fleet.record(type, 1);
    await expect.poll(() => receiver.ids().length, soon).toBe(2);
    const queue = `select attempts, round(extract(epoch from due_at - last.at) / 60) as minutes
    from delivery_queue, lateral (select max(started_at) as at from attempts) as last`;
    await expect.poll(() => fleet.rows(queue), soon).toEqual([{ attempts: 2, minutes: '60' }]);
  },
);

test('a failure of the name servers does not count as a failed attempt', { timeout: 60_000 }, async () => {
  const { state } = await nameServer({ 'fine.example': [['127.0.0.1']] });
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url().replace('127.0.0.1', 'fine.example'));
  state.failure = 'broken';
  scene.worker({ retrySchedule: [] });
  const ids = await scene.record();
  const postponed = "select from delivery_queue where due_at > recorded_at + interval '1 second'";
  await expect.poll(async () => (await scene.api.database.pool.query(postponed)).rowCount, soon).toBe(1);
  expect(await scene.get(webhook)).toMatchObject({ health: { consecutiveFailures: 0 } });
  state.failure = undefined;
  await expect.poll(() => receiver.ids(), soon).toEqual(ids);
  await expect.poll(() => scene.attempts(webhook), soon).toMatchObject([{ number: 1, verdict: 'DELIVERED' }]);
});
