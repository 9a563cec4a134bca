import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessibilityViolations, eventually, saveScreenshots } from '../../support/browser.ts';
import type { ConsoleFixture } from './fixture.ts';

/** HTML pages of the service that need no session. */
export function publicPageTests(fixture: ConsoleFixture): void {
  /** Horizontal overflow in pixels, on a wide screen and on a phone. */
  async function overhang(page: Page): Promise<number[]> {
    const found: number[] = [];
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      found.push(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'));
    }
    return found;
  }

  test('shows a near-me report on screens, phones and paper', async () => {
    const { scene } = fixture();
    const { locations } = await scene.call('GET', '/api/locations?max=1');
    const { name, street, streetNo, zip, city, country, phone, categories } = locations[0];
    const business = {
      name,
      streetAndNo: `${street} ${streetNo}`,
      zip,
      city,
      country,
      phone,
      categoryId: categories[0],
    };
    const started = await fetch(`${scene.baseUrl}/api/report`, {
      method: 'POST',
      headers: { publicKey: scene.partner.publicKey, 'content-type': 'application/json' },
      body: JSON.stringify({ ...business, website: 'https://another.example' }),
    });
    const { id, token } = (await started.json()) as { id: number; token: string };
    const address = `/report/${id}?token=${token}`;
    await expect
      .poll(async () => (await scene.call('GET', `/api${address}`)).status, { timeout: 60_000 })
      .toBe('FINISHED');
    const { page, context } = await scene.openTab();
    await page.goto(address);
    await page.getByRole('heading', { name: 'Field by field' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(await overhang(page)).toEqual([0, 0]);
    await saveScreenshots(page, 'report');
    // Print uses light colours in dark mode too.
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const ink = 'getComputedStyle(document.body).color + " on " + getComputedStyle(document.body).backgroundColor';
    await expect.poll(() => page.evaluate(ink), eventually).toBe('rgb(0, 0, 0) on rgb(255, 255, 255)');
    await saveScreenshots(page, 'report-print');
    await context.close();
  });

  test('shows the API reference and the changelog on all screens, light and dark', async () => {
    const { page, context, pageErrors } = await fixture().scene.openTab({ colors: 'dark' });
    await page.goto('/docs/changes');
    expect(await overhang(page)).toEqual([0, 0]);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.goto('/docs');
    expect(await overhang(page)).toEqual([0, 0]);
    // Checks a part only: the page has thousands of similar elements.
    await page.evaluate(
      "document.querySelectorAll('main > section ~ section, main > h2 ~ h2').forEach((one) => one.remove())",
    );
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
    await context.close();
  });
}
