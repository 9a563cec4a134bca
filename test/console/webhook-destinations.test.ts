import type { Locator, Page } from 'playwright-core';
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

describeInBrowser('webhooks of one destination', { timeout: 120_000 }, () => {
  const { current, addDestination, destination, destinationRow, openMenu, dialogsClosed } = openWebhooks();
  const chips = (within: Locator | Page) => within.getByRole('list', { name: 'Event types' }).getByRole('link');
  async function choose(form: Locator, search: string, name: RegExp): Promise<void> {
    await form.getByRole('combobox', { name: 'Event types' }).fill(search);
    await current().page.getByRole('option', { name }).click();
  }

  test('adds several event types at once with one secret', async () => {
    const { receiver, page, pageErrors } = current();
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const form = page.getByRole('dialog', { name: 'Add a webhook' });
    await form.getByRole('textbox', { name: 'Push URL' }).fill(receiver.url('/erp'));
    await form.getByRole('button', { name: 'Add webhook' }).click();
    await form.getByText('Choose at least one event type.').waitFor();
    await form.getByRole('button', { name: 'Select all' }).click();
    await form.getByText('18 of 18 selected').waitFor();
    await form.getByRole('button', { name: 'Add 18 webhooks' }).waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-add-all-types');
    await form.getByRole('button', { name: 'Clear' }).click();
    await form.getByText('0 of 18 selected').waitFor();
    await choose(form, 'location creat', /^Location created/);
    await choose(form, 'listing upd', /^Listing update/);
    await choose(form, 'business creat', /^Business created/);
    const option = page.getByRole('option', { name: /^Business created/ });
    expect(await option.getAttribute('aria-selected')).toBe('true');
    expect(await accessibilityViolations(page, '[role="option"]')).toEqual([]);
    await saveScreenshots(page, 'webhook-add-types');
    await page.keyboard.press('Tab');
    await form.getByRole('button', { name: 'Add 3 webhooks' }).click();

    const created = page.getByRole('dialog', { name: '3 webhooks were created' });
    await created.getByText('All 3 webhooks have the same secret.').waitFor();
    expect(await created.locator('code').allTextContents()).toEqual([expect.stringMatching(/^whsec_/)]);
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhooks-created');
    await created.getByRole('button', { name: 'Send test' }).click();
    const trial = page.getByRole('dialog', { name: /^Test / });
    await trial.getByRole('combobox', { name: 'Event type' }).click();
    await page.getByRole('option', { name: 'Listing update' }).click();
    await page.getByRole('dialog', { name: 'Test Listing update' }).getByRole('button', { name: 'Send test' }).click();
    await trial.getByText('The receiver accepted the delivery').waitFor();
    expect(receiver.requests.at(-1)).toMatchObject({ path: '/erp', body: expect.stringContaining('LISTING_UPDATE') });
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'destination-test');
    await trial.getByRole('button', { name: 'Close' }).last().click();
    await created.getByRole('button', { name: 'I have saved the secret' }).click();
    await dialogsClosed();

    expect(await chips(destinationRow('/erp')).allTextContents()).toEqual([
      'Location created',
      'Listing update',
      'Business created',
    ]);
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await form.getByRole('textbox', { name: 'Push URL' }).fill(receiver.url('/erp'));
    await form.getByText('New webhooks get a new secret.').waitFor();
    await form.getByRole('textbox', { name: 'Push URL' }).fill('');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await dialogsClosed();
    expect(pageErrors).toEqual([]);
  });

  test('links each type to its webhook, names its health, and links webhooks of one destination', async () => {
    const { scene, receiver, page, pageErrors } = current();
    const types = (await scene.call('GET', '/api/event-types')).eventTypes.map(({ type }: { type: string }) => type);
    const [failing, paused, disabled] = await addDestination('/data-lake', types, { description: 'Data lake' });
    const health = 'update webhook_health set consecutive_failures = 3, last_error = $2 where webhook_id = $1';
    await scene.database.pool.query(health, [failing?.id, 'It failed.']);
    const pause = `update webhook_health set trips = 1, open_until = now() + interval '1 hour' where webhook_id = $1`;
    await scene.database.pool.query(pause, [paused?.id]);
    await scene.call('PATCH', `${webhooksPath}/${disabled?.id}`, { enabled: false });
    await page.goto('/console/settings/webhooks');
    await destinationRow('/data-lake').getByText('Data lake').waitFor();
    expect(await chips(destinationRow('/data-lake')).count()).toBe(18);
    const notHealthy = await chips(destinationRow('/data-lake')).filter({ hasText: /, / }).allTextContents();
    expect(notHealthy.map((text) => text.split(', ')[1])).toEqual(['Failing', 'Paused', 'Disabled']);
    await destinationRow('/data-lake').getByText('Paused', { exact: true }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'destinations');
    await page.getByRole('searchbox', { name: 'Search by type' }).fill('plan changed');
    await expect.poll(() => destinationRow('/erp').count(), eventually).toBe(0);
    await destinationRow('/data-lake').waitFor();

    await chips(destinationRow('/data-lake')).filter({ hasText: 'Business product plan changed' }).click();
    await page.getByRole('heading', { level: 1, name: 'Business product plan changed' }).waitFor();
    await page.getByText('Other event types of this destination:').waitFor();
    expect(await chips(page).count()).toBe(17);
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'webhook-of-destination');
    await chips(page).filter({ hasText: 'Location created' }).click();
    await page.getByRole('heading', { level: 1, name: 'Location created' }).waitFor();
    await page.getByRole('link', { name: receiver.url('/data-lake') }).click();
    await destinationRow('/data-lake').waitFor();
    expect(await destinationRow('/erp').count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  test('edits types and URL, and keeps settings in which the webhooks differ', async () => {
    const { scene, receiver, page, pageErrors } = current();
    const [first, second] = await addDestination('/crm', ['LOCATION_CREATED', 'BUSINESS_CREATED'], {
      retrySchedule: [3600],
    });
    await scene.call('PATCH', `${webhooksPath}/${first?.id}`, { description: 'Locations', enabled: false });
    receiver.respond = () => 500;
    await scene.call('POST', '/api/event-types/BUSINESS_CREATED/emit', { count: 1 });
    const retrying = async () =>
      (await scene.call('GET', `${webhooksPath}/${second?.id}/deliveries?states=RETRYING`)).deliveries.length;
    await expect.poll(retrying, eventually).toBe(1);
    await page.goto('/console/settings/webhooks?query=crm');
    const form = await openMenu('/crm', 'Edit');
    await page.getByRole('dialog', { name: 'Edit destination' }).waitFor();
    await form.getByText('The webhooks have different values.').waitFor();
    expect(await form.getByRole('combobox', { name: 'Enabled' }).inputValue()).toMatch(/^Keep the different settings/);
    expect(await form.getByRole('textbox', { name: 'Custom retry schedule' }).inputValue()).toBe('3600');
    await choose(form, 'business creat', /^Business created/);
    await form.getByText('Business created: 1 pending delivery will not be sent.').waitFor();
    await choose(form, 'listing upd', /^Listing update/);
    await form.getByRole('textbox', { name: 'Push URL' }).fill(receiver.url('/crm2'));
    await form.getByText('A new URL resets the failure count.').waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'destination-edit');
    await form.getByRole('button', { name: 'Save changes' }).click();
    await dialogsClosed();
    await destinationRow('/crm2').waitFor();
    await expect.poll(() => chips(destinationRow('/crm2')).count(), eventually).toBe(2);
    expect(await destination('/crm')).toBeUndefined();
    expect((await destination('/crm2'))?.webhooks).toMatchObject([
      { type: 'LOCATION_CREATED', description: 'Locations', enabled: false, retrySchedule: [3600] },
      { type: 'LISTING_UPDATE', description: 'Locations', enabled: false, retrySchedule: [3600] },
    ]);
    await scene.call('PATCH', `${webhooksPath}/${first?.id}`, { description: null, enabled: true });
    await page.reload();
    await openMenu('/crm2', 'Edit');
    await form.getByRole('textbox', { name: 'Description' }).fill('CRM');
    await form.getByText('All webhooks of this destination get this value.').waitFor();
    await form.getByRole('combobox', { name: 'Enabled' }).click();
    await page.getByRole('option', { name: 'Enable all webhooks' }).click();
    await form.getByRole('button', { name: 'Save changes' }).click();
    await dialogsClosed();
    for (const webhook of (await destination('/crm2'))?.webhooks ?? [])
      expect(webhook).toMatchObject({ description: 'CRM', enabled: true });
    expect(pageErrors).toEqual([]);
  });

  test('disables, enables, rotates and deletes all webhooks of a destination', async () => {
    const { scene, receiver, page, pageErrors } = current();
    await addDestination('/shop', ['LISTING_UPDATE', 'LISTING_LINK_CHANGE', 'LOCATION_CREATED']);
    receiver.respond = () => 500;
    await scene.call('POST', '/api/event-types/LISTING_LINK_CHANGE/emit', { count: 2 });
    const webhooks = async () => (await destination('/shop'))?.webhooks ?? [];
    const enabled = async () => (await webhooks()).map((webhook) => webhook.enabled);
    await page.goto('/console/settings/webhooks?query=shop');
    await destinationRow('/shop').getByText('2 pending').waitFor();
    const dialog = await openMenu('/shop', 'Disable all');
    await dialog.getByText('2 pending deliveries are kept').waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'destination-disable');
    await dialog.getByRole('button', { name: 'Disable all' }).click();
    await destinationRow('/shop').getByText('Disabled', { exact: true }).waitFor();
    expect(await enabled()).toEqual([false, false, false]);
    await openMenu('/shop', 'Enable all');
    await dialog.getByRole('button', { name: 'Enable all' }).click();
    await dialogsClosed();
    expect(await enabled()).toEqual([true, true, true]);

    await openMenu('/shop', 'Rotate secret');
    await dialog.getByText('Creates one new secret for all 3 webhooks').waitFor();
    await dialog.getByRole('button', { name: 'Rotate secret' }).click();
    await dialog.getByText('You cannot view it again').waitFor();
    expect(await dialog.locator('code').textContent()).toMatch(/^whsec_/);
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'destination-rotate');
    await dialog.getByRole('button', { name: 'I have saved the secret' }).click();
    await dialogsClosed();
    const overlaps = (await webhooks()).map(({ previousSecretSignsUntil }) => previousSecretSignsUntil);
    expect(overlaps).toEqual(Array(3).fill(expect.any(String)));
    expect(new Set(overlaps).size).toBe(1);

    await openMenu('/shop', 'Delete all');
    await dialog.getByText('2 pending deliveries will not be sent.').waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'destination-delete');
    await dialog.getByRole('button', { name: 'Delete 3 webhooks' }).click();
    await expect.poll(() => destinationRow('/shop').count(), eventually).toBe(0);
    await dialogsClosed();
    expect(await destination('/shop')).toBeUndefined();
    expect(pageErrors).toEqual([]);
  });

  test('shows an error and reloads the list', async () => {
    const { page } = current();
    const reads = `**${webhooksPath}/destinations*`;
    await page.route(reads, (route) => route.fulfill({ status: 500, json: { status: 'INTERNAL', message: 'Failed' } }));
    await page.goto('/console/settings/webhooks');
    const retry = page.getByRole('tabpanel').getByRole('button', { name: 'Try again' }).first();
    await retry.waitFor();
    await page.unroute(reads);
    await retry.click();
    await destinationRow('/data-lake').waitFor();
    await goTo(page, '/settings/webhooks?query=nothing');
    await page.getByRole('status').getByRole('button', { name: 'Clear filters' }).waitFor();
  });
});
