import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { verifyDelivery } from '../../../receiver/receiver.ts';
import type { TestPartner } from '../../../test/support/api.ts';
import { LogScene } from '../../../test/support/log-scene.ts';
import { checkEventFields } from '../catalogue/catalogue.ts';

let scene: LogScene;
let partner: TestPartner;

beforeAll(async () => {
  scene = await LogScene.open();
});
beforeEach(async () => {
  partner = await scene.api.addPartner();
});
afterAll(() => scene.close());

const tryOut = ({ id }: { id: number }, by = partner, headers = {}) =>
  by.call('POST', `/api/sales-partners/webhooks/${id}/test`, undefined, headers);

const arrivalsAt = ({ pushUrl }: { pushUrl: string }) =>
  scene.receiver.arrivals.filter(({ path }) => pushUrl.endsWith(path));

test('a test sends the example of the type, signed and marked, and answers with what came back', async () => {
  const webhook = await scene.webhook(partner);
  const { code, body } = await tryOut(webhook);
  expect(code).toBe(200);
  expect(body.response).toEqual({
    delivered: true,
    eventId: expect.any(Number),
    url: webhook.pushUrl,
    outcome: 'DELIVERED',
    statusCode: 200,
    durations: expect.objectContaining({ totalMs: expect.any(Number) }),
    response: { headers: expect.any(Object), body: '', bodyEncoding: 'UTF-8', truncated: false },
  });
  const [arrival, ...more] = arrivalsAt(webhook);
  expect(more).toEqual([]);
  expect(arrival?.headers).toMatchObject({
    'waypost-test': 'true',
    'user-agent': expect.stringMatching(/^Waypost\/\d/),
    'webhook-id': String(body.response.eventId),
  });
  const event = verifyDelivery({ body: arrival?.body, privateKey: partner.privateKey });
  const { id, time, type, salesPartnerIdentifier, ...fields } = event;
  expect({ id, type, salesPartnerIdentifier }).toEqual({
    id: body.response.eventId,
    type: 'LOCATION_CREATED',
    salesPartnerIdentifier: partner.partner.identifier,
  });
  expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(10_000);
  expect(checkEventFields('LOCATION_CREATED', fields)).toEqual([]);
});

test('a test is in no log, no queue and no statistics', async () => {
  const webhook = await scene.webhook(partner);
  await tryOut(webhook);
  const { rows } = await scene.query(
    `select (select count(*) from events where partner_id = $2) as events,
       (select count(*) from attempts where webhook_id = $1) as attempts,
       (select count(*) from delivery_queue where webhook_id = $1) as queued,
       (select count(*) from webhook_statistics where webhook_id = $1) as minutes`,
    [webhook.id, partner.partner.id],
  );
  expect(rows).toEqual([{ events: 0, attempts: 0, queued: 0, minutes: 0 }]);
});

test('a receiver that fails is no failure of the call: the answer says what went wrong and what to do', async () => {
  const refused = await tryOut(await scene.webhook(partner, 404));
  expect(refused.code).toBe(200);
  expect(refused.body.response).toMatchObject({
    delivered: false,
    statusCode: 404,
    error: 'The receiver responded with 404 Not Found.',
    hint: expect.stringContaining('Check the path'),
  });
  const closed = await tryOut(await scene.webhook(partner, 200, { pushUrl: 'http://127.0.0.1:1/' }));
  expect(closed.body.response).toMatchObject({ delivered: false, outcome: 'UNREACHABLE', hint: expect.any(String) });
});

test('a webhook that is off can be tested before it is switched on', async () => {
  const webhook = await scene.webhook(partner, 200, { enabled: false });
  expect((await tryOut(webhook)).body.response.delivered).toBe(true);
});

test('with an Idempotency-Key a test is made once', async () => {
  const webhook = await scene.webhook(partner);
  const headers = { 'Idempotency-Key': randomUUID() };
  const [first, second] = await Promise.all([tryOut(webhook, partner, headers), tryOut(webhook, partner, headers)]);
  expect(first.code).toBe(200);
  expect(second.body).toEqual(first.body);
  expect(arrivalsAt(webhook)).toHaveLength(1);
});

test('receivers that take their time hold up only a few tests of their own partner', async () => {
  const webhook = await scene.webhook(partner);
  const { promise: ready, resolve: answerNow } = Promise.withResolvers<number>();
  const answer = scene.receiver.answer;
  scene.receiver.answer = (arrival) => (webhook.pushUrl.endsWith(arrival.path) ? ready : answer(arrival));
  const slow = [tryOut(webhook), tryOut(webhook)];
  await expect.poll(() => arrivalsAt(webhook).length).toBe(2);
  const refused = await tryOut(webhook);
  expect(refused).toMatchObject({ code: 429, body: { status: 'QUOTA_LIMIT_EXCEED' } });
  expect(refused.headers.get('retry-after')).toBe('15');
  const other = await scene.api.addPartner();
  expect((await tryOut(await scene.webhook(other), other)).code).toBe(200);
  answerNow(200);
  expect((await Promise.all(slow)).map(({ code }) => code)).toEqual([200, 200]);
  expect((await tryOut(webhook)).code).toBe(200);
  scene.receiver.answer = answer;
});

test('others cannot test it', async () => {
  const webhook = await scene.webhook(partner);
  expect((await tryOut(webhook, await scene.api.addPartner())).code).toBe(404);
  expect((await tryOut({ id: 999_999 })).code).toBe(404);
  expect(arrivalsAt(webhook)).toEqual([]);
});

test('a test of a child’s webhook by its parent is an event of the child', async () => {
  const child = await scene.api.addPartner(partner);
  const webhook = await scene.webhook(child);
  expect((await tryOut(webhook)).body.response.delivered).toBe(true);
  const event = verifyDelivery({ body: arrivalsAt(webhook)[0]?.body, privateKey: child.privateKey });
  expect(event.salesPartnerIdentifier).toBe(child.partner.identifier);
});
