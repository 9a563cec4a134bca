import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { type ReceivedRequest, type Reply, startReceiver } from './support/delivery.ts';
import { Fleet } from './support/fleet.ts';
import { freePort } from './support/free-port.ts';
import { KillableProcess } from './support/killable-process.ts';
import { seededRandom } from './support/seeded-random.ts';

const perRequest = 100;
// `npm run test:kill` sets both.
const totalEvents = Number(process.env.KILL_TEST_EVENTS ?? 20_000);
const seed = Number(process.env.KILL_TEST_SEED ?? randomInt(2 ** 31));
/** Long runs have more kills, but not in proportion: most of their time would be spent on starts. */
const killDistance = Math.max(1, Math.sqrt(totalEvents / 20_000));
/** Of a run with 20,000 events on a busy machine. */
const limitMs = 300_000 * Math.max(1, totalEvents / 20_000);

const clients = 4;
const types = ['LOCATION_CREATED', 'BUSINESS_CREATED'] as const;
/** Event type of each webhook. */
const webhooks = { '/one': types[0], '/two': types[0], '/three': types[1] } as const;

const timeoutMs = 1000;
const settings = {
  WAYPOST_RATE_LIMIT: '1000000',
  WAYPOST_LOG_LEVEL: 'warn',
  WAYPOST_DELIVERY_TIMEOUT: `${timeoutMs}ms`,
  // Enough quick retries that no delivery is discarded by chance.
  WAYPOST_RETRY_SCHEDULE: Array(20).fill('200ms').join(),
  WAYPOST_BREAKER_PAUSE: '200ms',
  WAYPOST_BREAKER_MAX_PAUSE: '400ms',
};

/** Returns a function that is true whenever the count passes the next random threshold. */
function randomThresholds(random: () => number, min: number, max: number): (count: number) => boolean {
  const distance = () => Math.round((min + random() * (max - min)) * killDistance);
  let next = distance();
  return (count) => {
    if (count < next) return false;
    next = count + distance();
    return true;
  };
}

/** An unreliable receiver; `accept` is called for each accepted event. */
function unreliableReceiver(random: () => number, accept: (request: ReceivedRequest) => void) {
  return (request: ReceivedRequest): Reply | Promise<Reply> => {
    const roll = random();
    if (roll < 0.02) return 500;
    if (roll < 0.03) return 'reset';
    if (roll < 0.031) return pause(timeoutMs * 1.5, 503);
    accept(request);
    // Accepted, but the sender gets no response.
    return roll < 0.036 ? 'reset' : 200;
  };
}

/** Records events through the API, repeating requests until they succeed, and returns the acknowledged ids. */
async function emitEvents(
  fleet: Fleet,
  port: number,
  isUp: () => Promise<unknown>,
  onAcknowledged: (acknowledged: number) => void,
): Promise<number[]> {
  const acknowledged: number[] = [];
  const emit = async (request: number): Promise<void> => {
    await isUp();
    const response = await fetch(`http://127.0.0.1:${port}/api/event-types/${types[request % types.length]}/emit`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': `request ${request}`,
        privateKey: fleet.privateKey,
      },
      body: JSON.stringify({ count: perRequest }),
    }).catch(() => undefined);
    const body = (await response?.json().catch(() => undefined)) as { response?: { eventIds: number[] } } | undefined;
    if (!body?.response) return emit(request);
    acknowledged.push(...body.response.eventIds);
    onAcknowledged(acknowledged.length);
  };
  let requests = 0;
  const client = async () => {
    while (requests < totalEvents / perRequest) await emit(++requests);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return acknowledged;
}

/** The first ids that only one of the sets contains, and their number: a difference of a million ids cannot be printed. */
function difference(ids: ReadonlySet<number>, expected: ReadonlySet<number>) {
  const differing = [...ids.symmetricDifference(expected)];
  return { count: differing.length, first: differing.slice(0, 20) };
}
const none = { count: 0, first: [] };

test(`loses none of ${totalEvents} events while the service is killed repeatedly`, { timeout: limitMs }, async () => {
  onTestFailed(() => console.error(`To repeat this run: KILL_TEST_SEED=${seed}`));
  const random = seededRandom(seed);
  const fleet = await Fleet.create(settings);

  const acceptedIds = new Map(Object.keys(webhooks).map((path) => [path, new Set<number>()]));
  const shouldKillWorker = randomThresholds(random, 1000, 4000);
  let accepted = 0;
  const receiver = await startReceiver(
    unreliableReceiver(random, ({ path, event }) => {
      acceptedIds.get(path)?.add(event.id);
      // The ids are enough: all requests of a long run would not fit into memory.
      receiver.requests.length = 0;
      if (shouldKillWorker(++accepted)) workers[Math.floor(random() * workers.length)]?.kill();
    }),
  );
  onTestFinished(() => receiver.close());
  for (const [path, type] of Object.entries(webhooks)) await fleet.webhook(receiver.url(path), type);

  const port = await freePort();
  const api = new KillableProcess(() => fleet.start('serve', { PORT: `${port}` }));
  const workers = [1, 2].map(() => new KillableProcess(() => fleet.start('work')));
  const shouldKillApi = randomThresholds(random, 1500, 4000);
  const acknowledged = await emitEvents(
    fleet,
    port,
    () => api.waitForOutput(/Waypost is running/),
    (count) => shouldKillApi(count) && api.kill(),
  );
  await expect.poll(() => fleet.waiting(), { timeout: limitMs, interval: 500 }).toBe(0);

  // The service records events of its own about webhooks that fail.
  const events = await fleet.rows<{ id: number; type: string }>(
    `select id, type from events where type not like 'WEBHOOK_%'`,
  );
  expect(events).toHaveLength(totalEvents);
  expect(difference(new Set(acknowledged), new Set(events.map(({ id }) => id)))).toEqual(none);
  for (const [path, type] of Object.entries(webhooks)) {
    const expected = events.filter((event) => event.type === type).map(({ id }) => id);
    expect(difference(acceptedIds.get(path) ?? new Set(), new Set(expected)), path).toEqual(none);
  }
  const settled = await fleet.rows(
    `select count(distinct (event_id, webhook_id)) filter (where verdict = 'DELIVERED') as delivered,
       count(*) filter (where verdict = 'DISCARDED') as discarded
     from attempts`,
  );
  const deliveries = (totalEvents / types.length) * Object.keys(webhooks).length;
  expect(settled).toEqual([{ delivered: deliveries, discarded: 0 }]);
  expect([api, ...workers].flatMap(({ unexpectedExits }) => unexpectedExits)).toEqual([]);
  expect(api.kills).toBeGreaterThanOrEqual(3);
  const workerKills = workers.reduce((sum, { kills }) => sum + kills, 0);
  expect(workerKills).toBeGreaterThanOrEqual(5);
  if (process.env.KILL_TEST_EVENTS) {
    console.log(
      `${acknowledged.length} events acknowledged, ${deliveries} deliveries, 0 lost, ${accepted - deliveries} duplicates; ` +
        `API killed ${api.kills} times, workers ${workerKills} times; seed ${seed}`,
    );
  }
});
