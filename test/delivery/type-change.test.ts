import { expect, test } from 'vitest';
import { DeliveryScene } from '../support/delivery-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';

const longAgo = new Date(Date.now() - 3_600_000).toISOString();

test('sends no events of the previous type after a change of type', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url());
  scene.worker({ retrySchedule: [60] });
  const [delivered] = await scene.record();
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
  receiver.respond = () => 500;
  const [failed] = await scene.record();
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED', 'RETRY']);
  await scene.change(webhook, { enabled: false });
  const [waiting] = await scene.record();
  await scene.change(webhook, { enabled: true, type: 'BUSINESS_CREATED' });
  expect(await scene.queue(webhook)).toEqual([]);
  receiver.respond = () => 200;
  const created = await scene.recordAs('BUSINESS_CREATED');
  await eventually(() => receiver.ids()).toEqual([delivered, failed, created]);

  const { call } = scene.partner;
  for (const [id, state] of [
    [delivered, 'DELIVERED'],
    [failed, 'CANCELLED'],
    [created, 'DELIVERED'],
  ]) {
    await eventually(async () => (await call('GET', `/api/events/${id}`)).body.response.deliveries).toMatchObject([
      { state },
    ]);
  }
  expect((await call('GET', `/api/events/${waiting}`)).body.response.deliveries).toMatchObject([
    { state: 'SKIPPED', reason: 'WAS_OFF' },
  ]);
  for (const id of [delivered, failed]) {
    const again = await call('POST', `/api/deliveries/${id}-${webhook.id}/retry`);
    expect(again).toMatchObject({
      code: 409,
      body: { message: expect.stringContaining('is subscribed to BUSINESS_CREATED now') },
    });
  }
  const replay = { since: longAgo, states: ['DELIVERED', 'DISCARDED', 'SKIPPED'], dryRun: true };
  const path = `/api/sales-partners/webhooks/${webhook.id}/replay`;
  expect((await call('POST', path, replay)).body.response).toMatchObject({ count: 1 });
});

test('does not send events of the previous type recorded during the change', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url());
  await scene.record(3);
  // A concurrent transaction may still see the previous type and queue a delivery after the change.
  await scene.api.database.pool.query("update webhooks set type = 'LOCATION_STATUS_CHANGED' where id = $1", [
    webhook.id,
  ]);
  scene.worker();
  await eventually(() => scene.queue(webhook)).toEqual([]);
  await scene.deliverUnrelatedEvent();
  expect(receiver.requests).toEqual([]);
  expect(await scene.attempts(webhook)).toEqual([]);
});
