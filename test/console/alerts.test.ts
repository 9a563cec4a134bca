import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Job } from '../../src/jobs/job.ts';
import { accessibilityViolations, describeInBrowser, eventually, goTo, saveScreenshots } from '../support/browser.ts';
import { ConsoleScene } from '../support/console.ts';
import { type Receiver, startReceiver } from '../support/delivery.ts';

const path = '/api/sales-partners/webhooks';

describeInBrowser('alerts', { timeout: 120_000 }, () => {
  let scene: ConsoleScene;
  let receiver: Receiver;
  let page: Page;
  let pageErrors: string[];
  let webhookId: number;

  beforeAll(async () => {
    receiver = await startReceiver(() => 503);
    scene = await ConsoleScene.start({ WAYPOST_EMIT_EXAMPLES: 'on', WAYPOST_RETRY_SCHEDULE: '1h' });
    const admin = await scene.addUser({ role: 'ADMIN', name: 'Anna Berg', email: 'anna@harbour.example' });
    const pushUrl = receiver.url('/crm');
    webhookId = (await scene.call('POST', path, { type: 'LOCATION_CREATED', pushUrl })).id;
    ({ page, pageErrors } = await scene.openAs(admin));
  }, 120_000);
  afterAll(async () => {
    await scene?.close();
    await receiver?.close();
  });

  const openAlerts = async () => (await scene.call('GET', `${path}/alerts?state=OPEN`)).count;
  const emit = (count: number) => scene.call('POST', '/api/event-types/LOCATION_CREATED/emit', { count });
  const bell = () => page.getByRole('button', { name: /^Alerts: / });

  test('the bell has an empty state', async () => {
    await bell().focus();
    await page.keyboard.press('Enter');
    const list = page.getByRole('dialog', { name: 'Alerts: No open alerts' });
    await list.getByText('No webhook needs attention.').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    const focused = () => page.evaluate<string>('document.activeElement.ariaLabel');
    await expect.poll(focused, eventually).toBe('Alerts: No open alerts');
    expect(await page.getByRole('link', { name: 'Org settings' }).textContent()).toBe('Org settings');
  });

  test('the bell, the navigation and Home show an open alert, which leads to its webhook', async () => {
    await emit(3);
    await expect.poll(openAlerts, eventually).toBe(1);
    await page.reload();
    const opened = page.getByRole('button', { name: 'Alerts: 1 open alert' });
    await opened.waitFor();
    await page.getByRole('link', { name: 'Org settings 1 open alert' }).waitFor();
    const task = page.getByRole('region', { name: 'Tasks' }).getByRole('listitem');
    await task.getByText('Webhooks need attention').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'alerts-home');

    await opened.focus();
    await page.keyboard.press('Enter');
    const list = page.getByRole('dialog', { name: 'Alerts: 1 open alert' });
    const entry = list.getByRole('listitem');
    await entry.getByText(/^Deliveries are failing\. .*503/).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'alerts-bell');
    await page.keyboard.press('Tab');
    await entry
      .getByRole('link', { name: new RegExp(`^Webhook to ${new URL(receiver.url()).host}: Location created$`) })
      .focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/settings/webhooks/${webhookId}`);
    await list.waitFor({ state: 'hidden' });
    await page.getByText(/^The webhook will be disabled on .* if all deliveries keep failing\.$/).waitFor();

    await goTo(page, '/');
    await task.getByRole('link', { name: 'View webhook' }).click();
    await page.waitForURL(`**/settings/webhooks/${webhookId}`);
    await goTo(page, '/settings/webhooks');
    await page.getByRole('tab', { name: 'Webhooks 1 open alert' }).waitFor();
  });

  test('users choose e-mails, and see that e-mail is not set up', async () => {
    await goTo(page, '/settings/webhooks');
    const section = page.getByRole('region', { name: 'Alerts' });
    await section.getByText(/^E-mail is not set up on this server/).waitFor();
    const choice = section.getByRole('switch', { name: 'E-mail alerts to anna@harbour.example' });
    expect(await choice.isChecked()).toBe(false);
    await choice.focus();
    await page.keyboard.press('Space');
    await page.getByText('You will receive e-mails about alerts when e-mail is set up.').waitFor();
    await expect.poll(() => choice.isChecked(), eventually).toBe(true);
    const { users } = await scene.call('GET', '/api/users');
    expect(users).toMatchObject([{ email: 'anna@harbour.example', alertEmails: true }]);
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'alerts-emails');
  });

  test('the badges disappear when the alert is over, and other roles have no bell', async () => {
    receiver.respond = () => 200;
    await emit(1);
    await expect.poll(openAlerts, eventually).toBe(0);
    await page.reload();
    await page.getByRole('button', { name: 'Alerts: No open alerts' }).waitFor();
    expect(await page.getByRole('link', { name: 'Org settings' }).textContent()).toBe('Org settings');
    expect(pageErrors).toEqual([]);

    const manager = await scene.addUser({ role: 'ACCOUNT_MANAGER' });
    const other = await scene.openAs(manager);
    await other.page.getByRole('link', { name: 'Locations' }).first().waitFor();
    expect(await other.page.getByRole('button', { name: /^Alerts: / }).count()).toBe(0);
    expect(other.pageErrors).toEqual([]);
  });

  test('shows why a webhook was disabled after days of failures', async () => {
    await scene.database.pool.query(
      `update webhook_health set consecutive_failures = 20, trips = 3, failing_since = now() - interval '6 days'`,
    );
    await scene.database.pool.query(
      `insert into webhook_statistics (webhook_id, width_seconds, bucket, delivered, failed, discarded, latency)
       select $1::bigint, 3600, now() - make_interval(hours => hours), 0, 5, 0, '{}'::int[]
       from generate_series(1, 144, 12) as ages (hours)`,
      [webhookId],
    );
    const findAlerts = () => new Job('alerts.find').enqueue(scene.database.pool, {});
    const causes = async () =>
      (await scene.call('GET', `${path}/alerts?state=OPEN`)).alerts.map(({ cause }: { cause: string }) => cause);
    await findAlerts();
    await expect.poll(causes, eventually).toEqual(['DISABLED_SOON']);
    await scene.database.pool.query('update webhook_alerts set deadline = now()');
    await findAlerts();
    const health = async () => (await scene.call('GET', `${path}/${webhookId}`)).health;
    await expect
      .poll(health, eventually)
      .toMatchObject({ state: 'OFF', reason: 'All deliveries failed for at least 5 days.' });
    await goTo(page, `/settings/webhooks/${webhookId}`);
    await page.getByText('All deliveries failed for at least 5 days.').first().waitFor();
  });
});
