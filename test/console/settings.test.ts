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
import { ConsoleScene, type ConsoleUser } from '../support/console.ts';

const cafe = categoryId('amenity/cafe');

describeInBrowser('organisation settings', { timeout: 120_000 }, () => {
  let scene: ConsoleScene;
  let admin: ConsoleUser;
  /** Dark mode; most other tests use light mode. */
  let page: Page;
  let pageErrors: string[];

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    admin = await scene.addUser({ role: 'ADMIN', name: 'Anna Berg', email: 'anna@harbour.example' });
    for (const [name, role] of [
      ['Marc Devos', 'ACCOUNT_MANAGER'],
      ['Li Wei', 'LOCATION_MANAGER'],
    ] as const) {
      await scene.addUser({ role, name });
    }
    const { id: businessId } = await scene.call('POST', '/api/businesses', { name: 'Harbour Coffee', type: 'SMB' });
    // One more than the first page of a search.
    const address = { businessId, street: 'Kai', zip: '20457', city: 'Hamburg', country: 'DE', categories: [cafe] };
    const locationIds: number[] = [];
    for (let number = 1; number <= 31; number++) {
      const { id } = await scene.call('POST', '/api/locations', { ...address, name: `Pier ${number}` });
      locationIds.push(id);
    }
    await scene.addUser({ role: 'BUSINESS_MANAGER', name: 'Sofia Rossi', locationIds });
    ({ page, pageErrors } = await scene.openAs(admin, '/settings/users', { colors: 'dark' }, (opened) =>
      opened.route('**/api/features', (route) => route.fulfill({ status: 400, json: { message: 'Not available.' } })),
    ));
  }, 120_000);
  afterAll(() => scene?.close());

  const row = (text: string) => page.getByRole('row').filter({ hasText: text });
  const firstRow = () => page.getByRole('row').nth(1).textContent();
  const sortBy = (column: string) => page.getByRole('columnheader', { name: column }).getByRole('button').click();

  test('sorts users, changes the access of a user and deletes another', async () => {
    await row('Marc Devos').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'users');
    expect(await firstRow()).toContain('Anna Berg');
    await sortBy('Name');
    await expect.poll(firstRow, eventually).toContain('Sofia Rossi');
    await sortBy('Role');
    await expect.poll(() => page.url(), eventually).toContain('sort=role');
    await expect
      .poll(() => page.getByRole('columnheader', { name: 'Role' }).getAttribute('aria-sort'), eventually)
      .toBe('ascending');

    // The space before the next word stays.
    const search = page.getByRole('searchbox', { name: 'Search by name or email' });
    await search.fill('wei ');
    await expect.poll(() => page.url(), eventually).toContain('query=wei');
    await expect.poll(() => row('Marc Devos').count(), eventually).toBe(0);
    expect(await search.inputValue()).toBe('wei ');
    await page.getByRole('button', { name: /Li Wei/ }).click();
    const form = page.getByRole('dialog', { name: 'Edit user' });
    // The drawer stays open while its data is loaded again.
    const { promise: isShown, resolve: respond } = Promise.withResolvers<void>();
    await page.unroute('**/api/features');
    await page.route('**/api/features', (route) => isShown.then(() => route.continue()));
    await form.getByRole('button', { name: 'Try again' }).click();
    await form.locator('.mantine-Skeleton-root').waitFor();
    respond();
    await form.getByLabel('Name', { exact: true }).fill('Li Wei Chen');
    await form.getByLabel('Businesses').click();
    await page.getByRole('option', { name: 'Harbour Coffee' }).click();
    await page.keyboard.press('Escape');
    // Removes the last group.
    await form.getByLabel('Editable location fields').press('Backspace');
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'user-edited');
    await form.getByRole('button', { name: 'Save changes' }).click();
    await row('Li Wei Chen').getByText('1 business').waitFor();
    const { users } = await scene.call('GET', '/api/users?query=chen');
    expect(users).toMatchObject([{ name: 'Li Wei Chen', role: 'LOCATION_MANAGER' }]);
    expect(users[0].featuresDetailed.LOCATION_WRITE).toHaveLength(12);
    expect(users[0].featuresDetailed.LOCATION_WRITE).not.toContain('ADMINISTRATION');

    await page.getByRole('searchbox', { name: 'Search by name or email' }).fill('');
    await page.getByRole('button', { name: /Sofia Rossi/ }).click();
    await form.getByText('Pier 31, Hamburg').waitFor();
    await page.getByRole('button', { name: 'Delete user' }).click();
    const confirmation = page.getByRole('dialog', { name: /^Delete business_manager/ });
    // Escape closes the confirmation, not the drawer.
    await confirmation.waitFor();
    await page.keyboard.press('Escape');
    await confirmation.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete user' }).click();
    await confirmation.getByText('The user is signed out').waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'user-delete');
    await confirmation.getByRole('button', { name: 'Delete user' }).click();
    await expect.poll(() => row('Sofia Rossi').count(), eventually).toBe(0);
    expect((await scene.call('GET', '/api/users?query=rossi')).users).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  test('shows API errors at the field and keeps the input', async () => {
    await page.getByRole('button', { name: 'Add user' }).click();
    const form = page.getByRole('dialog', { name: 'Add a user' });
    await form.getByLabel('Email address').fill('not an address');
    await form.getByLabel('Password', { exact: true }).fill('short');
    await form.getByRole('button', { name: 'Add user' }).click();
    await expect.poll(() => form.getByLabel('Email address').getAttribute('aria-invalid'), eventually).toBe('true');
    await form.getByText('Password must have at least 10 characters').waitFor();
    expect(await form.getByLabel('Email address').inputValue()).toBe('not an address');
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'user-refused');
    // The first invalid field has the focus.
    await expect.poll(() => page.evaluate<string>('document.activeElement.type'), eventually).toBe('email');
    await page.keyboard.press('Escape');
    const confirmation = page.getByRole('dialog', { name: 'Leave without saving?' });
    await confirmation.waitFor();
    expect(await accessibilityViolations(page, '.mantine-Modal-content')).toEqual([]);
    await saveScreenshots(page, 'user-leave');
    await page.keyboard.press('Escape');
    await confirmation.waitFor({ state: 'detached' });
    expect(await form.getByLabel('Email address').inputValue()).toBe('not an address');
    await page.locator('.mantine-Drawer-overlay').click({ position: { x: 200, y: 300 } });
    await confirmation.getByRole('button', { name: 'Leave without saving' }).click();
    await form.waitFor({ state: 'detached' });
  });

  test('shows the new email address of the signed-in user', async () => {
    await page.getByRole('button', { name: /^Anna Berg/ }).click();
    const form = page.getByRole('dialog', { name: 'Edit user' });
    await form.getByLabel('Email address').fill('berg@harbour.example');
    await form.getByRole('button', { name: 'Save changes' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Your account: Anna Berg' }).click();
    await page.getByRole('menu').getByText('berg@harbour.example').waitFor();
    await page.keyboard.press('Escape');
  });

  test('offers the first page for an offset past the end', async () => {
    await goTo(page, '/settings/users?offset=50');
    await page.getByText('This page does not exist').waitFor();
    await page.getByRole('button', { name: 'Go to first page' }).click();
    await row('Marc Devos').waitFor();
  });

  test('supports the keyboard in tabs and forms and restores the focus', async () => {
    await page.getByRole('tab', { name: 'Users' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url(), eventually).toContain('/settings/audit');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Audit log');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await row('Marc Devos').waitFor();
    const add = page.getByRole('button', { name: 'Add user' });
    await add.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Add a user' }).waitFor();
    await expect.poll(() => page.evaluate<string>('document.activeElement.type'), eventually).toBe('email');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count(), eventually).toBe(0);
    await expect.poll(() => page.evaluate<string>('document.activeElement.textContent'), eventually).toBe('Add user');
  });

  test('sorts the audit log and filters it by URL', async () => {
    await page.getByRole('tab', { name: 'Audit log' }).click();
    await row('Created').first().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'audit');
    await sortBy('Time');
    await expect.poll(firstRow, eventually).toContain('CreatedUser 1');
    await page.getByRole('button', { name: 'Created' }).first().click();
    await page.getByRole('dialog').getByRole('region', { name: 'Details' }).waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'audit-entry');
    await page.keyboard.press('Escape');
    const user = page.getByRole('combobox', { name: 'User' });
    await user.fill('private');
    await page.getByRole('option', { name: 'API (private key)' }).click();
    await expect.poll(() => page.url(), eventually).toContain('actor=PRIVATE_TOKEN');
    await row('API (private key)').first().waitFor();
    await expect.poll(() => user.inputValue(), eventually).toBe('API (private key)');
    await user.fill('Marc Devos');
    await expect
      .poll(() => page.getByRole('option').allTextContents(), eventually)
      .toEqual([expect.stringMatching(/^account_manager/)]);
    await user.fill('no such user');
    await page.getByText('No matches').waitFor();
    await user.fill('deleted@example.com');
    await page.getByRole('option', { name: 'deleted@example.com' }).click();
    await page.getByText('No results match these filters').waitFor();
    await goTo(page, '/settings/audit?subject=SUGGESTION');
    await page.getByText('No results match these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await row('User').first().waitFor();
    expect(page.url()).not.toContain('subject');
    expect(pageErrors).toEqual([]);
  });

  test('rotates a key with an overlap: shows the new key once, and both keys work', async () => {
    await page.getByRole('tab', { name: 'API' }).click();
    const keys = page.getByRole('table', { name: 'Private keys' });
    await keys.getByRole('columnheader', { name: 'Key ID' }).waitFor();
    await keys.getByText('Active').waitFor();
    await page.getByRole('button', { name: 'Rotate key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Overlap' }).click();
    await page.getByRole('option', { name: '3 days' }).click();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'key-rotate');
    // Escape does not discard the new key before it is shown.
    const { promise: escaped, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/rotate-private-key', (route) => escaped.then(() => route.continue()));
    await dialog.getByRole('button', { name: 'Rotate key' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    release();
    await dialog.getByText('You cannot view it again').waitFor();
    await page.goBack();
    await page.getByText('The new value is shown only here.').waitFor();
    await page.getByRole('button', { name: 'Stay on page' }).click();
    await expect.poll(() => dialog.count(), eventually).toBe(1);
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'key-rotated');
    const key = (await dialog.locator('code').textContent()) ?? '';
    const codeWith = async (privateKey: string) =>
      (await fetch(`${scene.baseUrl}/api/sales-partners`, { headers: { privateKey } })).status;
    expect(key).not.toBe(scene.privateKey);
    expect([await codeWith(key), await codeWith(scene.privateKey)]).toEqual([200, 200]);

    await dialog.getByRole('button', { name: 'I have saved the key' }).click();
    await page.getByText(/^Expires in (71|72) h/).waitFor();
    expect(await page.content()).not.toContain(key);
    await saveScreenshots(page, 'api');

    await page.getByRole('button', { name: 'Rotate key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click();
    await page.getByRole('alert').getByText('A rotation is in progress').waitFor();
    await page.keyboard.press('Escape');
    expect(pageErrors).toEqual([]);
  });

  test('shows the breaking changes and the partner’s usage before pinning a version', async () => {
    await scene.call('PUT', `/api/sales-partners/${scene.partner.id}`, { apiVersion: '20210804' });
    await scene.call('GET', '/api/data-points?onlyUnread=true&v=20190716').catch(() => {});
    await page.goto('/console/settings/api?version=20230407');
    await page.getByText('Changes from 20210804 to 20230407').waitFor();
    for (const version of ['20211102', '20220222', '20230407']) {
      await page.getByRole('status').getByText(version, { exact: true }).waitFor();
    }
    await page.getByRole('button', { name: /^20230721/ }).click();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'api-version');
    await page.getByRole('button', { name: 'Pin version 20230407' }).click();
    const confirmation = page.getByRole('dialog');
    await confirmation.getByRole('button', { name: 'Pin version 20230407' }).waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'api-pin');
    await confirmation.getByRole('button', { name: 'Pin version 20230407' }).click();
    await page.getByText('without a version now use 20230407').waitFor();
    const { salesPartners } = await scene.call('GET', '/api/sales-partners?max=1');
    expect(salesPartners[0].apiVersion).toBe('20230407');

    // An older version replaces no fields.
    await page.goto('/console/settings/api?version=20190716');
    await page.getByText('Changes that are reverted when you go back from 20230407 to 20190716').waitFor();
    await page.getByRole('table', { name: 'Deprecated fields in use' }).getByText('onlyUnread').waitFor();
    await page.getByRole('button', { name: 'Pin version 20190716' }).click();
    await confirmation.getByText('Requests without a version use version 20190716 from now on.').waitFor();
    expect(await confirmation.textContent()).not.toContain('fields that this version replaces');
    await page.route('**/api/versions', (route) => route.fulfill({ status: 404, json: { message: 'No versions' } }));
    await page.reload();
    await expect.poll(() => page.getByRole('alert').filter({ hasText: 'No versions' }).count(), eventually).toBe(2);
    await page.unrouteAll();
    expect(pageErrors).toEqual([]);
  });

  // Runs last, because it ends the key of the scene.
  test('ends a rotation after a confirmation', async () => {
    await page.goto('/console/settings/api');
    await page.getByText(/^Signs deliveries until /).waitFor();
    await page.getByText(/^Signs deliveries from /).waitFor();
    await page.getByRole('button', { name: 'Switch to the new key now' }).click();
    const confirmation = page.getByRole('dialog');
    await confirmation.getByText('Integrations that still use the previous key get an error at once.').waitFor();
    expect(await accessibilityViolations(page, overlay)).toEqual([]);
    await saveScreenshots(page, 'key-switch');
    await confirmation.getByRole('button', { name: 'Switch to the new key now' }).click();
    await page.getByText('The previous key is no longer valid.').waitFor();
    await page.getByText('Signs deliveries', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Switch to the new key now' }).count()).toBe(0);
    const { privateKey } = scene;
    expect((await fetch(`${scene.baseUrl}/api/sales-partners`, { headers: { privateKey } })).status).toBe(401);
    expect(pageErrors).toEqual([]);
  });
});
