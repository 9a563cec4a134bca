import type { Page } from 'playwright-core';

/** What one looks for and does on a page, by the words that are on it. */
export const on = (page: () => Page) => ({
  row: (text: string, other = page()) => other.getByRole('row').filter({ hasText: text }),
  section: (name: string) => page().getByRole('region', { name, exact: true }),
  title: (name: string) => page().getByRole('heading', { level: 1, name }),
  press: async (...keys: string[]) => {
    for (const key of keys) await page().keyboard.press(key);
  },
});
