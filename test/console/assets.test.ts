import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  accessibilityViolations,
  describeInBrowser,
  eventually,
  goTo,
  saveScreenshots,
  type Tab,
} from '../support/browser.ts';
import { ConsoleScene } from '../support/console.ts';

describeInBrowser('assets', { timeout: 120_000 }, () => {
  let scene: ConsoleScene;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    tab = await scene.openAs(await scene.addUser({ role: 'ADMIN', name: 'Anna Berg' }), '/assets');
    page = tab.page;
  }, 180_000);
  afterAll(() => scene?.close());

  const image = (colors: [string, string]) =>
    sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="420"><defs><linearGradient id="g" x2="1" y2="1">
         <stop stop-color="${colors[0]}"/><stop offset="1" stop-color="${colors[1]}"/></linearGradient></defs>
         <rect width="640" height="420" fill="url(#g)"/><circle cx="320" cy="230" r="120" fill="#fff8"/></svg>`,
      ),
    )
      .png()
      .toBuffer();
  const tile = (name: string) => page.getByRole('button').filter({ hasText: name });

  async function choose(files: { name: string; mimeType: string; buffer: Buffer }[]) {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Upload files' }).click(),
    ]);
    await chooser.setFiles(files);
  }

  /** Drops a file on the element with this text. */
  async function drop(onto: string, name: string, bytes: Buffer) {
    const data = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([bytes], '${name}'));
      return transfer;
    })()`);
    const target = page.getByText(onto).first();
    await target.dispatchEvent('dragenter', { dataTransfer: data });
    await page.getByText('Drop files to upload them to this folder').waitFor();
    await target.dispatchEvent('drop', { dataTransfer: data });
  }

  /** Opens the New menu by keyboard. */
  async function openNewMenu(item: string) {
    await page.getByRole('button', { name: 'New', exact: true }).press('Enter');
    await page.getByRole('menuitem', { name: item }).press('Enter');
  }

  test('uploads by button and by drop, and explains a rejected file', async () => {
    await page.getByText('No assets yet').waitFor();
    await saveScreenshots(page, 'assets-empty');
    await drop('No assets yet', 'terrace.png', await image(['#f6a21a', '#c2410c']));
    await tile('terrace.png').waitFor();
    await choose([
      { name: 'counter.png', mimeType: 'image/png', buffer: await image(['#0f766e', '#67e8f9']) },
      { name: 'menu.png', mimeType: 'image/png', buffer: Buffer.from('MZ this is a program') },
    ]);
    await tile('counter.png').waitFor();
    const uploads = page.getByRole('region', { name: 'Uploads' });
    const rejected = uploads.getByRole('status').locator('> div').filter({ hasText: 'menu.png' });
    await rejected.getByText('Failed').waitFor();
    await rejected.getByText(/The (content of|file) "menu\.png"/).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'assets-uploads');
    // Selecting the same file again is a change only if the input was reset.
    expect(await page.evaluate<number>("document.querySelector('input[type=file]').files.length")).toBe(0);
    const { assets } = await scene.call('GET', '/api/dam/assets?sort=name&order=ASC');
    expect(assets).toMatchObject([
      { name: 'counter.png', width: 640, height: 420 },
      { name: 'terrace.png', type: 'IMAGE' },
    ]);
  });

  test('navigates folders by keyboard', async () => {
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await page.getByRole('menuitem', { name: 'New folder' }).waitFor();
    expect(await accessibilityViolations(page, '[role=menu]')).toEqual([]);
    await page.keyboard.press('Escape');
    await openNewMenu('New folder');
    await page.getByRole('dialog', { name: 'New folder' }).getByLabel('Name').fill('Campaigns');
    expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
    await saveScreenshots(page, 'assets-new-folder');
    await page.keyboard.press('Enter');
    const breadcrumbs = page.getByRole('navigation', { name: 'Folder path' });
    await breadcrumbs.getByText('Campaigns').waitFor();
    await page.getByRole('tree').getByText('Campaigns').waitFor();
    await page.getByRole('treeitem').first().focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => breadcrumbs.textContent(), eventually).toBe('Assets');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await breadcrumbs.getByText('Campaigns').waitFor();
  });

  test('opens the tree for a folder from the grid', async () => {
    const root = page.getByRole('treeitem').first();
    await root.getByText('Assets').click();
    await tile('Campaigns').waitFor();
    await root.getByText('Assets').click();
    await expect.poll(() => root.getAttribute('aria-expanded'), eventually).toBe('false');
    await tile('Campaigns').click();
    await page.getByRole('tree').getByText('Campaigns').waitFor();
  });

  test('uploads to the folder of the URL while the folders cannot be loaded, and again after an error', async () => {
    const { id } = await scene.call('POST', '/api/dam/folders', { name: 'Seasonal' });
    await page.route('**/api/dam/folders?*', (route) =>
      route.fulfill({ status: 403, json: { message: 'No folders' } }),
    );
    await page.goto(`/console/assets?folder=${id}`);
    await page.getByRole('alert').getByText('No folders').waitFor();
    // The file is stored, but the response is lost.
    let couldClose: boolean | undefined;
    const canClose = () => page.evaluate<boolean>("dispatchEvent(new Event('beforeunload', { cancelable: true }))");
    await page.route('**/api/dam/assets', async (route) => {
      await route.fetch();
      couldClose = await canClose();
      await route.fulfill({ body: '<html></html>' });
    });
    await choose([{ name: 'autumn.png', mimeType: 'image/png', buffer: await image(['#9a3412', '#fdba74']) }]);
    await page.getByText('The connection was lost. Try again.').waitFor();
    expect([couldClose, await canClose()]).toEqual([false, true]);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again to upload autumn.png' }).click();
    await tile('autumn.png').waitFor();
    const { assets } = await scene.call('GET', `/api/dam/assets?folderId=${id}`);
    expect(assets).toMatchObject([{ name: 'autumn.png' }]);

    const inTree = page.getByRole('tree').getByText('Seasonal');
    await inTree.waitFor();
    await page.route('**/api/dam/folders?*', (route) =>
      route.fulfill({ status: 400, json: { message: 'No folders' } }),
    );
    await choose([{ name: 'winter.png', mimeType: 'image/png', buffer: await image(['#1e3a8a', '#bfdbfe']) }]);
    await page.getByRole('alert').getByText('No folders').waitFor();
    expect(await inTree.isVisible()).toBe(true);
    await page.unrouteAll();

    let fail = () => {};
    const failed = new Promise<void>((resolve) => {
      fail = resolve;
    });
    await page.route('**/api/dam/assets', (route) => failed.then(() => route.abort()));
    await choose([{ name: 'spring.png', mimeType: 'image/png', buffer: await image(['#166534', '#bbf7d0']) }]);
    await goTo(page, '/events');
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    fail();
    await page.getByText('spring.png was not uploaded. The connection was lost.').waitFor();
    await page.unrouteAll();
    await scene.call('DELETE', `/api/dam/folders/${id}?recursive=true`);
  });

  test('explains that a folder has content that is not shown', async () => {
    const outer = await scene.call('POST', '/api/dam/folders', { name: 'Partners' });
    await page.goto(`/console/assets?folder=${outer.id}`);
    await page.getByRole('button', { name: 'Delete folder' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Delete the folder “Partners”?' });
    await confirmation.getByText('You see no assets or subfolders in this folder.').waitFor();
    await scene.call('POST', '/api/dam/folders', { name: 'Inner', parentId: outer.id });
    await confirmation.getByRole('button', { name: 'Delete folder' }).click();
    await confirmation.getByText('contains assets or subfolders that you do not see').waitFor();
    await scene.call('DELETE', `/api/dam/folders/${outer.id}?recursive=true`);
  });

  test('offers the first page for an offset past the end', async () => {
    await page.goto('/console/assets?offset=48');
    await page.getByRole('button', { name: 'Go to first page' }).click();
    await tile('counter.png').waitFor();
  });

  test('wraps long folder names', async () => {
    const name = `Season${'campaign'.repeat(24)}`;
    const outer = await scene.call('POST', '/api/dam/folders', { name });
    const inner = await scene.call('POST', '/api/dam/folders', { name: `Inner${name}`, parentId: outer.id });
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await goTo(page, `/assets?folder=${inner.id}`);
      await page.reload();
      await page.getByRole('navigation', { name: 'Folder path' }).getByText(inner.name).waitFor();
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(overflow, `at ${width}`).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await scene.call('DELETE', `/api/dam/folders/${outer.id}?recursive=true`);
    await goTo(page, '/assets');
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  test('shows folders beyond the first page of the API', async () => {
    const { pool } = scene.database;
    await pool.query(
      `insert into asset_folders (partner_id, created_by, name)
       select $1, 'test', 'Folder ' || number from generate_series(1, 1001) as number`,
      [scene.partner.id],
    );
    const last = await scene.call('POST', '/api/dam/folders', { name: 'Zoo' });
    await goTo(page, `/assets?folder=${last.id}`);
    await page.reload();
    await page.getByRole('navigation', { name: 'Folder path' }).getByText('Zoo').waitFor();
    await pool.query(`delete from asset_folders where name = 'Zoo' or name like 'Folder %'`);
    await goTo(page, '/assets');
    await page.reload();
    await page.getByText('counter.png').waitFor();
  });

  test('edits, moves, hides and deletes an asset, with a warning where it is used', async () => {
    const recipes = await scene.call('POST', '/api/dam/folders', { name: 'Recipes' });
    await goTo(page, `/assets?folder=${recipes.id}`);
    await page.reload();
    await choose([{ name: 'bread.png', mimeType: 'image/png', buffer: await image(['#7c2d12', '#fde68a']) }]);
    await tile('bread.png').click();
    const drawer = page.getByRole('dialog', { name: 'bread.png' });
    await drawer.getByText('640 × 420 pixels').waitFor();
    await drawer.getByLabel('Description').fill('Rye bread on the counter');
    await drawer.getByRole('switch', { name: 'Visible' }).click();
    await drawer.getByLabel('Folder', { exact: true }).first().click();
    await page.getByRole('option', { name: 'Top level' }).click();
    expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
    await saveScreenshots(page, 'assets-preview');
    await drawer.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('“bread.png” was saved.').waitFor();
    const before = await scene.call('GET', `/api/dam/assets?folderId=${recipes.id}`);
    expect(before.assets).toEqual([]);
    const { assets } = await scene.call('GET', '/api/dam/assets?query=bread');
    expect(assets).toMatchObject([{ status: 'HIDDEN', description: 'Rye bread on the counter' }]);
    expect(assets[0].folderId).toBeUndefined();

    const content = { description: 'Bread', photos: [{ photo: assets[0].url }] };
    const template = await scene.call('POST', '/api/social-templates', { name: 'Bread of the month', content });
    await drawer.getByRole('button', { name: 'Delete asset', exact: true }).click();
    const confirmation = page.getByRole('dialog', { name: 'Delete “bread.png”?' });
    // The dialog is closed before the response: the next one must show the uses before it offers to delete anyway.
    const closed = Promise.withResolvers<void>();
    await page.route(/\/api\/dam\/assets\/\d+\?/, (route) => closed.promise.then(() => route.continue()));
    await confirmation.getByRole('button', { name: 'Delete asset', exact: true }).click();
    const refusal = page.waitForResponse((response) => response.status() === 409);
    await confirmation.getByRole('button', { name: 'Cancel' }).click();
    await confirmation.waitFor({ state: 'hidden' });
    closed.resolve();
    await refusal;
    await page.unrouteAll();
    await drawer.getByRole('button', { name: 'Delete asset', exact: true }).click();
    await confirmation.getByRole('button', { name: 'Delete asset', exact: true }).click();
    await confirmation.getByText(`social template ${template.id}`).waitFor();
    expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
    await saveScreenshots(page, 'assets-delete');
    await confirmation.getByRole('button', { name: 'Delete anyway' }).click();
    await page.getByText('“bread.png” was deleted.').waitFor();
  });

  test('creates a template and a post from it, and asks before another template replaces it', async () => {
    await goTo(page, '/assets');
    await openNewMenu('New post template');
    const form = page.getByRole('dialog', { name: 'New post template' });
    await form.getByLabel('Template name').fill('Bread of the year');
    await form.getByLabel('Text').fill('Bread');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stay on page' }).click();
    expect(await accessibilityViolations(page, '[role=dialog]')).toEqual([]);
    await saveScreenshots(page, 'assets-template');
    await form.getByRole('button', { name: 'Create template' }).click();
    const drawer = page.getByRole('dialog', { name: 'Bread of the year' });
    // More than one page of the API.
    await scene.database.pool.query(
      `insert into assets (partner_id, type, name, content, all_managed_resources, created_by)
       select $1, 'SOCIAL_POST_TEMPLATE', 'Template ' || number, '{"description": "Rolls"}', true, 'test'
       from generate_series(1, 100) as number`,
      [scene.partner.id],
    );
    await drawer.getByRole('link', { name: 'Create post' }).click();
    await expect.poll(() => page.getByRole('textbox', { name: /^Text/ }).inputValue(), eventually).toBe('Bread');
    await page.getByLabel('Title').fill('Our bread');
    await page.getByRole('button', { name: 'Start from a template' }).click();
    for (const name of ['Bread of the year', 'Template 99']) await page.getByRole('menuitem', { name }).waitFor();
    await page.getByRole('menuitem', { name: 'Bread of the month' }).press('Enter');
    const question = page.getByRole('dialog', { name: 'Replace the content of the post?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Title').inputValue()).toBe('Our bread');
    await scene.database.pool.query(`delete from assets where name like 'Template %'`);
    expect(tab.pageErrors).toEqual([]);
    await tab.context.close();
  });

  test('is read-only without ASSET_WRITE', async () => {
    const reader = await scene.addUser({ role: 'ACCOUNT_MANAGER', features: ['ASSET_READ'] });
    ({ page } = await scene.openAs(reader, '/assets'));
    await tile('counter.png').click();
    const drawer = page.getByRole('dialog', { name: 'counter.png' });
    await drawer.getByRole('link', { name: 'Download' }).waitFor();
    expect(await drawer.getByRole('button', { name: 'Save changes' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Upload files' }).count()).toBe(0);
  });
});
