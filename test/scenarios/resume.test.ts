import { expect, onTestFinished, test } from 'vitest';
import { startReceiver } from '../support/delivery.ts';
import { Fleet } from '../support/fleet.ts';
import { freePort } from '../support/free-port.ts';

const type = 'LOCATION_CREATED';
const settings = {
  WAYPOST_BREAKER_THRESHOLD: '3',
  WAYPOST_BREAKER_PAUSE: '1h',
  WAYPOST_BREAKER_MAX_PAUSE: '1h',
  WAYPOST_RETRY_SCHEDULE: '1h',
};

/** API and worker in separate processes, and a webhook whose breaker is open for an hour. */
async function pausedFleet() {
  const fleet = await Fleet.create(settings);
  const receiver = await startReceiver(() => 500);
  onTestFinished(() => receiver.close());
  const webhook = await fleet.webhook(receiver.url(), type);
  const port = await freePort();
  const [api, worker] = [fleet.start('serve', { PORT: String(port) }), fleet.start('work')];
  await Promise.all([api.waitForOutput(/Waypost is running/), worker.waitForOutput(/worker is running/)]);
  const call = async (method: string, path: string) => {
    const headers = { privateKey: fleet.privateKey };
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers });
    const { response } = (await reply.json()) as { response: Record<string, unknown> };
    return { code: reply.status, response };
  };
  const path = `/api/sales-partners/webhooks/${webhook}`;
  const failed = await fleet.record(type, 3);
  const health = async () => ((await call('GET', path)).response.health as { state: string }).state;
  await expect.poll(health, { timeout: 30_000 }).toBe('PAUSED');
  await expect.poll(async () => (await fleet.rows('select from attempts')).length).toBe(3);
  receiver.respond = () => 200;
  const sentBefore = receiver.requests.length;
  return { fleet, receiver, call, path, webhook, failed, health, sent: () => receiver.ids().slice(sentBefore).sort() };
}

test('a retry reaches the worker of another process while the breaker is open', { timeout: 90_000 }, async () => {
  const { call, webhook, failed, health, sent } = await pausedFleet();
  const [id] = failed;
  const { code, response } = await call('POST', `/api/deliveries/${id}-${webhook}/retry`);
  expect(code).toBe(200);
  expect(response).not.toHaveProperty('heldUp');
  await expect.poll(sent, { timeout: 30_000 }).toEqual([id]);
  await expect.poll(health, { timeout: 30_000 }).toBe('HEALTHY');
});

test('resume reaches the worker of another process', { timeout: 90_000 }, async () => {
  const { fleet, call, path, failed, sent } = await pausedFleet();
  const later = await fleet.record(type, 2);
  expect(await call('POST', `${path}/resume`)).toMatchObject({ code: 200, response: { dueNow: 3 } });
  await expect.poll(sent, { timeout: 30_000 }).toEqual([...failed, ...later]);
});

test('retry-failed sends discarded deliveries too', { timeout: 90_000 }, async () => {
  const { fleet, call, path, failed, sent } = await pausedFleet();
  const [discarded] = failed;
  // Simulates the last attempt of the schedule.
  await fleet.rows(`update attempts set verdict = 'DISCARDED' where event_id = $1`, [discarded]);
  await fleet.rows('delete from delivery_queue where event_id = $1', [discarded]);
  const { code, response } = await call('POST', `${path}/retry-failed`);
  expect(code).toBe(200);
  expect(response).toMatchObject({ dueNow: 2, replay: { total: 1, states: ['DISCARDED'] } });
  await expect.poll(sent, { timeout: 30_000 }).toEqual(failed);
  await expect.poll(() => fleet.waiting()).toBe(0);
});
