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

describeInBrowser('the page of a webhook', { timeout: 120_000 }, () => {
  const { current, emit, addWebhook, deliveriesOf, row, dialogsClosed } = openWebhooks();

  test('previews, replays and cancels a replay of discarded deliveries', async () => {
    const { receiver, page, pageErrors } = current();
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
    await page.getByText('Times are in your time zone, UTC.').waitFor();
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
    const { scene, receiver, page } = current();
    receiver.respond = () => 500;
    const { id } = await addWebhook('LISTING_LINK_CHANGE', '/paused');
    const [first] = await emit('LISTING_LINK_CHANGE', 3);
    await expect.poll(async () => (await deliveriesOf(id, 'RETRYING')).length, eventually).toBe(3);
    const pause = `update webhook_health set trips = 1, open_until = now() + interval '1 hour' where webhook_id = $1`;
    await scene.database.pool.query(pause, [id]);
    await goTo(page, `/settings/webhooks/${id}`);
    const alert = page.getByRole('alert').filter({ hasText: 'Deliveries are paused' });
    await alert.waitFor();
    // An alert is read whenever it changes, except for its ticking times.
    expect(await alert.locator('time:not([aria-live=off])').count()).toBe(0);
    expect(await alert.locator('time').count()).toBe(2);
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

  test('edits, disables, enables, rotates and deletes a webhook with pending deliveries', async () => {
    const { scene, receiver, page, pageErrors } = current();
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
    expect(await scene.call('GET', `${webhooksPath}/${id}`)).toMatchObject({
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
    const activity = `**${webhooksPath}/activity?*`;
    await page.route(activity, (route) => route.fulfill({ status: 400, json: { message: 'Failed' } }));
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByText('Pending deliveries could not be counted.').waitFor();
    await page.unroute(activity);
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
    await expect(scene.call('GET', `${webhooksPath}/${id}`)).rejects.toThrow('404');
    expect(pageErrors).toEqual([]);
  });

  test('says that nothing was sent if the receiver refused the connection', async () => {
    const { page } = current();
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

  test('keeps the charts while a later request is slow and after it failed', async () => {
    const { scene } = current();
    const { id } = await addWebhook('LISTING_STATUS_CHANGE', '/charts');
    const { page, context } = await scene.openAs({ email: 'anna@harbour.example' }, '/settings/webhooks');
    await page.clock.install();
    await page.goto(`/console/settings/webhooks/${id}`);
    const charts = page.getByRole('region', { name: 'Performance' });
    const figures = charts.getByText('–', { exact: true });
    await expect.poll(() => figures.count(), eventually).toBe(2);
    let requests = 0;
    let fail = () => {};
    const failed = new Promise<void>((resolve) => {
      fail = resolve;
    });
    await page.route('**/statistics?*', async (route) => {
      requests += 1;
      await failed;
      await route.fulfill({ status: 400, json: { message: 'Not available.' } });
    });
    await page.clock.fastForward(61_000);
    await expect.poll(() => requests, eventually).toBe(1);
    await page.clock.fastForward(61_000);
    fail();
    await charts.getByRole('alert').getByText('Not available.').waitFor();
    expect({ requests, figures: await figures.count() }).toEqual({ requests: 1, figures: 2 });
    await context.close();
  });
});
