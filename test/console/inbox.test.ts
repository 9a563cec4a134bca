import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, keepPictures, seriousBarriers } from '../support/browser.ts';
import { ConsoleScene, type Person } from '../support/console.ts';
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
  let admin: Person;
  let google: Listing;

  beforeAll(async () => {
    sandbox = await startSandbox();
    scene = await ConsoleScene.start({
      WAYPOST_SANDBOX: 'on',
      WAYPOST_SANDBOX_URL: sandbox.url,
      WAYPOST_SANDBOX_KEY: sandbox.key,
    });
    admin = await scene.addPerson({ role: 'ADMIN', name: 'Anna Berg', email: 'anna@harbour.example' });
    await scene.makeDemoData(4);
    const { listings } = await scene.call(
      'GET',
      '/api/listings?directoryType=GOOGLE&claimStatus=CLAIMED_BY_US&syncStatus=IN_SYNC',
    );
    google = listings.find(({ listingId }: Listing) => listingId !== undefined);
  }, 240_000);
  afterAll(async () => {
    await scene?.close();
    await sandbox?.close();
  });

  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

  test('listings are found by directory and status, and opened with their history', async () => {
    const { page, complaints } = await scene.openAs(admin, '/listings');
    await page.getByRole('row').nth(1).waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'listings');
    await page.getByText('By directory', { exact: true }).click();
    await row(page, 'Google').waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'listings-by-directory');
    await row(page, 'Google').getByRole('button').click();
    await expect.poll(() => page.url(), eventually).toContain('GOOGLE');
    await page.goto(`/console/listings?listing=${google.id}`);
    await page.getByRole('tab', { name: 'Submissions' }).click();
    await page.getByRole('dialog').getByRole('table', { name: 'Submissions' }).waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('what a directory changed is shown side by side and beside the field, and is taken over from there', async () => {
    await sandbox.control.changeListing('GOOGLE', google.listingId, { profile: { phone: '+4940999777' } });
    const { page, complaints } = await scene.openAs(admin, `/locations/${google.locationId}?tab=listings`);
    await scene.call('POST', `/api/locations/${google.locationId}/sync`, { submit: false });
    await expect.poll(() => row(page, 'Google').first().textContent(), eventually).toContain('Different');
    await keepPictures(page, 'location-listings');
    await page.getByRole('button', { name: 'Google', exact: true }).click();
    const drawer = page.getByRole('dialog');
    const phone = drawer.getByRole('row').filter({ hasText: 'Phone' });
    await phone.getByText('+4940999777').waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'listing');
    await page.keyboard.press('Escape');

    await page.getByRole('tab', { name: 'Profile' }).click();
    await expect
      .poll(async () => {
        await page.reload();
        await page.getByRole('region', { name: 'Contact' }).waitFor();
        return page
          .getByRole('group', { name: 'Suggestion for Phone' })
          .waitFor({ timeout: 4000 })
          .then(
            () => true,
            () => false,
          );
      }, eventually)
      .toBe(true);
    const suggestion = page.getByRole('group', { name: 'Suggestion for Phone' });
    await suggestion.scrollIntoViewIfNeeded();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'location-suggestion');
    await suggestion.getByRole('button', { name: 'Accept and apply' }).click();
    await suggestion.waitFor({ state: 'detached' });
    await expect
      .poll(async () => (await scene.call('GET', `/api/locations/${google.locationId}`)).phone, eventually)
      .toBe('+4940999777');

    await page.getByRole('tab', { name: /^Listings/ }).click();
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText('Finished', { exact: true }).waitFor({ timeout: 90_000 });
    expect(complaints).toEqual([]);
  });

  test('a listing is changed by hand', async () => {
    const { page } = await scene.openAs(admin, `/listings?listing=${google.id}`);
    await page.getByRole('tab', { name: 'Change by hand' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('combobox', { name: 'What is to be done' }).click();
    await page.getByRole('option', { name: 'Needs review' }).click();
    await drawer.getByRole('textbox', { name: 'Why' }).fill('The owner called.');
    expect(await seriousBarriers(page)).toEqual([]);
    await drawer.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The listing was changed.').waitFor();
    expect((await scene.call('GET', `/api/listings/${google.id}`)).flowStatus).toBe('NEEDS_REVIEW');
  });

  test('a review is answered by keyboard, and the answer arrives on the directory', async () => {
    await sandbox.control.postReview('GOOGLE', google.listingId, {
      text: 'The staff was rude and the coffee <b>cold</b>.',
      rating: 2,
      author: 'Petra Lindqvist',
    });
    await scene.database.pool.query('update listings set datapoints_due = now() where id = $1', [google.id]);
    await scene.call('POST', `/api/locations/${google.locationId}/sync`, { submit: false });
    await expect
      .poll(async () => (await scene.call('GET', '/api/data-points?query=rude')).inbox.count, { timeout: 90_000 })
      .toBe(1);
    const { page, complaints } = await scene.openAs(admin, '/inbox');
    const list = page.getByRole('list', { name: 'Inbox' });
    await list.getByText('Petra Lindqvist').waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox', { name: 'Search text or author' }).fill('rude');
    await expect.poll(() => list.getByRole('listitem').count(), eventually).toBe(1);
    await page.getByRole('searchbox', { name: 'Search text or author' }).blur();
    await page.keyboard.press('j');
    const pane = page.getByRole('region', { name: 'Reading pane' });
    await pane.getByText('<b>cold</b>').waitFor();
    await pane.getByRole('button', { name: 'Mark as unread' }).waitFor();
    await page.keyboard.press('f');
    await expect
      .poll(() => pane.getByRole('button', { name: 'Flag' }).getAttribute('aria-pressed'), eventually)
      .toBe('true');
    await page.keyboard.press('r');
    await page.keyboard.type('We are sorry, Petra. Please come back for a hot one on us.');
    await pane.getByText(/^58 of \d+ characters$/).waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await page.keyboard.press('Control+Enter');
    await pane.getByText('Published', { exact: true }).waitFor({ timeout: 90_000 });
    await keepPictures(page, 'inbox-answered');
    expect(await seriousBarriers(page)).toEqual([]);
    const { inbox } = await scene.call('GET', '/api/data-points?query=rude');
    expect(inbox.dataPoints[0]).toMatchObject({ read: true, flagged: true });
    expect(inbox.dataPoints[0].replies).toMatchObject([{ ownerReply: true, status: 'PUBLISHED' }]);
    await page.goto('/console/inbox');
    await list.getByText('Petra Lindqvist').waitFor();
    await keepPictures(page, 'inbox-list');
    await list.getByRole('listitem').nth(49).scrollIntoViewIfNeeded();
    await expect.poll(() => list.getByRole('listitem').count(), eventually).toBeGreaterThan(50);
    await list.getByText('Petra Lindqvist').click();
    await pane.getByText('<b>cold</b>').waitFor();
    await keepPictures(page, 'inbox');
    expect(complaints).toEqual([]);
  });

  test('the answer of a location manager waits for approval, and filters are saved', async () => {
    const manager = await scene.addPerson({ role: 'LOCATION_MANAGER', locationIds: [google.locationId] });
    const { inbox } = await scene.call(
      'GET',
      `/api/data-points?locationIds=${google.locationId}&types=REVIEW&directoryTypes=GOOGLE&hasReply=false&max=1`,
    );
    const [review] = inbox.dataPoints;
    const { page: theirs } = await scene.openAs(manager, `/inbox?open=${review.id}`);
    await theirs.getByRole('textbox', { name: 'Your answer' }).fill('Thank you for coming!');
    await theirs.getByRole('button', { name: 'Send answer' }).click();
    await theirs.getByText('Waits for approval', { exact: true }).first().waitFor();
    expect(await theirs.getByRole('button', { name: 'Approve' }).count()).toBe(0);

    const { page, complaints } = await scene.openAs(admin, `/inbox?open=${review.id}&rating=${review.rating}`);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Published', { exact: true }).waitFor({ timeout: 90_000 });
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('menuitem', { name: 'Save these filters' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('By rating');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.goto('/console/inbox');
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('menuitem', { name: 'By rating', exact: true }).click();
    await expect.poll(() => page.url(), eventually).toContain('rating');
    expect(complaints).toEqual([]);
  });
});
