import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { categoryId } from '../../src/modules/catalog/categories/category.ts';
import { accessibilityViolations, describeInBrowser, goTo, saveScreenshots } from '../support/browser.ts';
import { ConsoleScene, type ConsoleUser } from '../support/console.ts';
import { startSandbox, type TestSandbox } from '../support/sandbox.ts';

const eventually = { timeout: 60_000 };

interface Listing {
  id: number;
  locationId: number;
  listingId: string;
}

describeInBrowser('listings and inbox', { timeout: 180_000 }, () => {
  let scene: ConsoleScene;
  let sandbox: TestSandbox;
  let admin: ConsoleUser;
  let google: Listing;
  /** One tab for all tests, because opening the console is slow. */
  let page: Page;
  let pageErrors: string[];

  beforeAll(async () => {
    sandbox = await startSandbox();
    scene = await ConsoleScene.start({
      WAYPOST_SANDBOX: 'on',
      WAYPOST_SANDBOX_URL: sandbox.url,
      WAYPOST_SANDBOX_KEY: sandbox.key,
    });
    admin = await scene.addUser({ role: 'ADMIN', name: 'Anna Berg', email: 'anna@harbour.example' });
    await scene.createDemoData(1);
    const { listings } = await scene.call('GET', '/api/listings?directoryType=GOOGLE&duplicates=false');
    google = listings[0];
    // Otherwise a scheduled check can submit our data again before a test sees the difference.
    await scene.call('PATCH', `/api/locations/${google.locationId}`, { autoSync: false });
    await scene.noWork(google);
    // The next sync detects these changes.
    await sandbox.control.changeListing('GOOGLE', google.listingId, { profile: { phone: '+4940999777' } });
    await sandbox.control.postReview('GOOGLE', google.listingId, {
      text: 'The staff was rude and the coffee <b>cold</b>.',
      rating: 2,
      author: 'Petra Lindqvist',
    });
    await scene.database.pool.query('update listings set datapoints_due = now() where id = $1', [google.id]);
    await scene.call('POST', `/api/locations/${google.locationId}/sync`, { submit: false });
    ({ page, pageErrors } = await scene.openAs(admin, '/listings'));
  }, 240_000);
  afterAll(async () => {
    await scene?.close();
    await sandbox?.close();
  });

  const row = (text: string) => page.getByRole('row').filter({ hasText: text });
  const first = () => page.getByRole('row').nth(1).textContent();
  const column = (name: string) => page.getByRole('columnheader').getByRole('button', { name, exact: true });

  test('sorts and filters listings by URL, groups them by directory and shows submissions', async () => {
    await row('Google').waitFor();
    await saveScreenshots(page, 'listings');
    await column('Directory').click();
    await expect.poll(first, eventually).toContain('Apple Maps');
    await column('Directory').click();
    await expect.poll(first, eventually).toContain('Yelp');
    expect(page.url()).toContain('sort=directoryType&order=DESC');
    await page.getByRole('combobox', { name: 'Account' }).click();
    await page.getByRole('option', { name: 'Account connected' }).click();
    await expect.poll(() => page.getByRole('row').count(), eventually).toBe(4);
    expect(page.url()).toContain('connect=');
    await page.keyboard.press('Escape');
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.getByText('By directory', { exact: true }).click();
    await row('Bing').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'listings-by-directory');
    // Nextdoor accepts no location data.
    expect(await row('Nextdoor').textContent()).not.toContain('%');
    const { directories } = await scene.call('GET', '/api/listings/by-directory');
    const counted = directories.find(({ directoryType }: { directoryType: string }) => directoryType === 'GOOGLE');
    await row('Google').getByRole('button').click();
    await expect.poll(() => page.url(), eventually).toContain('GOOGLE');
    await page.getByText(`${counted.listings} result`).waitFor();
    await row('Google').getByRole('button').click();
    await page.getByRole('tab', { name: 'Submissions' }).click();
    await page.getByRole('dialog').getByRole('table', { name: 'Submissions' }).waitFor();
    expect(await accessibilityViolations(page, '[role="dialog"]')).toEqual([]);
    await saveScreenshots(page, 'listing-submissions');
    expect(pageErrors).toEqual([]);
  });

  test('shows a change of a directory in the comparison and at the field, and applies it', async () => {
    const status = async () => (await scene.call('GET', `/api/listings/${google.id}`)).syncStatus;
    await expect.poll(status, eventually).toBe('NOT_IN_SYNC');
    await goTo(page, `/locations/${google.locationId}?tab=listings`);
    await column('Sync status').click();
    await expect.poll(first, eventually).toContain('In sync');
    await column('Sync status').click();
    await expect.poll(first, eventually).toContain('Not in sync');
    // As the filters by sync status and next step find it.
    expect(await row('Nextdoor').textContent()).toContain('NextdoorNot found');
    const { listings } = await scene.call('GET', `/api/locations/${google.locationId}`);
    await page.getByRole('tab', { name: `Listings (${listings})` }).waitFor();
    expect(await accessibilityViolations(page, '[role="tabpanel"][id$="listings"]')).toEqual([]);
    await saveScreenshots(page, 'location-listings');
    await page.getByRole('button', { name: 'Google', exact: true }).click();
    const drawer = page.getByRole('dialog');
    const phone = drawer.getByRole('row').filter({ hasText: 'Phone' });
    await phone.getByText('+4940999777').waitFor();
    expect(await accessibilityViolations(page, '[role="dialog"]')).toEqual([]);
    await saveScreenshots(page, 'listing');
    await page.keyboard.press('Escape');

    await page.getByRole('tab', { name: 'Profile' }).click();
    const suggestion = page.getByRole('group', { name: 'Suggestion for Phone' }).filter({ hasText: 'Google' });
    await suggestion.scrollIntoViewIfNeeded();
    expect(await accessibilityViolations(page, '[aria-label^="Suggestion"]')).toEqual([]);
    await saveScreenshots(page, 'location-suggestion');
    const completeness = page.waitForRequest(/\/completeness$/);
    await suggestion.getByRole('button', { name: 'Accept and apply' }).click();
    await suggestion.waitFor({ state: 'detached' });
    await completeness;
    await expect
      .poll(async () => (await scene.call('GET', `/api/locations/${google.locationId}`)).phone, eventually)
      .toBe('+4940999777');

    await page.getByRole('tab', { name: /^Listings/ }).click();
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText('Finished', { exact: true }).waitFor({ timeout: 90_000 });
    expect(pageErrors).toEqual([]);
  });

  test('syncs several locations', async () => {
    const { businessId } = await scene.call('GET', `/api/locations/${google.locationId}`);
    const address = {
      name: 'Closed',
      street: 'Kaiserkai',
      streetNo: '1',
      zip: '20457',
      city: 'Hamburg',
      country: 'DE',
    };
    const categories = [categoryId('amenity/cafe')];
    const { id } = await scene.call('POST', '/api/locations', { businessId, ...address, categories });
    await scene.database.pool.query(`update locations set status = 'INACTIVE' where id = $1`, [id]);
    await goTo(page, '/listings');
    await page.getByRole('button', { name: 'Sync locations' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sync locations' });
    await dialog.getByText('Compares 1 location with its listings').waitFor();
    await saveScreenshots(page, 'listings-sync');
    await dialog.getByRole('button', { name: 'Start sync' }).click();
    await dialog.getByText('You can close this window. The sync continues in the background.').waitFor();
    expect(await accessibilityViolations(page, '[role="dialog"]')).toEqual([]);
    await dialog.getByText('Finished').waitFor({ timeout: 90_000 });
    await page.keyboard.press('Escape');
  });

  test('keeps an unsent reply while other items are open, and asks before leaving', async () => {
    await goTo(page, '/inbox?type=%5B%22REVIEW%22%5D&directory=%5B%22GOOGLE%22%5D&hasReply=false');
    const list = page.getByRole('list', { name: 'Inbox' });
    await list.getByRole('listitem').nth(1).waitFor();
    const draft = page.getByRole('textbox', { name: 'Your reply' });
    await page.keyboard.press('j');
    await draft.fill('Half a reply');
    await draft.press('Escape');
    await page.keyboard.press('j');
    await expect.poll(() => draft.inputValue(), eventually).toBe('');
    await page.keyboard.press('k');
    await expect.poll(() => draft.inputValue(), eventually).toBe('Half a reply');
    await page.getByRole('link', { name: 'Listings' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Leave without saving?' });
    await confirmation.getByRole('button', { name: 'Stay on page' }).click();
    await confirmation.waitFor({ state: 'detached' });
    expect(await draft.inputValue()).toBe('Half a reply');
    await draft.fill('');
    await page.getByRole('link', { name: 'Listings' }).click();
    await expect.poll(() => page.url(), eventually).toContain('/listings');
    expect(pageErrors).toEqual([]);
  });

  test('replies to a review by keyboard and publishes the reply', async () => {
    await expect
      .poll(async () => (await scene.call('GET', '/api/data-points?query=rude')).inbox.count, { timeout: 90_000 })
      .toBe(1);
    await scene.database.pool.query(
      `update datapoints set action_date = thread_action_date - interval '3 days' where text like '%rude%'`,
    );
    await goTo(page, '/inbox');
    const list = page.getByRole('list', { name: 'Inbox' });
    await list.getByText('Petra Lindqvist').waitFor();
    await saveScreenshots(page, 'inbox-list');
    await list.getByRole('listitem').nth(49).scrollIntoViewIfNeeded();
    await expect.poll(() => list.getByRole('listitem').count(), eventually).toBeGreaterThan(50);
    await page.getByRole('searchbox', { name: 'Search text or author' }).fill('rude');
    await expect.poll(() => list.getByRole('listitem').count(), eventually).toBe(1);
    await page.getByRole('searchbox', { name: 'Search text or author' }).blur();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await accessibilityViolations(page, '[role="dialog"]')).toEqual([]);
    await saveScreenshots(page, 'inbox-shortcuts');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    const pane = page.getByRole('region', { name: 'Reading pane' });
    await pane.getByText('<b>cold</b>').waitFor();
    for (const part of [list, pane]) await part.getByText(/^Last activity .* ago$/).waitFor();
    await pane.getByRole('button', { name: 'Mark as unread' }).waitFor();
    await page.keyboard.press('f');
    await expect
      .poll(() => pane.getByRole('button', { name: 'Flag' }).getAttribute('aria-pressed'), eventually)
      .toBe('true');
    await page.keyboard.press('r');
    await page.keyboard.type('We are sorry, Petra. Please come back for a hot one on us.');
    await pane.getByText(/^58 of \d+ characters$/).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'inbox');
    await page.keyboard.press('Control+Enter');
    await pane.getByText('This item has an owner reply.').waitFor();
    expect(await pane.getByRole('textbox', { name: 'Your reply' }).count()).toBe(0);
    await pane.getByText('Published', { exact: true }).waitFor({ timeout: 90_000 });
    await saveScreenshots(page, 'inbox-replied');
    const { inbox } = await scene.call('GET', '/api/data-points?query=rude');
    expect(inbox.dataPoints[0]).toMatchObject({ read: true, flagged: true });
    expect(inbox.dataPoints[0].replies).toMatchObject([{ ownerReply: true, status: 'PUBLISHED' }]);
    expect(pageErrors).toEqual([]);
  });

  test('holds the reply of a location manager for approval, and saves filters', async () => {
    const manager = await scene.addUser({ role: 'LOCATION_MANAGER', locationIds: [google.locationId] });
    const { inbox } = await scene.call(
      'GET',
      `/api/data-points?locationIds=${google.locationId}&types=REVIEW&directoryTypes=GOOGLE&hasReply=false&max=1`,
    );
    const [review] = inbox.dataPoints;
    const { page: userTab } = await scene.openAs(manager, `/inbox?open=${review.id}`);
    await userTab.getByRole('textbox', { name: 'Your reply' }).fill('Thank you for coming!');
    await userTab.getByRole('button', { name: 'Send reply' }).click();
    await userTab.getByText('Waiting for approval', { exact: true }).first().waitFor();
    expect(await userTab.getByRole('button', { name: 'Approve' }).count()).toBe(0);

    const path = `/inbox?open=${review.id}&rating=%5B${review.rating}%5D&query=${review.author.split(' ')[0]}`;
    await goTo(page, path);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByRole('combobox', { name: 'Order' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'inbox-approval');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Published', { exact: true }).waitFor({ timeout: 90_000 });

    const [flagship, doomed] = [
      await scene.call('POST', '/api/labels', { name: 'Flagship' }),
      await scene.call('POST', '/api/labels', { name: 'Doomed' }),
    ];
    await scene.call('POST', '/api/data-points/filters', { name: 'Labelled', labels: [`${flagship.id}`, 'Doomed'] });
    await scene.call('DELETE', `/api/labels/${doomed.id}`);
    await goTo(page, `/inbox?rating=%5B${review.rating}%5D`);
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('menuitem', { name: 'Save these filters' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('By rating');
    expect(await accessibilityViolations(page, '[role="dialog"]')).toEqual([]);
    await saveScreenshots(page, 'inbox-save-filter');
    await page.getByRole('button', { name: 'Save filter', exact: true }).click();
    await goTo(page, '/inbox');
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('menuitem', { name: 'By rating', exact: true }).click();
    await expect.poll(() => page.url(), eventually).toContain('rating');

    await goTo(page, '/inbox');
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('menuitem', { name: 'Labelled (shared)', exact: true }).click();
    const more = page.getByRole('button', { name: 'More filters (1)' });
    if ((await more.getAttribute('aria-expanded')) === 'false') await more.click();
    for (const shown of ['Flagship', 'Doomed (unknown label)'])
      await page.getByText(shown, { exact: true }).filter({ visible: true }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('edits a listing and keeps concurrent changes', async () => {
    const isListing = ({ pathname }: URL) => pathname.endsWith(`/api/listings/${google.id}`);
    await page.route(isListing, async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      const response = await route.fetch();
      const { response: listing, ...rest } = await response.json();
      return route.fulfill({ response, json: { ...rest, response: { ...listing, duplicateOf: google.id + 1 } } });
    });
    await goTo(page, `/listings?directory=%5B%22GOOGLE%22%5D&listing=${google.id}`);
    await page.getByRole('tab', { name: 'Edit listing' }).click();
    const drawer = page.getByRole('dialog');
    const ownership = drawer.getByRole('combobox', { name: 'Ownership' });
    await ownership.waitFor();
    await scene.call('PATCH', `/api/listings/${google.id}`, { flowStatus: 'MANUALLY_DEACTIVATED' });
    expect(await accessibilityViolations(page, '[role="dialog"]')).toEqual([]);
    await saveScreenshots(page, 'listing-by-hand');
    await ownership.click();
    await page.getByRole('option', { name: 'Claimable', exact: true }).click();
    await drawer.getByRole('textbox', { name: 'Comment' }).fill('The owner called.');
    await drawer.getByRole('tab', { name: 'Submissions' }).click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    const openOriginal = () => drawer.getByRole('button', { name: 'Open original' }).click();
    for (const leave of [() => page.keyboard.press('Escape'), openOriginal]) {
      await leave();
      await question.getByRole('button', { name: 'Stay on page' }).click();
      await question.waitFor({ state: 'detached' });
    }
    await page.unroute(isListing);
    await page.getByRole('tab', { name: 'Edit listing' }).click();
    await drawer.getByText('Deactivated manually', { exact: true }).first().waitFor();
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await drawer.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('The listing was updated.').waitFor();
    expect((await sent).postDataJSON()).toEqual({ claimStatus: 'CLAIMABLE', comment: 'The owner called.' });
    expect((await scene.call('GET', `/api/listings/${google.id}`)).flowStatus).toBe('MANUALLY_DEACTIVATED');
    expect(pageErrors).toEqual([]);
  });
});
