import { expect, test } from 'vitest';
import { readWebhookStates } from '../../src/events/alerts/alert-store.ts';
import { AlertScene, alertsPath } from '../support/alert-scene.ts';
import { eventually } from '../support/loopback-receivers.ts';
import { eventsOf } from '../support/recorded-events.ts';
import { addUser } from '../support/users.ts';

const retrySchedule = [3600];

const recorded = (alerts: AlertScene, type: string) => eventsOf(alerts.scene.api.database, alerts.scene.partner, type);

test('a failing webhook has an alert until it recovers, and other webhooks receive events about it', async () => {
  const alerts = await AlertScene.open();
  const { scene } = alerts;
  const receiver = await scene.receiver(() => 503);
  const monitor = await scene.receiver();
  const webhook = await scene.webhook(receiver.url());
  for (const type of ['WEBHOOK_FAILING', 'WEBHOOK_RECOVERED']) await scene.webhook(monitor.url(), { type });
  scene.worker({ retrySchedule });
  await scene.record(2);
  await eventually(() => scene.attempts(webhook)).toHaveLength(2);
  expect(await alerts.causes(webhook)).toEqual([]);

  await scene.record(1);
  await alerts.expectCauses(webhook, 'FAILING');
  const [alert] = await alerts.alerts();
  expect(alert).toMatchObject({
    webhookId: webhook.id,
    type: 'LOCATION_CREATED',
    pushUrl: receiver.url(),
    message: expect.stringMatching(/^Deliveries are failing\. .*503/),
  });
  expect(Date.parse(alert?.deadline ?? '') - Date.parse((await scene.get(webhook)).health.since)).toBe(5 * 86_400_000);
  await eventually(() => monitor.requests.map(({ event }) => event)).toMatchObject([
    { type: 'WEBHOOK_FAILING', webhook: webhook.id, webhookType: 'LOCATION_CREATED', cause: 'FAILING' },
  ]);

  receiver.respond = () => 200;
  await scene.record(1);
  await alerts.expectCauses(webhook);
  expect(await alerts.alerts('?state=OVER')).toMatchObject([{ webhookId: webhook.id, until: expect.any(String) }]);
  await eventually(() => monitor.requests.map(({ event }) => event.type)).toEqual([
    'WEBHOOK_FAILING',
    'WEBHOOK_RECOVERED',
  ]);
});

test('a redirect that repeats the token of the push URL does not put it into alerts and events', async () => {
  const alerts = await AlertScene.open();
  const { scene } = alerts;
  const receiver = await scene.receiver(() => ({
    status: 301,
    headers: { location: 'https://new.example.com/hook?token=secret' },
  }));
  const webhook = await scene.webhook(receiver.url('/hook?token=secret'));
  scene.worker({ retrySchedule });
  await scene.record(3);
  await alerts.expectCauses(webhook, 'FAILING');
  const message =
    'Deliveries are failing. The receiver responded with 301 Moved Permanently to https://new.example.com.';
  expect(await alerts.alerts()).toMatchObject([{ message }]);
  expect(await recorded(alerts, 'WEBHOOK_FAILING')).toMatchObject([{ comment: message }]);
});

test('the alert of a failing webhook tells when it is paused', async () => {
  const alerts = await AlertScene.open();
  const { scene } = alerts;
  const receiver = await scene.receiver(() => 500);
  const webhook = await scene.webhook(receiver.url());
  scene.worker({ retrySchedule, breakerThreshold: 4, breakerFirstPause: 3600 });
  await scene.record(3);
  await alerts.expectCauses(webhook, 'FAILING');
  await scene.record(1);
  await alerts.expectCauses(webhook, 'PAUSED');
  expect(await alerts.alerts()).toHaveLength(1);
  expect((await recorded(alerts, 'WEBHOOK_FAILING')).map(({ cause }) => cause)).toEqual(['FAILING', 'PAUSED']);
});

test('a webhook that is disabled by 410 has an alert until it is enabled', async () => {
  const alerts = await AlertScene.open();
  const { scene } = alerts;
  const receiver = await scene.receiver(() => 410);
  const webhook = await scene.webhook(receiver.url());
  scene.worker({ retrySchedule });
  await scene.record(1);
  await alerts.expectCauses(webhook, 'DISABLED');
  const message = 'The webhook is disabled. The receiver responded with 410 Gone.';
  expect(await alerts.alerts()).toMatchObject([{ message }]);
  expect(await recorded(alerts, 'WEBHOOK_DISABLED')).toMatchObject([{ webhook: webhook.id, comment: message }]);
  const disabled = `select actor, subject, subject_id as id, details from audit_trail where action = 'DISABLED'`;
  expect((await alerts.query(disabled)).rows).toEqual([
    {
      actor: 'SYSTEM',
      subject: 'WEBHOOK',
      id: webhook.id,
      details: { reason: 'The receiver responded with 410 Gone.' },
    },
  ]);

  receiver.respond = () => 200;
  await scene.change(webhook, { enabled: true });
  await alerts.expectCauses(webhook);
  expect(await recorded(alerts, 'WEBHOOK_RECOVERED')).toMatchObject([{ webhook: webhook.id }]);
});

test('a webhook that a user disables or deletes has no alert', async () => {
  const alerts = await AlertScene.open();
  const { scene } = alerts;
  const disabled = await scene.webhook('http://127.0.0.1:9/disabled');
  const deleted = await scene.webhook('http://127.0.0.1:9/deleted');
  for (const webhook of [disabled, deleted]) await alerts.setFailures(webhook, { since: '1 hour' });
  await alerts.findAlerts();
  expect(await alerts.causes(deleted)).toEqual(['FAILING']);
  await scene.change(disabled, { enabled: false });
  await scene.partner.call('DELETE', `/api/sales-partners/webhooks/${deleted.id}`);
  expect(await alerts.causes(disabled)).toEqual([]);
  expect(await alerts.causes(deleted)).toEqual([]);
  await alerts.findAlerts();
  expect(await recorded(alerts, 'WEBHOOK_RECOVERED')).toEqual([]);

  await alerts.passTime('2 days');
  await scene.change(disabled, { enabled: true });
  await alerts.runJobs();
  await alerts.findAlerts();
  expect(await recorded(alerts, 'WEBHOOK_RECOVERED')).toMatchObject([{ webhook: disabled.id }]);
});

test('deliveries that are due for longer than the limit cause an alert', async () => {
  const alerts = await AlertScene.open({ WAYPOST_ALERT_BACKLOG: '2h' });
  const { scene } = alerts;
  const receiver = await scene.receiver();
  const webhook = await scene.webhook(receiver.url());
  await scene.record(2);
  const age = (interval: string) => alerts.query('update delivery_queue set due_at = now() - $1::interval', [interval]);
  await age('110 minutes');
  await alerts.findAlerts();
  expect(await alerts.causes(webhook)).toEqual([]);
  await age('130 minutes');
  await alerts.findAlerts();
  expect(await alerts.causes(webhook)).toEqual(['BACKLOG']);
  scene.worker();
  await eventually(() => scene.depth(webhook)).toBe(0);
  await alerts.findAlerts();
  expect(await alerts.causes(webhook)).toEqual([]);
  // No events: the receiver does not fail.
  expect(await recorded(alerts, 'WEBHOOK_FAILING')).toEqual([]);
});

test('the search for backlogs reads the queue only for webhooks with waiting deliveries', async () => {
  const alerts = await AlertScene.open();
  const { scene } = alerts;
  for (let n = 0; n < 30; n++) await scene.webhook(`http://127.0.0.1:9/${n}`, { type: 'LISTING_UPDATE' });
  const late = await scene.webhook('http://127.0.0.1:9/late');
  await scene.record(2);
  await alerts.query(`update delivery_queue set due_at = now() - interval '2 hours'`);
  const { found, scans } = await scene.api.database.transaction(async (transaction) => {
    const policy = { alertBacklogSeconds: 3600, webhookDisableSeconds: null };
    const found = await readWebhookStates(transaction, policy, null);
    const { rows } = await transaction.query(
      `select sum(seq_scan + coalesce(idx_scan, 0))::int as scans
       from pg_stat_xact_user_tables where relname like 'delivery_queue%'`,
    );
    return { found, scans: rows[0].scans };
  });
  expect(found.map(({ webhookId }) => webhookId)).toEqual([late.id]);
  expect(scans).toBeGreaterThan(0);
  expect(scans).toBeLessThan(10);
});

test('an open alert shows the last error, without another event', async () => {
  const alerts = await AlertScene.open();
  const webhook = await alerts.scene.webhook('http://127.0.0.1:9/');
  await alerts.setFailures(webhook, { since: '1 hour' });
  await alerts.findAlerts();
  await alerts.query(`update webhook_health set last_error = 'Status 404.'`);
  await alerts.findAlerts();
  expect(await alerts.alerts()).toMatchObject([{ message: 'Deliveries are failing. Status 404.' }]);
  expect(await recorded(alerts, 'WEBHOOK_FAILING')).toHaveLength(1);
});

test.each([{ pushUrl: 'http://127.0.0.1:9/new' }, { enabled: true }])(
  'the event after a user changes %j of a failing webhook does not claim that it delivers',
  async (change) => {
    const alerts = await AlertScene.open();
    const webhook = await alerts.scene.webhook('http://127.0.0.1:9/');
    await alerts.setFailures(webhook, { since: '1 hour' });
    await alerts.findAlerts();
    await alerts.scene.change(webhook, change);
    expect(await alerts.causes(webhook)).toEqual([]);
    expect(await recorded(alerts, 'WEBHOOK_RECOVERED')).toMatchObject([
      { comment: expect.stringMatching(/^The webhook is no longer failing: /) },
    ]);
  },
);

test('the end of a secret rotation is announced two hours before', async () => {
  const alerts = await AlertScene.open();
  const { scene } = alerts;
  const webhook = await scene.webhook('http://127.0.0.1:9/');
  await scene.partner.call('POST', `/api/sales-partners/webhooks/${webhook.id}/rotate-secret`, { overlapHours: 3 });
  expect(await alerts.causes(webhook)).toEqual([]);
  const expireIn = (interval: string) =>
    alerts.query('update webhooks set previous_secret_expires_at = now() + $1::interval', [interval]);
  await expireIn('119 minutes');
  await alerts.findAlerts();
  const { previousSecretSignsUntil } = await scene.get(webhook);
  expect(await alerts.alerts('?state=OPEN')).toMatchObject([
    { cause: 'SECRET_EXPIRES', deadline: previousSecretSignsUntil },
  ]);
  await expireIn('-1 minute');
  await alerts.findAlerts();
  expect(await alerts.causes(webhook)).toEqual([]);
});

test('a webhook that keeps failing and recovering has one alert and one event per cause and hour', async () => {
  const alerts = await AlertScene.open();
  const webhook = await alerts.scene.webhook('http://127.0.0.1:9/');
  const fail = async () => {
    await alerts.setFailures(webhook, { since: '1 minute' });
    await alerts.findAlerts();
  };
  const recover = async () => {
    await alerts.setHealthy(webhook);
    await alerts.findAlerts();
  };
  const counts = async () => [
    (await recorded(alerts, 'WEBHOOK_FAILING')).length,
    (await recorded(alerts, 'WEBHOOK_RECOVERED')).length,
  ];
  for (let n = 0; n < 3; n++) {
    await fail();
    await recover();
  }
  expect(await alerts.alerts()).toHaveLength(1);
  expect(await counts()).toEqual([1, 1]);

  await fail();
  expect(await counts()).toEqual([1, 1]);
  await alerts.passTime('61 minutes');
  await alerts.findAlerts();
  expect(await counts()).toEqual([2, 1]);
  await recover();
  expect(await counts()).toEqual([2, 2]);
  expect(await alerts.alerts()).toHaveLength(1);

  await alerts.passTime('61 minutes');
  await fail();
  expect(await alerts.alerts()).toHaveLength(2);
});

test('a failing webhook that is subscribed to these events causes none', async () => {
  const alerts = await AlertScene.open();
  const { scene } = alerts;
  const receiver = await scene.receiver(() => 500);
  const monitor = await scene.webhook(receiver.url(), { type: 'WEBHOOK_FAILING' });
  const webhook = await scene.webhook(receiver.url());
  scene.worker({ retrySchedule: [1, 1], breakerThreshold: 100 });
  await scene.record(3);
  await alerts.expectCauses(webhook, 'FAILING');
  await alerts.expectCauses(monitor, 'FAILING');
  await alerts.findAlerts();
  expect(await recorded(alerts, 'WEBHOOK_FAILING')).toMatchObject([{ webhook: webhook.id }]);
});

test('a webhook is disabled after only failures for 5 days, which is announced', async () => {
  const alerts = await AlertScene.open();
  const { scene } = alerts;
  const webhook = await scene.webhook('http://127.0.0.1:9/');
  await alerts.setFailures(webhook, { since: '95 hours', trips: 3 });
  await alerts.findAlerts();
  expect(await alerts.causes(webhook)).toEqual(['PAUSED']);
  await alerts.setFailures(webhook, { since: '97 hours', trips: 3 });
  await alerts.findAlerts();
  expect(await alerts.causes(webhook)).toEqual(['DISABLED_SOON']);
  expect((await scene.get(webhook)).enabled).toBe(true);

  await alerts.setFailures(webhook, { since: '121 hours', trips: 3 });
  await alerts.passTime('24 hours');
  await alerts.findAlerts();
  expect(await alerts.causes(webhook)).toEqual(['DISABLED']);
  const reason = 'All deliveries failed for at least 5 days.';
  expect(await scene.get(webhook)).toMatchObject({ enabled: false, health: { state: 'OFF', reason } });
  expect(await recorded(alerts, 'WEBHOOK_DISABLED')).toMatchObject([{ comment: `The webhook is disabled. ${reason}` }]);
  const { body } = await scene.partner.call('GET', `/api/audit-trail?subject=WEBHOOK&subjectId=${webhook.id}&max=1`);
  expect(body.response.entries).toMatchObject([{ actor: 'SYSTEM', action: 'DISABLED', details: { reason } }]);
});

test('a webhook without a failure in the last day is not disabled, and none if it is turned off', async () => {
  const alerts = await AlertScene.open();
  const idle = await alerts.scene.webhook('http://127.0.0.1:9/');
  await alerts.setFailures(idle, { since: '121 hours', at: ['121 hours', '90 hours', '60 hours', '30 hours'] });
  await alerts.findAlerts();
  expect((await alerts.scene.get(idle)).enabled).toBe(true);

  const off = await AlertScene.open({ WAYPOST_WEBHOOK_DISABLE_AFTER: 'off' });
  const failing = await off.scene.webhook('http://127.0.0.1:9/');
  await off.setFailures(failing, { since: '121 hours' });
  await off.findAlerts();
  expect(await off.alerts()).toMatchObject([{ cause: 'FAILING' }]);
  expect((await off.alerts())[0]).not.toHaveProperty('deadline');
  expect((await off.scene.get(failing)).enabled).toBe(true);
});

test.each(['LOCATION_CREATED', 'WEBHOOK_FAILING'])(
  'a webhook for %s is disabled a day after the announcement, also if the setting was changed',
  async (type) => {
    const alerts = await AlertScene.open({ WAYPOST_WEBHOOK_DISABLE_AFTER: 'off' });
    const { scene } = alerts;
    const webhook = await scene.webhook('http://127.0.0.1:9/', { type });
    await alerts.setFailures(webhook, { since: '150 hours' });
    await alerts.findAlerts();
    expect(await alerts.causes(webhook)).toEqual(['FAILING']);

    alerts.env.WAYPOST_WEBHOOK_DISABLE_AFTER = '90m';
    await alerts.findAlerts();
    expect(await alerts.causes(webhook)).toEqual(['DISABLED_SOON']);
    const [announced] = await alerts.alerts();
    await alerts.findAlerts();
    expect(await alerts.alerts()).toEqual([announced]);
    await alerts.passTime('23 hours');
    await alerts.findAlerts();
    expect(await alerts.causes(webhook)).toEqual(['DISABLED_SOON']);
    expect((await scene.get(webhook)).enabled).toBe(true);
    await alerts.passTime('1 hour');
    await alerts.findAlerts();
    expect(await alerts.causes(webhook)).toEqual(['DISABLED']);
    const reason = 'All deliveries failed for at least 1 hour.';
    expect(await scene.get(webhook)).toMatchObject({ enabled: false, health: { reason } });
  },
);

test('one failed event does not disable a webhook that has no other events', async () => {
  const alerts = await AlertScene.open();
  const { scene } = alerts;
  const webhook = await scene.webhook('http://127.0.0.1:9/');
  await alerts.setFailures(webhook, { since: '3 hours' });
  await alerts.findAlerts();
  expect(await alerts.alerts()).toMatchObject([{ cause: 'FAILING', deadline: expect.any(String) }]);
  for (const days of [4, 30]) {
    await alerts.setFailures(webhook, { since: `${days} days 2 hours`, at: [`${days} days 2 hours`, `${days} days`] });
    await alerts.findAlerts();
    expect(await alerts.alerts()).toMatchObject([{ cause: 'FAILING' }]);
    expect((await alerts.alerts())[0]).not.toHaveProperty('deadline');
  }
  await alerts.setFailures(webhook, { since: '30 days', at: ['30 days', '1 minute'] });
  await alerts.findAlerts();
  expect(await alerts.causes(webhook)).toEqual(['FAILING']);
  expect((await alerts.alerts())[0]).not.toHaveProperty('deadline');
  expect((await scene.get(webhook)).enabled).toBe(true);
  expect((await recorded(alerts, 'WEBHOOK_FAILING')).map(({ cause }) => cause)).toEqual(['FAILING']);
});

test('failures on three days are enough if statistics of the first days are deleted', async () => {
  const alerts = await AlertScene.open({ WAYPOST_WEBHOOK_DISABLE_AFTER: '60d' });
  const webhook = await alerts.scene.webhook('http://127.0.0.1:9/');
  await alerts.setFailures(webhook, { since: '61 days', at: ['3 days', '2 days', '1 hour'] });
  await alerts.findAlerts();
  expect(await alerts.causes(webhook)).toEqual(['DISABLED_SOON']);
});

test('an outage of this service does not disable a webhook', async () => {
  const alerts = await AlertScene.open();
  const webhook = await alerts.scene.webhook('http://127.0.0.1:9/');
  await alerts.setFailures(webhook, { since: '124 hours', trips: 2, at: ['124 hours', '123 hours', '1 minute'] });
  await alerts.findAlerts();
  expect(await alerts.causes(webhook)).toEqual(['PAUSED']);
  expect((await alerts.scene.get(webhook)).enabled).toBe(true);
});

test('alerts are listed in pages, for administrators of the partner and the key of its parent', async () => {
  const alerts = await AlertScene.open();
  const { scene } = alerts;
  const { api, partner } = scene;
  const child = await api.addPartner(partner);
  const stranger = await api.addPartner();
  const webhooks = [];
  for (const path of ['a', 'b', 'c']) webhooks.push(await scene.webhook(`http://127.0.0.1:9/${path}`, {}, child));
  for (const webhook of webhooks) await alerts.setFailures(webhook, { since: '1 hour' });
  await alerts.findAlerts();

  expect((await child.call('GET', `${alertsPath}?max=2`)).body.response).toMatchObject({ count: 3, max: 2 });
  const ids = (await alerts.alerts('', child)).map(({ webhookId }) => webhookId);
  expect(ids).toEqual(webhooks.map(({ id }) => id).reverse());
  expect((await alerts.alerts('?offset=1&max=1', child)).map(({ webhookId }) => webhookId)).toEqual([ids[1]]);
  expect(await alerts.alerts(`?webhookId=${ids[0]}`, child)).toHaveLength(1);
  expect(await alerts.alerts('?state=OVER', child)).toEqual([]);

  expect(await alerts.alerts()).toEqual([]);
  expect(await alerts.alerts(`?salesPartnerId=${child.partner.id}`)).toHaveLength(3);
  expect(await alerts.alerts('?includeChildren=true')).toHaveLength(3);
  expect(await alerts.alerts('', stranger)).toEqual([]);
  expect((await stranger.call('GET', `${alertsPath}?salesPartnerId=${child.partner.id}`)).code).toBe(404);
  expect(await alerts.alerts('', await addUser(api, child, { role: 'ADMIN' }))).toHaveLength(3);
  const manager = await addUser(api, child, { role: 'ACCOUNT_MANAGER' });
  expect((await manager.call('GET', alertsPath)).code).toBe(403);
});
