import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SandboxAccess, SandboxControl } from '../../src/modules/directories/sandbox-control.ts';
import { accessibilityViolations, describeInBrowser, saveScreenshots } from '../support/browser.ts';
import { ConsoleScene, type ConsoleUser } from '../support/console.ts';
import { type Receiver, startReceiver } from '../support/delivery.ts';

describeInBrowser('sandbox page', { timeout: 180_000 }, () => {
  let scene: ConsoleScene;
  let receiver: Receiver;
  let admin: ConsoleUser;
  /** The administrator's tab, shared by all tests. */
  let page: Page;
  let pageErrors: string[];
  let listing: { id: number; locationId: number; typeName: string };

  beforeAll(async () => {
    scene = await ConsoleScene.start({
      WAYPOST_DEMO: 'on',
      WAYPOST_SANDBOX: 'on',
      WAYPOST_SANDBOX_LIFE: 'off',
      WAYPOST_DEMO_LOCATIONS: '0',
    });
    receiver = await startReceiver(() => ({ status: 200, body: '{"thanks":"<b>got it</b>"}' }));
    admin = await scene.addUser({ role: 'ADMIN' });
    await scene.createDemoData(3);
    for (const type of ['LISTING_DATAPOINT_CHECK', 'LISTING_SYNC_CHECK']) {
      await scene.call('POST', '/api/sales-partners/webhooks', { pushUrl: receiver.url(), type });
    }
    const found = await scene.call('GET', '/api/listings?directoryType=GOOGLE&max=50');
    listing = found.listings.find(({ listingId }: { listingId?: string }) => listingId !== undefined);
    const address = `/sandbox?location=${listing.locationId}&listing=${listing.id}`;
    ({ page, pageErrors } = await scene.openAs(admin, address));
  }, 240_000);
  afterAll(async () => {
    await scene?.close();
    await receiver?.close();
  });

  test('follows a review to the response of the receiver and shows it as text', async () => {
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'sandbox-none');
    await page.getByRole('textbox', { name: 'Text' }).fill('Lovely <i>place</i>');
    await page.getByRole('button', { name: 'Post review' }).click();
    await page.getByText('Maria K. posted a 5-star review on').waitFor();
    await page
      .getByText(/LISTING_DATAPOINT_CHECK recorded as event/)
      .first()
      .waitFor({ timeout: 90_000 });
    await page.getByText(`Delivered to ${receiver.url()}`).waitFor({ timeout: 60_000 });
    await page.getByText('<b>got it</b>').waitFor();
    const body = await page.getByText('Event as delivered').first().boundingBox();
    const delivery = await page.getByText('Delivery', { exact: true }).first().boundingBox();
    expect((body?.y ?? 0) + (body?.height ?? 0)).toBeLessThanOrEqual(delivery?.y ?? 0);
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'sandbox');
    const arrived = receiver.requests.find(
      ({ event }) => event.type === 'LISTING_DATAPOINT_CHECK' && event.listing === listing.id,
    );
    expect(arrived?.event).toMatchObject({ newDatapointsFound: true });
    expect(pageErrors).toEqual([]);
  });

  test('shows a changed listing as not in sync', async () => {
    await page.getByRole('combobox', { name: 'Field' }).click();
    await page.getByRole('option', { name: 'Phone' }).click();
    await page.getByRole('button', { name: 'Change listing' }).click();
    await page.getByText(/changed phone to/).waitFor();
    // Other checks of the listing can follow.
    const recorded = page.getByText(/LISTING_SYNC_CHECK recorded as event/);
    await recorded.first().waitFor({ timeout: 90_000 });
    // By its event, because a submission soon corrects the listing.
    const statuses = () =>
      receiver.requests
        .filter(({ event }) => event.type === 'LISTING_SYNC_CHECK' && event.listing === listing.id)
        .map(({ event }) => event.toListingSyncStatus);
    await expect.poll(statuses, { timeout: 60_000 }).toContain('NOT_IN_SYNC');
    const ofReview = page.locator('.mantine-Timeline-root', { hasText: 'Maria K. posted' });
    expect(await ofReview.getByText('LISTING_SYNC_CHECK').count()).toBe(0);
  });

  test('takes a directory down and brings it back up', async () => {
    await page.getByRole('button', { name: 'Take down' }).click();
    await page.getByText(/is down for 60 s/).waitFor();
    const state = async () =>
      (await scene.call('GET', '/api/sandbox')).directories.find(({ type }: { type: string }) => type === 'GOOGLE')
        .isDown;
    expect(await state()).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'sandbox-outage');
    await page.getByRole('button', { name: /^Bring .* back up$/ }).click();
    await expect.poll(state, { timeout: 30_000 }).toBe(false);
  });

  test('makes an endpoint of the demo receiver fail', async () => {
    await new SandboxControl(scene.service.sandbox as SandboxAccess).setReceiver('crm', 'accept');
    const modes = page.getByRole('radiogroup', { name: 'Response of crm' });
    await modes.getByText('Fail').click({ timeout: 30_000 });
    const mode = async () => (await scene.call('GET', '/api/sandbox/receiver')).endpoints[0]?.mode;
    await expect.poll(mode, { timeout: 30_000 }).toBe('fail');
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'sandbox-receiver');
    await expect(scene.call('PUT', '/api/sandbox/receiver/unknown', { mode: 'fail' })).rejects.toThrow('404');
    await expect(scene.call('PUT', '/api/sandbox/receiver/crm', { mode: 'explode' })).rejects.toThrow('400');
  });

  test('shows why demo data is incomplete on every page', async () => {
    await scene.database.pool.query(
      `update tasks set status = 'FAILED', error = 'The sandbox does not respond.' where type = 'DEMO_DATA'`,
    );
    const tab = await scene.openAs(admin, '/events');
    await tab.page.getByText('Demo data is incomplete', { exact: true }).waitFor();
    await tab.page.getByText(/3 of 3 locations were created. The sandbox does not respond\./).waitFor();
    expect(await accessibilityViolations(tab.page)).toEqual([]);
    await tab.context.close();
  });

  test('is available only to administrators in demo mode, for their own listings', async () => {
    const manager = await scene.addUser({ role: 'ACCOUNT_MANAGER' });
    const tab = await scene.openAs(manager, '/sandbox');
    await tab.page.getByRole('heading', { level: 1, name: 'You do not have permission' }).waitFor();
    await expect(scene.call('POST', '/api/sandbox/reviews', { listingId: 999_999, text: 'x' })).rejects.toThrow('404');
  });
});
