import { expect, onTestFinished, test } from 'vitest';
import { startReceiver } from './support/delivery.ts';
import { Fleet } from './support/fleet.ts';

const type = 'LOCATION_CREATED';
const paths = Array.from({ length: 6 }, (_, n) => `/${n}`);

/** How many tries a process has made, by what it says. */
const tries = (process: { lines(): string[] }) =>
  process.lines().filter((line) => line.includes('"delivery.attempted"')).length;

test('three worker processes race for the deliveries of six webhooks, and nothing is sent twice', {
  timeout: 120_000,
}, async () => {
  const fleet = await Fleet.assemble();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  for (const path of paths) await fleet.webhook(receiver.url(path), type);
  const workers = [fleet.start('work'), fleet.start('work'), fleet.start('work')];
  await Promise.all(workers.map((worker) => worker.says(/Waypost delivers/)));

  const ids: number[] = [];
  while (ids.length < 2000) {
    ids.push(...(await fleet.record(type, 20)));
    // Whoever has emptied its webhooks leaves them to the others, so they change hands as the work goes on.
    if (ids.length % 500 === 0) await expect.poll(() => fleet.waiting(), { timeout: 60_000 }).toBe(0);
  }
  await expect.poll(() => fleet.waiting(), { timeout: 60_000 }).toBe(0);
  for (const path of paths) expect(receiver.ids(path).sort((a, b) => a - b)).toEqual(ids);

  const ended = await Promise.all(workers.map((worker) => worker.interrupt()));
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
  console.log(workers.map(tries));
  expect(workers.map(tries).reduce((sum, count) => sum + count)).toBe(ids.length * paths.length);
  expect(await fleet.rows('select from webhook_leases')).toEqual([]);
});

test('a worker that is killed in the middle is made up for by another, long before its leases run out', {
  timeout: 60_000,
}, async () => {
  const fleet = await Fleet.assemble({ WAYPOST_LEASE: '1h' });
  const never = new Promise<number>(() => {});
  const receiver = await startReceiver(() => (receiver.arrivals.length <= 3 ? never : 200));
  onTestFinished(() => receiver.close());
  await fleet.webhook(receiver.url(), type);
  const ids = await fleet.record(type, 3);
  const doomed = fleet.start('work');
  await expect.poll(() => receiver.open, { timeout: 30_000 }).toBe(3);
  const heir = fleet.start('work');
  await heir.says(/Waypost delivers/);
  expect(receiver.arrivals).toHaveLength(3);
  doomed.child.kill('SIGKILL');
  await expect.poll(() => receiver.ids().slice(3).sort(), { timeout: 30_000 }).toEqual(ids);
  await expect.poll(() => fleet.waiting()).toBe(0);
});

test('a worker that is frozen loses its webhooks to another, and decides nothing when it wakes up', {
  timeout: 60_000,
}, async () => {
  const fleet = await Fleet.assemble({ WAYPOST_LEASE: '3s' });
  const held = Promise.withResolvers<number>();
  const receiver = await startReceiver(() => (receiver.arrivals.length === 1 ? held.promise : 200));
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
  await expect
    .poll(() => fleet.rows(verdicts), { timeout: 10_000 })
    .toEqual([{ verdict: 'SUPERSEDED' }, { verdict: 'DELIVERED' }]);
  expect(await fleet.waiting()).toBe(0);
});
