import { expect, onTestFinished, test } from 'vitest';
import { Database } from '../../src/database/connection.ts';
import { eventTypes } from '../../src/events/catalogue/catalogue.ts';
import { recordEvent } from '../../src/events/outbox/record-event.ts';
import { DeliveryScene } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

const never = { pollMs: 3_600_000 };
const type = 'LOCATION_CREATED';

/** As in another process: shares only the database server. */
function anotherProcess(scene: DeliveryScene): Database {
  const database = new Database(scene.api.database.url, { connections: 4, name: 'another process' });
  onTestFinished(() => database.close());
  return database;
}

const listeners = async ({ api }: DeliveryScene): Promise<number[]> =>
  (
    await api.database.pool.query(
      `select pid from pg_stat_activity where datname = current_database() and query = 'listen "waypost_deliveries"'`,
    )
  ).rows.map(({ pid }) => pid);

/** Records an event without its notification. */
async function recordWithoutNotification(scene: DeliveryScene): Promise<number> {
  const client = await scene.api.database.pool.connect();
  try {
    await client.query('begin');
    const silent = { query: client.query.bind(client) as typeof client.query, notifyAfterCommit() {} };
    const event = { partner: scene.partner.partner, type, fields: eventTypes[type].example } as const;
    const id = await recordEvent(silent, event);
    await client.query('commit');
    return id;
  } finally {
    client.release();
  }
}

test('sends an event of another process without waiting for the next poll', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  await scene.webhook(receiver.url());
  scene.worker(never, { database: anotherProcess(scene) });
  await eventually(() => listeners(scene)).toHaveLength(1);
  for (let n = 1; n <= 5; n++) {
    await scene.record();
    await eventually(() => receiver.requests.length).toBe(n);
  }
});

test('listens again after a lost connection and reads missed events', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  await scene.webhook(receiver.url());
  scene.worker(never, { database: anotherProcess(scene) });
  await eventually(() => listeners(scene)).toHaveLength(1);
  const [pid] = await listeners(scene);
  await scene.api.database.pool.query('select pg_terminate_backend($1, 5000)', [pid]);
  await scene.record();
  await eventually(() => receiver.requests.length).toBe(1);
  await eventually(() => listeners(scene)).toHaveLength(1);
  await scene.record();
  await eventually(() => receiver.requests.length).toBe(2);
});

test('finds an event by polling if its notification was lost', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  await scene.webhook(receiver.url());
  scene.worker({ pollMs: 50 });
  for (let n = 1; n <= 3; n++) {
    const id = await recordWithoutNotification(scene);
    await eventually(() => receiver.ids().at(-1)).toBe(id);
  }
});

test('sends an event that commits after later ones', async () => {
  const scene = await DeliveryScene.open();
  const held = Promise.withResolvers<number>();
  const receiver = await scene.receiver(({ event }) => (event.id === second ? held.promise : 200));
  let second = 0;
  const webhook = await scene.webhook(receiver.url());
  const recorded = Promise.withResolvers<number>();
  const commit = Promise.withResolvers<void>();
  const late = scene.api.database.transaction(async (transaction) => {
    const event = { partner: scene.partner.partner, type, fields: eventTypes[type].example } as const;
    recorded.resolve(await recordEvent(transaction, event));
    await commit.promise;
  });
  const first = await recorded.promise;
  // The second event keeps the webhook busy, the third advances the cursor.
  [second] = (await scene.record()) as [number];
  scene.worker();
  await eventually(() => receiver.open).toBe(1);
  const [third] = await scene.record();
  await eventually(() => receiver.ids()).toEqual([second, third]);
  commit.resolve();
  await late;
  await eventually(() => receiver.ids()).toEqual([second, third, first]);
  expect(receiver.open).toBe(1);
  held.resolve(200);
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED', 'DELIVERED', 'DELIVERED']);
});
