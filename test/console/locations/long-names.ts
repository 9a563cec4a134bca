import { beforeAll, expect, test } from 'vitest';
import { categoryId } from '../../../src/modules/catalog/categories/category.ts';
import { goTo } from '../../support/browser.ts';
import type { ConsoleFixture } from './fixture.ts';
import { pageHelpers } from './page-helpers.ts';

export function longNameTests(fixture: ConsoleFixture): void {
  let { scene, page, pageErrors } = {} as ReturnType<ConsoleFixture>;
  beforeAll(() => {
    ({ scene, page, pageErrors } = fixture());
  });
  const { row, section, title } = pageHelpers(() => page);

  test('wraps long names without breaking other words', async () => {
    const [{ businessId }] = (await scene.call('GET', '/api/locations?max=1')).locations;
    const { id } = await scene.call('POST', '/api/locations', {
      businessId,
      name: `Harbour${'coffee'.repeat(30)}`,
      street: 'Kaiserkai',
      streetNo: '1',
      zip: '20457',
      city: 'Hamburg',
      country: 'DE',
      phone: '+49 40 3690073',
      categories: [categoryId('amenity/cafe')],
      openingHours: [{ dayOfWeek: 1, from1: '08:00', to1: '12:30' }],
    });
    const email = `${'administration'.repeat(4)}@${'harbour'.repeat(5)}.example`;
    await scene.addUser({ role: 'ADMIN', name: 'Frederike Holm', email });
    const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    const viewport = { width: 1280, height: 800 };
    for (const width of [1280, 360]) {
      await page.setViewportSize({ ...viewport, width });
      await goTo(page, `/locations/${id}`);
      await title('Harbourcoffee').waitFor();
      expect(await overflow(), `at ${width}`).toBeLessThanOrEqual(0);
      // The browser's default width, including its clock icon.
      await section('Opening hours').getByLabel('Monday: opens at').waitFor();
      expect(await page.evaluate<number>(spareWidth), `at ${width}`).toBeGreaterThanOrEqual(0);
    }
    for (const width of [1280, 1024]) {
      await page.setViewportSize({ ...viewport, width });
      await goTo(page, '/settings/users');
      await row(email).waitFor();
      expect(await page.evaluate<string[]>(brokenWords), `at ${width}`).toEqual([]);
      expect(await overflow()).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize(viewport);
    await scene.database.pool.query(`update locations set status = 'DELETED' where id = $1`, [id]);
    expect(pageErrors).toEqual([]);
  });
}

/** Overflow of time inputs in pixels. */
const spareWidth = `(() => {
  const input = document.querySelector('input[type="time"]');
  const copy = input.cloneNode(true);
  Object.assign(copy.style, { width: 'max-content', position: 'absolute' });
  input.parentElement.append(copy);
  const needed = copy.offsetWidth;
  copy.remove();
  return input.offsetWidth - needed;
})()`;

/** Words that are broken across lines, except in the first cell. */
const brokenWords = `[...document.querySelectorAll('tbody td:not(:first-child)')].flatMap((cell) => {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const broken = [];
  while (texts.nextNode()) {
    for (const { index, 0: word } of texts.currentNode.data.matchAll(/[\\w]+/g)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      if (range.getClientRects().length > 1) broken.push(word);
    }
  }
  return broken;
})`;
