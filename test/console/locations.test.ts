import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { categoryId } from '../../src/modules/catalog/categories/category.ts';
import { accessibilityViolations, describeInBrowser, eventually, goTo, saveScreenshots } from '../support/browser.ts';
import { ConsoleScene, type ConsoleUser } from '../support/console.ts';
import { type Receiver, startReceiver } from '../support/delivery.ts';
import { longNameTests } from './locations/long-names.ts';
import { pageHelpers } from './locations/page-helpers.ts';
import { profileTests } from './locations/profile.ts';

const cafe = categoryId('amenity/cafe');

const locations: [name: string, street: string, no: string, zip: string, city: string, phone: string, at: number[]][] =
  [
    ['Speicherstadt', 'Am Sandtorkai', '36', '20457', 'Hamburg', '+49 40 3690070', [53.5443, 9.9941]],
    ['Altona', 'Große Elbstraße', '27', '22767', 'Hamburg', '+49 40 3690071', [53.5454, 9.9449]],
    ['Mitte', 'Rosenthaler Straße', '39', '10178', 'Berlin', '+49 30 2838770', [52.5243, 13.4021]],
    ['Kreuzberg', 'Bergmannstraße', '92', '10961', 'Berlin', '+49 30 2838771', [52.4893, 13.3892]],
    ['Ehrenfeld', 'Venloer Straße', '310', '50823', 'Köln', '+49 221 9524300', [50.9483, 6.9192]],
    ['Glockenbach', 'Hans-Sachs-Straße', '8', '80469', 'München', '+49 89 2609100', [48.1307, 11.5717]],
    ['Schanze', 'Schulterblatt', '73', '20357', 'Hamburg', '+49 40 3690072', [53.5626, 9.9623]],
    ['Südvorstadt', 'Karl-Liebknecht-Straße', '52', '04275', 'Leipzig', '+49 341 3012700', [51.3247, 12.3731]],
    ['Neustadt', 'Louisenstraße', '24', '01099', 'Dresden', '+49 351 8011750', [51.0668, 13.7525]],
  ];

const profile = {
  website: 'https://harbour.example/',
  descriptionShort: 'Coffee from our own roastery, with a view of the water.',
  openingHours: [
    ...[1, 2, 3, 4, 5].map((dayOfWeek) => ({ dayOfWeek, from1: '08:00', to1: '18:30' })),
    { dayOfWeek: 7, from1: '18:00', to1: '24:00' },
  ],
  specialOpeningHours: [{ date: '2031-12-24', from1: '10:00', to1: '14:00' }],
};

describeInBrowser('locations', { timeout: 120_000 }, () => {
  let scene: ConsoleScene;
  let receiver: Receiver;
  let admin: ConsoleUser;
  /** One tab for all tests, because opening the console is slow. */
  let page: Page;
  let pageErrors: string[];
  const ids: number[] = [];

  beforeAll(async () => {
    receiver = await startReceiver();
    scene = await ConsoleScene.start();
    admin = await scene.addUser({ role: 'ADMIN', name: 'Anna Berg', email: 'anna@harbour.example' });
    const business = await scene.call('POST', '/api/businesses', { name: 'Harbour Coffee', type: 'SMB' });
    for (const [index, [name, street, streetNo, zip, city, phone, [lat, lng]]] of locations.entries()) {
      const address = { street, streetNo, zip, city, country: 'DE', lat, lng };
      const { id } = await scene.call('POST', '/api/locations', {
        ...address,
        businessId: business.id,
        name: `Harbour Coffee ${name}`,
        phone,
        categories: [cafe],
        identifier: `HC-${100 + index}`,
        labels: [{ name: city === 'Hamburg' ? 'Flagship' : 'Standard' }],
        ...(index % 3 !== 2 && profile),
      });
      ids.push(id);
    }
    await scene.database.pool.query(`update locations set status = 'ACTIVE' where id = $1`, [ids[1]]);
    ({ page, pageErrors } = await scene.openAs(admin, '/locations'));
  }, 120_000);
  afterAll(async () => {
    await scene?.close();
    await receiver?.close();
  });

  const { row, title, press } = pageHelpers(() => page);

  test('keeps filters and sorting in the URL and shows the same locations on the map', async () => {
    await row('Harbour Coffee Speicherstadt').waitFor();
    await saveScreenshots(page, 'locations');
    await page.getByRole('button', { name: 'City', exact: true }).click();
    await expect.poll(() => page.url(), eventually).toContain('sort=city');
    await expect.poll(() => page.getByRole('row').nth(1).textContent(), eventually).toContain('Berlin');
    await page.getByRole('searchbox', { name: 'Search name, address, phone…' }).fill('hamburg');
    await expect.poll(() => page.url(), eventually).toContain('query=hamburg');
    await expect.poll(() => page.getByRole('row').count(), eventually).toBe(4);
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.getByText('Map', { exact: true }).click();
    await page.getByRole('heading', { name: '3 locations in view' }).waitFor();
    expect(page.url()).toContain('view=map');
    await page.getByRole('button', { name: 'Show Harbour Coffee Altona on the map' }).click();
    await page.getByRole('button', { name: 'Harbour Coffee Altona, Hamburg' }).waitFor();
    // A location that another user changes keeps the view. One minute later, the data is not fresh any more.
    const view = () => page.locator('svg > g[transform]').getAttribute('transform');
    const before = await view();
    await scene.call('PATCH', `/api/locations/${ids[1]}`, { name: 'Harbour Coffee Elbe' });
    await page.evaluate(`
      const { now } = Date;
      Date.now = () => now() + 60_000;
      dispatchEvent(new Event('visibilitychange'));
      setTimeout(() => { Date.now = now; });`);
    await page.getByRole('button', { name: 'Harbour Coffee Elbe, Hamburg' }).waitFor();
    expect(await view()).toBe(before);
    await scene.call('PATCH', `/api/locations/${ids[1]}`, { name: 'Harbour Coffee Altona' });
    await page.getByRole('button', { name: 'Show all locations' }).click();
    await page.getByRole('heading', { name: '3 locations in view' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await goTo(page, '/locations?view=map');
    await page.getByRole('heading', { name: '9 locations in view' }).waitFor();
    await saveScreenshots(page, 'locations-map');
    expect(pageErrors).toEqual([]);
  });

  test('goes back to the previous view and the previous tab', async () => {
    await goTo(page, '/locations');
    await row('Harbour Coffee Speicherstadt').waitFor();
    await page.getByText('Map', { exact: true }).click();
    await page.getByRole('heading', { name: '9 locations in view' }).waitFor();
    await page.goBack();
    await row('Harbour Coffee Speicherstadt').getByRole('link').click();
    await title('Harbour Coffee Speicherstadt').waitFor();
    const tab = (name: string) => page.getByRole('tab', { name, selected: true });
    await page.getByRole('tab', { name: 'Listings' }).click();
    await tab('Listings').waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    await tab('History').waitFor();
    await page.goBack();
    await tab('Listings').waitFor();
    await page.goBack();
    await tab('Profile').waitFor();
    await page.goBack();
    await row('Harbour Coffee Speicherstadt').waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('selects more than five locations, and edits a long selection of a link', async () => {
    await goTo(page, '/posts?view=list');
    const field = page.getByRole('combobox', { name: 'Locations' });
    await field.click();
    for (const [name] of locations.slice(0, 7)) {
      await page.getByRole('option', { name: `Harbour Coffee ${name}` }).click();
    }
    const selected = () => JSON.parse(new URL(page.url()).searchParams.get('location') ?? '[]');
    await expect.poll(selected, eventually).toEqual(ids.slice(0, 7));

    await goTo(page, '/locations');
    await title('Locations').waitFor();
    await goTo(page, `/posts?view=list&location=${encodeURIComponent(JSON.stringify(ids.slice(0, 6)))}`);
    await page.getByRole('button', { name: '6 locations selected' }).waitFor();
    expect(await accessibilityViolations(page, '[role="group"][aria-label="Locations"]')).toEqual([]);
    await saveScreenshots(page, 'locations-selected');
    await page.getByRole('group', { name: 'Locations' }).getByRole('button', { name: 'Edit' }).press('Enter');
    await page.getByText('Harbour Coffee Glockenbach, München').waitFor();
    await press('Backspace');
    await expect.poll(selected, eventually).toEqual(ids.slice(0, 5));
    expect(pageErrors).toEqual([]);
  });

  const fixture = () => ({ scene, receiver, admin, page, pageErrors, ids });
  describe('long names', () => longNameTests(fixture));
  describe('profile', () => profileTests(fixture));

  test('offers the first sync on the home page and on the page of a new location', async () => {
    await goTo(page, '/');
    await page.getByRole('button', { name: 'Sync locations: Start the first sync' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sync locations' });
    await dialog.getByText(`Compares ${ids.length} locations`).waitFor();
    // More locations than a URL can select.
    const isTasks = ({ pathname }: URL) => pathname.endsWith('/api/home/tasks');
    await page.route(isTasks, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/"locationsCount":\d+/g, '"locationsCount":501');
      return route.fulfill({ response, body });
    });
    await page.goto('/console/');
    await page.getByRole('button', { name: 'Sync locations: Start the first sync' }).click();
    await dialog.getByText('Compares').waitFor();
    expect(new URL(page.url()).search).toBe('?open=sync');
    await page.unroute(isTasks);
    await goTo(page, `/locations/${ids[2]}`);
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByRole('tab', { name: 'Listings', selected: true }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('offers the allowed status changes', async () => {
    await goTo(page, `/locations/${ids[1]}`);
    await page.getByRole('button', { name: 'Change status' }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual([
      'Mark for review',
      'Cancel location',
      'Close location',
    ]);
    await page.getByRole('menuitem', { name: 'Cancel location' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change the status of Harbour Coffee Altona' });
    await dialog.getByLabel('Last day').fill('2030-12-31');
    // Escape asks, and a second one closes only the question.
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await press('Escape');
    await question.waitFor();
    await press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await accessibilityViolations(page, '[role="dialog"]')).toEqual([]);
    await saveScreenshots(page, 'location-status');
    await dialog.getByRole('button', { name: 'Cancel location' }).click();
    await page.getByText('ends on Dec 31, 2030').waitFor();
    expect((await scene.call('GET', `/api/locations/${ids[1]}`)).status).toBe('CANCELLED');
    expect(pageErrors).toEqual([]);
  });

  test('creates a location by keyboard and deletes it', async () => {
    await goTo(page, '/locations/new');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await title('New location').waitFor();
    await saveScreenshots(page, 'location-new');
    await page.getByRole('button', { name: 'Create location' }).click();
    await expect.poll(() => name.getAttribute('aria-invalid'), eventually).toBe('true');
    expect(await accessibilityViolations(page)).toEqual([]);
    await name.fill('Harbour Coffee Sachsenhausen');
    await page.getByRole('combobox', { name: 'Business' }).click();
    await page.getByRole('option', { name: 'Harbour Coffee' }).click();
    for (const [label, value] of [
      ['Street', 'Schweizer Straße'],
      ['House number', '41'],
      ['Postal code', '60594'],
      ['City', 'Frankfurt am Main'],
      ['Phone', '+49 69 6199520'],
    ] as const) {
      await page.getByRole('textbox', { name: label, exact: true }).fill(value);
    }
    await page.getByRole('combobox', { name: 'Country' }).fill('German');
    await page.getByRole('option', { name: 'Germany' }).waitFor();
    await press('ArrowDown', 'Enter');
    await expect.poll(() => page.getByRole('combobox', { name: 'Country' }).inputValue(), eventually).toBe('Germany');
    await page.getByRole('textbox', { name: 'Add a category' }).fill('coffee');
    await page.getByRole('option').first().waitFor();
    await press('ArrowDown', 'Enter');
    await page.getByText('Main category').waitFor();
    await page.getByRole('button', { name: 'Create location' }).focus();
    await press('Enter');
    await title('Harbour Coffee Sachsenhausen').waitFor();
    const id = Number(page.url().split('/').at(-1));
    await page.getByRole('button', { name: 'Change status' }).press('Enter');
    await expect.poll(() => page.getByRole('menuitem').allTextContents(), eventually).toEqual(['Delete location']);
    await page.getByRole('menuitem').press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('You cannot undo this.').waitFor();
    expect(await dialog.textContent()).not.toContain('removal of its listings');
    await dialog.getByRole('button', { name: 'Delete location' }).press('Enter');
    await title('Locations').waitFor();
    expect((await scene.call('GET', `/api/locations/${id}`)).status).toBe('DELETED');
    expect(pageErrors).toEqual([]);
  });

  test('imports a file by keyboard, lists failed rows and offers the error report', async () => {
    await goTo(page, '/locations/import');
    await page.getByText('No imports yet').waitFor();
    await saveScreenshots(page, 'location-import-empty');
    const file = [
      'name,street,streetNo,zip,city,country,phone,categories,identifier',
      `Harbour Coffee Ottensen,Ottenser Hauptstraße,10,22765,Hamburg,DE,+49 40 3690080,${cafe},HC-200`,
      `Harbour Coffee Nowhere,Nebelweg,1,22765,Hamburg,XX,+49 40 3690081,${cafe},HC-201`,
    ].join('\n');
    await page.getByLabel('File', { exact: true }).focus();
    const fileChooser = page.waitForEvent('filechooser');
    await press('Enter');
    await (await fileChooser).setFiles({ name: 'new-cafes.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
    await page.getByText('new-cafes.csv').waitFor();
    await page.getByRole('combobox', { name: 'Business for rows without one' }).focus();
    await page.keyboard.type('Harbour');
    await page.getByRole('option', { name: 'Harbour Coffee' }).waitFor();
    await press('ArrowDown', 'Enter');
    // Until the end of the import, its list of errors is incomplete.
    let isRunning = true;
    await page.route(/location-imports\/\d+$/, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      if (isRunning) json.response.status = 'RUNNING';
      await route.fulfill({ response, json });
    });
    await page.route(/location-imports\/\d+\/errors\?/, (route) =>
      isRunning ? route.fulfill({ json: { response: { count: 0, errors: [] } } }) : route.continue(),
    );
    await page.getByRole('button', { name: 'Import', exact: true }).focus();
    await press('Enter');
    await page.getByText('All rows were imported').waitFor();
    isRunning = false;
    await page.getByText('Finished').first().waitFor();
    await row('HC-201').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'location-import');
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download error report' }).click();
    const report = await (await download).createReadStream();
    const text = (await report.toArray()).join('');
    expect(text).toContain('Harbour Coffee Nowhere');
    expect(text).toContain('country');
    expect((await scene.call('GET', '/api/locations?query=Ottensen')).count).toBe(1);
    expect((await scene.call('GET', '/api/locations?query=Nowhere')).count).toBe(0);
    const bar = page.locator('[data-color]');
    expect(await bar.getAttribute('data-color')).toBe('orange');

    const broken = `${file.split('\n')[0]}\n${file.split('\n')[2]}`;
    await page.locator('input[type=file]').setInputFiles({
      name: 'broken.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(broken),
    });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('No rows were imported.').waitFor();
    expect(await bar.getAttribute('data-color')).toBe('red');

    await scene.database.pool.query(
      `insert into tasks (partner_id, type, status, parameters, total, done, failed, result, created_by)
       select partner_id, type, status, parameters, total, done, failed, result, created_by
       from (select * from tasks where type = 'LOCATION_IMPORT' limit 1) as task, generate_series(1, 20)`,
    );
    await goTo(page, '/locations/import?offset=20');
    await row('broken.csv').getByRole('button').click();
    await expect.poll(() => page.url(), eventually).toMatch(/offset=20.*upload=|upload=.*offset=20/);
    expect(pageErrors).toEqual([]);
  });

  test('is read-only without LOCATION_WRITE, also in the API', async () => {
    const reader = await scene.addUser({ role: 'ACCOUNT_MANAGER', features: ['LOCATION_READ'] });
    const { page: userTab, context } = await scene.openAs(reader, '/locations');
    await row('Harbour Coffee Speicherstadt', userTab).waitFor();
    expect(await userTab.getByRole('link', { name: 'New location' }).count()).toBe(0);
    await goTo(userTab, `/locations/${ids[2]}`);
    await userTab.getByText('You can view this profile.').waitFor();
    expect(await userTab.getByRole('textbox', { name: 'Name', exact: true }).first().isDisabled()).toBe(true);
    expect(await userTab.getByRole('button', { name: 'Change status' }).count()).toBe(0);
    expect(await userTab.getByRole('button', { name: 'Add photo', exact: true }).count()).toBe(0);
    const response = await context.request.patch(`/api/locations/${ids[2]}`, {
      data: { name: 'Taken over' },
      headers: { 'x-waypost-console': '1' },
    });
    expect(response.status()).toBe(403);
    await goTo(userTab, '/locations/new');
    await userTab.getByText('You do not have permission').waitFor();
  });

  test('offers users of single locations no new location and no choice of its business', async () => {
    const manager = await scene.addUser({ role: 'LOCATION_MANAGER', locationIds: [ids[2] ?? 0] });
    const { page: userTab, pageErrors: errors } = await scene.openAs(manager, '/locations');
    await row('Harbour Coffee Mitte', userTab).waitFor();
    await userTab.getByRole('link', { name: 'Import CSV' }).waitFor();
    expect(await userTab.getByRole('link', { name: 'New location' }).count()).toBe(0);
    await goTo(userTab, `/locations/${ids[2]}`);
    await userTab.getByRole('textbox', { name: 'Name', exact: true }).first().waitFor();
    const business = userTab.getByRole('combobox', { name: 'Business' });
    await expect.poll(() => business.count(), eventually).toBe(0);
    await goTo(userTab, '/locations/new');
    await userTab.getByText('You do not have permission').waitFor();
    expect(errors).toEqual([]);
  });

  test('enables only the fields of the groups of the user', async () => {
    const writer = await scene.addUser({ role: 'ACCOUNT_MANAGER', fieldGroups: ['CONTACT'] });
    const { page: userTab, pageErrors: errors } = await scene.openAs(writer, `/locations/${ids[2]}`);
    const input = (name: string) => userTab.getByRole('textbox', { name, exact: true });
    await input('Imprint').fill('Harbour Coffee GmbH');
    expect(await input('Phone').isEnabled()).toBe(true);
    for (const name of ['Name', 'Street', 'Notes on the hours']) expect(await input(name).isDisabled()).toBe(true);
    await userTab.getByRole('button', { name: 'Save changes' }).click();
    await userTab.getByText('Harbour Coffee Mitte was saved.').waitFor();
    expect(await scene.call('GET', `/api/locations/${ids[2]}`)).toMatchObject({ imprint: 'Harbour Coffee GmbH' });
    expect(errors).toEqual([]);
  });

  test('removes the cleared price and description of a service', async () => {
    const path = `/api/locations/${ids[2]}`;
    const service = { title: 'Tasting', price: 2500, currency: 'EUR', description: 'For two' };
    await scene.call('PATCH', path, { services: [service] });
    await goTo(page, `/locations/${ids[2]}`);
    const tasting = page.getByRole('group', { name: 'Tasting', exact: true });
    for (const name of ['Price', 'Description']) await tasting.getByRole('textbox', { name }).fill('');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Harbour Coffee Mitte was saved.').waitFor();
    const [saved] = (await scene.call('GET', path)).services;
    expect({ price: saved.price, description: saved.description }).toEqual({});
  });

  test('the homepage shows no score of a business without locations', async () => {
    const { id } = await scene.call('POST', '/api/businesses', { name: 'Harbour Tea', type: 'SMB' });
    await goTo(page, '/');
    const score = page.getByRole('region', { name: 'Location score', exact: true });
    await score.getByText('No listings to compare').waitFor();
    await goTo(page, `/?business=[${id}]`);
    await score.getByText('The selected businesses have no locations.').waitFor();
    expect(await score.getByText('of 100').count()).toBe(0);
  });
});
