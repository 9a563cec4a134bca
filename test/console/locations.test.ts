import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { categoryId } from '../../src/platform/categories/category-id.ts';
import { describeInBrowser, keepPictures, seriousBarriers } from '../support/browser.ts';
import { ConsoleScene, type Person } from '../support/console.ts';
import { type Receiver, startReceiver } from '../support/delivery.ts';

const eventually = { timeout: 30_000 };
const cafe = categoryId('amenity/cafe');

const places: [name: string, street: string, no: string, zip: string, city: string, phone: string, at: number[]][] = [
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

const facts = {
  website: 'https://harbour.example/',
  descriptionShort: 'Coffee from our own roastery, with a view of the water.',
  openingHours: [1, 2, 3, 4, 5].map((dayOfWeek) => ({ dayOfWeek, from1: '08:00', to1: '18:30' })),
};

describeInBrowser('locations', { timeout: 120_000 }, () => {
  let scene: ConsoleScene;
  let receiver: Receiver;
  let admin: Person;
  let businessId: number;
  const ids: number[] = [];

  beforeAll(async () => {
    receiver = await startReceiver();
    scene = await ConsoleScene.start();
    admin = await scene.addPerson({ role: 'ADMIN', name: 'Anna Berg', email: 'anna@harbour.example' });
    businessId = (await scene.call('POST', '/api/businesses', { name: 'Harbour Coffee', type: 'SMB' })).id;
    for (const [index, [name, street, streetNo, zip, city, phone, [lat, lng]]] of places.entries()) {
      const address = { street, streetNo, zip, city, country: 'DE', lat, lng };
      const body = { ...address, businessId, name: `Harbour Coffee ${name}`, phone, categories: [cafe] };
      const { id } = await scene.call('POST', '/api/locations', {
        ...body,
        identifier: `HC-${100 + index}`,
        labels: [{ name: city === 'Hamburg' ? 'Flagship' : 'Standard' }],
        ...(index % 3 !== 2 && facts),
      });
      ids.push(id);
    }
  }, 120_000);
  afterAll(async () => {
    await scene?.close();
    await receiver?.close();
  });

  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
  const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  test('filters and sorting are in the address, and the map shows the same locations', async () => {
    const { page, complaints } = await scene.openAs(admin, '/locations');
    await row(page, 'Harbour Coffee Speicherstadt').waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'locations');
    await page.getByRole('button', { name: 'City', exact: true }).click();
    await expect.poll(() => page.url(), eventually).toContain('sort=city');
    await expect.poll(() => page.getByRole('row').nth(1).textContent(), eventually).toContain('Berlin');
    await page.getByRole('searchbox', { name: 'Search name, address, phone…' }).fill('hamburg');
    await expect.poll(() => page.url(), eventually).toContain('query=hamburg');
    await expect.poll(() => page.getByRole('row').count(), eventually).toBe(4);

    await page.getByText('Map', { exact: true }).click();
    await page.getByRole('heading', { name: '3 locations in sight' }).waitFor();
    expect(page.url()).toContain('view=map');
    await page.getByRole('button', { name: 'Show Harbour Coffee Altona on the map' }).click();
    await page.getByRole('button', { name: 'Harbour Coffee Altona, Hamburg' }).waitFor();
    await page.getByRole('button', { name: 'Show all locations' }).click();
    await page.getByRole('heading', { name: '3 locations in sight' }).waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await page.goto('/console/locations?view=map');
    await page.getByRole('heading', { name: '9 locations in sight' }).waitFor();
    await keepPictures(page, 'locations-map');
    expect(complaints).toEqual([]);
  });

  test('a location is edited: only what changed is sent, what others changed stays, and the event arrives', async () => {
    const [id = 0] = ids;
    await scene.call('POST', '/api/sales-partners/webhooks', {
      type: 'LOCATION_PROFILE_CHANGED',
      pushUrl: receiver.url('/profile'),
    });
    const { page, complaints } = await scene.openAs(admin, `/locations/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Harbour Coffee Speicherstadt' }).waitFor();
    await page.getByText('Add photos').waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'location');

    const contact = section(page, 'Contact');
    await contact.getByLabel('E-mail address').fill('speicherstadt@harbour.example');
    const hours = section(page, 'Opening hours');
    await hours.getByRole('button', { name: 'Add a second period on Monday' }).click();
    await hours.getByLabel('Monday: closes at').fill('12:00');
    await hours.getByLabel('Monday: opens again at').fill('14:00');
    await hours.getByLabel('Monday: closes again at').fill('01:00');
    await hours.getByText('until the next day').waitFor();
    await hours.getByRole('button', { name: 'Copy the hours of Monday' }).click();
    await page.getByRole('menuitem', { name: 'Saturday' }).click();
    await page.getByRole('textbox', { name: 'Add a category' }).fill('bakery');
    await page
      .getByRole('option', { name: /Bakery/ })
      .first()
      .click();
    await page.getByText('3 fields changed').waitFor();
    await scene.call('PATCH', `/api/locations/${id}`, { phone: '+49 40 3690099' });

    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Harbour Coffee Speicherstadt was saved.').waitFor();
    await expect.poll(() => page.getByText('fields changed').count(), eventually).toBe(0);
    const saved = await scene.call('GET', `/api/locations/${id}`);
    expect(saved).toMatchObject({ email: 'speicherstadt@harbour.example', phone: '+49403690099' });
    expect(saved.categories).toHaveLength(2);
    const monday = { from1: '08:00', to1: '12:00', from2: '14:00', to2: '01:00' };
    expect(saved.openingHours).toContainEqual({ dayOfWeek: 1, ...monday });
    expect(saved.openingHours).toContainEqual({ dayOfWeek: 6, ...monday });
    await expect.poll(() => contact.getByLabel('Phone', { exact: true }).inputValue(), eventually).toBe('+49403690099');

    const comments = () =>
      receiver.arrivals
        .map(({ event }) => event)
        .filter(
          ({ type, location, user }) => type === 'LOCATION_PROFILE_CHANGED' && location === id && user === admin.email,
        )
        .map(({ comment }) => comment);
    await expect.poll(comments, eventually).toHaveLength(1);
    for (const field of ['categories', 'email', 'openingHours']) expect(comments()[0]).toContain(field);
    expect(comments()[0]).not.toContain('phone');
    await page.getByRole('tab', { name: 'History' }).click();
    await row(page, 'anna@harbour.example').getByText('Opening hours').waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'location-history');
    expect(complaints).toEqual([]);
  });

  test('what the API refuses is said beside the field, and unsaved changes are not lost by leaving', async () => {
    const { page } = await scene.openAs(admin, `/locations/${ids[1]}`);
    const email = section(page, 'Contact').getByLabel('E-mail address');
    await email.fill('no address');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expect.poll(() => email.getAttribute('aria-invalid'), eventually).toBe('true');
    expect(await email.inputValue()).toBe('no address');
    await page.getByRole('link', { name: 'Locations' }).first().click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Stay here' }).click();
    expect(await email.inputValue()).toBe('no address');
    await page.getByRole('link', { name: 'Locations' }).first().click();
    await question.getByRole('button', { name: 'Leave without saving' }).click();
    await row(page, 'Harbour Coffee Speicherstadt').waitFor();
  });

  test('a location is created by keyboard, and its status offers what the state allows', async () => {
    const { page, complaints } = await scene.openAs(admin, '/locations/new');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'location-new');
    await page.getByRole('button', { name: 'Create location' }).click();
    await expect.poll(() => name.getAttribute('aria-invalid'), eventually).toBe('true');
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
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Add a category' }).fill('coffee');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('Main category').waitFor();
    await page.getByRole('button', { name: 'Create location' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Harbour Coffee Sachsenhausen' }).waitFor();
    await page.getByRole('button', { name: 'Change status' }).waitFor({ state: 'detached' });
    const id = Number(new URL(page.url()).pathname.split('/').at(-1));
    await scene.database.pool.query(`update locations set status = 'ACTIVE' where id = $1`, [id]);
    await page.getByRole('button', { name: 'Change status' }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual([
      'Mark for review',
      'Cancel location',
      'Close location',
    ]);
    await page.getByRole('menuitem', { name: 'Mark for review' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mark for review' }).click();
    await page.getByText('Needs review', { exact: true }).first().waitFor();
    expect((await scene.call('GET', `/api/locations/${id}`)).status).toBe('NEEDS_REVIEW');
    expect(complaints).toEqual([]);
  });

  test('a file of locations is uploaded; rows that were not taken are listed and can be downloaded', async () => {
    const { page, complaints } = await scene.openAs(admin, '/locations/import');
    await page.getByText('No uploads yet').waitFor();
    const file = [
      'name,street,streetNo,zip,city,country,phone,categories,identifier',
      `Harbour Coffee Ottensen,Ottenser Hauptstraße,10,22765,Hamburg,DE,+49 40 3690080,${cafe},HC-200`,
      `Harbour Coffee Nowhere,Nebelweg,1,22765,Hamburg,XX,+49 40 3690081,${cafe},HC-201`,
    ].join('\n');
    await page.locator('input[type=file]').setInputFiles({
      name: 'new-cafes.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(file),
    });
    await page.getByRole('combobox', { name: 'Business of rows that name none' }).click();
    await page.getByRole('option', { name: 'Harbour Coffee' }).click();
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('Finished').first().waitFor();
    await row(page, 'HC-201').waitFor();
    expect(await seriousBarriers(page)).toEqual([]);
    await keepPictures(page, 'location-import');
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download error report' }).click();
    const report = await (await download).createReadStream();
    const text = (await report.toArray()).join('');
    expect(text).toContain('Harbour Coffee Nowhere');
    expect(text).toContain('country');
    expect((await scene.call('GET', '/api/locations?query=Ottensen')).count).toBe(1);
    expect((await scene.call('GET', '/api/locations?query=Nowhere')).count).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('without LOCATION_WRITE everything can be seen and nothing changed, here and by the API', async () => {
    const reader = await scene.addPerson({ role: 'ACCOUNT_MANAGER', features: ['LOCATION_READ'] });
    const { page, context } = await scene.openAs(reader, '/locations');
    await row(page, 'Harbour Coffee Speicherstadt').waitFor();
    expect(await page.getByRole('link', { name: 'New location' }).count()).toBe(0);
    await page.goto(`/console/locations/${ids[2]}`);
    await page.getByText('You can look at this profile.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).first().isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Change status' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Add photo', exact: true }).count()).toBe(0);
    expect(await seriousBarriers(page)).toEqual([]);
    const refused = await context.request.patch(`/api/locations/${ids[2]}`, {
      data: { name: 'Taken over' },
      headers: { 'x-waypost-console': '1' },
    });
    expect(refused.status()).toBe(403);
    await page.goto('/console/locations/new');
    await page.getByText('You do not have access to this').waitFor();
  });
});
