import { pino } from 'pino';
import { expect, test } from 'vitest';
import { dropPartitionsBefore, ensurePartitions } from '../../src/database/partitions.ts';
import { runUpkeep } from '../../src/events/event-service.ts';
import { DeliveryScene } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

const log = pino({ level: 'silent' });
const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs);
const partition = (parent: string, days: number) =>
  `${parent}_${daysAgo(days).toISOString().slice(0, 10).replaceAll('-', '')}`;

const sql = (scene: DeliveryScene) => scene.api.database.pool;

const ensure = (scene: DeliveryScene, parent: string, from: number, to: number) =>
  sql(scene).query('select ensure_day_partitions($1, $2, $3)', [parent, daysAgo(from), daysAgo(to)]);

/** Partitions, attached or detached. */
const partitions = async (scene: DeliveryScene): Promise<string[]> =>
  (await sql(scene).query(`select relname from pg_class where relname ~ '_[0-9]{8}$' and relkind = 'r'`)).rows.map(
    ({ relname }) => relname,
  );

/** Inserts events of a day with a waiting delivery each. */
async function recordOn(scene: DeliveryScene, days: number, webhook: { id: number }): Promise<void> {
  const [id] = await scene.record();
  await sql(scene).query('update events set recorded_at = $2 where id = $1', [id, daysAgo(days)]);
  await sql(scene).query('update delivery_queue set recorded_at = $3 where event_id = $1 and webhook_id = $2', [
    id,
    webhook.id,
    daysAgo(days),
  ]);
}

test('events are recorded while the partitions of attempts wait for a reader', async () => {
  const scene = await DeliveryScene.open();
  for (const parent of ['events', 'attempts']) await sql(scene).query(`drop table if exists ${partition(parent, -7)}`);
  const reader = await sql(scene).connect();
  await reader.query('begin; lock table attempts in access share mode');
  const created = ensurePartitions(sql(scene));
  await eventually(() => partitions(scene)).toContain(partition('events', -7));
  expect(await scene.record()).toHaveLength(1);
  expect(await partitions(scene)).not.toContain(partition('attempts', -7));
  await reader.query('commit');
  reader.release();
  await created;
  expect(await partitions(scene)).toContain(partition('attempts', -7));
});

test('upkeep drops partitions past retention and creates future ones', async () => {
  const scene = await DeliveryScene.open();
  await ensure(scene, 'events', 33, 28);
  await ensure(scene, 'attempts', 33, 28);
  await sql(scene).query(`drop table if exists ${partition('events', -7)}`);
  await runUpkeep(scene.api.database, 30, log);
  const remaining = await partitions(scene);
  for (const parent of ['events', 'attempts']) {
    for (const days of [33, 32, 31]) expect(remaining).not.toContain(partition(parent, days));
    for (const days of [30, 29, 28, 0, -1, -7]) expect(remaining).toContain(partition(parent, days));
  }
});

test('upkeep drops partitions that an interrupted run has detached', async () => {
  const scene = await DeliveryScene.open();
  await ensure(scene, 'events', 42, 40);
  const [detached, pending] = [partition('events', 42), partition('events', 41)];
  await sql(scene).query(`alter table events detach partition ${detached}`);
  const reader = await sql(scene).connect();
  await reader.query(`begin; select count(*) from events`);
  const interrupted = await sql(scene).connect();
  const { rows } = await interrupted.query('select pg_backend_pid() as pid');
  const detaching = interrupted.query(`alter table events detach partition ${pending} concurrently`);
  detaching.catch(() => {});
  const isPending = 'select from pg_inherits where inhdetachpending';
  await eventually(async () => (await sql(scene).query(isPending)).rowCount).toBe(1);
  await sql(scene).query('select pg_cancel_backend($1)', [rows[0].pid]);
  await expect(detaching).rejects.toThrow('canceling statement');
  await reader.query('rollback');
  reader.release();
  interrupted.release();

  const dropped = await dropPartitionsBefore(sql(scene), ['events'], daysAgo(39));
  expect(dropped).toEqual([detached, pending, partition('events', 40)]);
  const remaining = await partitions(scene);
  for (const name of dropped) expect(remaining).not.toContain(name);
});

test('dropping a partition does not block recording or reading', async () => {
  const scene = await DeliveryScene.open();
  await ensure(scene, 'events', 40, 40);
  const reader = await sql(scene).connect();
  await reader.query('begin; select count(*) from events');
  let done = false;
  const dropping = dropPartitionsBefore(sql(scene), ['events'], daysAgo(35)).then((dropped) => {
    done = true;
    return dropped;
  });
  const isPending = 'select from pg_inherits where inhdetachpending';
  await eventually(async () => (await sql(scene).query(isPending)).rowCount).toBe(1);
  await scene.record(3);
  expect((await sql(scene).query('select count(*) from events')).rows).toEqual([{ count: 3 }]);
  expect(done).toBe(false);
  await reader.query('commit');
  reader.release();
  expect(await dropping).toEqual([partition('events', 40)]);
});

test('upkeep deletes deliveries of deleted webhooks and past retention', async () => {
  const scene = await DeliveryScene.open();
  const [kept, deleted] = [
    await scene.webhook('http://127.0.0.1:9/kept'),
    await scene.webhook('http://127.0.0.1:9/deleted'),
  ];
  await ensure(scene, 'events', 40, 40);
  await recordOn(scene, 40, kept);
  const [recent] = await scene.record();
  await scene.partner.call('DELETE', `/api/sales-partners/webhooks/${deleted.id}`);
  await runUpkeep(scene.api.database, 30, log);
  expect(await scene.queue(kept)).toMatchObject([{ eventId: recent }]);
  expect(await scene.queue(deleted)).toEqual([]);
});
