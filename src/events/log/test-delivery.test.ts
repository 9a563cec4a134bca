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

const sendTest = ({ id }: { id: number }, by = partner, headers = {}) =>
  by.call('POST', `/api/sales-partners/webhooks/${id}/test`, undefined, headers);

const arrivalsAt = ({ pushUrl }: { pushUrl: string }) =>
  scene.receiver.requests.filter(({ path }) => pushUrl.endsWith(path));

test('sends the signed and marked example and returns the response of the receiver', async () => {
  const webhook = await scene.webhook(partner);
  const { code, body } = await sendTest(webhook);
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
  const [request, ...more] = arrivalsAt(webhook);
  expect(more).toEqual([]);
  expect(request?.headers).toMatchObject({
    'waypost-test': 'true',
    'user-agent': expect.stringMatching(/^Waypost\/\d/),
    'webhook-id': String(body.response.eventId),
  });
  const event = verifyDelivery({ body: request?.body, privateKey: partner.privateKey });
  const { id, time, type, salesPartnerIdentifier, ...fields } = event;
  expect({ id, type, salesPartnerIdentifier }).toEqual({
    id: body.response.eventId,
    type: 'LOCATION_CREATED',
    salesPartnerIdentifier: partner.partner.identifier,
  });
  expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(10_000);
  expect(checkEventFields('LOCATION_CREATED', fields)).toEqual([]);
});

test('does not appear in log, queue or statistics', async () => {
  const webhook = await scene.webhook(partner);
  await sendTest(webhook);
  const { rows } = await scene.query(
    `select (select count(*) from events where partner_id = $2) as events,
       (select count(*) from attempts where webhook_id = $1) as attempts,
       (select count(*) from delivery_queue where webhook_id = $1) as queued,
       (select count(*) from webhook_statistics where webhook_id = $1) as minutes`,
    [webhook.id, partner.partner.id],
  );
  expect(rows).toEqual([{ events: 0, attempts: 0, queued: 0, minutes: 0 }]);
});

test('returns 200 with error and hint if the receiver fails', async () => {
  const refused = await sendTest(await scene.webhook(partner, 404));
  expect(refused.code).toBe(200);
  expect(refused.body.response).toMatchObject({
    delivered: false,
    statusCode: 404,
    error: 'The receiver responded with 404 Not Found.',
    hint: expect.stringContaining('Check the path'),
  });
  const closed = await sendTest(await scene.webhook(partner, 200, { pushUrl: 'http://127.0.0.1:1/' }));
  expect(closed.body.response).toMatchObject({ delivered: false, outcome: 'UNREACHABLE', hint: expect.any(String) });
});

test('tests a disabled webhook', async () => {
  const webhook = await scene.webhook(partner, 200, { enabled: false });
  expect((await sendTest(webhook)).body.response.delivered).toBe(true);
});

test('sends one test per Idempotency-Key', async () => {
  const webhook = await scene.webhook(partner);
  const headers = { 'Idempotency-Key': randomUUID() };
  const [first, second] = await Promise.all([sendTest(webhook, partner, headers), sendTest(webhook, partner, headers)]);
  expect(first.code).toBe(200);
  expect(second.body).toEqual(first.body);
  expect(arrivalsAt(webhook)).toHaveLength(1);
});

test('limits concurrent tests per partner', async () => {
  const webhook = await scene.webhook(partner);
  const { promise: ready, resolve: respondNow } = Promise.withResolvers<number>();
  const respond = scene.receiver.respond;
  scene.receiver.respond = (request) => (webhook.pushUrl.endsWith(request.path) ? ready : respond(request));
  const slow = [sendTest(webhook), sendTest(webhook)];
  await expect.poll(() => arrivalsAt(webhook).length).toBe(2);
  const refused = await sendTest(webhook);
  expect(refused).toMatchObject({ code: 429, body: { status: 'QUOTA_LIMIT_EXCEED' } });
  expect(refused.headers.get('retry-after')).toBe('15');
  const other = await scene.api.addPartner();
  expect((await sendTest(await scene.webhook(other), other)).code).toBe(200);
  respondNow(200);
  expect((await Promise.all(slow)).map(({ code }) => code)).toEqual([200, 200]);
  expect((await sendTest(webhook)).code).toBe(200);
  scene.receiver.respond = respond;
});

test('returns 404 for webhooks of other partners', async () => {
  const webhook = await scene.webhook(partner);
  expect((await sendTest(webhook, await scene.api.addPartner())).code).toBe(404);
  expect((await sendTest({ id: 999_999 })).code).toBe(404);
  expect(arrivalsAt(webhook)).toEqual([]);
});

test('sends an event of the child when a parent tests its webhook', async () => {
  const child = await scene.api.addPartner(partner);
  const webhook = await scene.webhook(child);
  expect((await sendTest(webhook)).body.response.delivered).toBe(true);
  const event = verifyDelivery({ body: arrivalsAt(webhook)[0]?.body, privateKey: child.privateKey });
  expect(event.salesPartnerIdentifier).toBe(child.partner.identifier);
});
