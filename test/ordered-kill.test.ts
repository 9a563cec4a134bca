import { randomInt } from 'node:crypto';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { eventTypes } from '../src/events/catalogue/catalogue.ts';
import { type NewEvent, recordEvent } from '../src/events/outbox/record-event.ts';
import { startReceiver } from './support/delivery.ts';
import { Fleet } from './support/fleet.ts';
import { KillableProcess } from './support/killable-process.ts';
import { seededRandom } from './support/seeded-random.ts';

const types = ['LOCATION_CREATED', 'LOCATION_PROFILE_CHANGED'] as const;
const totalEvents = 2000;
const locations = 40;
const writers = 8;
const killEvery = 400;

const settings = {
  WAYPOST_LOG_LEVEL: 'warn',
  // Enough quick retries that no delivery is discarded by chance.
  WAYPOST_RETRY_SCHEDULE: Array(20).fill('100ms').join(),
  WAYPOST_BREAKER_PAUSE: '200ms',
  WAYPOST_BREAKER_MAX_PAUSE: '400ms',
};

test('keeps the order of each location while workers are killed', { timeout: 300_000 }, async () => {
  const seed = Number(process.env.KILL_TEST_SEED ?? randomInt(2 ** 31));
  onTestFailed(() => console.error(`To repeat this run: KILL_TEST_SEED=${seed}`));
  const random = seededRandom(seed);
  const fleet = await Fleet.create(settings);
  const accepted = new Map<number, Set<number>>();
  let acceptances = 0;
  const receiver = await startReceiver(({ event: { id, location } }) => {
    const roll = random();
    if (roll < 0.03) return roll < 0.015 ? 500 : 'reset';
    accepted.set(location, (accepted.get(location) ?? new Set()).add(id));
    if (++acceptances % killEvery === 0) workers[Math.floor(random() * workers.length)]?.kill();
    // Accepted, but the sender gets no response.
    return roll < 0.04 ? 'reset' : 200;
  });
  onTestFinished(() => receiver.close());
  for (const type of types) await fleet.webhook(receiver.url(), type, { ordered: true });
  const workers = [1, 2, 3].map(() => new KillableProcess(() => fleet.start('work')));

  const recorded = new Map<number, number[]>();
  let started = 0;
  /** Transactions of several events, which overlap with those of the other writers. */
  const writer = async () => {
    while (started < totalEvents) {
      const count = 1 + Math.floor(random() * 4);
      started += count;
      await fleet.database.transaction(async (transaction) => {
        for (let n = 0; n < count; n++) {
          const type = types[Math.floor(random() * types.length)] ?? types[0];
          const location = 1 + Math.floor(random() * locations);
          const event = { partner: fleet.partner, type, fields: { ...eventTypes[type].example, location } } as NewEvent;
          const id = await recordEvent(transaction, event);
          recorded.set(location, [...(recorded.get(location) ?? []), id]);
        }
      });
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
  await expect.poll(() => fleet.waiting(), { timeout: 200_000, interval: 100 }).toBe(0);

  // A set keeps the order of first arrivals.
  for (const [location, ids] of recorded) {
    expect([...(accepted.get(location) ?? [])]).toEqual(ids.toSorted((a, b) => a - b));
  }
  expect(await fleet.rows("select from attempts where verdict = 'DISCARDED'")).toEqual([]);
  expect(workers.reduce((sum, { kills }) => sum + kills, 0)).toBeGreaterThanOrEqual(3);
  expect(workers.flatMap(({ unexpectedExits }) => unexpectedExits)).toEqual([]);
});
