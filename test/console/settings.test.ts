import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, keepPictures, seriousBarriers } from '../support/browser.ts';
import { ConsoleScene, type Person } from '../support/console.ts';

const eventually = { timeout: 30_000 };

describeInBrowser('the settings of an organisation', { timeout: 120_000 }, () => {
  let scene: ConsoleScene;
  let admin: Person;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    admin = await scene.addPerson({ role: 'ADMIN', name: 'Anna Berg', email: 'anna@harbour.example' });
    for (const [name, role] of [
      ['Marc Devos', 'ACCOUNT_MANAGER'],
      ['Li Wei', 'LOCATION_MANAGER'],
      ['Sofia Rossi', 'BUSINESS_MANAGER'],
    ] as const) {
      await scene.addPerson({ role, name });
    }
  }, 120_000);
  afterAll(() => scene?.close());

  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

  test('an administrator finds a user, changes the role and what the user sees, and deletes another', async () => {
    const business = await scene
      .call('POST', '/api/businesses', { name: 'Harbour Coffee', type: 'SMB' })
      .catch(() => null);
    const { page, complaints } = await scene.openAs(admin, '/settings/users');
    await row(page, 'Marc Devos').waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'users');

    await page.getByRole('searchbox', { name: 'Search by name or e-mail' }).fill('wei');
    await expect.poll(() => page.url(), eventually).toContain('query=wei');
    await expect.poll(() => row(page, 'Marc Devos').count(), eventually).toBe(0);
    await page.getByRole('button', { name: /Li Wei/ }).click();
    const form = page.getByRole('dialog', { name: 'Edit user' });
    await form.getByLabel('Name', { exact: true }).fill('Li Wei Chen');
    if (business) {
      await form.getByLabel('Businesses').click();
      await page.getByRole('option', { name: 'Harbour Coffee' }).click();
      await page.keyboard.press('Escape');
    }
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'user-edited');
    await form.getByRole('button', { name: 'Save' }).click();
    await row(page, 'Li Wei Chen').waitFor();
    const { users } = await scene.call('GET', '/api/users?query=chen');
    expect(users).toMatchObject([{ name: 'Li Wei Chen', role: 'LOCATION_MANAGER' }]);

    await page.goto('/console/settings/users');
    await page.getByRole('button', { name: /Sofia Rossi/ }).click();
    await page.getByRole('button', { name: 'Delete user' }).click();
    const question = page.getByRole('dialog', { name: /^Delete business_manager/ });
    await question.getByText('open sessions end at once').waitFor();
    await question.getByRole('button', { name: 'Delete user' }).click();
    await expect.poll(() => row(page, 'Sofia Rossi').count(), eventually).toBe(0);
    expect((await scene.call('GET', '/api/users?query=rossi')).users).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('what the API refuses is said beside the field, and what was typed stays', async () => {
    const { page } = await scene.openAs(admin, '/settings/users');
    await page.getByRole('button', { name: 'Add user' }).click();
    const form = page.getByRole('dialog', { name: 'Add a user' });
    await form.getByLabel('E-mail address').fill('not an address');
    await form.getByLabel('Password', { exact: true }).fill('short');
    await form.getByRole('button', { name: 'Add user' }).click();
    await expect.poll(() => form.getByLabel('E-mail address').getAttribute('aria-invalid'), eventually).toBe('true');
    await form.getByText('password must have at least 10 characters').waitFor();
    expect(await form.getByLabel('E-mail address').inputValue()).toBe('not an address');
  });

  test('a key is rotated with an overlap: the new one is shown once, and both work until the old one ends', async () => {
    const { page, complaints } = await scene.openAs(admin, '/settings/api');
    await page.getByRole('table', { name: 'Private key' }).waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Rotate key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Overlap' }).click();
    await page.getByRole('option', { name: '3 days' }).click();
    await dialog.getByRole('button', { name: 'Rotate key' }).click();
    await dialog.getByText('shown this once').waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'key-rotated');
    const key = (await dialog.locator('code').textContent()) ?? '';
    const codeWith = async (privateKey: string) =>
      (await fetch(`${scene.baseUrl}/api/sales-partners`, { headers: { privateKey } })).status;
    expect(key).not.toBe(scene.privateKey);
    expect([await codeWith(key), await codeWith(scene.privateKey)]).toEqual([200, 200]);

    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText(/^Valid for 7[12] h|^Valid for 71 h/).waitFor();
    expect(await page.content()).not.toContain(key);
    await keepPictures(page, 'api');

    await page.getByRole('button', { name: 'Rotate key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click();
    await page.getByRole('alert').getByText('A rotation is under way').waitFor();
    expect(complaints).toEqual([]);
  });

  test('what moving to another version means is shown before it is done, with what the partner uses of it', async () => {
    await scene.call('PUT', `/api/sales-partners/${scene.partner.id}`, { apiVersion: '20210804' });
    await scene.call('GET', '/api/data-points?onlyUnread=true&v=20190716').catch(() => {});
    const { page, complaints } = await scene.openAs(admin, '/settings/api?version=20230407');
    await page.getByText('What changes from 20210804 to 20230407').waitFor();
    for (const version of ['20211102', '20220222', '20230407']) {
      await page.getByRole('status').getByText(version, { exact: true }).waitFor();
    }
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'api-version');
    await page.getByRole('button', { name: 'Pin version 20230407' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pin version 20230407' }).click();
    await page.getByText('are answered as 20230407 from now on').waitFor();
    const { salesPartners } = await scene.call('GET', '/api/sales-partners?max=1');
    expect(salesPartners[0].apiVersion).toBe('20230407');
    expect(complaints).toEqual([]);
  });

  test('the audit trail tells who did what, and is filtered by its address', async () => {
    const { page, complaints } = await scene.openAs(admin, '/settings/audit');
    await row(page, 'User').first().waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'audit');
    await page.getByRole('button', { name: 'Created' }).first().click();
    await page.getByRole('dialog').getByRole('region', { name: 'Details' }).waitFor();
    await page.keyboard.press('Escape');
    await page.goto('/console/settings/audit?subject=SUGGESTION');
    await page.getByText('Nothing matches these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await row(page, 'User').first().waitFor();
    expect(page.url()).not.toContain('subject');
    expect(complaints).toEqual([]);
  });

  test('ten thousand entries scroll to the last one, of which only those in sight exist', async () => {
    const other = await scene.addPerson({ role: 'ADMIN' });
    await scene.database.pool.query(
      `insert into audit_trail (partner_id, happened_at, actor, action, subject, subject_id)
       select $1, now() - make_interval(secs => 10001 - number), 'SYSTEM', 'CHANGED', 'LOCATION', number
       from generate_series(1, 10000) as number`,
      [scene.partner.id],
    );
    const { page, complaints } = await scene.openAs(other, '/settings/audit?actor=SYSTEM');
    await page.getByText('Location 10000', { exact: true }).waitFor();
    const toTheEnd = 'scrollTo(0, document.documentElement.scrollHeight)';
    await expect
      .poll(
        async () => {
          await page.evaluate(toTheEnd);
          return page.getByText('Location 1', { exact: true }).count();
        },
        { timeout: 150_000, interval: 250 },
      )
      .toBe(1);
    expect(await page.getByRole('row').count()).toBeLessThan(100);
    await page.evaluate('scrollTo(0, 0)');
    await page.getByText('Location 10000', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  }, 240_000);

  test('by keyboard alone: from tab to tab, into a form and out of it, with the focus where it was', async () => {
    const { page } = await scene.openAs(admin, '/settings/users');
    await row(page, 'Marc Devos').waitFor();
    await page.getByRole('tab', { name: 'Users' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url(), eventually).toContain('/settings/audit');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Audit trail');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await row(page, 'Marc Devos').waitFor();
    const add = page.getByRole('button', { name: 'Add user' });
    await add.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Add a user' }).waitFor();
    await expect.poll(() => page.evaluate<string>('document.activeElement.type'), eventually).toBe('email');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count(), eventually).toBe(0);
    await expect.poll(() => page.evaluate<string>('document.activeElement.textContent'), eventually).toBe('Add user');
  });
});
