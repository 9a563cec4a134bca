import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, keepPictures, seriousBarriers } from '../support/browser.ts';
import { ConsoleScene, type Person } from '../support/console.ts';

const eventually = { timeout: 30_000 };

describeInBrowser('posts', { timeout: 120_000 }, () => {
  let scene: ConsoleScene;
  let admin: Person;
  let place: { id: number; name: string };

  beforeAll(async () => {
    scene = await ConsoleScene.start({ WAYPOST_SANDBOX: 'on', WAYPOST_SANDBOX_LIFE: 'off' });
    admin = await scene.addPerson({ role: 'ADMIN', name: 'Anna Berg' });
    await scene.makeDemoData(4);
    [place] = (await scene.call('GET', '/api/locations?max=1&fieldMask=name')).locations;
  }, 180_000);
  afterAll(() => scene?.close());

  /** As fields of the page have it; the browser's clock is UTC. */
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16);
  const chip = (page: Page, text: string) => page.getByRole('link').filter({ hasText: text });

  test('one is written with a draft of the built-in writer, and is in the calendar', async () => {
    const { page, complaints } = await scene.openAs(admin, '/posts');
    await page.getByRole('table', { name: /^Posts of/ }).waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'posts');
    await page.getByRole('link', { name: 'Write a post', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Write a post' }).waitFor();

    // Nothing is chosen yet: what is missing is said beside its field.
    await page.getByRole('button', { name: 'Publish now' }).click();
    await page.getByText('directories', { exact: false }).first().waitFor();

    await page.getByRole('checkbox', { name: /^Google,/ }).check();
    await page.getByRole('checkbox', { name: /^Facebook,/ }).check();
    await page.getByLabel('Locations').first().click();
    await page.getByRole('option').filter({ hasText: place.name }).first().click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Draft with AI' }).click();
    const drawer = page.getByRole('dialog', { name: 'Draft with AI' });
    await drawer.getByLabel('What is the post about?').fill('Pumpkin bread from our own oven');
    await drawer.getByRole('button', { name: 'Write drafts' }).click();
    await drawer.getByText('the built-in writer, without a model').first().waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'posts-ai');
    await drawer.getByRole('button', { name: 'Use this text for Google' }).first().click();
    const draft = await page.getByRole('textbox', { name: /^Text/ }).inputValue();
    expect(draft.toLowerCase()).toContain('pumpkin');

    await page.getByLabel('Title').fill('Pumpkin bread');
    await page.getByLabel('Publish on').fill(inDays(2));
    await page.getByLabel('Button on Google').first().click();
    await page.getByRole('option', { name: 'Learn more' }).click();
    await page.getByRole('textbox', { name: 'Address of the button on Google' }).fill('https://harbour.example/bread');
    const preview = page.getByRole('group', { name: 'On Google' });
    await preview.getByText('Learn more').waitFor();
    await preview.getByText(draft.split('\n')[0] ?? '').waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'posts-composer');
    await page.getByRole('button', { name: 'Schedule' }).click();
    await page.getByRole('heading', { level: 1, name: 'Pumpkin bread' }).waitFor();

    const { socialPosts } = await scene.call('GET', '/api/social-posts?query=pumpkin');
    expect(socialPosts).toMatchObject([
      {
        title: 'Pumpkin bread',
        description: draft.trim(),
        directories: ['GOOGLE', 'FACEBOOK'],
        locationIds: [place.id],
        callToActions: [{ directory: 'GOOGLE', type: 'LEARN_MORE', url: 'https://harbour.example/bread' }],
      },
    ]);
    await page.goto(`/console/posts?month=${inDays(2).slice(0, 7)}`);
    await chip(page, 'Pumpkin bread').waitFor();
    await page.goto('/console/posts?view=list&query=pumpkin');
    await page.getByRole('row').filter({ hasText: 'Pumpkin bread' }).getByText('Scheduled').waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'posts-list');
    expect(complaints).toEqual([]);
  });

  test('one is changed, withdrawn and deleted; what the API refuses is said beside the field', async () => {
    const { id } = await scene.call('POST', '/api/social-posts', {
      directories: ['GOOGLE'],
      locationIds: [place.id],
      title: 'Winter hours',
      description: 'We open at nine.',
      publicationDate: `${inDays(3)}:00Z`,
    });
    const { page, complaints } = await scene.openAs(admin, `/posts/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Winter hours' }).waitFor();
    await page.getByLabel('Ends').fill(inDays(1));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('dateEnd must be after publicationDate').waitFor();
    await page.getByLabel('Ends').fill(inDays(9));
    await page.getByRole('textbox', { name: /^Text/ }).fill('We open at ten.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The post was saved.').waitFor();
    expect(await scene.call('GET', `/api/social-posts/${id}`)).toMatchObject({ description: 'We open at ten.' });
    await page.getByRole('region', { name: 'Publications' }).waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'post');

    await page.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('Withdrawn', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog', { name: 'Delete this post?' }).getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => page.url(), eventually).toMatch(/\/posts$/);
    expect(await scene.call('GET', `/api/social-posts?query=winter`)).toMatchObject({ count: 0 });
    expect(complaints).toEqual([]);
  });

  test('whoever may only read sees the calendar, and no way to write', async () => {
    const reader = await scene.addPerson({ role: 'ACCOUNT_MANAGER', features: ['SOCIAL_POST_READ'] });
    const { page } = await scene.openAs(reader, '/posts');
    await page.getByRole('table', { name: /^Posts of/ }).waitFor();
    expect(await page.getByRole('link', { name: /^Write a post/ }).count()).toBe(0);
    await page.goto('/console/posts/new');
    await page.getByRole('heading', { name: 'You do not have access to this' }).waitFor();
  });
});
