import { expect, test } from 'vitest';
import {
  accessibilityViolations,
  describeInBrowser,
  eventually,
  goTo,
  overlay,
  saveScreenshots,
} from '../support/browser.ts';
import { openWebhooks, webhooksPath } from '../support/webhook-console.ts';
import { addStatistics } from '../support/webhook-history.ts';

describeInBrowser('webhooks', { timeout: 120_000 }, () => {
  const { current, emit, addWebhook, row, dialogsClosed } = openWebhooks();
  const focused = () => current().page.evaluate<string>('document.activeElement.textContent');

  test('adds and tests a webhook, shows why a delivery failed and retries it', async () => {
    const { receiver, page, pageErrors } = current();
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
    const { scene } = current();
    const user = await scene.addUser({ role: 'ACCOUNT_MANAGER' });
    const tab = await scene.openAs(user, '/settings/webhooks');
    for (const address of ['/settings/webhooks/1', '/events']) {
      await tab.page.getByText('You do not have permission').waitFor();
      await tab.page.goto(`/console${address}`);
    }
    await tab.page.getByText('You do not have permission').waitFor();
    expect(await tab.page.getByRole('link', { name: 'Events' }).count()).toBe(0);
    expect(await tab.page.getByRole('tab', { name: 'Webhooks' }).count()).toBe(0);
    const rejected = `fetch('${webhooksPath}', { headers: { 'x-waypost-console': '1' } }).then((response) => response.status)`;
    expect(await tab.page.evaluate<number>(rejected)).toBe(403);
    await tab.context.close();
  });

  test('supports the keyboard: add, test, open and retry a failed delivery', async () => {
    const { receiver, page } = current();
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
    // Options are listed before the text is applied; then the first match is highlighted.
    await page.locator('[role=option][data-combobox-selected]', { hasText: 'Listing status change' }).waitFor();
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
    // Back asks before the secret is lost. Then the next webhook starts with an empty form.
    await page.goBack();
    await page.getByText('The new value is shown only here.').waitFor();
    await until(/^Leave without saving$/);
    await keys('Enter');
    await dialogsClosed();
    await until(/^Add webhook$/);
    await keys('Enter');
    await page.getByRole('dialog', { name: 'Add a webhook' }).waitFor();
    await until(/^Cancel$/);
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

  test('keeps the focus in the page after a webhook is deleted', async () => {
    const { page } = current();
    await addWebhook('LISTING_UPDATE', '/unwanted');
    await page.goto('/console/settings/webhooks');
    await page.getByRole('button', { name: /^Actions for .*unwanted/ }).press('Enter');
    await page.getByRole('menuitem', { name: 'Delete' }).press('Enter');
    await page.getByRole('button', { name: 'Delete webhook' }).press('Enter');
    await expect.poll(() => row('unwanted').count(), eventually).toBe(0);
    await dialogsClosed();
    await expect.poll(() => page.evaluate<string>('document.activeElement.id'), eventually).toBe('main');
  });

  test('searches, filters and sorts webhooks by URL, and shows fields and example of a type', async () => {
    const { scene, page, pageErrors } = current();
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
    await page.goBack();
    await drawer.waitFor({ state: 'detached' });
    await page.goForward();
    await drawer.getByRole('button', { name: 'Add webhook for this type' }).click();
    const form = page.getByRole('dialog', { name: 'Add a webhook' });
    await form.getByText('Business product plan changed').waitFor();
    await form.getByText('1 of 18 selected').waitFor();
    await saveScreenshots(page, 'webhook-add');
    expect(pageErrors).toEqual([]);
  });
});
