import { expect, onTestFinished, test } from 'vitest';
import { type EventTypeName, eventTypeNames } from '../../src/events/catalogue/catalogue.ts';
import { startReceiver } from '../support/delivery.ts';
import { Fleet } from '../support/fleet.ts';

const type = 'LOCATION_CREATED';
/** Number of attempts in the log of a process. */
const attempts = (process: { lines(): string[] }) =>
  process.lines().filter((line) => line.includes('"delivery.attempted"')).length;

test('three workers send each delivery of 30 webhooks once', {
  timeout: 120_000,
}, async () => {
  // With this low concurrency, no worker can lease all webhooks.
  const fleet = await Fleet.create({ WAYPOST_WORKER_CONCURRENCY: '10' });
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const copies = ['first', 'second'];
  for (const name of eventTypeNames) {
    for (const copy of copies) await fleet.webhook(receiver.url(`/${name}/${copy}`), name);
  }
  const workers = [fleet.start('work'), fleet.start('work'), fleet.start('work')];
  await Promise.all(workers.map((worker) => worker.waitForOutput(/worker is running/)));

  const recorded = new Map<EventTypeName, number[]>(eventTypeNames.map((name) => [name, []]));
  for (let round = 0; round < 27; round++) {
    for (const [name, ids] of recorded) ids.push(...(await fleet.record(name, 5)));
  }
  await expect.poll(() => fleet.waiting(), { timeout: 60_000 }).toBe(0);
  for (const [name, ids] of recorded) {
    for (const copy of copies) expect(receiver.ids(`/${name}/${copy}`).sort((a, b) => a - b)).toEqual(ids);
  }

  const ended = await Promise.all(workers.map((worker) => worker.interrupt()));
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
  const shares = workers.map(attempts);
  expect(shares.every((share) => share > 0)).toBe(true);
  expect(shares.reduce((sum, share) => sum + share)).toBe(27 * 5 * eventTypeNames.length * copies.length);
  expect(await fleet.rows('select from webhook_leases')).toEqual([]);
});

test('another worker takes over from a killed one before its leases expire', {
  timeout: 60_000,
}, async () => {
  const fleet = await Fleet.create({ WAYPOST_LEASE: '1h' });
  const never = new Promise<number>(() => {});
  const receiver = await startReceiver(() => (receiver.requests.length <= 3 ? never : 200));
  onTestFinished(() => receiver.close());
  await fleet.webhook(receiver.url(), type);
  const ids = await fleet.record(type, 3);
  const killed = fleet.start('work');
  await expect.poll(() => receiver.open, { timeout: 30_000 }).toBe(3);
  const successor = fleet.start('work');
  await successor.waitForOutput(/worker is running/);
  expect(receiver.requests).toHaveLength(3);
  killed.child.kill('SIGKILL');
  await expect.poll(() => receiver.ids().slice(3).sort(), { timeout: 30_000 }).toEqual(ids);
  await expect.poll(() => fleet.waiting()).toBe(0);
});

test('a frozen worker loses its webhooks and cannot settle after it wakes up', {
  timeout: 60_000,
}, async () => {
  const fleet = await Fleet.create({ WAYPOST_LEASE: '3s' });
  const held = Promise.withResolvers<number>();
  const receiver = await startReceiver(() => (receiver.requests.length === 1 ? held.promise : 200));
  onTestFinished(() => receiver.close());
  await fleet.webhook(receiver.url(), type);
  const [id] = await fleet.record(type, 1);
  const frozen = fleet.start('work');
  await expect.poll(() => receiver.open, { timeout: 30_000 }).toBe(1);
  frozen.child.kill('SIGSTOP');
  fleet.start('work');
  await expect.poll(() => receiver.ids(), { timeout: 30_000 }).toEqual([id, id]);
  await expect.poll(() => fleet.waiting()).toBe(0);
  held.resolve(500);
  frozen.child.kill('SIGCONT');
  const verdicts = 'select verdict from attempts order by started_at';
  await expect.poll(() => fleet.rows(verdicts)).toEqual([{ verdict: 'SUPERSEDED' }, { verdict: 'DELIVERED' }]);
  expect(await fleet.waiting()).toBe(0);
});
