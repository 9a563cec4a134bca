import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { jobContext } from '../../../test/support/jobs.ts';
import { LogScene } from '../../../test/support/log-scene.ts';
import { runReplay } from './replay-jobs.ts';

let scene: LogScene;
let partner: TestPartner;

beforeAll(async () => {
  scene = await LogScene.open();
});
beforeEach(async () => {
  partner = await scene.api.addPartner();
});
afterAll(() => scene.close());

const path = ({ id }: { id: number }, query = '') => `/api/sales-partners/webhooks/${id}/deliveries${query}`;

async function list(webhook: { id: number }, query = '', by = partner) {
  const { code, body } = await by.call('GET', path(webhook, query));
  expect(code).toBe(200);
  return body.response;
}

const idsOf = (page: { deliveries: { eventId: number }[] }) => page.deliveries.map(({ eventId }) => eventId);

/** A webhook with one delivery in each state, in event order. */
async function oneOfEach() {
  const webhook = await scene.webhook(partner, 200);
  const delivered = await scene.record(partner);
  await scene.deliver(webhook);
  await scene.change(partner, webhook, { pushUrl: scene.receiver.url(`/500/${webhook.id}`) });
  const discarded = await scene.record(partner);
  await scene.deliver(webhook);
  await scene.change(partner, webhook, { retrySchedule: [3600] });
  const retrying = await scene.record(partner);
  await scene.deliverUntil(async () => (await scene.queueOf(webhook))[0]?.attempts === 1);
  await scene.pause(webhook);
  const waiting = await scene.record(partner);
  return { webhook, delivered, discarded, retrying, waiting };
}

describe('the deliveries of a webhook', () => {
  test('are listed with state and last attempt, newest events first', async () => {
    const { webhook, delivered, discarded, retrying, waiting } = await oneOfEach();
    const { deliveries, ...page } = await list(webhook);
    expect(page).toEqual({ offset: 0, max: 50, count: 4, countIsExact: true });
    const common = { webhookId: webhook.id, type: 'LOCATION_CREATED', recordedAt: expect.any(String) };
    const heldUp = { reason: 'PAUSED', until: expect.any(String), message: expect.stringContaining('paused until') };
    const refused = {
      at: expect.any(String),
      outcome: 'REFUSED',
      statusCode: 500,
      error: 'The receiver responded with 500 Internal Server Error.',
      hint: 'The receiver failed. Check its logs for the error.',
      durationMs: expect.any(Number),
    };
    expect(deliveries).toEqual([
      {
        ...common,
        id: `${waiting}-${webhook.id}`,
        eventId: waiting,
        event: expect.objectContaining({ id: waiting, location: expect.any(Number) }),
        state: 'WAITING',
        attempts: 0,
        nextTry: heldUpUntil(deliveries[0]),
        heldUp,
      },
      {
        ...common,
        id: `${retrying}-${webhook.id}`,
        eventId: retrying,
        event: expect.objectContaining({ id: retrying, location: expect.any(Number) }),
        state: 'RETRYING',
        attempts: 1,
        nextTry: expect.any(String),
        heldUp,
        lastAttempt: refused,
      },
      {
        ...common,
        id: `${discarded}-${webhook.id}`,
        eventId: discarded,
        event: expect.objectContaining({ id: discarded, location: expect.any(Number) }),
        state: 'DISCARDED',
        attempts: 2,
        lastAttempt: refused,
      },
      {
        ...common,
        id: `${delivered}-${webhook.id}`,
        eventId: delivered,
        event: expect.objectContaining({ id: delivered, location: expect.any(Number) }),
        state: 'DELIVERED',
        attempts: 1,
        lastAttempt: {
          at: expect.any(String),
          outcome: 'DELIVERED',
          statusCode: 200,
          durationMs: expect.any(Number),
        },
      },
    ]);
  });

  const heldUpUntil = (delivery: { heldUp: { until: string } }) => delivery.heldUp.until;

  test('can be filtered by state, status code and event', async () => {
    const { webhook, delivered, discarded, retrying, waiting } = await oneOfEach();
    const found = async (query: string) => {
      const page = await list(webhook, query);
      expect(page.count).toBe(page.deliveries.length);
      return idsOf(page);
    };
    expect(await found('?states=WAITING')).toEqual([waiting]);
    expect(await found('?states=RETRYING')).toEqual([retrying]);
    expect(await found('?states=DELIVERED')).toEqual([delivered]);
    expect(await found('?states=DISCARDED')).toEqual([discarded]);
    expect(await found('?states=DISCARDED,WAITING&states=DELIVERED')).toEqual([waiting, discarded, delivered]);
    expect(await found('?statusCode=500')).toEqual([retrying, discarded]);
    expect(await found('?statusCode=500&states=DISCARDED')).toEqual([discarded]);
    expect(await found('?statusCode=200')).toEqual([delivered]);
    expect(await found('?statusCode=204')).toEqual([]);
    expect(await found(`?eventId=${discarded}`)).toEqual([discarded]);
    expect(await found(`?eventId=${discarded}&states=DELIVERED`)).toEqual([]);
    expect(await found('?eventId=999999999')).toEqual([]);
  });

  test('can be filtered by recording time, inclusive', async () => {
    const webhook = await scene.webhook(partner);
    const ids = await scene.recordEvents(partner, 4);
    await scene.deliver(webhook);
    const { deliveries } = await list(webhook);
    const [, third, second] = deliveries.map(({ recordedAt }: { recordedAt: string }) => recordedAt);
    expect(idsOf(await list(webhook, `?since=${second}`))).toEqual(ids.slice(1).reverse());
    expect(idsOf(await list(webhook, `?until=${Date.parse(second)}`))).toEqual(ids.slice(0, 2).reverse());
    expect(idsOf(await list(webhook, `?since=${second}&until=${third}`))).toEqual(ids.slice(1, 3).reverse());
    expect(await list(webhook, '?until=2001-01-01')).toMatchObject({ count: 0, deliveries: [] });
  });

  test('a delivery that was sent again is listed once, with its last attempt', async () => {
    const webhook = await scene.webhook(partner, 500);
    const id = await scene.record(partner);
    await scene.deliver(webhook);
    await scene.change(partner, webhook, { pushUrl: scene.receiver.url(`/200/${webhook.id}`) });
    await partner.call('POST', `/api/deliveries/${id}-${webhook.id}/retry`);
    await scene.deliver(webhook);
    expect(await list(webhook)).toMatchObject({ count: 1, deliveries: [{ eventId: id, state: 'DELIVERED' }] });
    expect(await list(webhook, '?states=DISCARDED')).toMatchObject({ count: 0, deliveries: [] });
    expect(await list(webhook, '?states=DELIVERED')).toMatchObject({ count: 1, deliveries: [{ attempts: 3 }] });
  });

  test('a redirect is listed with its target', async () => {
    const webhook = await scene.webhook(partner, 302);
    const respond = scene.receiver.respond;
    scene.receiver.respond = () => ({ status: 302, headers: { location: 'https://moved.example/hook' } });
    await scene.record(partner);
    await scene.deliver(webhook);
    scene.receiver.respond = respond;
    const { deliveries } = await list(webhook);
    expect(deliveries[0].lastAttempt).toMatchObject({
      statusCode: 302,
      error: 'The receiver responded with 302 Found to https://moved.example.',
      hint: expect.stringContaining('Redirects are not followed'),
    });
  });

  test('a requeued delivery is open again', async () => {
    const webhook = await scene.webhook(partner, 500);
    const id = await scene.record(partner);
    await scene.deliver(webhook);
    await partner.call('POST', `/api/deliveries/${id}-${webhook.id}/retry`);
    expect(idsOf(await list(webhook, '?states=DISCARDED'))).toEqual([]);
    expect(idsOf(await list(webhook, '?states=DISCARDED,DELIVERED'))).toEqual([]);
    expect(idsOf(await list(webhook, '?states=WAITING'))).toEqual([id]);
    expect(await list(webhook)).toMatchObject({ count: 1, deliveries: [{ eventId: id }] });
  });

  test('a replayed delivery is WAITING until its first attempt fails, then RETRYING and can be discarded', async () => {
    const webhook = await scene.webhook(partner, 500);
    const id = await scene.record(partner);
    await scene.deliver(webhook);
    await scene.change(partner, webhook, { retrySchedule: [3600] });
    const body = { since: Date.now() - 3_600_000 };
    const { response: replay } = (await partner.call('POST', `/api/sales-partners/webhooks/${webhook.id}/replay`, body))
      .body;
    await runReplay({ replayId: replay.id }, jobContext(scene.api.database));
    const delivery = `/api/deliveries/${id}-${webhook.id}`;
    const states = async () => [
      (await list(webhook)).deliveries[0].state,
      (await partner.call('GET', delivery)).body.response.state,
      (await partner.call('GET', `/api/events/${id}`)).body.response.deliveries[0].state,
    ];
    expect(await states()).toEqual(['WAITING', 'WAITING', 'WAITING']);
    expect(idsOf(await list(webhook, '?states=RETRYING'))).toEqual([]);
    expect((await partner.call('POST', `${delivery}/discard`)).code).toBe(409);
    await scene.deliverUntil(async () => (await scene.queueOf(webhook))[0]?.attempts === 3);
    expect(await states()).toEqual(['RETRYING', 'RETRYING', 'RETRYING']);
    expect(idsOf(await list(webhook, '?states=WAITING'))).toEqual([]);
    expect((await partner.call('POST', `${delivery}/discard`)).body.response.state).toBe('DISCARDED');
  });
});

describe('pages', () => {
  test('return each delivery once, by after and by offset, while events are added', async () => {
    const webhook = await scene.webhook(partner);
    const ended = await scene.recordEvents(partner, 4);
    await scene.deliver(webhook);
    const all = [...ended, ...(await scene.recordEvents(partner, 3))].reverse();
    expect(idsOf(await list(webhook, '?max=3&offset=2'))).toEqual(all.slice(2, 5));
    const oldest = await list(webhook, '?order=ASC&max=5');
    expect(idsOf(oldest)).toEqual(all.toReversed().slice(0, 5));
    expect(idsOf(await list(webhook, `?order=ASC&after=${oldest.after}`))).toEqual(all.toReversed().slice(5));
    const seen: number[] = [];
    let after = '';
    for (;;) {
      const page = await list(webhook, `?max=3${after}`);
      seen.push(...idsOf(page));
      if (page.after === undefined) break;
      after = `&after=${page.after}`;
      await scene.record(partner);
    }
    expect(seen).toEqual(all);
  });

  test('have the requested size, up to 500', async () => {
    const webhook = await scene.webhook(partner);
    expect(await list(webhook, '?max=500')).toMatchObject({ max: 500, count: 0, deliveries: [] });
    const { body } = await partner.call('GET', path(webhook, '?max=501'));
    expect(body).toMatchObject({ response: { max: 500 }, warnings: [expect.stringContaining('capped at 500')] });
  });

  test('are counted exactly up to 100,000; above that the count is an upper bound', async () => {
    const webhook = await scene.webhook(partner);
    const fill = (count: number) =>
      scene.query(
        `with recorded as (
           insert into events (id, recorded_at, partner_id, type, body)
           select nextval('event_id'), now(), $1, 'LOCATION_CREATED', '{}' from generate_series(1, $3::integer)
           returning id, recorded_at
         )
         insert into delivery_queue (event_id, webhook_id, recorded_at, lane, due_at, attempts, tries)
         select id, $2, recorded_at, 0, recorded_at, 0, 0 from recorded`,
        [partner.partner.id, webhook.id, count],
      );
    await fill(10_000);
    expect(await list(webhook, '?max=1')).toMatchObject({ count: 10_000, countIsExact: true });
    await fill(1);
    expect(await list(webhook, '?max=1')).toMatchObject({ count: 10_001, countIsExact: true });
    await fill(90_000);
    const { count, countIsExact } = await list(webhook, '?max=1');
    expect(countIsExact).toBe(false);
    expect(count).toBeGreaterThanOrEqual(100_001);
  });

  test('are counted again after a write of the partner', async () => {
    // Its id must differ from the id of the partner.
    await scene.query("select setval(pg_get_serial_sequence('webhooks', 'id'), 1000)");
    const webhook = await scene.webhook(partner);
    await scene.pause(webhook);
    const { rows } = await scene.query(
      `with recorded as (
         insert into events (id, recorded_at, partner_id, type, body)
         select nextval('event_id'), now(), $1, 'LOCATION_CREATED', '{}' from generate_series(1, 1100)
         returning id, recorded_at
       )
       insert into attempts (event_id, webhook_id, number, recorded_at, started_at, url, outcome, total_ms, verdict)
       select id, $2, 1, recorded_at, recorded_at, 'https://receiver.example', 'REFUSED', 1, 'DISCARDED' from recorded
       returning event_id || '-' || webhook_id as id`,
      [partner.partner.id, webhook.id],
    );
    expect(await list(webhook, '?max=1&states=DISCARDED')).toMatchObject({ count: 1100 });
    expect((await partner.call('POST', `/api/deliveries/${rows[0].id}/retry`)).code).toBe(200);
    expect(await list(webhook, '?max=1&states=DISCARDED')).toMatchObject({ count: 1099 });
  });
});

test.each([
  ['states=FINISHED', 'states[0]', 'one of WAITING, RETRYING, DELIVERED, DISCARDED'],
  ['statusCode=abc', 'statusCode', 'integer'],
  ['eventId=0', 'eventId', '1 or more'],
  ['since=soon', 'since', 'ISO 8601'],
  ['since=2026-11-02&until=2026-11-01', 'since', 'must not be later than until'],
  ['after=x', 'after', 'integer'],
])('rejects %s with a message', async (query, field, words) => {
  const webhook = await scene.webhook(partner);
  const { code, body } = await partner.call('GET', path(webhook, `?${query}`));
  expect(code).toBe(400);
  expect(body.errors[0]).toMatchObject({ field, message: expect.stringContaining(words) });
});

test('shows the log to the owner and its ancestors only', async () => {
  const child = await scene.api.addPartner(partner);
  const webhook = await scene.webhook(partner);
  const childWebhook = await scene.webhook(child);
  const stranger = await scene.api.addPartner();
  await scene.record(child);
  expect(await list(childWebhook, '', partner)).toMatchObject({ count: 1 });
  expect(await list(webhook, '', partner)).toMatchObject({ count: 1 });
  for (const by of [child, stranger]) expect((await by.call('GET', path(webhook))).code).toBe(404);
  expect((await scene.api.call('GET', path(webhook))).code).toBe(401);
  await scene.remove(partner, webhook);
  expect((await partner.call('GET', path(webhook))).code).toBe(404);
});
