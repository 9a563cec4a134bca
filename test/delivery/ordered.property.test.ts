import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import type pg from 'pg';
import { expect, onTestFailed, test } from 'vitest';
import { type EventTypeName, eventTypes } from '../../src/events/catalogue/catalogue.ts';
import { recordEvent } from '../../src/events/outbox/record-event.ts';
import { DeliveryScene, type TestWebhook } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

const types = ['LOCATION_CREATED', 'LOCATION_PROFILE_CHANGED'] as const;
/** All attempts for this location fail until all other events have arrived. */
const blocked = 1;
const writers = 3;

/** Any number of events, recorded by transactions that overlap and end in any order, and lost leases in between. */
const steps = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant('record' as const),
        writer: fc.nat(writers - 1),
        type: fc.constantFrom(...types),
        location: fc.integer({ min: 1, max: 4 }),
        failures: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 3 })),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('commit' as const, 'commit' as const, 'rollback' as const),
        writer: fc.nat(writers - 1),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const) }) },
  ),
  { minLength: 10, maxLength: 80 },
);

/** Transactions in progress, by writer. */
class Writers {
  readonly #scene: DeliveryScene;
  readonly #open = new Map<number, { connection: pg.PoolClient; ids: number[] }>();
  readonly committed: number[] = [];

  constructor(scene: DeliveryScene) {
    this.#scene = scene;
  }

  async record(writer: number, type: EventTypeName, location: number): Promise<number> {
    let transaction = this.#open.get(writer);
    if (!transaction) {
      transaction = { connection: await this.#scene.api.database.pool.connect(), ids: [] };
      await transaction.connection.query('begin');
      this.#open.set(writer, transaction);
    }
    const { connection, ids } = transaction;
    const id = await recordEvent(
      { query: connection.query.bind(connection), notifyAfterCommit: () => {} },
      { partner: this.#scene.partner.partner, type, fields: { ...eventTypes[type].example, location } as never },
    );
    ids.push(id);
    return id;
  }

  async end(writer: number, how: 'commit' | 'rollback'): Promise<void> {
    const transaction = this.#open.get(writer);
    if (!transaction) return;
    this.#open.delete(writer);
    await transaction.connection.query(how);
    transaction.connection.release();
    if (how === 'commit') this.committed.push(...transaction.ids);
  }

  async commitAll(): Promise<void> {
    for (const writer of [...this.#open.keys()]) await this.end(writer, 'commit');
  }
}

/** Ends the session that holds the advisory lock of a worker: its leases are released while its requests go on. */
const endWorkerSession = (scene: DeliveryScene) =>
  scene.api.database.pool.query(
    `select pg_terminate_backend(pid) from pg_locks join pg_database on oid = database
     where locktype = 'advisory' and classid = 1463898193 and datname = current_database() limit 1`,
  );

test('keeps the order of each location with failures, lost leases and several workers', {
  timeout: 240_000,
}, async () => {
  const seed = randomInt(2 ** 31);
  onTestFailed(() => console.error(`seed ${seed}`));
  const property = fc.asyncProperty(steps, fc.integer({ min: 1, max: 3 }), async (plan, workers) => {
    const scene = await DeliveryScene.open();
    const failuresLeft = new Map<number, number>();
    const accepted: { id: number; location: number }[] = [];
    let isBlocking = true;
    const attempted = new Set<number>();
    const receiver = await scene.receiver(({ event: { id, location } }) => {
      if (location === blocked) attempted.add(id);
      if (location === blocked && isBlocking) return 500;
      const left = failuresLeft.get(id) ?? 0;
      failuresLeft.set(id, left - 1);
      if (left > 0) return left % 2 === 0 ? 500 : 'reset';
      accepted.push({ id, location });
      return 200;
    });
    const webhooks: TestWebhook[] = [];
    for (const type of types) webhooks.push(await scene.webhook(receiver.url(), { type, ordered: true }));
    const started = Array.from({ length: workers }, () =>
      scene.worker({ retrySchedule: Array(1000).fill(0.02), breakerFirstPause: 0.05, breakerMaxPause: 0.1 }),
    );
    const recording = new Writers(scene);
    const locationOf = new Map<number, number>();
    for (const step of plan) {
      if (step.do === 'kill') await endWorkerSession(scene);
      else if (step.do === 'record') {
        const id = await recording.record(step.writer, step.type, step.location);
        locationOf.set(id, step.location);
        failuresLeft.set(id, step.failures);
      } else await recording.end(step.writer, step.do);
    }
    await recording.commitAll();
    const ids = recording.committed.toSorted((a, b) => a - b);
    const free = ids.filter((id) => locationOf.get(id) !== blocked);
    const arrived = () => [...new Set(accepted.map(({ id }) => id))];
    // Only the first event of the failing location is attempted; all others arrive.
    await eventually(() => arrived().sort((a, b) => a - b)).toEqual(free);
    expect([...attempted]).toEqual(ids.filter((id) => locationOf.get(id) === blocked).slice(0, attempted.size && 1));
    isBlocking = false;
    await eventually(() => arrived().length).toBe(ids.length);
    for (const location of new Set(locationOf.values())) {
      const order = arrived().filter((id) => locationOf.get(id) === location);
      expect(order).toEqual(ids.filter((id) => locationOf.get(id) === location));
    }
    for (const webhook of webhooks) await eventually(() => scene.depth(webhook)).toBe(0);
    await Promise.all(started.map((worker) => worker.stop()));
  });
  await fc.assert(property, { seed, numRuns: 12, endOnFailure: true });
});
