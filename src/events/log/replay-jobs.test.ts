import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { jobContext } from '../../../test/support/jobs.ts';
import { LogScene } from '../../../test/support/log-scene.ts';
import type { Database } from '../../database/connection.ts';
import type { JobImplementation } from '../../jobs/job.ts';
import { eventTypes } from '../catalogue/catalogue.ts';
import { eventJobs } from '../event-service.ts';
import { recordEvent } from '../outbox/record-event.ts';
import { readEventRange } from './log-page.ts';
import { runStep } from './replay-jobs.ts';
import { findRunningReplay } from './replay-store.ts';

let scene: LogScene;
let partner: TestPartner;

beforeAll(async () => {
  scene = await LogScene.open();
});
beforeEach(async () => {
  partner = await scene.api.addPartner();
});
afterAll(() => scene.close());

/** A replay of this many discarded deliveries. */
async function replayOf(deliveries: number, ratePerSecond: number) {
  const webhook = await scene.webhook(partner);
  const { rows } = await scene.query(
    `with recorded as (
       insert into events (id, recorded_at, partner_id, type, body)
       select nextval('event_id'), now(), $1, 'LOCATION_CREATED', '{}' from generate_series(1, $3::integer)
       returning id, recorded_at
     )
     insert into attempts (event_id, webhook_id, number, recorded_at, started_at, url, outcome, total_ms, verdict)
     select id, $2, 6, recorded_at, now(), '', 'unreachable', 1, 'DISCARDED' from recorded returning event_id`,
    [partner.partner.id, webhook.id, deliveries],
  );
  const since = Date.now() - 3_600_000;
  const response = await partner.call('POST', `/api/sales-partners/webhooks/${webhook.id}/replay`, {
    since,
    ratePerSecond,
  });
  expect(response.body.response.total).toBe(deliveries);
  return { id: response.body.response.id as number, webhook, eventIds: rows.map(({ event_id }) => event_id) };
}

const replayJob = eventJobs.find(({ name }) => name === 'replay') as JobImplementation;

const run = (replayId: number, signal = new AbortController().signal) =>
  replayJob.run({ replayId }, { ...jobContext(scene.api.database), signal });

const inSeconds = (moment: Date) => (moment.getTime() - Date.now()) / 1000;

async function appointment(id: number): Promise<number> {
  const { rows } = await scene.query('select run_at from graphile_worker.jobs where key = $1', [`replay-${id}`]);
  expect(rows).toHaveLength(1);
  return inSeconds(rows[0].run_at);
}

describe('a replay', () => {
  test('spaces deliveries by its rate, starting now', async () => {
    const { id, webhook, eventIds } = await replayOf(20, 10);
    await run(id);
    const rows = await scene.queueOf(webhook);
    expect(rows.map(({ event_id }) => event_id)).toEqual(eventIds);
    const dueAt = rows.map(({ due_at }) => due_at.getTime());
    expect(inSeconds(rows[0].due_at)).toBeLessThanOrEqual(0);
    for (let place = 1; place < dueAt.length; place++) {
      expect(Math.abs(dueAt[place] - dueAt[place - 1] - 100)).toBeLessThanOrEqual(1);
    }
  });

  test('queues at most 30 s ahead and continues after those are sent', async () => {
    const { id, webhook, eventIds } = await replayOf(400, 10);
    await run(id);
    expect(await scene.queueOf(webhook)).toHaveLength(300);
    expect(await appointment(id)).toBeGreaterThan(5);
    await run(id);
    expect(await scene.queueOf(webhook)).toHaveLength(300);
    await scene.query('delete from delivery_queue where event_id = any ($1)', [eventIds.slice(0, 50)]);
    await run(id);
    const rows = await scene.queueOf(webhook);
    expect(rows.map(({ event_id }) => event_id)).toEqual(eventIds.slice(50, 350));
    // The next due times follow the previous ones, not the current time.
    expect(inSeconds(rows.at(-1).due_at)).toBeGreaterThan(30);
  });

  test('queues atomic chunks and continues after a crash', async () => {
    const { id, webhook, eventIds } = await replayOf(1200, 1000);
    const { database } = scene.api;
    const replay = await findRunningReplay(database.pool, id);
    const events = await readEventRange(database.pool, replay as NonNullable<typeof replay>);
    await database.transaction((transaction) => runStep(transaction, id, events));
    expect(await scene.queueOf(webhook)).toHaveLength(500);
    const crash = database.transaction(async (transaction) => {
      await runStep(transaction, id, events);
      throw new Error('crashed');
    });
    await expect(crash).rejects.toThrow('crashed');
    expect(await scene.queueOf(webhook)).toHaveLength(500);
    // The last committed step has enqueued the next job.
    expect(await appointment(id)).toBeLessThan(30);
    await run(id);
    expect((await scene.queueOf(webhook)).map(({ event_id }) => event_id)).toEqual(eventIds);
  });

  test('is retried after a deadlock', async () => {
    const { id, webhook } = await replayOf(3, 1000);
    const context = jobContext(scene.api.database);
    const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' });
    const database: Database = Object.create(context.database, {
      pool: { value: context.database.pool },
      transaction: { value: () => Promise.reject(deadlock) },
    });
    await expect(replayJob.run({ replayId: id }, { ...context, database })).rejects.toThrow('deadlock detected');
    await run(id);
    expect(await scene.queueOf(webhook)).toHaveLength(3);
  });

  test('queues each delivery once when two workers run it concurrently', async () => {
    const { id, webhook, eventIds } = await replayOf(1200, 1000);
    await Promise.all([run(id), run(id), run(id)]);
    expect((await scene.queueOf(webhook)).map(({ event_id }) => event_id)).toEqual(eventIds);
    const { rows } = await scene.query('select queued from replays where id = $1', [id]);
    expect(rows).toEqual([{ queued: 1200 }]);
  });

  test('stops between chunks on shutdown and can be continued', async () => {
    const { id, webhook } = await replayOf(1200, 1000);
    await run(id, AbortSignal.abort());
    expect(await scene.queueOf(webhook)).toHaveLength(500);
    expect(await appointment(id)).toBeLessThanOrEqual(0);
    await run(id);
    expect(await scene.queueOf(webhook)).toHaveLength(1200);
  });

  test('ends a long run after a chunk, is continued at once and counts for the partner of the webhook', async () => {
    const { id, webhook } = await replayOf(1200, 1000);
    const flagged = async () =>
      (await scene.query('select flags from graphile_worker.jobs where key = $1', [`replay-${id}`])).rows;
    const flags = [{ flags: { [`partner-${partner.partner.id}`]: true } }];
    expect(await flagged()).toEqual(flags);
    let now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => (now += 10_000));
    await run(id).finally(() => clock.mockRestore());
    expect(await scene.queueOf(webhook)).toHaveLength(500);
    expect(await appointment(id)).toBeLessThanOrEqual(0);
    expect(await flagged()).toEqual(flags);
    await run(id);
    expect(await scene.queueOf(webhook)).toHaveLength(1200);
    expect(await flagged()).toEqual(flags);
  });

  test('checks again soon after everything is queued', async () => {
    const { id } = await replayOf(3, 1000);
    await run(id);
    expect(await appointment(id)).toBeLessThan(2);
  });

  test('finds skipped events among thousands of delivered ones', async () => {
    const { id, webhook, eventIds } = await replayOf(4500, 1000);
    const skipped = [eventIds[10], eventIds[2600], eventIds[4400]];
    await scene.query('delete from attempts where webhook_id = $1 and event_id = any ($2)', [webhook.id, skipped]);
    await scene.query("update replays set states = '{SKIPPED}' where id = $1", [id]);
    await run(id);
    expect(await scene.queueOf(webhook)).toMatchObject(skipped.map((event_id) => ({ event_id, attempts: 0 })));
  });

  test('waits for skipped events that were recorded before it and are not committed yet', async () => {
    const webhook = await scene.webhook(partner, 200, { enabled: false });
    const before = new Date();
    const { id, eventId } = await scene.api.database.transaction(async (transaction) => {
      const recorded = await recordEvent(transaction, {
        partner: partner.partner,
        type: 'LOCATION_CREATED',
        fields: eventTypes.LOCATION_CREATED.example,
      });
      await scene.change(partner, webhook, { enabled: true });
      const { body } = await partner.call('POST', `/api/sales-partners/webhooks/${webhook.id}/replay`, {
        since: before.getTime() - 1000,
        states: ['SKIPPED'],
      });
      await run(body.response.id);
      await run(body.response.id);
      expect(await appointment(body.response.id)).toBeLessThan(2);
      return { id: body.response.id as number, eventId: recorded };
    });
    await run(id);
    expect(await scene.queueOf(webhook)).toMatchObject([{ event_id: eventId, replay_id: id }]);
  });

  test('does not wait for events that are recorded after its period', async () => {
    const { id } = await replayOf(1, 1);
    await scene.query("update replays set states = '{SKIPPED}', until = until - interval '1 s' where id = $1", [id]);
    await scene.api.database.transaction(async (transaction) => {
      await transaction.query("select nextval('event_id')");
      await run(id);
    });
    expect((await scene.query('select status from replays where id = $1', [id])).rows).toEqual([
      { status: 'FINISHED' },
    ]);
  });

  test('does nothing if it is unknown or finished', async () => {
    const { id, webhook } = await replayOf(1, 1);
    await scene.query("update replays set status = 'CANCELLED' where id = $1", [id]);
    await run(id);
    await run(999_999);
    expect(await scene.queueOf(webhook)).toEqual([]);
  });
});
