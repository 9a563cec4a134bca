import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { LogScene } from '../../../test/support/log-scene.ts';

let scene: LogScene;
let partner: TestPartner;

beforeAll(async () => {
  scene = await LogScene.open();
});
beforeEach(async () => {
  partner = await scene.api.addPartner();
});
afterAll(() => scene.close());

async function list(query = '', by = partner) {
  const { code, body } = await by.call('GET', `/api/events${query}`);
  expect(code).toBe(200);
  return body.response;
}

const idsOf = (page: { events: { id: number }[] }) => page.events.map(({ id }) => id);

async function look(id: number, by = partner) {
  const { code, body } = await by.call('GET', `/api/events/${id}`);
  expect(code).toBe(200);
  return body.response;
}

describe('the events of a partner', () => {
  test('are listed as delivered, newest first, for all types', async () => {
    const first = await scene.record(partner, 'BUSINESS_CREATED');
    const second = await scene.record(partner, 'LOCATION_CREATED');
    const third = await scene.record(partner, 'BUSINESS_CREATED');
    const { events, ...page } = await list();
    expect(page).toEqual({ offset: 0, max: 50, count: 3, countIsExact: true });
    expect(events.map(({ id }: { id: number }) => id)).toEqual([third, second, first]);
    expect(events[1]).toEqual({
      id: second,
      type: 'LOCATION_CREATED',
      salesPartnerId: partner.partner.id,
      recordedAt: expect.any(String),
      event: expect.objectContaining({
        id: second,
        type: 'LOCATION_CREATED',
        salesPartnerIdentifier: partner.partner.identifier,
      }),
    });
  });

  test('can be filtered by types', async () => {
    const business = await scene.record(partner, 'BUSINESS_CREATED');
    const location = await scene.record(partner, 'LOCATION_CREATED');
    await scene.record(partner, 'LISTING_UPDATE');
    expect(idsOf(await list('?type=BUSINESS_CREATED'))).toEqual([business]);
    const both = await list('?type=BUSINESS_CREATED,LOCATION_CREATED&type=BUSINESS_CREATED');
    expect(both.count).toBe(2);
    expect(idsOf(both)).toEqual([location, business]);
  });

  test('can be filtered by recording time, inclusive', async () => {
    const ids = await scene.recordEvents(partner, 3);
    const { events } = await list();
    const { recordedAt } = events[1];
    expect(idsOf(await list(`?since=${recordedAt}&until=${recordedAt}`))).toEqual([ids[1]]);
    expect(idsOf(await list(`?since=${Date.parse(recordedAt) + 1}`))).toEqual([ids[2]]);
  });

  test('are paginated by after and by offset, across types', async () => {
    const ids: number[] = [];
    for (const type of ['BUSINESS_CREATED', 'LOCATION_CREATED', 'LISTING_UPDATE', 'BUSINESS_CREATED'] as const) {
      ids.unshift(await scene.record(partner, type));
    }
    const first = await list('?max=3');
    expect(idsOf(first)).toEqual(ids.slice(0, 3));
    const second = await list(`?max=3&after=${first.after}`);
    expect(idsOf(second)).toEqual(ids.slice(3));
    expect(second).toMatchObject({ count: 4 });
    expect(second).not.toHaveProperty('after');
    expect(idsOf(await list('?max=2&offset=1'))).toEqual(ids.slice(1, 3));
    const oldest = await list('?order=ASC&max=3');
    expect(idsOf(oldest)).toEqual(ids.toReversed().slice(0, 3));
    expect(idsOf(await list(`?order=ASC&after=${oldest.after}`))).toEqual(ids.slice(0, 1));
    expect(await list('?offset=10001')).toMatchObject({ count: 4, events: [] });
  });

  test('include events of descendants with includeChildren, never of other partners', async () => {
    const child = await scene.api.addPartner(partner);
    const grandchild = await scene.api.addPartner(child);
    const stranger = await scene.api.addPartner();
    const own = await scene.record(partner);
    const below = [await scene.record(child), await scene.record(grandchild)];
    await scene.record(stranger);
    expect(idsOf(await list())).toEqual([own]);
    const all = await list('?includeChildren=true');
    expect(idsOf(all)).toEqual([...below.reverse(), own]);
    expect(all.count).toBe(3);
    expect(idsOf(await list('?includeChildren=true', grandchild))).toEqual([below[0]]);
  });

  test('include a summary with withSummary', async () => {
    const unsubscribed = await scene.record(partner, 'BUSINESS_CREATED');
    const webhook = await scene.webhook(partner);
    const sent = await scene.record(partner);
    await scene.deliver(webhook);
    const waiting = await scene.record(partner);
    const { events } = await list('?withSummary=true');
    const summaries = events.map(({ id, summary }: { id: number; summary: string }) => [id, summary]);
    expect(summaries).toEqual([
      [waiting, 'Waiting to be sent to 1 webhook.'],
      [sent, 'Delivered to 1 webhook.'],
      [unsubscribed, 'No webhook was subscribed to BUSINESS_CREATED when this event was recorded.'],
    ]);
    expect(events.map(({ webhooksCount }: { webhooksCount: number }) => webhooksCount)).toEqual([1, 1, 0]);
    for (const [id, summary] of summaries) expect((await look(id)).summary).toBe(summary);
    expect((await list('?withSummary=true&max=1')).events).toMatchObject([{ id: waiting }]);
  });

  test('are available under every path alias', async () => {
    await scene.record(partner);
    for (const path of ['/events', '/api/Events/', '/api/events?v=20230721']) {
      expect((await partner.call('GET', path)).body.response.count).toBe(1);
    }
  });

  test.each(['type=LOCATION_LOST', 'since=x', 'max=0', 'since=2&until=1'])('rejects %s', async (query) => {
    expect((await partner.call('GET', `/api/events?${query}`)).code).toBe(400);
  });
});

describe('an event', () => {
  test('shows the state of its delivery to each webhook', async () => {
    const [good, bad] = [await scene.webhook(partner, 200), await scene.webhook(partner, 500)];
    const id = await scene.record(partner);
    await scene.deliver(good);
    await scene.deliver(bad);
    const { deliveries, summary, event } = await look(id);
    expect(event.id).toBe(id);
    expect(summary).toBe('Delivered to 1 webhook and discarded for 1 webhook.');
    expect(deliveries).toEqual([
      {
        webhookId: good.id,
        salesPartnerId: partner.partner.id,
        pushUrl: good.pushUrl,
        state: 'DELIVERED',
        deliveryId: `${id}-${good.id}`,
        attempts: 1,
        lastAttempt: expect.objectContaining({ statusCode: 200 }),
      },
      expect.objectContaining({
        webhookId: bad.id,
        state: 'DISCARDED',
        attempts: 2,
        lastAttempt: expect.objectContaining({ statusCode: 500, hint: expect.any(String) }),
      }),
    ]);
  });

  test('shows why and until when a delivery waits', async () => {
    const webhook = await scene.webhook(partner);
    const id = await scene.record(partner);
    expect(await look(id)).toMatchObject({
      summary: 'Waiting to be sent to 1 webhook.',
      deliveries: [{ state: 'WAITING', attempts: 0, nextTry: expect.any(String) }],
    });
    await scene.pause(webhook);
    expect(await look(id)).toMatchObject({ deliveries: [{ state: 'WAITING', heldUp: { reason: 'PAUSED' } }] });
  });

  test('shows that no webhook was subscribed', async () => {
    const id = await scene.record(partner);
    expect(await look(id)).toMatchObject({
      summary: 'No webhook was subscribed to LOCATION_CREATED when this event was recorded.',
      deliveries: [],
    });
  });

  test('explains skipped webhooks by their settings at that time', async () => {
    const [deleted, otherType, off, kept] = [
      await scene.webhook(partner),
      await scene.webhook(partner, 200, { type: 'BUSINESS_CREATED' }),
      await scene.webhook(partner, 200, { enabled: false }),
      await scene.webhook(partner),
    ];
    await scene.remove(partner, deleted);
    const id = await scene.record(partner);
    const later = await scene.webhook(partner);
    await scene.change(partner, otherType, { type: 'LOCATION_CREATED' });
    await scene.change(partner, off, { enabled: true });
    await scene.change(partner, kept, { type: 'BUSINESS_CREATED' });
    const { deliveries } = await look(id);
    expect(
      deliveries.map(({ webhookId, state, reason }: Record<string, unknown>) => [webhookId, reason ?? state]),
    ).toEqual([
      [deleted.id, 'WAS_DELETED'],
      [otherType.id, 'OTHER_TYPE'],
      [off.id, 'WAS_OFF'],
      [kept.id, 'CANCELLED'],
      [later.id, 'CREATED_LATER'],
    ]);
    expect(deliveries[2]).toMatchObject({
      state: 'SKIPPED',
      message: 'The webhook was disabled when this event was recorded.',
    });
  });

  test('shows a delivery cancelled with its webhook, also after upkeep', async () => {
    const webhook = await scene.webhook(partner);
    const id = await scene.record(partner);
    await scene.remove(partner, webhook);
    expect((await look(id)).deliveries).toMatchObject([{ state: 'CANCELLED' }]);
    await scene.query('delete from delivery_queue where webhook_id = $1', [webhook.id]);
    expect((await look(id)).deliveries).toMatchObject([{ state: 'CANCELLED' }]);
  });

  test("shows a parent its own and its child's webhooks, and a child only its own", async () => {
    const child = await scene.api.addPartner(partner);
    const all = await scene.webhook(partner);
    const ownOnly = await scene.webhook(partner, 200, { includeChildren: false });
    const id = await scene.record(child);
    expect(await look(id, child)).toMatchObject({
      summary: 'None of your webhooks was subscribed to LOCATION_CREATED when this event was recorded.',
      deliveries: [],
    });
    const childs = await scene.webhook(child);
    expect((await look(id)).deliveries).toMatchObject([
      { webhookId: all.id, state: 'WAITING' },
      { webhookId: ownOnly.id, state: 'SKIPPED', reason: 'CHILDREN_EXCLUDED' },
      { webhookId: childs.id, salesPartnerId: child.partner.id, reason: 'CREATED_LATER' },
    ]);
    expect((await look(id, child)).deliveries).toMatchObject([{ webhookId: childs.id }]);
    // Events of the parent are not visible to the child.
    expect((await child.call('GET', `/api/events/${await scene.record(partner)}`)).code).toBe(404);
  });

  test('returns 404 for unknown events and events of other partners', async () => {
    const strangers = await scene.record(await scene.api.addPartner());
    for (const id of [strangers, 999_999_999]) {
      expect((await partner.call('GET', `/api/events/${id}`)).code).toBe(404);
    }
  });
});
