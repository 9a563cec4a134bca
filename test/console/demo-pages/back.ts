import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { eventually, goTo, type Tab } from '../../support/browser.ts';
import type { ConsoleFixture } from './fixture.ts';

/** On a phone, where a drawer replaces the list. */
export function backTests(fixture: ConsoleFixture): void {
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    const { scene, admin } = fixture();
    tab = await scene.openAs(admin, '/listings', { width: 390, height: 780 });
    page = tab.page;
  }, 60_000);

  const path = () => page.url().split('/console')[1];
  const scrolled = () => page.evaluate<number>('scrollY');

  test('closes drawers with Back without extra history entries', async () => {
    const drawer = page.getByRole('dialog');
    const openButton = page.getByRole('list', { name: 'Listings' }).getByRole('button').first();
    await openButton.click();
    await drawer.waitFor();
    expect(path()).toContain('listing=');
    // Back asks before it discards changes.
    await page.getByRole('tab', { name: 'Edit listing' }).click();
    const comment = drawer.getByRole('textbox', { name: 'Comment' });
    await comment.fill('The owner called.');
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.goBack();
    await question.getByRole('button', { name: 'Stay on page' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await comment.inputValue()).toBe('The owner called.');
    await expect.poll(path, eventually).toContain('listing=');
    await page.goBack();
    await question.getByRole('button', { name: 'Leave without saving' }).click();
    await drawer.waitFor({ state: 'detached' });
    expect(path()).toBe('/listings');

    // Closing asks once.
    await openButton.click();
    await page.getByRole('tab', { name: 'Edit listing' }).click();
    await comment.fill('The owner called.');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Leave without saving' }).click();
    await drawer.waitFor({ state: 'detached' });
    await expect.poll(path, eventually).toBe('/listings');

    await goTo(page, '/posts');
    await page.getByRole('heading', { level: 1, name: 'Posts' }).waitFor();
    await goTo(page, '/listings');
    await openButton.click();
    await drawer.waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await expect.poll(path, eventually).toBe('/listings');
    await page.goBack();
    await expect.poll(path, eventually).toBe('/posts');
  });

  test('keeps the filters of a list in the breadcrumb of its records', async () => {
    await goTo(page, '/locations?status=%5B%22ACTIVE%22%5D&sort=city');
    await page.getByRole('list', { name: 'Locations' }).getByRole('link').first().click();
    await page.getByRole('tab', { name: 'Profile' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Locations', exact: true }).click();
    await page.getByRole('list', { name: 'Locations' }).waitFor();
    expect(path()).toContain('ACTIVE');
    expect(path()).toContain('sort=city');
  });

  test('returns from a review to the position in the list', async () => {
    await goTo(page, '/inbox');
    const entries = page.locator('[id^="datapoint-"]');
    await entries.nth(8).waitFor();
    await entries.nth(8).scrollIntoViewIfNeeded();
    await page.evaluate('scrollTo(0, 700)');
    await expect.poll(scrolled, eventually).toBe(700);
    for (const goBack of [() => page.goBack(), () => page.getByRole('button', { name: 'Back to list' }).click()]) {
      await entries.nth(8).click();
      await page.getByRole('button', { name: 'Back to list' }).waitFor();
      expect(path()).toContain('open=');
      await goBack();
      await entries.nth(8).waitFor();
      expect(path()).toBe('/inbox');
      await expect.poll(scrolled, eventually).toBe(700);
    }
    expect(tab.pageErrors).toEqual([]);
    await tab.context.close();
  });
}
