import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { jobContext } from '../../../test/support/jobs.ts';
import { LogScene } from '../../../test/support/log-scene.ts';
import { runReplay } from './replay-jobs.ts';
import { endReplay } from './replay-store.ts';

let scene: LogScene;
let partner: TestPartner;

beforeAll(async () => {
  scene = await LogScene.open();
});
beforeEach(async () => {
  partner = await scene.api.addPartner();
});
afterAll(() => scene.close());

const webhookPath = ({ id }: { id: number }) => `/api/sales-partners/webhooks/${id}`;
const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString();
const order = (webhook: { id: number }, body: object = {}, by = partner, headers = {}) =>
  by.call('POST', `${webhookPath(webhook)}/replay`, { since: anHourAgo(), ...body }, headers);

async function start(webhook: { id: number }, body: object = {}) {
  const response = await order(webhook, body);
  expect(response.code).toBe(200);
  return response.body.response;
}

async function count(webhook: { id: number }, body: object = {}): Promise<number> {
  const { dryRun, count } = await start(webhook, { dryRun: true, ...body });
  expect(dryRun).toBe(true);
  return count;
}

const advance = (replayId: number) => runReplay({ replayId }, jobContext(scene.api.database));

async function look(webhook: { id: number }, id: number) {
  const { code, body } = await partner.call('GET', `${webhookPath(webhook)}/replays/${id}`);
  expect(code).toBe(200);
  return body.response;
}

const cancel = (webhook: { id: number }, id: number, by = partner) =>
  by.call('POST', `${webhookPath(webhook)}/replays/${id}/cancel`);

const queued = async (webhook: { id: number }) => (await scene.queueOf(webhook)).map(({ event_id }) => event_id);

/** A webhook with discarded deliveries whose receiver works again. */
async function recovered(events = 3) {
  const webhook = await scene.webhook(partner, 500);
  const ids = await scene.recordEvents(partner, events);
  await scene.deliver(webhook);
  await scene.change(partner, webhook, { pushUrl: scene.receiver.url(`/200/${webhook.id}`) });
  return { webhook, ids };
}

describe('a dry run counts', () => {
  test('discarded deliveries by default', async () => {
    const { webhook, ids } = await recovered(2);
    const delivered = await scene.record(partner);
    await scene.deliver(webhook);
    await partner.call('POST', `/api/deliveries/${ids[0]}-${webhook.id}/retry`);
    await scene.deliver(webhook);
    expect(await count(webhook)).toBe(1);
    expect(await count(webhook, { states: ['DELIVERED'] })).toBe(2);
    expect(await count(webhook, { states: ['DISCARDED', 'DELIVERED'] })).toBe(3);
    expect(delivered).toBeGreaterThan(0);
    expect(await scene.queueOf(webhook)).toEqual([]);
    expect((await partner.call('GET', `${webhookPath(webhook)}/replays`)).body.response.count).toBe(0);
  });

  test('deliveries of the period, inclusive', async () => {
    const { webhook, ids } = await recovered(3);
    const { rows } = await scene.query('select recorded_at as at from events where id = any ($1) order by id', [ids]);
    expect(await count(webhook, { since: rows[1].at.toISOString() })).toBe(2);
    expect(await count(webhook, { since: rows[1].at.getTime(), until: rows[1].at.getTime() })).toBe(1);
    expect(await count(webhook, { until: rows[0].at.toISOString() })).toBe(1);
  });

  test('events skipped before the webhook was created and while it was disabled', async () => {
    const child = await scene.api.addPartner(partner);
    await scene.record(partner);
    await scene.record(child);
    await scene.record(partner, 'BUSINESS_CREATED');
    const webhook = await scene.webhook(partner);
    await scene.record(partner);
    await scene.deliver(webhook);
    await scene.record(partner);
    expect(await count(webhook, { states: ['SKIPPED'] })).toBe(2);
    await scene.change(partner, webhook, { enabled: false });
    await scene.record(partner);
    expect(await count(webhook, { states: ['SKIPPED'] })).toBe(3);
    await scene.change(partner, webhook, { includeChildren: false });
    expect(await count(webhook, { states: ['SKIPPED'] })).toBe(2);
    expect(await count(webhook, { states: ['SKIPPED', 'DELIVERED'] })).toBe(3);
  });
});

describe('a replay', () => {
  test('sends discarded deliveries again and reports progress', async () => {
    const { webhook, ids } = await recovered(3);
    const created = await start(webhook);
    expect(created).toEqual({
      id: expect.any(Number),
      webhookId: webhook.id,
      status: 'CREATED',
      since: expect.any(String),
      until: expect.any(String),
      states: ['DISCARDED'],
      ratePerSecond: 50,
      total: 3,
      queued: 0,
      delivered: 0,
      failed: 0,
      progress: 0,
      dateCreated: expect.any(String),
    });
    await advance(created.id);
    expect(await look(webhook, created.id)).toMatchObject({ status: 'RUNNING', queued: 3, progress: 0 });
    expect(await scene.queueOf(webhook)).toMatchObject(
      ids.map((event_id) => ({ event_id, lane: 2, attempts: 2, tries: 0, replay_id: created.id })),
    );
    await scene.deliver(webhook);
    expect(await look(webhook, created.id)).toMatchObject({ status: 'RUNNING', delivered: 3, progress: 100 });
    await advance(created.id);
    expect(await look(webhook, created.id)).toMatchObject({
      status: 'FINISHED',
      total: 3,
      queued: 3,
      delivered: 3,
      failed: 0,
      progress: 100,
      dateFinished: expect.any(String),
    });
  });

  test('is executed by its job', async () => {
    const { webhook, ids } = await recovered(2);
    const { id } = await start(webhook);
    await scene.runDueJobs({ replay: (payload) => advance((payload as { replayId: number }).replayId) });
    expect(await queued(webhook)).toEqual(ids);
    expect(await appointment(id)).toBeInstanceOf(Date);
  });

  test('counts deliveries that fail again and finishes after their retries', async () => {
    const { webhook } = await recovered(2);
    await scene.change(partner, webhook, { pushUrl: scene.receiver.url(`/500/${webhook.id}`), retrySchedule: [3600] });
    const { id } = await start(webhook);
    await advance(id);
    await scene.deliverUntil(async () => (await scene.queueOf(webhook)).every(({ tries }) => tries === 1));
    await advance(id);
    expect(await look(webhook, id)).toMatchObject({ status: 'RUNNING', delivered: 0, failed: 0 });
    await scene.query("update delivery_queue set due_at = now() - interval '1 s' where replay_id = $1", [id]);
    await scene.deliver(webhook);
    await advance(id);
    expect(await look(webhook, id)).toMatchObject({ status: 'FINISHED', delivered: 0, failed: 2, progress: 100 });
  });

  test('sends skipped events as first attempts, together with other states in recording order', async () => {
    const missed = await scene.record(partner);
    const { webhook, ids } = await recovered(1);
    await scene.change(partner, webhook, { enabled: false });
    const whileOff = await scene.record(partner);
    await scene.change(partner, webhook, { enabled: true });
    const { id, total } = await start(webhook, { states: ['SKIPPED', 'DISCARDED'] });
    expect(total).toBe(3);
    await advance(id);
    expect(await scene.queueOf(webhook)).toMatchObject([
      { event_id: missed, attempts: 0 },
      { event_id: ids[0], attempts: 2 },
      { event_id: whileOff, attempts: 0 },
    ]);
    await scene.deliver(webhook);
    await advance(id);
    expect(await look(webhook, id)).toMatchObject({ status: 'FINISHED', delivered: 3 });
    expect(scene.receiver.ids(`/200/${webhook.id}`).sort()).toEqual([missed, ids[0], whileOff].sort());
  });

  test('does not change deliveries that are already waiting', async () => {
    const { webhook, ids } = await recovered(2);
    const { id } = await start(webhook);
    await partner.call('POST', `/api/deliveries/${ids[0]}-${webhook.id}/retry`);
    await advance(id);
    expect(await scene.queueOf(webhook)).toMatchObject([
      { event_id: ids[0], lane: 3, replay_id: null },
      { event_id: ids[1], lane: 2, replay_id: id },
    ]);
    expect(await look(webhook, id)).toMatchObject({ total: 2, queued: 1 });
  });

  test('finishes immediately without deliveries', async () => {
    const webhook = await scene.webhook(partner);
    const { id, total } = await start(webhook);
    expect(total).toBe(0);
    await advance(id);
    expect(await look(webhook, id)).toMatchObject({ status: 'FINISHED', progress: 100 });
  });

  test('is created once per Idempotency-Key', async () => {
    const { webhook } = await recovered(1);
    const headers = { 'Idempotency-Key': randomUUID() };
    const since = anHourAgo();
    const [first, second] = [
      await order(webhook, { since }, partner, headers),
      await order(webhook, { since }, partner, headers),
    ];
    expect(first.code).toBe(200);
    expect(second.body).toEqual(first.body);
  });

  test('is the only one of its webhook, also for concurrent requests', async () => {
    const { webhook } = await recovered(1);
    const responses = await Promise.all(Array.from({ length: 4 }, () => order(webhook)));
    expect(responses.map(({ code }) => code).sort()).toEqual([200, 409, 409, 409]);
    const { body } = await order(webhook);
    const running = responses.find(({ code }) => code === 200)?.body.response.id;
    expect(body).toMatchObject({ status: 'CONFLICT', message: expect.stringContaining(`Replay ${running}`) });
    expect(await count(webhook)).toBe(1);
    await cancel(webhook, running);
    expect((await order(webhook)).code).toBe(200);
  });

  test('is rejected for a disabled webhook, except as dry run', async () => {
    const { webhook } = await recovered(1);
    await scene.change(partner, webhook, { enabled: false });
    const { code, body } = await order(webhook);
    expect(code).toBe(409);
    expect(body.message).toContain('Enable it first');
    expect(await count(webhook)).toBe(1);
  });

  test('is cancelled when its webhook is deleted', async () => {
    const { webhook } = await recovered(1);
    const { id } = await start(webhook);
    await scene.remove(partner, webhook);
    await advance(id);
    const { rows } = await scene.query('select status, error from replays where id = $1', [id]);
    expect(rows).toEqual([{ status: 'CANCELLED', error: 'The webhook was deleted.' }]);
    expect(await queued(webhook)).toEqual([]);
  });

  test('fails with an error message', async () => {
    const { webhook } = await recovered(1);
    const { id } = await start(webhook);
    await scene.query("update replays set states = '{}' where id = $1", [id]);
    await advance(id);
    expect(await look(webhook, id)).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('internal error'),
    });
  });
});

const appointment = async (id: number): Promise<Date | undefined> => {
  const { rows } = await scene.query('select run_at from graphile_worker.jobs where key = $1', [`replay-${id}`]);
  return rows[0]?.run_at;
};

describe('cancelling', () => {
  test('removes unsent deliveries from the queue, which keep their last verdict', async () => {
    const { webhook, ids } = await recovered(2);
    const { id } = await start(webhook);
    await advance(id);
    const { code, body } = await cancel(webhook, id);
    expect(code).toBe(200);
    expect(body.response).toMatchObject({ status: 'CANCELLED', queued: 0, dateFinished: expect.any(String) });
    expect(await queued(webhook)).toEqual([]);
    const story = await partner.call('GET', `/api/deliveries/${ids[0]}-${webhook.id}`);
    expect(story.body.response).toMatchObject({ state: 'DISCARDED', attempts: 2 });
    await advance(id);
    expect(await queued(webhook)).toEqual([]);
  });

  test('keeps deliveries that have been attempted', async () => {
    const { webhook, ids } = await recovered(2);
    const { id } = await start(webhook);
    await advance(id);
    await scene.query(
      "update delivery_queue set tries = 1, attempts = attempts + 1, lane = 1, due_at = now() + interval '1 h' where event_id = $1",
      [ids[0]],
    );
    expect((await cancel(webhook, id)).body.response).toMatchObject({ status: 'CANCELLED', queued: 1 });
    expect(await queued(webhook)).toEqual([ids[0]]);
  });

  test('skips deliveries that are being settled', async () => {
    const { webhook, ids } = await recovered(2);
    const { id } = await start(webhook);
    await advance(id);
    await scene.api.database.transaction(async (transaction) => {
      await transaction.query('select from delivery_queue where event_id = $1 for update', [ids[0]]);
      expect((await cancel(webhook, id)).code).toBe(200);
    });
    expect(await queued(webhook)).toEqual([ids[0]]);
  });

  test('is idempotent, and rejected for a finished replay', async () => {
    const { webhook } = await recovered(1);
    const { id } = await start(webhook);
    await cancel(webhook, id);
    expect((await cancel(webhook, id)).body.response.status).toBe('CANCELLED');
    const next = await start(webhook, { states: ['SKIPPED'] });
    await advance(next.id);
    expect(await cancel(webhook, next.id)).toMatchObject({ code: 409, body: { status: 'CONFLICT' } });
  });

  test('is idempotent for concurrent requests', async () => {
    const { webhook } = await recovered(1);
    const { id } = await start(webhook);
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    const { second } = await scene.api.database.transaction(async (transaction) => {
      await endReplay(transaction, id, 'CANCELLED');
      const cancelling = cancel(webhook, id);
      await expect.poll(async () => (await scene.query(waiting)).rowCount).toBe(1);
      return { second: cancelling };
    });
    expect(await second).toMatchObject({ code: 200, body: { response: { status: 'CANCELLED' } } });
  });
});

test.each([
  [{ since: undefined }, 'MISSING_PARAMETER', 'since is required'],
  [{ since: '2026-11-02', until: '2026-11-01' }, 'INVALID_PARAMETER', 'must not be later than until'],
  [{ since: '2001-01-01' }, 'INVALID_PARAMETER', 'Events are kept for 30 days: since must be'],
  [{ since: '2100-01-01', until: '2100-01-02' }, 'INVALID_PARAMETER', 'since must be in the past'],
  [{ states: ['LOST'] }, 'INVALID_PARAMETER', 'states[0] must be one of DISCARDED, DELIVERED, SKIPPED'],
  [{ states: [] }, 'INVALID_PARAMETER', 'states must have at least 1 entry'],
  [{ ratePerSecond: 0 }, 'INVALID_PARAMETER', 'ratePerSecond must be 1 or more'],
  [{ ratePerSecond: 1001 }, 'INVALID_PARAMETER', 'ratePerSecond must be 1000 or less'],
  [{ dryRun: 'yes' }, 'WRONG_PARAMETER_TYPE', 'dryRun must be a boolean'],
])('rejects %j', async (body, status, words) => {
  const webhook = await scene.webhook(partner);
  const response = await order(webhook, body);
  expect(response).toMatchObject({ code: 400, body: { status, message: expect.stringContaining(words) } });
});

test('lists replays newest first, only to partners with access', async () => {
  const { webhook } = await recovered(1);
  const first = await start(webhook);
  await cancel(webhook, first.id);
  const second = await start(webhook);
  const { body } = await partner.call('GET', `${webhookPath(webhook)}/replays`);
  expect(body.response).toMatchObject({ offset: 0, max: 50, count: 2, replays: [{ id: second.id }, { id: first.id }] });
  const other = await scene.webhook(partner);
  expect((await partner.call('GET', `${webhookPath(other)}/replays/${first.id}`)).code).toBe(404);
  const stranger = await scene.api.addPartner();
  expect((await stranger.call('GET', `${webhookPath(webhook)}/replays`)).code).toBe(404);
  expect((await stranger.call('GET', `${webhookPath(webhook)}/replays/${first.id}`)).code).toBe(404);
  expect((await cancel(webhook, second.id, stranger)).code).toBe(404);
  expect((await cancel(other, second.id)).code).toBe(404);
  expect((await order(webhook, {}, stranger)).code).toBe(404);
});
