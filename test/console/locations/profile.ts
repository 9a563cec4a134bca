import type { Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { accessibilityViolations, eventually, goTo, saveScreenshots } from '../../support/browser.ts';
import type { ConsoleFixture } from './fixture.ts';
import { pageHelpers } from './page-helpers.ts';

export function profileTests(fixture: ConsoleFixture): void {
  let { scene, receiver, admin, page, pageErrors, ids } = {} as ReturnType<ConsoleFixture>;
  beforeAll(() => {
    ({ scene, receiver, admin, page, pageErrors, ids } = fixture());
  });
  const { row, section, title, press } = pageHelpers(() => page);

  test('saves changed fields only, keeps concurrent changes and delivers the event', async () => {
    const [id = 0] = ids;
    await scene.call('POST', '/api/sales-partners/webhooks', {
      type: 'LOCATION_PROFILE_CHANGED',
      pushUrl: receiver.url('/profile'),
    });
    await goTo(page, `/locations/${id}`);
    await title('Harbour Coffee Speicherstadt').waitFor();
    await page.getByText('Add photos').waitFor();
    await saveScreenshots(page, 'location');

    const contact = section('Contact');
    await contact.getByLabel('Email address').fill('speicherstadt@harbour.example');
    const hours = section('Opening hours');
    await hours.getByRole('button', { name: 'Add a second period on Monday' }).click();
    await hours.getByLabel('Monday: closes at').fill('12:00');
    await hours.getByLabel('Monday: opens again at').fill('14:00');
    await hours.getByLabel('Monday: closes again at').fill('01:00');
    await hours.getByText('next day').waitFor();
    const top = async (label: string) => (await hours.getByLabel(label).boundingBox())?.y;
    expect(await top('Monday: opens again at')).toBe(await top('Monday: closes again at'));
    expect(await hours.getByLabel('Sunday: closes at').inputValue()).toBe('00:00');
    expect(await hours.getByText('next day').count()).toBe(1);
    // As while the user types 08:00. From 00:00 to 24:00 is all day.
    for (const typed of ['00:00', '18:00']) await hours.getByLabel('Sunday: opens at').fill(typed);
    await hours.getByRole('combobox', { name: 'Friday: open or closed' }).click();
    await page.getByRole('option', { name: 'Open 24 hours' }).click();
    await hours.getByLabel('Friday: opens at').waitFor({ state: 'detached' });
    await hours.getByLabel('Dec 24, 2031: closes at').fill('00:00');
    await hours.getByRole('button', { name: 'Copy hours of Monday' }).click();
    await page.getByRole('menuitem', { name: 'Saturday' }).click();
    await page.getByRole('textbox', { name: 'Add a category' }).fill('bakery');
    await page
      .getByRole('option', { name: /Bakery/ })
      .first()
      .click();
    await page.getByText('4 fields changed').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await saveScreenshots(page, 'location-edited');
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
    expect(saved.openingHours).toContainEqual({ dayOfWeek: 5, from1: '00:00', to1: '24:00' });
    expect(saved.openingHours).toContainEqual({ dayOfWeek: 7, from1: '18:00', to1: '24:00' });
    expect(saved.specialOpeningHours).toEqual([{ date: '2031-12-24', from1: '10:00', to1: '24:00' }]);
    await expect.poll(() => contact.getByLabel('Phone', { exact: true }).inputValue(), eventually).toBe('+49403690099');

    const comments = () =>
      receiver.requests
        .map(({ event }) => event)
        .filter(
          ({ type, location, user }) => type === 'LOCATION_PROFILE_CHANGED' && location === id && user === admin.email,
        )
        .map(({ comment }) => comment);
    await expect.poll(comments, eventually).toHaveLength(1);
    for (const field of ['categories', 'email', 'openingHours']) expect(comments()[0]).toContain(field);
    expect(comments()[0]).not.toContain('phone');
    await page.getByRole('tab', { name: 'History' }).click();
    await row('anna@harbour.example').getByText('Opening hours').waitFor();
    expect(await accessibilityViolations(page, '[role="tabpanel"][id$="history"]')).toEqual([]);
    await saveScreenshots(page, 'location-history');
    expect(pageErrors).toEqual([]);
  });

  test('edits a profile by keyboard, shows errors at the field and asks before leaving', async () => {
    await goTo(page, `/locations/${ids[1]}`);
    await title('Harbour Coffee Altona').waitFor();
    await page.getByRole('button', { name: 'Add email address' }).focus();
    await press('Enter');
    const email = section('Contact').getByLabel('Email address');
    const state = section('Opening hours').getByRole('combobox', { name: 'Saturday: open or closed' });
    await page.keyboard.type('no address');
    await state.focus();
    await press('ArrowDown');
    const open = page.getByRole('option', { name: 'Open', exact: true });
    await open.waitFor();
    const isOpenSelected = () => press('ArrowUp').then(() => open.getAttribute('data-combobox-selected'));
    await expect.poll(isOpenSelected, eventually).toBe('true');
    await press('Enter', 'Tab');
    await page.keyboard.type('1000AM');
    await press('Control+s');
    await expect.poll(() => email.getAttribute('aria-invalid'), eventually).toBe('true');
    await page.locator('input:focus[type=email]').waitFor();

    // Asks on other tabs as well.
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('link', { name: 'Locations' }).first().focus();
    await press('Enter');
    const confirmation = page.getByRole('dialog', { name: 'Leave without saving?' });
    await confirmation.waitFor();
    expect(await accessibilityViolations(page, '[role="dialog"]')).toEqual([]);
    await saveScreenshots(page, 'location-leave');
    await press('Enter');
    await confirmation.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Profile' }).click();
    expect(await email.inputValue()).toBe('no address');
    await email.focus();
    await press('Control+a');
    await page.keyboard.type('altona@harbour.example');
    await section('Address').getByLabel('Longitude').focus();
    await press('Control+a', ...'-0.05');
    // The field shows the saved value although the location cannot be loaded again.
    const isLocation = ({ pathname }: URL) => pathname === `/api/locations/${ids[1]}`;
    await page.route(isLocation, (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ status: 400, json: { message: 'Not available.' } })
        : route.continue(),
    );
    await press('Control+s');
    await page.getByText('Harbour Coffee Altona was saved.').waitFor();
    await expect.poll(() => page.getByRole('region', { name: 'Unsaved changes' }).count(), eventually).toBe(0);
    expect(await email.inputValue()).toBe('altona@harbour.example');
    await page.unroute(isLocation);
    const saved = await scene.call('GET', `/api/locations/${ids[1]}`);
    expect(saved).toMatchObject({ email: 'altona@harbour.example', lng: -0.05 });
    expect(saved.openingHours).toContainEqual({ dayOfWeek: 6, from1: '10:00', to1: '18:00' });
  });

  test('shows errors with the labels of the page, at the day or field', async () => {
    await scene.call('PATCH', `/api/locations/${ids[3]}`, { attributes: [{ key: 'parking', value: ['street'] }] });
    await goTo(page, `/locations/${ids[3]}`);
    await title('Harbour Coffee Kreuzberg').waitFor();
    // The user types a list entry by entry.
    const list = page.getByRole('textbox', { name: 'Value of parking' });
    await list.press('End');
    for (const [keys, text] of [
      [['Comma'], 'street,'],
      [['Backspace', 'Comma', 'Space', 'b', 'Comma'], 'street, b,'],
      [['Tab'], 'street, b'],
    ] as const) {
      await press(...keys);
      expect(await list.inputValue()).toBe(text);
    }
    const hours = section('Opening hours');
    await hours.getByRole('button', { name: 'Add a second period on Tuesday' }).click();
    await hours.getByRole('button', { name: 'Add a second period on Thursday' }).click();
    await hours.getByLabel('Thursday: opens again at').fill('20:00');
    await hours.getByLabel('Tuesday: opens again at').fill('10:00');
    await hours.getByLabel('Tuesday: closes again at').fill('12:00');
    await section('Address').getByLabel('Latitude').fill('91');
    const save = page.getByRole('button', { name: 'Save changes' });
    await save.click();
    await section('Address').getByText('Latitude must be 90 or less, not 91.').waitFor();
    await section('Address').getByLabel('Latitude').fill('52.4893');
    await save.click();
    await hours.getByText('Thursday: Enter both times of each period.').waitFor();
    const message = hours.getByText('Tuesday: The two periods overlap.');
    await message.waitFor();
    const top = async (element: Locator) => (await element.boundingBox())?.y ?? 0;
    expect(await top(message)).toBeGreaterThan(await top(hours.getByLabel('Tuesday: opens at')));
    expect(await top(message)).toBeLessThan(await top(hours.getByLabel('Wednesday: opens at')));
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityViolations(page, '#section-hours'), colorScheme).toEqual([]);
    }
    await saveScreenshots(page, 'location-refused');
    const url = 'https://127.0.0.1:1/front.jpg';
    const asset = { id: 1, name: 'Front', url, description: 'Longer than of a photo. '.repeat(11) };
    await page.route(/\/api\/dam\/assets\?/, (route) =>
      route.fulfill({ json: { status: 'SUCCESS', response: { assets: [asset], count: 1 } } }),
    );
    const photos = section('Photos and videos');
    await photos.getByRole('button', { name: 'Choose from assets' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Front' }).click();
    await expect.poll(() => photos.getByLabel('Image URL').last().inputValue()).toBe(url);
    expect(await photos.getByLabel('Description').last().inputValue()).toBe('');
    await photos.getByText('The image could not be loaded.').last().waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();

    await goTo(page, '/locations/new');
    await page.getByRole('button', { name: 'Create location' }).click();
    const requiredErrors = page.getByText('This field is required.');
    await requiredErrors.first().waitFor();
    expect(await requiredErrors.count()).toBeGreaterThan(3);
    expect(await page.getByText(/(?<!This field) is required|businessId/i).count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });
}
