import { expect, onTestFinished, test } from 'vitest';
import { startJobs } from '../src/jobs/runner.ts';
import { platformJobs } from '../src/service/service.ts';
import { AlertScene, alertsPath } from './support/alert-scene.ts';
import { jobContext } from './support/jobs.ts';
import { eventually } from './support/loopback-receivers.ts';
import { MailServer } from './support/mail-server.ts';
import { addUser } from './support/users.ts';

async function openScene(options?: Parameters<typeof MailServer.start>[0]) {
  const server = await MailServer.start(options);
  const env = { WAYPOST_SMTP_URL: server.url, WAYPOST_PUBLIC_URL: 'https://waypost.example/' };
  return { server, alerts: await AlertScene.open(env) };
}

/** An administrator who receives e-mails. */
async function addReader({ scene }: AlertScene, email: string, changes: object = {}) {
  const { user, call } = await addUser(scene.api, scene.partner, { role: 'ADMIN', email });
  const { code, body } = await call('PATCH', `/api/users/${user.id}`, { alertEmails: true, ...changes });
  expect(code).toBe(200);
  expect(body.response.alertEmails).toBe(true);
}

test('administrators who chose it receive an e-mail when a webhook fails and when it recovers', async () => {
  const { server, alerts } = await openScene();
  await addReader(alerts, 'anna@example.com');
  await addUser(alerts.scene.api, alerts.scene.partner, { role: 'ADMIN', email: 'other@example.com' });
  await addUser(alerts.scene.api, await alerts.scene.api.addPartner(), { role: 'ADMIN' });
  const webhook = await alerts.scene.webhook('http://127.0.0.1:9/hook?token=secret');
  await alerts.setFailures(webhook, { since: '1 hour' });
  await alerts.findAlerts();
  await alerts.findAlerts();
  await alerts.findAlerts();
  expect(server.mails).toHaveLength(1);
  const [mail] = server.mails;
  expect(mail).toMatchObject({ from: 'waypost@example.com', to: ['anna@example.com'] });
  expect(mail?.data).toContain('Subject: Waypost webhooks: 1 alert\n');
  expect(mail?.data).toContain(`LOCATION_CREATED to 127.0.0.1:9 (webhook ${webhook.id})`);
  expect(mail?.data).toContain('Deliveries are failing. Status 500.');
  expect(mail?.data).toMatch(/The webhook is disabled on \d{4}-\d\d-\d\d \d\d:\d\d UTC if all deliveries keep/);
  expect(mail?.data).toContain(`https://waypost.example/console/settings/webhooks/${webhook.id}`);
  expect(mail?.data).not.toContain('secret');

  await alerts.setHealthy(webhook);
  await alerts.findAlerts();
  await alerts.findAlerts();
  await alerts.findAlerts();
  expect(server.mails).toHaveLength(2);
  expect(server.mails[1]?.data).toContain('Over: Deliveries are failing.');

  await alerts.passTime('2 hours');
  await alerts.setFailures(webhook, { since: '1 hour' });
  await alerts.findAlerts();
  await alerts.findAlerts();
  await alerts.scene.change(webhook, { enabled: false });
  await alerts.findAlerts();
  await alerts.passTime('2 days');
  expect(server.mails).toHaveLength(3);
  await alerts.scene.change(webhook, { enabled: true });
  await alerts.findAlerts();
  await alerts.findAlerts();
  expect(server.mails).toHaveLength(4);
  expect(server.mails[3]?.data).toContain('Over: Deliveries are failing.');
});

test('the webhooks of one URL share an e-mail per cause and hour, and one when all have recovered', async () => {
  const { server, alerts } = await openScene();
  await addReader(alerts, 'anna@example.com');
  const pushUrl = 'http://127.0.0.1:9/hook';
  const types = ['LOCATION_CREATED', 'LISTING_UPDATE', 'BUSINESS_CREATED'];
  const webhooks = [];
  for (const type of types) webhooks.push(await alerts.scene.webhook(pushUrl, { type }));
  const minutes = async (count = 3) => {
    for (let n = 0; n < count; n++) await alerts.findAlerts();
  };
  for (const webhook of webhooks) {
    await alerts.setFailures(webhook, { since: '1 hour' });
    await minutes();
  }
  expect(server.mails).toHaveLength(1);
  await alerts.passTime('61 minutes');
  await minutes();
  expect(server.mails).toHaveLength(2);
  expect(server.mails[1]?.data).toContain('Waypost webhooks: 2 alerts');
  for (const type of types.slice(1)) expect(server.mails[1]?.data).toContain(type);

  for (const webhook of webhooks) {
    expect(server.mails).toHaveLength(2);
    await alerts.setHealthy(webhook);
    await minutes();
  }
  expect(server.mails).toHaveLength(3);
  expect(server.mails[2]?.data).toContain('Waypost webhooks: 3 over');
});

test('a failed e-mail is sent later; the log names the server but not its credentials', async () => {
  const password = 'wp-secret-password';
  const { server, alerts } = await openScene({ credentials: { user: 'waypost', password } });
  await addReader(alerts, 'anna@example.com');
  const webhook = await alerts.scene.webhook('http://127.0.0.1:9/');
  await alerts.setFailures(webhook, { since: '1 hour' });
  server.respond = (command) => (command.startsWith('AUTH') ? `535 ${password}` : undefined);
  await alerts.findAlerts();
  await alerts.findAlerts();
  expect(server.connections).toBe(1);
  for (const minutes of [5, 15, 60, 60]) {
    const tried = server.connections;
    await alerts.findAlerts();
    await alerts.findAlerts();
    expect(server.connections).toBe(tried);
    const { rows } = await alerts.query(
      `select round(extract(epoch from run_at - created_at) / 60)::int as minutes from graphile_worker.jobs
       where task_identifier = 'alerts.mail'`,
    );
    expect(rows).toEqual([{ minutes }]);
    await alerts.runJobs({ early: true });
    expect(server.connections).toBe(tried + 1);
  }
  expect(server.mails).toEqual([]);
  expect(alerts.log()).toContain(`The mail server ${new URL(server.url).host} did not accept an e-mail`);
  expect(alerts.log()).not.toContain(password);

  server.respond = () => undefined;
  await alerts.runJobs({ early: true });
  expect(server.mails).toHaveLength(1);
});

test('an e-mail that the server rejects is not sent again', async () => {
  const { server, alerts } = await openScene({
    respond: (command) => (command.startsWith('RCPT') ? '550 no such user' : undefined),
  });
  await addReader(alerts, 'gone@example.com');
  const webhook = await alerts.scene.webhook('http://127.0.0.1:9/');
  await alerts.setFailures(webhook, { since: '1 hour' });
  await alerts.findAlerts();
  await alerts.findAlerts();
  expect(server.connections).toBe(1);
  expect(alerts.log()).toContain('mail.failed');
  await alerts.findAlerts();
  await alerts.runJobs({ early: true });
  expect(server.connections).toBe(1);
});

test('a mail server that hangs occupies one worker, also with many partners', async () => {
  const { server, alerts } = await openScene({ respond: () => '' });
  const { api } = alerts.scene;
  const partners = [];
  for (let n = 0; n < 20; n++) partners.push(await api.addPartner());
  for (const partner of partners) {
    await addUser(api, partner, { role: 'ADMIN' });
    await alerts.setFailures(await alerts.scene.webhook('http://127.0.0.1:9/', {}, partner), { since: '1 hour' });
  }
  await alerts.query('update users set alert_emails = true');
  const { signal: _, ...context } = jobContext(api.database, { env: alerts.env });
  const jobs = await startJobs(platformJobs, context);
  onTestFinished(async () => {
    await server.close();
    await jobs.stop();
  });
  await alerts.enqueueFindAlerts();
  await eventually(async () => (await alerts.query('select from webhook_alerts')).rowCount).toBe(20);
  await alerts.enqueueFindAlerts();
  await eventually(() => server.open).toBe(1);

  const webhook = await alerts.scene.webhook('http://127.0.0.1:9/');
  await alerts.setFailures(webhook, { since: '1 hour' });
  await alerts.enqueueFindAlerts();
  await eventually(() => alerts.alerts()).toHaveLength(1);
  expect(server.open).toBe(1);
});

test('without a mail server nothing is sent, and the API tells it', async () => {
  const alerts = await AlertScene.open();
  const { partner, api } = alerts.scene;
  await alerts.setFailures(await alerts.scene.webhook('http://127.0.0.1:9/'), { since: '1 hour' });
  await alerts.findAlerts();
  const { rows } = await alerts.query(`select content from webhook_alert_messages where channel = 'EMAIL'`);
  expect(rows).toEqual([]);
  expect((await partner.call('GET', alertsPath)).body.response.emailEnabled).toBe(false);
  const manager = await addUser(api, partner, { role: 'ACCOUNT_MANAGER' });
  const refused = await manager.call('PATCH', `/api/users/${manager.user.id}`, { alertEmails: true });
  expect(refused).toMatchObject({ code: 403, body: { message: expect.stringContaining('alertEmails') } });
});
