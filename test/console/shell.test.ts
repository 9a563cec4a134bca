import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { categoryId } from '../../src/modules/catalog/categories/category.ts';
import {
  accessibilityViolations,
  describeInBrowser,
  eventually,
  goTo,
  overlay,
  saveScreenshots,
} from '../support/browser.ts';
import { ConsoleScene, type ConsoleUser, signIn } from '../support/console.ts';

describeInBrowser('console shell', { timeout: 120_000 }, () => {
  let scene: ConsoleScene;
  let admin: ConsoleUser;
  /** The administrator's tab, shared by all tests. */
  let page: Page;
  let pageErrors: string[];

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    admin = await scene.addUser({ role: 'ADMIN', name: 'Anna Berg' });
    ({ page, pageErrors } = await scene.openAs(admin, '/no/such/page'));
  }, 120_000);
  afterAll(() => scene?.close());

  const heading = (on: Page, name: string) => on.getByRole('heading', { level: 1, name }).waitFor();
  const focused = () => page.evaluate<string>('document.activeElement.id || document.activeElement.tagName');
  const openAccountMenu = async (name: string) => {
    await page.getByRole('button', { name: `Your account: ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Your account' }).click();
    return page.getByRole('dialog', { name: 'Your account' });
  };
  const signInStatus = async (password: string) => {
    const body = JSON.stringify({ email: admin.email, password });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${scene.baseUrl}/api/users/login`, { method: 'POST', headers, body })).status;
  };

  test('signs in at the requested URL, shows the organisation and signs out', async () => {
    const tab = await scene.openTab();
    await tab.page.goto('/console/settings/users?query=anna');
    await heading(tab.page, 'Welcome back');
    expect(await tab.page.title()).toBe('Sign in · Waypost');
    await tab.page.getByLabel('Email address').fill(admin.email);
    await tab.page.getByLabel('Password', { exact: true }).fill('not the password');
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('alert').waitFor();
    // The emptied password field has the focus.
    const focusedField = () => tab.page.evaluate<string>('document.activeElement.autocomplete');
    await expect.poll(focusedField, eventually).toBe('current-password');
    expect(await tab.page.getByLabel('Email address').inputValue()).toBe(admin.email);
    expect(await accessibilityViolations(tab.page)).toEqual([]);
    await saveScreenshots(tab.page, 'login');

    await signIn(tab.page, admin);
    await heading(tab.page, 'Org settings');
    expect(tab.page.url()).toContain('/console/settings/users?query=anna');
    await tab.page.getByRole('banner').getByText('Harbour Coffee Group').waitFor();
    // The session ends between the two requests that load it.
    await tab.page.route('**/api/sales-partners?max=1', (route) => route.fulfill({ status: 401, json: {} }));
    await tab.page.reload();
    await heading(tab.page, 'Welcome back');
    await tab.page.unrouteAll();
    await tab.page.reload();
    await heading(tab.page, 'Org settings');
    const kept = '[document.cookie, ...Object.values({ ...localStorage, ...sessionStorage })].join()';
    expect(await tab.page.evaluate<string>(kept)).not.toMatch(/[\w-]{43}/);

    await goTo(tab.page, '/locations?query=berlin');
    await heading(tab.page, 'Locations');
    await tab.page.getByRole('button', { name: 'Your account: Anna Berg' }).click();
    await tab.page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    expect(await accessibilityViolations(tab.page)).toEqual([]);
    await saveScreenshots(tab.page, 'user-menu');
    await tab.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(tab.page, 'Welcome back');
    expect(await tab.context.cookies()).toEqual([]);
    await goTo(tab.page, '/locations/new');
    await signIn(tab.page, await scene.addUser({ role: 'ADMIN' }));
    const breadcrumb = tab.page.getByRole('main').getByRole('link', { name: 'Locations', exact: true });
    expect(await breadcrumb.getAttribute('href')).toBe('/console/locations');
    expect(tab.pageErrors).toEqual([]);
    await tab.context.close();
  });

  test('shows an unknown URL as not found; the first Tab skips the navigation', async () => {
    await heading(page, 'Page not found');
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'not-found');
    await page.keyboard.press('Tab');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('main');
    await page.getByRole('navigation').getByRole('link', { name: 'Org settings' }).focus();
    await page.keyboard.press('Enter');
    await heading(page, 'Org settings');
    await expect.poll(focused, eventually).toBe('main');
    expect(pageErrors).toEqual([]);
  });

  test('changes the name of the user, and the password after checking the current one', async () => {
    const drawer = await openAccountMenu('Anna Berg');
    await drawer.getByLabel('Name', { exact: true }).fill('Anna Berger');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stay on page' }).click();
    await drawer.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Your details were saved.').waitFor();

    const current = drawer.getByLabel('Current password');
    await current.fill('not the password');
    await drawer.getByLabel('New password').fill('a much longer password');
    await drawer.getByRole('button', { name: 'Change password' }).click();
    await drawer.getByText('The current password is incorrect.').waitFor();
    expect(await current.getAttribute('aria-invalid')).toBe('true');
    const focusedField = () => page.evaluate<string>('document.activeElement.autocomplete');
    await expect.poll(focusedField, eventually).toBe('current-password');
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'account');
    expect(await signInStatus(admin.password)).toBe(200);

    await current.fill(admin.password);
    await drawer.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password was changed.').waitFor();
    expect(await current.inputValue()).toBe('');
    expect(await signInStatus(admin.password)).toBe(401);
    admin.password = 'a much longer password';
    expect(await signInStatus(admin.password)).toBe(200);

    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count(), eventually).toBe(0);
    const named = "document.activeElement.getAttribute('aria-label')";
    await expect.poll(() => page.evaluate<string>(named), eventually).toBe('Your account: Anna Berger');
    // The user is still signed in, and the menu shows the new name.
    await openAccountMenu('Anna Berger');
    expect(await drawer.getByLabel('Name', { exact: true }).inputValue()).toBe('Anna Berger');
    await drawer.getByRole('button', { name: 'Sign out everywhere' }).click();
    await heading(page, 'Welcome back');
    await signIn(page, admin);
    expect(pageErrors).toEqual([]);
  });

  test('asks to sign in again after the session expired, and saves the unsaved changes', async () => {
    await page.goto('/console/settings/users');
    await page.getByRole('button', { name: 'Add user' }).click();
    await page.getByLabel('Email address').fill('typed@example.com');
    await page.getByLabel('Name', { exact: true }).fill('Typed before the end');
    await scene.endSessions(admin);
    await page.getByRole('dialog', { name: 'Add a user' }).getByRole('button', { name: 'Add user' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has expired' });
    await dialog.waitFor();
    expect(await accessibilityViolations(page, '.mantine-Modal-content')).toEqual([]);
    await saveScreenshots(page, 'session-ended');
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await dialog.getByLabel('Password', { exact: true }).fill(admin.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('typed@example.com was added.').waitFor();
    const { users } = await scene.call('GET', '/api/users?query=typed@example.com');
    expect(users).toMatchObject([{ email: 'typed@example.com', name: 'Typed before the end' }]);
  });

  test('keeps dark mode after a reload', async () => {
    const colors = () => page.evaluate<string>("document.documentElement.getAttribute('data-mantine-color-scheme')");
    await page.getByRole('button', { name: 'Switch to dark mode' }).click();
    expect(await colors()).toBe('dark');
    await page.goto('/console/settings/users');
    await heading(page, 'Org settings');
    expect(await colors()).toBe('dark');
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test('keeps unsaved changes when a preloaded script is missing; opening that page reloads', async () => {
    const tab = await scene.openAs(admin, '/posts/new');
    const title = tab.page.getByLabel('Title');
    await title.fill('Half a sentence');
    let interruptions = 0;
    tab.page.on('domcontentloaded', () => interruptions++);
    tab.page.on('dialog', (dialog) => {
      interruptions++;
      return dialog.dismiss();
    });
    await tab.page.getByRole('button', { name: /^Your account/ }).click();
    await tab.page.getByRole('menuitem', { name: 'Sign out' }).click();
    const confirmation = tab.page.getByRole('dialog', { name: 'Leave without saving?' });
    await confirmation.getByRole('button', { name: 'Stay on page' }).click();
    await confirmation.waitFor({ state: 'detached' });
    // As after an update, when files of the old build are missing.
    const script = /\/dashboard-page-[^/]*\.js$/;
    await tab.page.route(script, (route) => route.fulfill({ status: 404 }));
    const dashboard = tab.page.getByRole('link', { name: 'Dashboard' });
    const rejected = tab.page.waitForResponse(script);
    await dashboard.hover();
    await rejected;
    await dashboard.click();
    await confirmation.getByRole('button', { name: 'Stay on page' }).click();
    await confirmation.waitFor({ state: 'detached' });
    expect(await title.inputValue()).toBe('Half a sentence');
    expect(interruptions).toBe(0);

    await dashboard.click();
    await confirmation.getByRole('button', { name: 'Leave without saving' }).click();
    await tab.page.getByText('Waypost was updated. Reload the page to continue.').waitFor();
    expect(interruptions).toBe(1);
    expect(await accessibilityViolations(tab.page)).toEqual([]);
    await saveScreenshots(tab.page, 'outdated');
    await tab.page.unroute(script);
    await tab.page.getByRole('button', { name: 'Reload page' }).click();
    await heading(tab.page, 'Dashboard');
    await tab.context.close();
  });

  test('shows connection errors on pages, lists and forms, and sends nothing later', async () => {
    await scene.addUser({ role: 'ACCOUNT_MANAGER', name: 'Otto Stille' });
    const tab = await scene.openAs(admin, '/settings/users');
    const message = 'Could not reach Waypost. Check your connection and try again.';
    const row = (name: string) => tab.page.getByRole('row').filter({ hasText: name });
    await row('Anna Berg').waitFor();
    await tab.context.setOffline(true);
    await tab.page.getByRole('link', { name: 'Events' }).click();
    await tab.page.getByText(message).waitFor();
    expect(tab.page.url()).toContain('/console/events');
    await saveScreenshots(tab.page, 'offline-page');
    await tab.context.setOffline(false);
    await tab.page.getByRole('button', { name: 'Try again' }).click();
    await heading(tab.page, 'Events');

    await tab.page.goBack();
    await tab.page.getByRole('button', { name: 'Add user' }).click();
    const form = tab.page.getByRole('dialog', { name: 'Add a user' });
    await form.getByLabel('Email address').fill('offline@example.com');
    await tab.context.setOffline(true);
    await form.getByRole('button', { name: 'Add user' }).click();
    await form.getByRole('alert').getByText(message).waitFor();
    await expect.poll(() => tab.page.evaluate<string>('document.activeElement.role'), eventually).toBe('alert');
    await tab.context.setOffline(false);
    await form.getByRole('button', { name: 'Cancel' }).click();
    await tab.page.getByRole('button', { name: 'Leave without saving' }).click();
    await form.waitFor({ state: 'detached' });
    expect((await scene.call('GET', '/api/users?query=offline')).users).toEqual([]);

    await tab.context.setOffline(true);
    await tab.page.getByRole('searchbox', { name: 'Search by name or email' }).fill('otto');
    await tab.page.getByRole('alert').getByText(message).waitFor();
    expect(await row('Anna Berg').count()).toBe(0);
    await tab.context.setOffline(false);
    await row('Otto Stille').waitFor();
    await tab.context.close();
  });

  test('keeps the focus when a button is disabled or removed', async () => {
    const { id: businessId } = await scene.call('POST', '/api/businesses', { name: 'Harbour Coffee', type: 'SMB' });
    const { id } = await scene.call('POST', '/api/locations', {
      name: 'Harbour Coffee Altona',
      businessId,
      street: 'Elbstrasse',
      streetNo: '1',
      zip: '22765',
      city: 'Hamburg',
      country: 'DE',
      categories: [categoryId('amenity/cafe')],
    });
    await goTo(page, '/locations/new');
    await page.getByRole('button', { name: 'Create location' }).press('Enter');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await expect.poll(() => name.getAttribute('aria-invalid'), eventually).toBe('true');
    const label = 'document.activeElement.labels?.[0]?.textContent';
    await expect.poll(() => page.evaluate<string>(label), eventually).toMatch(/^Name/);

    await goTo(page, `/locations/${id}`);
    await heading(page, 'Harbour Coffee Altona');
    await name.fill('Harbour Coffee Ottensen');
    await page.getByRole('button', { name: 'Save changes' }).press('Enter');
    await page.getByText('was saved.').waitFor();
    await expect.poll(focused, eventually).toBe('main');
  });

  test('keeps the focus of a control while the page loads', async () => {
    await goTo(page, '/locations');
    await heading(page, 'Locations');
    await page.evaluate(`
      new MutationObserver((_, observer) => {
        const create = [...document.querySelectorAll('button')].find((button) => button.textContent === 'Create location');
        if (!create) return;
        observer.disconnect();
        create.focus();
      }).observe(document.body, { childList: true, subtree: true });
    `);
    await goTo(page, '/locations/new');
    await heading(page, 'New location');
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Create location');
  });

  test('handles invalid URLs: not found, current month, first page', async () => {
    for (const unknownPage of ['/locations/abc', '/events/xyz', '/posts/1.5', '/settings/webhooks/-1']) {
      await page.goto(`/console${unknownPage}`);
      await heading(page, 'Page not found');
    }
    await page.goto('/console/posts?month=2026-99');
    const now = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date());
    await page.getByRole('heading', { level: 2, name: now }).waitFor();
    await page.goto('/console/locations?offset=50');
    await page.getByText('This page does not exist').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'past-the-end');
    await page.getByRole('button', { name: 'Go to first page' }).click();
    await page.getByRole('link', { name: /Harbour Coffee/ }).waitFor();
  });

  test('collapses the navigation on narrow screens, without horizontal scrolling', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const link = page.getByRole('link', { name: 'Org settings' });
    await expect.poll(() => link.isVisible(), eventually).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await link.waitFor();
    await expect
      .poll(() => page.evaluate<number>('document.documentElement.scrollWidth'), eventually)
      .toBeLessThanOrEqual(360);
  });

  test('hides the settings from users who are not administrators, also by URL', async () => {
    const manager = await scene.addUser({ role: 'LOCATION_MANAGER' });
    const tab = await scene.openAs(manager, '/settings/users');
    await heading(tab.page, 'You do not have permission');
    expect(await tab.page.getByRole('link', { name: 'Org settings' }).count()).toBe(0);
    expect(await accessibilityViolations(tab.page)).toEqual([]);
    await saveScreenshots(tab.page, 'no-permission');
    const code = await tab.page.evaluate<number>("fetch('/api/users').then(({ status }) => status)");
    expect(code).toBe(403);
  });
});
