import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { type Arrival, type Reply, startReceiver } from './support/delivery.ts';
import { diceOf } from './support/dice.ts';
import { Fleet, freePort } from './support/fleet.ts';

const totalEvents = 20_000;
const perRequest = 100;
const clients = 4;
const types = ['LOCATION_CREATED', 'BUSINESS_CREATED'] as const;
/** Which type each webhook is for. */
const webhooks = { '/one': types[0], '/two': types[0], '/three': types[1] } as const;

const deliveryTimeoutMs = 1000;
const settings = {
  WAYPOST_RATE_LIMIT: '1000000',
  WAYPOST_LOG_LEVEL: 'warn',
  WAYPOST_DELIVERY_TIMEOUT: `${deliveryTimeoutMs}ms`,
  // So many quick tries that nothing is discarded by bad luck.
  WAYPOST_RETRY_SCHEDULE: Array(20).fill('200ms').join(),
  WAYPOST_BREAKER_PAUSE: '200ms',
  WAYPOST_BREAKER_MAX_PAUSE: '400ms',
};

/** A process that is killed with -9 and started again, any number of times. */
class Mortal {
  readonly #start: () => ReturnType<Fleet['start']>;
  readonly #greeting: RegExp;
  #process: ReturnType<Fleet['start']>;
  deaths = 0;
  /** Resolves when it has come up after its last start. */
  up: Promise<unknown>;

  constructor(start: () => ReturnType<Fleet['start']>, greeting: RegExp) {
    this.#start = start;
    this.#greeting = greeting;
    this.#process = start();
    this.up = this.#process.says(greeting);
  }

  kill(): void {
    this.deaths++;
    const dying = this.#process;
    dying.child.kill('SIGKILL');
    this.up = dying.ended.then(() => {
      this.#process = this.#start();
      return this.#process.says(this.#greeting);
    });
  }
}

/** Says each time whether a count has passed the next of marks that lie at random distances. */
function marks(dice: () => number, least: number, most: number): (count: number) => boolean {
  const distance = () => Math.round(least + dice() * (most - least));
  let next = distance();
  return (count) => {
    if (count < next) return false;
    next = count + distance();
    return true;
  };
}

test(`${totalEvents} events are recorded while the service is killed again and again: none is lost`, {
  timeout: 300_000,
}, async () => {
  const seed = Number(process.env.KILL_TEST_SEED ?? randomInt(2 ** 31));
  onTestFailed(() => console.error(`The dice of this run: KILL_TEST_SEED=${seed}`));
  const dice = diceOf(seed);
  const fleet = await Fleet.assemble(settings);

  const ledger = new Map(Object.keys(webhooks).map((path) => [path, new Set<number>()]));
  let accepted = 0;
  const workersDie = marks(dice, 1000, 4000);
  const accept = ({ path, event }: Arrival): Reply => {
    ledger.get(path)?.add(event.id);
    accepted++;
    if (workersDie(accepted)) workers[Math.floor(dice() * workers.length)]?.kill();
    return 200;
  };
  const receiver = await startReceiver((arrival) => {
    const luck = dice();
    if (luck < 0.02) return 500;
    if (luck < 0.03) return 'reset';
    // It has the event, but the sender never learns.
    if (luck < 0.035) return accept(arrival) && 'reset';
    if (luck < 0.036) return pause(deliveryTimeoutMs * 1.5, 503);
    return accept(arrival);
  });
  onTestFinished(() => receiver.close());
  for (const [path, type] of Object.entries(webhooks)) await fleet.webhook(receiver.url(path), type);

  const port = await freePort();
  const api = new Mortal(() => fleet.start('serve', { PORT: `${port}` }), /Waypost is running/);
  const workers = [1, 2].map(
    () => new Mortal(() => fleet.start('work', { WAYPOST_WORKER_PORT: '0' }), /Waypost delivers/),
  );

  const acknowledged: number[] = [];
  const apiDies = marks(dice, 1500, 4000);
  let requests = 0;
  const emit = async (): Promise<void> => {
    while (requests < totalEvents / perRequest) {
      const request = ++requests;
      const type = types[request % types.length];
      for (let answered = false; !answered; ) {
        await api.up;
        const answer = await fetch(`http://127.0.0.1:${port}/api/event-types/${type}/emit`, {
          method: 'POST',
          headers: {
            privateKey: fleet.privateKey,
            'content-type': 'application/json',
            'idempotency-key': `request ${request}`,
          },
          body: JSON.stringify({ count: perRequest }),
        }).catch(() => undefined);
        const body = await answer?.json().catch(() => undefined);
        if (answer?.status !== 200 || !body) continue;
        answered = true;
        acknowledged.push(...body.response.eventIds);
        if (apiDies(acknowledged.length)) api.kill();
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, emit));
  await expect.poll(() => fleet.waiting(), { timeout: 120_000, interval: 100 }).toBe(0);

  const events = await fleet.rows<{ id: number; type: string }>('select id, type from events');
  const ids = events.map(({ id }) => id);
  expect(new Set(acknowledged)).toEqual(new Set(ids));
  expect(ids).toHaveLength(totalEvents);
  for (const [path, type] of Object.entries(webhooks)) {
    expect(ledger.get(path)).toEqual(new Set(events.filter((event) => event.type === type).map(({ id }) => id)));
  }
  const settled = await fleet.rows(
    `select count(distinct (event_id, webhook_id)) filter (where verdict = 'DELIVERED') as delivered,
         count(*) filter (where verdict = 'DISCARDED') as discarded
       from attempts`,
  );
  expect(settled).toEqual([{ delivered: (totalEvents / 2) * Object.keys(webhooks).length, discarded: 0 }]);
  expect(api.deaths).toBeGreaterThanOrEqual(3);
  expect(workers.map(({ deaths }) => deaths).reduce((sum, deaths) => sum + deaths)).toBeGreaterThanOrEqual(5);
  console.log({ api: api.deaths, workers: workers.map(({ deaths }) => deaths), arrivals: receiver.arrivals.length });
});
