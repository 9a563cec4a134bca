import type { Page } from 'playwright-core';

export const pageHelpers = (page: () => Page) => ({
  row: (text: string, other = page()) => other.getByRole('row').filter({ hasText: text }),
  section: (name: string) => page().getByRole('region', { name, exact: true }),
  title: (name: string) => page().getByRole('heading', { level: 1, name }),
  press: async (...keys: string[]) => {
    for (const key of keys) await page().keyboard.press(key);
  },
});
