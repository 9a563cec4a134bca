import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accessibilityViolations, describeInBrowser, goTo, saveScreenshots } from '../support/browser.ts';
import { ConsoleScene } from '../support/console.ts';
import { type Receiver, startReceiver } from '../support/delivery.ts';

const eventually = { timeout: 30_000 };
const overlay = '[role="dialog"]';
const path = '/api/sales-partners/webhooks';

interface Destination {
  pushUrl: string;
  types: string[];
  webhooks: { id: number; type: string; description?: string; enabled: boolean; previousSecretSignsUntil?: string }[];
}

describeInBrowser('webhooks of one destination', { timeout: 120_000 }, () => {
  let scene: ConsoleScene;
  let receiver: Receiver;
  let page: Page;
  let pageErrors: string[];

  beforeAll(async () => {
    receiver = await startReceiver();
    scene = await ConsoleScene.start({ WAYPOST_EMIT_EXAMPLES: 'on', WAYPOST_RETRY_SCHEDULE: '1h,1h' });
    const admin = await scene.addUser({ role: 'ADMIN', name: 'Anna Berg', email: 'anna@harbour.example' });
    ({ page, pageErrors } = await scene.openAs(admin, '/settings/webhooks'));
  }, 120_000);
  afterEach(() => {
    receiver.respond = () => 200;
  });
  afterAll(async () => {
    await scene?.close();
    await receiver?.close();
  });

  const addDestination = (hook: string, types: string[], more: object = {}): Promise<{ id: number }[]> =>
    scene.call('POST', path, { types, pushUrl: receiver.url(hook), ...more });
  const destination = async (hook: string): Promise<Destination | undefined> =>
    (await scene.call('GET', `${path}/destinations`)).find(
      ({ pushUrl }: Destination) => pushUrl === receiver.url(hook),
    );
  const row = (hook: string) => page.getByRole('row').filter({ hasText: receiver.url(hook) });
  const chips = (within: Locator | Page) => within.getByRole('list', { name: 'Event types' }).getByRole('link');
  const dialogsClosed = () => expect.poll(() => page.getByRole('dialog').count(), eventually).toBe(0);
  async function choose(form: Locator, search: string, name: RegExp): Promise<void> {
    await form.getByRole('combobox', { name: 'Event types' }).fill(search);
    await page.getByRole('option', { name }).click();
  }
  async function openMenu(hook: string, item: string): Promise<Locator> {
    await page.getByRole('button', { name: `Actions for ${receiver.url(hook)}`, exact: true }).click();
    await page.getByRole('menuitem', { name: item }).click();
    return page.getByRole('dialog');
  }

  test('adds several event types at once with one secret', async () => {
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

    expect(await chips(row('/erp')).allTextContents()).toEqual([
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
    const types = (await scene.call('GET', '/api/event-types')).eventTypes.map(({ type }: { type: string }) => type);
    const [failing, paused, disabled] = await addDestination('/data-lake', types, { description: 'Data lake' });
    const health = 'update webhook_health set consecutive_failures = 3, last_error = $2 where webhook_id = $1';
    await scene.database.pool.query(health, [failing?.id, 'It failed.']);
    const pause = `update webhook_health set trips = 1, open_until = now() + interval '1 hour' where webhook_id = $1`;
    await scene.database.pool.query(pause, [paused?.id]);
    await scene.call('PATCH', `${path}/${disabled?.id}`, { enabled: false });
    await page.goto('/console/settings/webhooks');
    await row('/data-lake').getByText('Data lake').waitFor();
    expect(await chips(row('/data-lake')).count()).toBe(18);
    const notHealthy = await chips(row('/data-lake')).filter({ hasText: /, / }).allTextContents();
    expect(notHealthy.map((text) => text.split(', ')[1])).toEqual(['Failing', 'Paused', 'Disabled']);
    await row('/data-lake').getByText('Paused', { exact: true }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'destinations');
    await page.getByRole('searchbox', { name: 'Search by type' }).fill('plan changed');
    await expect.poll(() => row('/erp').count(), eventually).toBe(0);
    await row('/data-lake').waitFor();

    await chips(row('/data-lake')).filter({ hasText: 'Business product plan changed' }).click();
    await page.getByRole('heading', { level: 1, name: 'Business product plan changed' }).waitFor();
    await page.getByText('Other event types of this destination:').waitFor();
    expect(await chips(page).count()).toBe(17);
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'webhook-of-destination');
    await chips(page).filter({ hasText: 'Location created' }).click();
    await page.getByRole('heading', { level: 1, name: 'Location created' }).waitFor();
    await page.getByRole('link', { name: receiver.url('/data-lake') }).click();
    await row('/data-lake').waitFor();
    expect(await row('/erp').count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  test('edits types and URL, and keeps settings in which the webhooks differ', async () => {
    const [first, second] = await addDestination('/crm', ['LOCATION_CREATED', 'BUSINESS_CREATED'], {
      retrySchedule: [3600],
    });
    await scene.call('PATCH', `${path}/${first?.id}`, { description: 'Locations', enabled: false });
    receiver.respond = () => 500;
    await scene.call('POST', '/api/event-types/BUSINESS_CREATED/emit', { count: 1 });
    const retrying = async () =>
      (await scene.call('GET', `${path}/${second?.id}/deliveries?states=RETRYING`)).deliveries.length;
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
    await row('/crm2').waitFor();
    await expect.poll(() => chips(row('/crm2')).count(), eventually).toBe(2);
    expect(await destination('/crm')).toBeUndefined();
    expect((await destination('/crm2'))?.webhooks).toMatchObject([
      { type: 'LOCATION_CREATED', description: 'Locations', enabled: false, retrySchedule: [3600] },
      { type: 'LISTING_UPDATE', description: 'Locations', enabled: false, retrySchedule: [3600] },
    ]);
    await scene.call('PATCH', `${path}/${first?.id}`, { description: null, enabled: true });
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
    await addDestination('/shop', ['LISTING_UPDATE', 'LISTING_LINK_CHANGE', 'LOCATION_CREATED']);
    receiver.respond = () => 500;
    await scene.call('POST', '/api/event-types/LISTING_LINK_CHANGE/emit', { count: 2 });
    const webhooks = async () => (await destination('/shop'))?.webhooks ?? [];
    const enabled = async () => (await webhooks()).map((webhook) => webhook.enabled);
    await page.goto('/console/settings/webhooks?query=shop');
    await row('/shop').getByText('2 pending').waitFor();
    const dialog = await openMenu('/shop', 'Disable all');
    await dialog.getByText('2 pending deliveries are kept').waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'destination-disable');
    await dialog.getByRole('button', { name: 'Disable all' }).click();
    await row('/shop').getByText('Disabled', { exact: true }).waitFor();
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
    await expect.poll(() => row('/shop').count(), eventually).toBe(0);
    await dialogsClosed();
    expect(await destination('/shop')).toBeUndefined();
    expect(pageErrors).toEqual([]);
  });

  test('shows an error and reloads the list', async () => {
    const reads = `**${path}/destinations*`;
    await page.route(reads, (route) => route.fulfill({ status: 500, json: { status: 'INTERNAL', message: 'Failed' } }));
    await page.goto('/console/settings/webhooks');
    const retry = page.getByRole('tabpanel').getByRole('button', { name: 'Try again' }).first();
    await retry.waitFor();
    await page.unroute(reads);
    await retry.click();
    await row('/data-lake').waitFor();
    await goTo(page, '/settings/webhooks?query=nothing');
    await page.getByRole('status').getByRole('button', { name: 'Clear filters' }).waitFor();
  });

  test('sets headers, rate, time limit and Ed25519, and keeps header values that are not entered again', async () => {
    await addDestination('/gateway', ['BUSINESS_CREATED']);
    await page.goto('/console/settings/webhooks');
    const form = await openMenu('/gateway', 'Edit');
    await form.getByRole('button', { name: 'Add header' }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Enter a name and a value for each new header.').waitFor();
    await form.getByRole('textbox', { name: 'Header name' }).fill('Host');
    await form.getByRole('textbox', { name: 'Value of Host' }).fill('other.example');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('The header Host is set by Waypost and cannot be changed.').waitFor();
    await form.getByRole('textbox', { name: 'Header name' }).fill('X-Api-Key');
    await form.getByRole('textbox', { name: 'Value of X-Api-Key' }).fill('first key');
    await form.getByRole('textbox', { name: 'Deliveries per second' }).fill('50');
    await form.getByRole('textbox', { name: 'Time limit in seconds' }).fill('20');
    await form.getByRole('switch', { name: 'Ed25519 signature' }).check();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-delivery-settings');
    await form.getByRole('button', { name: 'Save' }).click();
    await dialogsClosed();
    expect((await destination('/gateway'))?.webhooks).toMatchObject([
      { headerNames: ['x-api-key'], maxPerSecond: 50, timeoutSeconds: 20, publicKeysPath: expect.any(String) },
    ]);

    const again = await openMenu('/gateway', 'Edit');
    await again.getByPlaceholder('Saved, not shown').waitFor();
    await again.getByRole('button', { name: 'Add header' }).click();
    await again.getByRole('textbox', { name: 'Header name' }).nth(1).fill('X-Team');
    await again.getByRole('textbox', { name: 'Value of X-Team' }).fill('blue');
    await again.getByRole('textbox', { name: 'Deliveries per second' }).fill('');
    await again.getByRole('button', { name: 'Save' }).click();
    await dialogsClosed();
    const [webhook] = (await destination('/gateway'))?.webhooks ?? [];
    expect(webhook).toMatchObject({ headerNames: ['x-api-key', 'x-team'] });
    expect(webhook).not.toHaveProperty('maxPerSecond');

    await goTo(page, `/settings/webhooks/${webhook?.id}?tab=details`);
    await page.getByText('x-api-key, x-team').waitFor();
    await page.getByText('20 s', { exact: true }).waitFor();
    const keys = page.getByRole('link', { name: /webhook-keys/ });
    expect(await keys.getAttribute('href')).toBe(`/.well-known/webhook-keys/${webhook?.id}`);
    await saveScreenshots(page, 'webhook-details');
    await goTo(page, '/settings/webhooks');
  });

  test('makes a destination ordered, and names the event that a delivery waits for', async () => {
    const [webhook] = await addDestination('/ordered', ['LOCATION_CREATED']);
    await page.goto('/console/settings/webhooks');
    const form = await openMenu('/ordered', 'Edit');
    const ordered = form.getByRole('switch', { name: 'Ordered' });
    await form.getByText(/a failing event holds back the later ones/).waitFor();
    await ordered.focus();
    await page.keyboard.press('Space');
    expect(await ordered.isChecked()).toBe(true);
    await form.getByRole('button', { name: 'Save' }).click();
    await dialogsClosed();
    expect((await destination('/ordered'))?.webhooks).toMatchObject([{ ordered: true }]);

    receiver.respond = () => 503;
    const { eventIds } = await scene.call('POST', '/api/event-types/LOCATION_CREATED/emit', { count: 2 });
    await expect.poll(() => receiver.ids('/ordered'), eventually).toEqual([eventIds[0]]);
    await goTo(page, `/settings/webhooks/${webhook?.id}`);
    await page.getByText(`Waiting for event ${eventIds[0]}`).first().waitFor();
    await goTo(page, `/settings/webhooks/${webhook?.id}?delivery=${eventIds[1]}-${webhook?.id}`);
    const drawer = page.getByRole('dialog', { name: `Delivery of event ${eventIds[1]}` });
    await drawer.getByText(`Waiting for event ${eventIds[0]}`).waitFor();
    expect(await drawer.getByRole('button', { name: 'Retry now' }).count()).toBe(0);
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-ordered-delivery');
    await drawer.getByRole('link', { name: `Open event ${eventIds[0]}` }).click();
    await page
      .getByRole('heading', { name: /Location created/ })
      .first()
      .waitFor();

    receiver.respond = () => 200;
    await goTo(page, `/settings/webhooks/${webhook?.id}?delivery=${eventIds[0]}-${webhook?.id}`);
    const failing = page.getByRole('dialog', { name: `Delivery of event ${eventIds[0]}` });
    await failing.getByRole('button', { name: 'Discard' }).click();
    const question = page.getByRole('dialog', { name: `Discard the delivery of event ${eventIds[0]}?` });
    await question.waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'delivery-discard');
    await question.getByRole('button', { name: 'Discard delivery' }).click();
    await failing.getByText('Discarded after 1 attempt.').waitFor();
    await expect.poll(() => receiver.ids('/ordered'), eventually).toEqual(eventIds);
    await goTo(page, '/settings/webhooks');
  });

  test('checks a filter before saving, and explains an event that it excluded', async () => {
    const [update] = await addDestination('/filtered', ['LISTING_UPDATE']);
    const label = await scene.call('POST', '/api/labels', { name: 'Airport' });
    // The example of the type has the result UNDEFINED.
    const emit = async (fields: object): Promise<number> =>
      (await scene.call('POST', '/api/event-types/LISTING_UPDATE/emit', { fields })).eventIds[0];
    await emit({ updateResult: 'FAILURE' });
    await page.goto('/console/settings/webhooks');
    const form = await openMenu('/filtered', 'Edit');
    const chooseField = async (condition: number, name: string) => {
      await form.getByRole('combobox', { name: `Field of condition ${condition}` }).fill(name);
      await page.getByRole('option', { name, exact: true }).click();
    };
    await form.getByRole('button', { name: 'Edit as JSON' }).click();
    const filter = form.getByRole('textbox', { name: 'Filter' });
    await filter.fill('{"field": "updateResult"');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Enter a JSON object, or leave the field empty.').waitFor();
    await filter.fill('{"field": "updateresult", "in": ["FAILURE"]}');
    await form.getByText('filter.field must be a field of LISTING_UPDATE').waitFor();
    expect(await filter.getAttribute('aria-invalid')).toBe('true');
    await filter.fill('{"any": [{"all": [{"field": "comment", "exists": true}]}]}');
    await form.getByText('only JSON can show').waitFor();
    expect(await form.getByRole('button', { name: 'Edit as conditions' }).isDisabled()).toBe(true);
    await filter.fill('');
    await form.getByRole('button', { name: 'Edit as conditions' }).click();

    await form.getByRole('button', { name: 'Add condition' }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Choose a field and a value for each condition').waitFor();
    await chooseField(1, 'updateResult');
    await form.getByRole('combobox', { name: 'Value of condition 1' }).click();
    await page.getByRole('option', { name: 'FAILURE' }).click();
    await page.getByRole('option', { name: 'SUCCESS' }).click();
    await page.keyboard.press('Escape');
    await form.getByText('Only events where updateResult is FAILURE or SUCCESS.').waitFor();
    await form.getByRole('button', { name: 'Add condition' }).click();
    await chooseField(2, 'labels');
    await form.getByRole('combobox', { name: 'Value of condition 2' }).fill('airp');
    await page.getByRole('option', { name: 'Airport' }).click();
    await form.getByText(`(updateResult is FAILURE or SUCCESS) and labels is ${label.id}.`).waitFor();
    await form.getByRole('button', { name: 'Add condition' }).click();
    await chooseField(3, 'location');
    await form.getByRole('combobox', { name: 'Comparison of condition 3' }).click();
    await page.getByRole('option', { name: 'is greater than' }).click();
    await form.getByRole('textbox', { name: 'Value of condition 3' }).fill('7');
    await form.getByRole('combobox', { name: 'Combination of the conditions' }).click();
    await page.getByRole('option', { name: 'At least one condition must match' }).click();
    await form.getByText(`or labels is ${label.id} or location is greater than 7.`).waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-filter-conditions');
    await form.getByRole('button', { name: 'Remove condition 3' }).click();
    await form.getByRole('button', { name: 'Remove condition 2' }).click();
    await form.getByText('Only events where updateResult is FAILURE or SUCCESS.').waitFor();
    await form.getByText(/\d of the last \d events match/).waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'webhook-filter');
    await form.getByRole('button', { name: 'Save' }).click();
    await dialogsClosed();

    await goTo(page, `/settings/webhooks/${update?.id}?tab=details`);
    await page.getByText('updateResult is FAILURE or SUCCESS').waitFor();
    const excluded = await emit({});
    await goTo(page, `/events/${excluded}`);
    await page.getByText('The event did not match the filter of the webhook: updateResult is FAILURE').waitFor();
    await saveScreenshots(page, 'event-filtered');
    expect(pageErrors).toEqual([]);
  });
});
