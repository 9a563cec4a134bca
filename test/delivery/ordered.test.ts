import { expect, test } from 'vitest';
import { type EventFields, eventTypes } from '../../src/events/catalogue/catalogue.ts';
import { type NewEvent, recordEvent, recordEvents } from '../../src/events/outbox/record-event.ts';
import type { ReceivedRequest, Reply } from '../support/delivery.ts';
import { DeliveryScene, type TestWebhook } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

const path = '/api/sales-partners/webhooks';
const ordered = { ordered: true };

const created = (location: number): EventFields<'LOCATION_CREATED'> => ({
  ...eventTypes.LOCATION_CREATED.example,
  location,
});
const changed = (location: number): EventFields<'LOCATION_PROFILE_CHANGED'> => ({
  ...eventTypes.LOCATION_PROFILE_CHANGED.example,
  location,
});

/** Records one event per location, in this order. */
async function record(scene: DeliveryScene, ...locations: number[]): Promise<number[]> {
  const ids: number[] = [];
  for (const location of locations) ids.push(await scene.recordAs('LOCATION_CREATED', created(location)));
  return ids;
}

/** Events of another location arrive: an event that could have been sent before has been sent by then. */
async function deliverOtherLocation(scene: DeliveryScene, webhook: TestWebhook): Promise<void> {
  const [id] = await record(scene, 999);
  await eventually(async () => (await scene.attempts(webhook)).map(({ eventId }) => eventId)).toContain(id);
}

const locationOf = ({ event }: ReceivedRequest): number => event.location;
const rejecting =
  (location: number) =>
  (request: ReceivedRequest): Reply =>
    locationOf(request) === location ? 500 : 200;

async function delivery(scene: DeliveryScene, eventId: number | undefined, { id }: TestWebhook) {
  const { code, body } = await scene.partner.call('GET', `/api/deliveries/${eventId}-${id}`);
  expect(code).toBe(200);
  return body.response;
}

test('sends events of a location one after the other, and those of other locations meanwhile', async () => {
  const scene = await DeliveryScene.open();
  const held = Promise.withResolvers<Reply>();
  const receiver = await scene.receiver(() => (receiver.requests.length === 1 ? held.promise : 200));
  const webhook = await scene.webhook(receiver.url(), ordered);
  const [first] = await record(scene, 1);
  scene.worker();
  await eventually(() => receiver.ids()).toEqual([first]);
  const [second, other, third] = await record(scene, 1, 2, 1);
  await eventually(() => receiver.ids()).toEqual([first, other]);
  await deliverOtherLocation(scene, webhook);
  expect(receiver.requests.filter((request) => locationOf(request) === 1)).toHaveLength(1);
  held.resolve(200);
  await eventually(() => scene.depth(webhook)).toBe(0);
  const arrived = receiver.requests.filter((request) => locationOf(request) === 1).map(({ event }) => event.id);
  expect(arrived).toEqual([first, second, third]);
});

test('orders events of a business, and those of several webhooks with the same URL', async () => {
  const scene = await DeliveryScene.open();
  const types = ['BUSINESS_CREATED', 'BUSINESS_PRODUCT_PLAN_CHANGED', 'LOCATION_CREATED', 'LOCATION_PROFILE_CHANGED'];
  const held: PromiseWithResolvers<Reply>[] = [];
  const receiver = await scene.receiver(() => {
    held.push(Promise.withResolvers<Reply>());
    return held.at(-1)?.promise ?? 200;
  });
  const { body } = await scene.partner.call('POST', path, { pushUrl: receiver.url(), types, ...ordered });
  expect(body.response).toMatchObject(types.map((type) => ({ type, ordered: true })));
  scene.worker();
  scene.worker();
  const plan = eventTypes.BUSINESS_PRODUCT_PLAN_CHANGED.example;
  const business = [
    await scene.recordAs('BUSINESS_PRODUCT_PLAN_CHANGED', plan),
    await scene.recordAs('BUSINESS_CREATED', { ...eventTypes.BUSINESS_CREATED.example, business: plan.business }),
  ];
  const location = [
    await scene.recordAs('LOCATION_PROFILE_CHANGED', changed(1)),
    await scene.recordAs('LOCATION_CREATED', created(1)),
    await scene.recordAs('LOCATION_PROFILE_CHANGED', changed(1)),
  ];
  const total = business.length + location.length;
  for (let n = 0; n < total; n++) {
    await eventually(() => held.length).toBeGreaterThan(n);
    expect(receiver.open).toBeLessThanOrEqual(2);
    held[n]?.resolve(200);
  }
  await eventually(async () => (await scene.attempts(body.response[2])).length).toBe(1);
  const ids = receiver.ids();
  expect(ids.filter((id) => business.includes(id))).toEqual(business);
  expect(ids.filter((id) => location.includes(id))).toEqual(location);
});

test('a failing event holds back its location only, and the log names it', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(rejecting(1));
  const webhook = await scene.webhook(receiver.url(), ordered);
  const [first, other, second, third] = await record(scene, 1, 2, 1, 1);
  scene.worker({ retrySchedule: [3600] });
  await eventually(() => scene.attempts(webhook)).toHaveLength(2);
  await deliverOtherLocation(scene, webhook);
  expect(receiver.ids().slice(0, 2).sort()).toEqual([first, other].sort());
  expect(receiver.ids()).not.toContain(second);
  expect((await scene.attempts(webhook)).filter(({ verdict }) => verdict === 'RETRY')).toHaveLength(1);

  const heldUp = {
    reason: 'WAITING_FOR_EVENT',
    eventId: first,
    message: expect.stringContaining(`Waiting for event ${first}`),
  };
  const { body } = await scene.partner.call('GET', `${path}/${webhook.id}/deliveries?states=WAITING`);
  expect(body.response.deliveries).toMatchObject([
    { eventId: third, state: 'WAITING', heldUp },
    { eventId: second, state: 'WAITING', heldUp },
  ]);
  for (const waiting of body.response.deliveries) expect(waiting).not.toHaveProperty('nextTry');
  expect(await delivery(scene, second, webhook)).toMatchObject({ state: 'WAITING', heldUp });
  expect(await delivery(scene, first, webhook)).toMatchObject({ state: 'RETRYING', nextTry: expect.any(String) });
  expect(await delivery(scene, first, webhook)).not.toHaveProperty('heldUp');
  const event = await scene.partner.call('GET', `/api/events/${second}`);
  expect(event.body.response.deliveries).toMatchObject([{ state: 'WAITING', heldUp }]);
});

test('refuses to retry a delivery that is held back, and sends all when the first is retried', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(rejecting(1));
  const webhook = await scene.webhook(receiver.url(), ordered);
  const [first, second, third] = await record(scene, 1, 1, 1);
  scene.worker({ retrySchedule: [3600] });
  await eventually(() => scene.attempts(webhook)).toHaveLength(1);
  const refused = await scene.partner.call('POST', `/api/deliveries/${second}-${webhook.id}/retry`);
  expect(refused).toMatchObject({
    code: 409,
    body: { message: expect.stringContaining(`Event ${second} waits for event ${first}`) },
  });
  receiver.respond = () => 200;
  expect((await scene.partner.call('POST', `/api/deliveries/${first}-${webhook.id}/retry`)).code).toBe(200);
  await eventually(() => scene.depth(webhook)).toBe(0);
  expect(receiver.ids()).toEqual([first, first, second, third]);
});

test('sends the next event when a user discards a failing one', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(({ event }) => (event.id === first ? 400 : 200));
  const webhook = await scene.webhook(receiver.url(), ordered);
  const [first, second] = await record(scene, 1, 1);
  scene.worker({ retrySchedule: [3600] });
  await eventually(() => scene.attempts(webhook)).toHaveLength(1);
  expect((await scene.partner.call('POST', `/api/deliveries/${first}-${webhook.id}/discard`)).code).toBe(200);
  await eventually(() => scene.depth(webhook)).toBe(0);
  expect(receiver.ids()).toEqual([first, second]);
  expect(await delivery(scene, first, webhook)).toMatchObject({ state: 'DISCARDED' });
});

test('sends the next event when one is discarded', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(({ event }) => (event.id === first ? 400 : 200));
  const webhook = await scene.webhook(receiver.url(), ordered);
  const [first, second] = await record(scene, 1, 1);
  scene.worker({ retrySchedule: [] });
  await eventually(() => scene.verdicts(webhook)).toEqual(['DISCARDED', 'DELIVERED']);
  expect(receiver.ids()).toEqual([first, second]);
});

test('an ended delivery that is sent again neither waits nor holds back others', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url(), ordered);
  const [old] = await record(scene, 1);
  scene.worker({ retrySchedule: [3600] });
  await eventually(() => scene.depth(webhook)).toBe(0);
  receiver.respond = () => 500;
  const [failing] = await record(scene, 1);
  await eventually(() => scene.attempts(webhook)).toHaveLength(2);
  const resent = await scene.partner.call('POST', `/api/deliveries/${old}-${webhook.id}/retry`);
  expect(resent).toMatchObject({ code: 200, body: { response: { nextTry: expect.any(String) } } });
  await eventually(() => receiver.ids()).toEqual([old, failing, old]);

  receiver.respond = () => 200;
  await scene.partner.call('POST', `/api/deliveries/${failing}-${webhook.id}/retry`);
  const [next] = await record(scene, 1);
  await eventually(() => receiver.ids()).toEqual([old, failing, old, failing, next]);
  await eventually(() => scene.queue(webhook)).toMatchObject([{ eventId: old }]);
});

test('applies to events recorded after it was switched on; switching it off releases all', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver(rejecting(1));
  const webhook = await scene.webhook(receiver.url());
  const [before] = await record(scene, 1);
  await scene.change(webhook, ordered);
  const [first, second] = await record(scene, 1, 1);
  scene.worker({ retrySchedule: [3600] });
  await eventually(() => receiver.ids().sort()).toEqual([before, first].sort());
  await eventually(() => scene.attempts(webhook)).toHaveLength(2);
  await deliverOtherLocation(scene, webhook);
  expect(receiver.ids()).not.toContain(second);

  await scene.change(webhook, { ordered: false });
  await eventually(() => receiver.ids()).toContain(second);
  expect(await scene.get(webhook)).toMatchObject({ ordered: false });
});

test('events of a disabled webhook do not hold back the others of its URL', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const one = await scene.webhook(receiver.url(), ordered);
  const two = await scene.webhook(receiver.url(), { type: 'LOCATION_PROFILE_CHANGED', ...ordered });
  const [first] = await record(scene, 1);
  await scene.change(one, { enabled: false });
  const second = await scene.recordAs('LOCATION_PROFILE_CHANGED', changed(1));
  scene.worker();
  await eventually(() => scene.depth(two)).toBe(0);
  await scene.change(one, { enabled: true });
  await eventually(() => receiver.ids()).toEqual([second, first]);
});

/** An ordered webhook with a transaction in progress that has recorded the first event of location 1. */
async function openTransaction() {
  const scene = await DeliveryScene.open();
  const held: PromiseWithResolvers<Reply>[] = [];
  const receiver = await scene.receiver((request) => {
    if (locationOf(request) !== 2) return 200;
    held.push(Promise.withResolvers<Reply>());
    return held.at(-1)?.promise ?? 200;
  });
  const webhook = await scene.webhook(receiver.url(), ordered);
  // Recorded before the transaction, so they do not wait for it.
  await record(scene, 2, 2, 2);
  scene.worker();
  await eventually(() => held.length).toBe(1);
  const { id, end } = await begin(scene);
  /** Waits for the next event of location 2, which is read together with all others that can be sent. */
  const nextRead = async () => {
    const count = held.length;
    held.at(-1)?.resolve(200);
    await eventually(() => held.length).toBe(count + 1);
  };
  return { scene, receiver, webhook, first: id, end, nextRead, endLast: () => held.at(-1)?.resolve(200) };
}

async function begin(scene: DeliveryScene) {
  const connection = await scene.api.database.pool.connect();
  await connection.query('begin');
  const transaction = { query: connection.query.bind(connection), notifyAfterCommit: () => {} };
  const { partner } = scene.partner;
  const id = await recordEvent(transaction, { partner, type: 'LOCATION_CREATED', fields: created(1) });
  const end = async (how: 'commit' | 'rollback') => {
    await connection.query(how);
    connection.release();
  };
  return { id, end };
}

test('waits for a transaction in progress that may have recorded an earlier event', async () => {
  const { scene, receiver, webhook, first, end, nextRead, endLast } = await openTransaction();
  const [second] = await record(scene, 1);
  await nextRead();
  expect(receiver.ids()).not.toContain(second);
  await end('commit');
  await eventually(() => receiver.ids().slice(2)).toEqual([first, second]);
  await nextRead();
  endLast();
  await eventually(() => scene.depth(webhook)).toBe(0);
});

test('an event waits only for transactions that began before it', async () => {
  const { scene, receiver, first, end, nextRead } = await openTransaction();
  const [middle] = await record(scene, 1);
  await nextRead();
  const later = await begin(scene);
  await nextRead();
  expect(receiver.ids()).not.toContain(middle);
  await end('rollback');
  await eventually(() => receiver.ids()).toContain(middle);
  await later.end('commit');
  await eventually(() => receiver.ids()).toContain(later.id);
  expect(receiver.ids()).not.toContain(first);
});

test('later events of low keys do not delay earlier events of high keys during a transaction', async () => {
  const scene = await DeliveryScene.open();
  const held = Promise.withResolvers<Reply>();
  const receiver = await scene.receiver(() => (receiver.requests.length === 1 ? held.promise : 200));
  const webhook = await scene.webhook(receiver.url(), ordered);
  scene.worker();
  const [first, early] = await record(scene, 500, 500);
  await deliverOtherLocation(scene, webhook);
  const open = await begin(scene);
  // More than a worker reads at once.
  await record(scene, ...Array.from({ length: 30 }, (_, n) => 100 + n));
  held.resolve(200);
  await eventually(() => receiver.requests.filter((request) => locationOf(request) === 500)).toHaveLength(2);
  expect(receiver.ids().filter((id) => id === first || id === early)).toEqual([first, early]);
  expect(receiver.requests.map(locationOf)).not.toContain(100);
  await open.end('commit');
  await eventually(() => receiver.ids()).toHaveLength(34);
});

test('locations take turns when the rate is limited', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  await scene.webhook(receiver.url(), { ...ordered, maxPerSecond: 20 });
  await record(scene, ...Array.from({ length: 20 }, () => 1), 2);
  scene.worker();
  await eventually(() => receiver.requests.map(locationOf)).toContain(2);
  expect(receiver.requests.filter((request) => locationOf(request) === 1).length).toBeLessThan(10);
});

test('many locations behind a paused webhook do not hold back other locations and webhooks', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const paused = await scene.webhook(receiver.url(), ordered);
  const behind = await scene.webhook(receiver.url(), { type: 'LOCATION_PROFILE_CHANGED', ...ordered });
  const other = await scene.webhook(receiver.url('/other'), ordered);
  const locations = Array.from({ length: 400 }, (_, n) => 1 + n);
  const { partner } = scene.partner;
  const events: NewEvent[] = locations.flatMap((location) => [
    { partner, type: 'LOCATION_CREATED', fields: created(location) },
    { partner, type: 'LOCATION_PROFILE_CHANGED', fields: changed(location) },
  ]);
  await scene.api.database.transaction((transaction) => recordEvents(transaction, events));
  await scene.api.database.pool.query(
    "update webhook_health set trips = 1, open_until = now() + interval '1 hour' where webhook_id = $1",
    [paused.id],
  );
  const free = await scene.recordAs('LOCATION_PROFILE_CHANGED', changed(1000));
  scene.worker();
  await eventually(() => scene.depth(other)).toBe(0);
  await eventually(() => scene.depth(behind)).toBe(locations.length);
  expect(receiver.ids().filter((id) => id === free)).toHaveLength(1);
  expect(await scene.attempts(paused)).toEqual([]);
});

test('a retry does not send an event before that of a transaction in progress', async () => {
  const { scene, receiver, webhook, first, end, nextRead } = await openTransaction();
  const [second] = await record(scene, 1);
  const { code } = await scene.partner.call('POST', `/api/deliveries/${second}-${webhook.id}/retry`);
  expect(code).toBe(200);
  await nextRead();
  expect(receiver.ids()).not.toContain(second);
  await end('commit');
  await eventually(() => receiver.ids().slice(2)).toEqual([first, second]);
});

test('delivers an event of a transaction that ends after the order was switched off', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url(), ordered);
  const open = await begin(scene);
  await scene.change(webhook, { ordered: false });
  scene.worker();
  // The worker leases the webhook by an unordered delivery.
  const [first] = await record(scene, 7);
  await eventually(() => receiver.ids()).toEqual([first]);
  await open.end('commit');
  await eventually(() => receiver.ids()).toEqual([first, open.id]);
});

test('delivers many events of one statement in order, also of a parent partner', async () => {
  const scene = await DeliveryScene.open();
  const child = await scene.api.addPartner(scene.partner);
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url(), ordered);
  const events: NewEvent[] = Array.from({ length: 300 }, (_, n) => ({
    partner: child.partner,
    type: 'LOCATION_CREATED',
    fields: created(1 + (n % 60)),
  }));
  const ids = await scene.api.database.transaction((transaction) => recordEvents(transaction, events));
  scene.worker();
  await eventually(() => scene.depth(webhook)).toBe(0);
  expect(receiver.ids()).toHaveLength(ids.length);
  const byLocation = Map.groupBy(receiver.requests, locationOf);
  for (const requests of byLocation.values()) {
    const arrived = requests.map(({ event }) => event.id);
    expect(arrived).toEqual(arrived.toSorted((a, b) => a - b));
  }
});
