import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, keepPictures, seriousBarriers } from '../support/browser.ts';
import { ConsoleScene, logIn, type Person } from '../support/console.ts';

const eventually = { timeout: 30_000 };

describeInBrowser('the frame of the console', { timeout: 120_000 }, () => {
  let scene: ConsoleScene;
  let admin: Person;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    admin = await scene.addPerson({ role: 'ADMIN', name: 'Anna Berg' });
  }, 120_000);
  afterAll(() => scene?.close());

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.id || document.activeElement.tagName');

  test('somebody logs in where he wanted to go, sees his organisation, and logs out', async () => {
    const { page, context, complaints } = await scene.openTab();
    await page.goto('/console/settings/users?query=anna');
    await heading(page, 'Welcome back');
    expect(await page.title()).toBe('Log in · Waypost');
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'login');

    await page.getByLabel('E-mail address').fill(admin.email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('E-mail address').inputValue()).toBe(admin.email);

    await logIn(page, admin);
    await heading(page, 'Org settings');
    expect(page.url()).toContain('/console/settings/users?query=anna');
    await page.getByRole('banner').getByText('Harbour Coffee Group').waitFor();
    expect(
      await page.evaluate<string>('[document.cookie, ...Object.values({ ...localStorage, ...sessionStorage })].join()'),
    ).not.toMatch(/[\w-]{43}/);

    await page.getByRole('button', { name: 'Your account: Anna Berg' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await heading(page, 'Welcome back');
    expect(await context.cookies()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a session that ends asks for the password over the page, and what was typed is saved after all', async () => {
    const { page } = await scene.openAs(admin, '/settings/users');
    await page.getByRole('button', { name: 'Add user' }).click();
    await page.getByLabel('E-mail address').fill('typed@example.com');
    await page.getByLabel('Name', { exact: true }).fill('Typed before the end');
    await scene.endSessions(admin);
    await page.getByRole('dialog', { name: 'Add a user' }).getByRole('button', { name: 'Add user' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'session-ended');
    await dialog.getByLabel('Password', { exact: true }).fill(admin.password);
    await dialog.getByRole('button', { name: 'Log in and go on' }).click();
    await page.getByText('typed@example.com was added.').waitFor();
    const { users } = await scene.call('GET', '/api/users?query=typed@example.com');
    expect(users).toMatchObject([{ email: 'typed@example.com', name: 'Typed before the end' }]);
  });

  test('whoever is no administrator sees nothing of the settings, and gets nothing by their address', async () => {
    const manager = await scene.addPerson({ role: 'LOCATION_MANAGER' });
    const { page } = await scene.openAs(manager, '/settings/users');
    await heading(page, 'You do not have access to this');
    expect(await page.getByRole('link', { name: 'Org settings' }).count()).toBe(0);
    const code = await page.evaluate<number>("fetch('/api/users').then(({ status }) => status)");
    expect(code).toBe(403);
  });

  test('an address that leads nowhere says so', async () => {
    const { page, complaints } = await scene.openAs(admin, '/no/such/page');
    await heading(page, 'Page not found');
    expect(await seriousBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('by keyboard: the first Tab leads past the navigation, and a new page takes the focus', async () => {
    const { page } = await scene.openAs(admin, '/no/such/page');
    await heading(page, 'Page not found');
    await page.keyboard.press('Tab');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await focused(page)).toBe('main');
    await page.getByRole('navigation').getByRole('link', { name: 'Org settings' }).focus();
    await page.keyboard.press('Enter');
    await heading(page, 'Org settings');
    await expect.poll(() => focused(page), eventually).toBe('main');
  });

  test('on a narrow screen the navigation is behind a button, and nothing is wider than the screen', async () => {
    const { page } = await scene.openAs(admin, '/settings/users', { width: 360, height: 740 });
    await heading(page, 'Org settings');
    const link = page.getByRole('link', { name: 'Org settings' });
    expect(await link.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await link.waitFor();
    await expect
      .poll(() => page.evaluate<number>('document.documentElement.scrollWidth'), eventually)
      .toBeLessThanOrEqual(360);
  });

  test('dark stays dark when the page is read again', async () => {
    const { page } = await scene.openAs(admin, '/settings/users');
    const colors = () => page.evaluate<string>("document.documentElement.getAttribute('data-mantine-color-scheme')");
    await page.getByRole('button', { name: 'Switch to dark colours' }).click();
    expect(await colors()).toBe('dark');
    await page.reload();
    await heading(page, 'Org settings');
    expect(await colors()).toBe('dark');
    expect(await seriousBarriers(page)).toEqual([]);
  });
});
