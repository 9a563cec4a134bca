import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityViolations, describeInBrowser, goTo, saveScreenshots } from '../support/browser.ts';
import { ConsoleScene, type ConsoleUser, signIn } from '../support/console.ts';
import { type Receiver, startReceiver } from '../support/delivery.ts';
import { addStatistics } from '../support/webhook-history.ts';

const eventually = { timeout: 30_000 };
const overlay = '[role="dialog"]';
const path = '/api/sales-partners/webhooks';

describeInBrowser('webhooks', { timeout: 120_000 }, () => {
  let scene: ConsoleScene;
  let receiver: Receiver;
  let admin: ConsoleUser;
  /** The administrator's tab, shared by all tests. */
  let page: Page;
  let pageErrors: string[];

  beforeAll(async () => {
    receiver = await startReceiver();
    // The next automatic attempt is far away, so deliveries here are manual retries.
    scene = await ConsoleScene.start({ WAYPOST_EMIT_EXAMPLES: 'on', WAYPOST_RETRY_SCHEDULE: '1h,1h' });
    admin = await scene.addUser({ role: 'ADMIN', name: 'Anna Berg', email: 'anna@harbour.example' });
    ({ page, pageErrors } = await scene.openTab());
    await page.goto('/console/');
    await signIn(page, admin);
  }, 120_000);
  afterEach(() => {
    receiver.respond = () => 200;
  });
  afterAll(async () => {
    await scene?.close();
    await receiver?.close();
  });

  const emit = async (type: string, count = 1): Promise<number[]> =>
    (await scene.call('POST', `/api/event-types/${type}/emit`, { count })).eventIds;
  const addWebhook = (type: string, hook: string, more: object = {}) =>
    scene.call('POST', path, { type, pushUrl: receiver.url(hook), ...more });
  const deliveriesOf = async (id: number, states: string) =>
    (await scene.call('GET', `${path}/${id}/deliveries?states=${states}`)).deliveries;
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });
  const dialogsClosed = () => expect.poll(() => page.getByRole('dialog').count(), eventually).toBe(0);
  const focused = () => page.evaluate<string>('document.activeElement.textContent');

  test('adds and tests a webhook, shows why a delivery failed and retries it', async () => {
    await page.getByRole('link', { name: 'Org settings' }).click();
    await page.getByRole('tab', { name: 'Webhooks' }).click();
    await page.getByText('No webhooks yet').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'webhooks-none');

    await page.getByRole('button', { name: 'Add webhook' }).click();
    const form = page.getByRole('dialog', { name: 'Add a webhook' });
    await form.getByRole('combobox', { name: 'Event type' }).fill('location creat');
    await page.getByRole('option', { name: /^Location created/ }).click();
    const url = form.getByRole('textbox', { name: 'Push URL' });
    await url.fill('https://10.0.0.1/hook');
    await url.blur();
    await form.getByText('10.0.0.1 is').waitFor();
    expect(await url.getAttribute('aria-invalid')).toBe('true');
    await saveScreenshots(page, 'webhook-add-refused');
    await url.fill(receiver.url('/first'));
    await url.blur();
    await form.getByText('The URL is valid.').waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await page.keyboard.press('Escape');
    await page
      .getByRole('dialog', { name: 'Leave without saving?' })
      .getByRole('button', { name: 'Stay on page' })
      .click();
    expect(await url.inputValue()).toBe(receiver.url('/first'));
    await form.getByRole('button', { name: 'Add webhook' }).click();

    const ready = page.getByRole('dialog', { name: 'The webhook was created' });
    const secret = (await ready.locator('code').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await ready.getByRole('button', { name: 'Copy Secret' }).click();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(secret);
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-ready');
    await ready.getByRole('button', { name: 'Send test' }).click();
    receiver.respond = () => ({ status: 202, headers: { 'x-trace': '<b>bold</b>' }, body: 'thank you' });
    const testDelivery = page.getByRole('dialog', { name: 'Test Location created' });
    await testDelivery.getByRole('button', { name: 'Send test' }).click();
    await testDelivery.getByText('The receiver accepted the delivery').waitFor();
    await testDelivery.getByText('thank you').waitFor();
    await testDelivery.getByText('<b>bold</b>').waitFor();
    expect(receiver.requests.at(-1)).toMatchObject({ path: '/first', headers: { 'waypost-test': 'true' } });
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-test');
    await testDelivery.getByRole('button', { name: 'Close' }).last().click();
    await ready.getByRole('button', { name: 'I have saved the secret' }).click();
    await dialogsClosed();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('link', { name: /Location created/ }).click();
    await page.getByText('No deliveries yet').waitFor();
    const [good] = await emit('LOCATION_CREATED');
    await row(`Event ${good}`).getByText('Delivered').waitFor();

    receiver.respond = () => ({ status: 503, body: 'The database is being moved' });
    const [bad] = await emit('LOCATION_CREATED');
    await row(`Event ${bad}`).getByText('Retrying').waitFor();
    await page.getByRole('button', { name: `Event ${bad}` }).click();
    const drawer = page.getByRole('dialog', { name: `Delivery of event ${bad}` });
    await drawer.getByText('Cause of failure').waitFor();
    await drawer.getByText('The receiver responded with 503 Service Unavailable.').first().waitFor();
    await drawer.getByText('The receiver is overloaded or under maintenance').waitFor();
    await drawer.getByText('The database is being moved').waitFor();
    await drawer.getByText(/Next attempt in/).waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);

    receiver.respond = () => 200;
    await drawer.getByRole('button', { name: 'Retry now' }).click();
    await drawer.getByText('Delivered on attempt 2').waitFor();
    const sent = receiver.requests.at(-1);
    const attempt = drawer.getByText(/^Attempt 2/).locator('..');
    await attempt.getByRole('button', { name: 'Show request' }).click();
    const sentHeaders = attempt.getByRole('table', { name: 'Headers as sent' });
    await sentHeaders.getByText(String(sent?.headers['webhook-signature'])).waitFor();
    await sentHeaders.getByText(String(sent?.headers['webhook-timestamp'])).waitFor();
    await attempt.getByRole('table', { name: 'Signed with' }).getByText('Private key').waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await attempt.getByRole('button', { name: 'Copy as curl' }).click();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(command).toContain(`webhook-signature: ${sent?.headers['webhook-signature']}`);
    expect(command).toContain(sent?.body);
    await saveScreenshots(page, 'delivery-attempt-request');
    await drawer.getByRole('tab', { name: 'Request' }).click();
    expect(await drawer.getByRole('region', { name: 'Raw body' }).textContent()).toBe(sent?.body);
    await drawer.getByRole('rowheader', { name: 'webhook-signature' }).waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'delivery-request');
    await page.keyboard.press('Escape');
    await row(`Event ${bad}`).getByText('Delivered').waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('hides the tab and the page from users who are not administrators', async () => {
    const user = await scene.addUser({ role: 'ACCOUNT_MANAGER' });
    const tab = await scene.openAs(user, '/settings/webhooks');
    for (const address of ['/settings/webhooks/1', '/events']) {
      await tab.page.getByText('You do not have permission').waitFor();
      await tab.page.goto(`/console${address}`);
    }
    await tab.page.getByText('You do not have permission').waitFor();
    expect(await tab.page.getByRole('link', { name: 'Events' }).count()).toBe(0);
    expect(await tab.page.getByRole('tab', { name: 'Webhooks' }).count()).toBe(0);
    const rejected = `fetch('${path}', { headers: { 'x-waypost-console': '1' } }).then((response) => response.status)`;
    expect(await tab.page.evaluate<number>(rejected)).toBe(403);
    await tab.context.close();
  });

  test('previews, replays and cancels a replay of discarded deliveries', async () => {
    receiver.respond = () => 500;
    const { id } = await addWebhook('BUSINESS_CREATED', '/replayed', { retrySchedule: [1] });
    const ids = await emit('BUSINESS_CREATED', 4);
    await expect.poll(async () => (await deliveriesOf(id, 'DISCARDED')).length, eventually).toBe(4);
    receiver.respond = () => 200;
    const before = receiver.requests.length;

    await goTo(page, `/settings/webhooks/${id}?tab=replays`);
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('4 deliveries will be sent').waitFor();
    expect(receiver.requests).toHaveLength(before);
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'webhook-replay');
    await page.getByRole('button', { name: 'Replay 4 deliveries' }).click();
    await row('discarded').getByText('Finished').waitFor();
    await row('discarded').getByText('4 delivered').waitFor();
    expect(receiver.ids('/replayed').slice(-4).sort()).toEqual(ids.sort());

    await page.getByRole('checkbox', { name: 'Discarded deliveries' }).uncheck();
    await page.getByRole('checkbox', { name: 'Successful deliveries' }).check();
    await page.getByRole('textbox', { name: 'Deliveries per second' }).fill('1');
    let release = () => {};
    const hold = new Promise<number>((resolve) => {
      release = () => resolve(200);
    });
    receiver.respond = () => hold;
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Replay 4 deliveries' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('row').getByText('Cancelled').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'webhook-replays');
    release();
    expect(pageErrors).toEqual([]);
  });

  test('resumes a paused webhook and retries all failed deliveries', async () => {
    receiver.respond = () => 500;
    const { id } = await addWebhook('LISTING_LINK_CHANGE', '/paused');
    const [first] = await emit('LISTING_LINK_CHANGE', 3);
    await expect.poll(async () => (await deliveriesOf(id, 'RETRYING')).length, eventually).toBe(3);
    const pause = `update webhook_health set trips = 1, open_until = now() + interval '1 hour' where webhook_id = $1`;
    await scene.database.pool.query(pause, [id]);
    await goTo(page, `/settings/webhooks/${id}`);
    await page.getByText('Deliveries are paused').waitFor();
    await page.getByRole('button', { name: `Event ${first}` }).click();
    await page.getByText('Select Retry now to send this delivery anyway').waitFor();
    await page.keyboard.press('Escape');
    await dialogsClosed();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'webhook-paused');
    await page.getByRole('button', { name: 'Resume now' }).click();
    await page.getByText('3 pending retries are being sent.').waitFor();
    await expect.poll(() => receiver.ids('/paused').length, eventually).toBe(6);

    receiver.respond = () => 200;
    await expect.poll(async () => (await deliveriesOf(id, 'RETRYING')).length, eventually).toBe(3);
    await page.getByRole('button', { name: 'Retry all failed' }).last().click();
    await expect.poll(async () => (await deliveriesOf(id, 'DELIVERED')).length, eventually).toBe(3);
    await expect.poll(() => page.getByText('Deliveries are paused').count(), eventually).toBe(0);
    await page.getByRole('button', { name: 'Retry all failed' }).last().click();
    await page.getByText('No failed deliveries to retry.').waitFor();
  });

  test('supports the keyboard: add, test, open and retry a failed delivery', async () => {
    receiver.respond = () => 401;
    await goTo(page, '/settings/webhooks');
    const keys = async (...pressed: string[]) => {
      for (const key of pressed) await page.keyboard.press(key);
    };
    const until = async (name: RegExp, key = 'Tab') => {
      for (let count = 0; count < 80; count++) {
        const label = await page.evaluate<string>(
          `(document.activeElement.getAttribute('aria-label') ?? '') + ' ' + document.activeElement.textContent`,
        );
        if (name.test(label.trim())) return;
        await page.keyboard.press(key);
      }
      throw new Error(`${name} is not reached by ${key}`);
    };
    await page.getByRole('button', { name: 'Add webhook' }).waitFor();
    await until(/^Add webhook$/);
    await keys('Enter');
    await page.getByRole('dialog', { name: 'Add a webhook' }).waitFor();
    await expect
      .poll(() => page.evaluate<string>('document.activeElement.getAttribute("role")'), eventually)
      .toBe('combobox');
    await page.keyboard.type('listing status');
    await page.getByRole('option').first().waitFor();
    await keys('Enter', 'Tab');
    await page.keyboard.type(receiver.url('/keys'));
    await keys('Enter');
    await page.getByRole('dialog', { name: 'The webhook was created' }).waitFor();
    await until(/^Send test$/);
    await keys('Enter');
    await page.getByRole('dialog', { name: /^Test / }).waitFor();
    await until(/^Send test$/);
    await keys('Enter');
    await page.getByText('The receiver responded with 401').waitFor();
    await keys('Escape');
    await expect.poll(focused, eventually).toBe('Send test');
    await until(/^I have saved the secret$/);
    await keys('Enter');
    await dialogsClosed();
    const [event] = await emit('LISTING_STATUS_CHANGE');
    await row('/keys')
      .getByRole('link', { name: /^Listing status change/ })
      .waitFor();
    await until(/^Listing status change/);
    await keys('Enter');
    await row(`Event ${event}`).getByText('The receiver responded with 401').waitFor();
    await until(new RegExp(`Event ${event}$`));
    await keys('Enter');
    await page.getByText('Cause of failure').waitFor();
    receiver.respond = () => 200;
    await until(/^Retry now$/);
    await keys('Enter');
    await page.getByText('Delivered on attempt 2').waitFor();
    await keys('Escape');
    await expect.poll(focused, eventually).toContain(`Event ${event}`);
  });

  test('edits, disables, enables, rotates and deletes a webhook with pending deliveries', async () => {
    const { id } = await addWebhook('LISTING_UPDATE', '/edited', { description: 'Warehouse' });
    await addStatistics(scene.database, id, { failing: 0.01 });
    await goTo(page, `/settings/webhooks/${id}`);
    // Response times are counted in bins, so the median is an upper limit.
    await page.getByText(/^≤\s\d+\sms$/).waitFor();
    await goTo(page, `/settings/webhooks/${id}?tab=details`);
    await page.getByText('Default schedule').waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Edit webhook' });
    await form.getByLabel('Description').fill('Data warehouse');
    await form.getByLabel('Custom retry schedule').fill('soon');
    await form.getByRole('button', { name: 'Save changes' }).click();
    await form.getByText('Enter up to 10 whole numbers').waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-edit');
    await form.getByLabel('Custom retry schedule').fill('30, 3600');
    await form.getByRole('button', { name: 'Save changes' }).click();
    await dialogsClosed();
    await page.getByText('Data warehouse').first().waitFor();
    expect(await scene.call('GET', `${path}/${id}`)).toMatchObject({
      description: 'Data warehouse',
      retrySchedule: [30, 3600],
    });

    const more = page.getByRole('button', { name: /^Actions for Listing update/ });
    await more.click();
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
    const dialog = page.getByRole('dialog');
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'secret-rotate');
    await dialog.getByRole('button', { name: 'Rotate secret' }).click();
    await dialog.getByText('You cannot view it again').waitFor();
    expect(await dialog.locator('code').textContent()).toMatch(/^whsec_/);
    await dialog.getByRole('button', { name: 'I have saved the secret' }).click();
    await page.getByText(/Both secrets sign deliveries for another 23 h 59 min/).waitFor();
    const named = "document.activeElement.getAttribute('aria-label')";
    await expect.poll(() => page.evaluate<string>(named), eventually).toMatch(/^Actions for Listing update/);
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'webhook-details');

    receiver.respond = () => 500;
    await emit('LISTING_UPDATE', 2);
    await expect.poll(async () => (await deliveriesOf(id, 'RETRYING')).length, eventually).toBe(2);
    await more.click();
    await page.getByRole('menuitem', { name: 'Disable' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'webhook-menu');
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('This webhook is disabled').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'webhook-off');
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click();
    await expect.poll(() => page.getByText('This webhook is disabled').count(), eventually).toBe(0);

    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await row('Retrying').first().waitFor();
    await more.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('2 pending deliveries will not be sent.').waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-delete');
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await expect.poll(() => page.url(), eventually).toMatch(/\/settings\/webhooks$/);
    await expect(scene.call('GET', `${path}/${id}`)).rejects.toThrow('404');
    expect(pageErrors).toEqual([]);
  });

  test('keeps the focus in the page after a webhook is deleted', async () => {
    await addWebhook('LISTING_UPDATE', '/unwanted');
    await page.goto('/console/settings/webhooks');
    await page.getByRole('button', { name: /^Actions for .*unwanted/ }).press('Enter');
    await page.getByRole('menuitem', { name: 'Delete' }).press('Enter');
    await page.getByRole('button', { name: 'Delete webhook' }).press('Enter');
    await expect.poll(() => row('unwanted').count(), eventually).toBe(0);
    await dialogsClosed();
    await expect.poll(() => page.evaluate<string>('document.activeElement.id'), eventually).toBe('main');
  });

  test('says that nothing was sent if the receiver refused the connection', async () => {
    const { id } = await addWebhook('LOCATION_CREATED', '', { pushUrl: 'http://127.0.0.1:1/hook' });
    const [eventId] = await emit('LOCATION_CREATED');
    await goTo(page, `/settings/webhooks/${id}`);
    await row(`Event ${eventId}`).getByText('Retrying').waitFor();
    await page.getByRole('button', { name: `Event ${eventId}` }).click();
    const drawer = page.getByRole('dialog', { name: `Delivery of event ${eventId}` });
    await drawer.getByText('The attempt failed before the request: nothing was sent.').waitFor();
    expect(await drawer.getByRole('button', { name: 'Show request' }).count()).toBe(0);
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialogsClosed();
  });

  test('searches, filters and sorts webhooks by URL, and shows fields and example of a type', async () => {
    for (const [type, hook, more] of [
      ['LISTING_SYNC_CHECK', '/crm/listings', { description: 'CRM' }],
      ['LOCATION_DATA_SUGGESTION', '/moderation', { description: 'Moderation desk', enabled: false }],
      ['LOCATION_PROFILE_CHANGED', '/data-lake/locations', {}],
    ] as const) {
      const { id } = await addWebhook(type, hook, more);
      await addStatistics(scene.database, id, { failing: type === 'LISTING_SYNC_CHECK' ? 0.05 : 0 });
    }
    await page.goto('/console/settings/webhooks');
    const table = page.getByRole('table', { name: 'Webhooks', exact: true });
    await table.getByRole('img').first().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'webhooks');
    await page.getByRole('searchbox', { name: 'Search by type' }).fill('moderation');
    await expect.poll(() => table.getByRole('row').count(), eventually).toBe(2);
    await expect.poll(() => page.url(), eventually).toContain('query=moderation');
    await goTo(page, '/settings/webhooks?health=%5B%22OFF%22%5D');
    await table.getByText('Location data suggestion').waitFor();
    expect(await table.getByRole('row').count()).toBe(2);
    await page.getByRole('combobox', { name: 'Health' }).focus();
    await page.keyboard.press('Backspace');
    await expect.poll(() => table.getByRole('row').count(), eventually).toBeGreaterThan(4);
    const names = () => table.locator('tbody td:first-child').allTextContents();
    const sorted = (await names()).toSorted();
    const sortByUrl = table.getByRole('columnheader', { name: 'Destination' }).getByRole('button');
    await sortByUrl.click();
    await expect.poll(names, eventually).toEqual(sorted);
    await sortByUrl.click();
    await expect.poll(names, eventually).toEqual(sorted.toReversed());
    expect(page.url()).toContain('sort=url&descending=true');

    await page.getByRole('searchbox', { name: 'Search event types' }).fill('plan');
    await page.getByRole('button', { name: /^Business product plan changed/ }).click();
    const drawer = page.getByRole('dialog', { name: 'Business product plan changed' });
    await drawer.getByRole('table', { name: 'Fields' }).getByText('salesPartnerIdentifier').waitFor();
    await drawer.getByRole('region', { name: 'Example delivery' }).waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-type');
    await drawer.getByRole('button', { name: 'Add webhook for this type' }).click();
    const form = page.getByRole('dialog', { name: 'Add a webhook' });
    await form.getByText('Business product plan changed').waitFor();
    await form.getByText('1 of 18 selected').waitFor();
    await saveScreenshots(page, 'webhook-add');
    expect(pageErrors).toEqual([]);
  });
});
