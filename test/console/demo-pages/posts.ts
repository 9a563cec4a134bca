import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Feature } from '../../../src/http/access.ts';
import { accessibilityViolations, eventually, goTo, saveScreenshots, type Tab, tabTo } from '../../support/browser.ts';
import type { ConsoleFixture } from './fixture.ts';

export function postTests(fixture: ConsoleFixture): void {
  let tab: Tab;
  let page: Page;
  let location: { id: number; name: string; city: string };

  beforeAll(async () => {
    const { scene, admin } = fixture();
    const published = async () => (await scene.call('GET', '/api/social-posts?status=ACTIVE&max=1')).socialPosts;
    await vi.waitFor(async () => expect(await published()).toHaveLength(1), eventually);
    // A location where a post can be published at once.
    location = await scene.call('GET', `/api/locations/${(await published())[0].locationIds[0]}`);
    tab = await scene.openAs(admin, '/posts');
    page = tab.page;
  }, 60_000);

  /** For date inputs; the browser's time zone is UTC. */
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16);
  const locationOption = () => page.getByRole('option').filter({ hasText: `${location.name}, ${location.city}` });
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

  test('creates a post by keyboard and shows missing fields', async () => {
    const { scene } = fixture();
    await page.getByRole('table', { name: /^Posts in/ }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'posts');
    await tabTo(page, page.getByRole('link', { name: 'Create post', exact: true }));
    await page.keyboard.press('Enter');
    await heading('Create post');
    await page.getByRole('button', { name: 'Publish now' }).press('Enter');
    for (const missing of [
      'Choose at least one directory.',
      'Enter a text.',
      'Choose a location, a business or a label.',
    ])
      await page.getByText(missing).waitFor();
    await saveScreenshots(page, 'posts-missing');
    // The first invalid field has the focus.
    const google = page.getByRole('checkbox', { name: /^Google,/ });
    await expect.poll(() => page.evaluate('document.activeElement.value'), eventually).toBe('GOOGLE');
    await page.keyboard.press('Space');
    expect(await google.isChecked()).toBe(true);
    await tabTo(page, page.getByLabel('Title'));
    await page.keyboard.type('Open today');
    await page.keyboard.press('Tab');
    await page.keyboard.type('We open at nine.');
    await tabTo(page, page.getByLabel('Locations').first());
    await page.keyboard.type(location.name);
    await locationOption().first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const instagram = page.getByRole('checkbox', { name: /^Instagram,/ });
    await instagram.check();
    await page.getByRole('button', { name: 'Publish now' }).click();
    await page.getByText('Instagram accepts only posts with a photo.').waitFor();
    await instagram.uncheck();
    await tabTo(page, page.getByRole('button', { name: 'Publish now' }));
    await page.keyboard.press('Enter');
    await heading('Open today');
    await page.getByRole('region', { name: 'Publications' }).getByRole('row').nth(1).waitFor();
    await saveScreenshots(page, 'posts-publications');
    expect(await scene.call('GET', '/api/social-posts?query=open today')).toMatchObject({
      socialPosts: [{ title: 'Open today', description: 'We open at nine.', directories: ['GOOGLE'] }],
    });
  });

  test('creates a post from a generated draft and shows it in the calendar', async () => {
    const { scene } = fixture();
    await goTo(page, '/posts/new');
    await heading('Create post');
    await page.getByRole('checkbox', { name: /^Google,/ }).check();
    await page.getByRole('checkbox', { name: /^Facebook,/ }).check();
    await page.getByLabel('Locations').first().fill(location.name);
    await locationOption().first().click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Draft with AI' }).click();
    const drawer = page.getByRole('dialog', { name: 'Draft with AI' });
    await drawer.getByLabel('What is the post about?').fill('Pumpkin bread from our own oven');
    await drawer.getByRole('button', { name: 'Generate drafts' }).click();
    await drawer.getByText('the built-in generator').first().waitFor();
    expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
    await saveScreenshots(page, 'posts-ai');
    await drawer.getByRole('button', { name: 'Use this text for Google' }).first().click();
    const draft = await page.getByRole('textbox', { name: /^Text/ }).inputValue();
    expect(draft.toLowerCase()).toContain('pumpkin');

    await page.getByLabel('Title').fill('Pumpkin bread');
    await page.getByText('Times are in your time zone, UTC.').waitFor();
    await page.getByLabel('Publish on').fill(inDays(2));
    await page.getByLabel('Button on Google').first().click();
    await page.getByRole('option', { name: 'Learn more' }).click();
    await page.getByRole('textbox', { name: 'Button URL on Google' }).fill('https://harbour.example/bread');
    const preview = page.getByRole('group', { name: 'On Google' });
    await preview.getByText('Learn more').waitFor();
    await preview.getByText(draft.split('\n')[0] ?? '').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'posts-composer');
    await page.getByRole('button', { name: 'Schedule post' }).click();
    await heading('Pumpkin bread');
    expect((await scene.call('GET', '/api/social-posts?query=pumpkin')).socialPosts).toMatchObject([
      {
        title: 'Pumpkin bread',
        description: draft.trim(),
        directories: ['GOOGLE', 'FACEBOOK'],
        locationIds: [expect.any(Number)],
        callToActions: [{ directory: 'GOOGLE', type: 'LEARN_MORE', url: 'https://harbour.example/bread' }],
      },
    ]);
    await goTo(page, `/posts?month=${inDays(2).slice(0, 7)}`);
    await page.getByRole('link').filter({ hasText: 'Pumpkin bread' }).waitFor();
  });

  test('searches and sorts the list by URL', async () => {
    const { scene } = fixture();
    await goTo(page, '/posts?view=list&query=pumpkin');
    await page.getByRole('row').filter({ hasText: 'Pumpkin bread' }).getByText('Scheduled').waitFor();
    await page.getByLabel('Search title or text').fill('');
    const titles = () => page.getByRole('row').locator('td:first-child p:first-child').allTextContents();
    const titlesFromApi = async (order: string) =>
      (await scene.call('GET', `/api/social-posts?order=${order}`)).socialPosts.map(
        ({ title, description }: Record<string, string>) => title ?? description,
      );
    await expect.poll(titles, eventually).toEqual(await titlesFromApi('DESC'));
    await page.getByRole('columnheader', { name: 'Publish date' }).getByRole('button').click();
    await expect.poll(titles, eventually).toEqual(await titlesFromApi('ASC'));
    expect(page.url()).toContain('order=ASC');
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'posts-list');
  });

  test('edits, withdraws and deletes a post, and shows API errors at the field', async () => {
    const { scene } = fixture();
    await page.getByRole('link', { name: /Pumpkin bread/ }).click();
    await heading('Pumpkin bread');
    await page.getByLabel('Title').fill('Half a title');
    // A failed status update keeps the input.
    const isPost = ({ pathname }: URL) => /\/social-posts\/\d+$/.test(pathname);
    await page.route(isPost, (route) => route.fulfill({ status: 400, json: { message: 'Not available.' } }));
    await page.waitForResponse((response) => isPost(new URL(response.url())));
    await page.unroute(isPost);
    await page.getByRole('link', { name: 'Locations' }).first().click();
    const leaveDialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await leaveDialog.getByRole('button', { name: 'Stay on page' }).click();
    await leaveDialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Title').inputValue()).toBe('Half a title');
    await page.getByLabel('Title').fill('Pumpkin bread');
    await page.getByLabel('Ends').fill(inDays(1));
    await page.getByRole('textbox', { name: /^Text/ }).fill('Bread! '.repeat(300));
    await page.getByRole('button', { name: 'Save changes', exact: true }).click();
    await page.getByText('The end must be after the start.').waitFor();
    await page.getByLabel('Ends').fill(inDays(9));
    await page.getByRole('button', { name: 'Save changes', exact: true }).click();
    await page.getByText('Google accepts at most 1500 characters for title and description together').waitFor();
    await page.getByRole('textbox', { name: /^Text/ }).fill('We bake at ten.');
    // The form shows the saved post although it cannot be loaded again.
    await page.route(isPost, (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ status: 400, json: { message: 'Not available.' } })
        : route.continue(),
    );
    await page.getByRole('button', { name: 'Save changes', exact: true }).click();
    await page.getByText('The post was saved.').waitFor();
    expect(await page.getByRole('textbox', { name: /^Text/ }).inputValue()).toBe('We bake at ten.');
    await page.unroute(isPost);
    const { socialPosts } = await scene.call('GET', '/api/social-posts?query=pumpkin');
    expect(socialPosts).toMatchObject([{ description: 'We bake at ten.' }]);
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'post');

    await page.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('Withdrawn', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Delete post', exact: true }).click();
    const confirmation = page.getByRole('dialog', { name: 'Delete this post?' });
    await confirmation.waitFor();
    expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
    await saveScreenshots(page, 'post-delete');
    await confirmation.getByRole('button', { name: 'Delete post' }).click();
    await expect.poll(() => page.url(), eventually).toMatch(/\/posts$/);
    expect(await scene.call('GET', '/api/social-posts?query=pumpkin')).toMatchObject({ count: 0 });
    expect(tab.pageErrors).toEqual([]);
    await tab.context.close();
  });

  test('offers location managers only the actions that they may use', async () => {
    const { scene } = fixture();
    const features: Feature[] = ['LOCATION_READ', 'SOCIAL_POST_READ', 'SOCIAL_POST_WRITE'];
    const manager = await scene.addUser({ role: 'LOCATION_MANAGER', features, locationIds: [location.id] });
    const active = await scene.call('GET', `/api/social-posts?status=ACTIVE&locationIds=${location.id}&max=1`);
    const userTab = await scene.openAs(manager, `/posts/${active.socialPosts[0].id}`);
    const button = (name: string) => userTab.page.getByRole('button', { name, exact: true });
    await button('Withdraw').waitFor();
    expect(await userTab.page.getByLabel('Title').isDisabled()).toBe(true);
    expect(await button('Save changes').count()).toBe(0);
    const created = await userTab.context.request.post('/api/social-posts', {
      data: {
        type: 'POST',
        description: 'Hi',
        directories: ['GOOGLE'],
        locationIds: [location.id],
        publicationDate: `${inDays(9)}:00Z`,
      },
      headers: { 'x-waypost-console': '1' },
    });
    const { id } = (await created.json()).response;
    await goTo(userTab.page, `/posts/${id}`);
    await userTab.page.getByText('Needs approval').waitFor();
    await button('Save changes').waitFor();
    expect(await button('Approve').count()).toBe(0);
    await scene.call('DELETE', `/api/social-posts/${id}`);
    await userTab.context.close();
  });

  test('is read-only without SOCIAL_POST_WRITE', async () => {
    const { scene } = fixture();
    const reader = await scene.addUser({ role: 'ACCOUNT_MANAGER', features: ['SOCIAL_POST_READ'] });
    const userTab = await scene.openAs(reader, '/posts');
    await userTab.page.getByRole('table', { name: /^Posts in/ }).waitFor();
    expect(await userTab.page.getByRole('link', { name: /^Create post/ }).count()).toBe(0);
    await goTo(userTab.page, '/posts/new');
    await userTab.page.getByRole('heading', { name: 'You do not have permission' }).waitFor();
    await userTab.context.close();
  });
}
