import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { browserPath } from './chromium.ts';

/** Tests in a real browser. Without one they are listed as skipped, and fail where CI is set. */
export const describeInBrowser = describe.skipIf(browserPath === undefined && !process.env.CI);

export interface ViewOptions {
  width?: number;
  height?: number;
  colors?: 'light' | 'dark';
}

export interface Tab {
  page: Page;
  context: BrowserContext;
  /** What the page complained about: errors of scripts, and whatever its policy refused. */
  pageErrors: string[];
}

/** A tab with a cookie jar of its own. */
export async function openTab(browser: Browser, baseURL: string, look: ViewOptions = {}): Promise<Tab> {
  const { width = 1280, height = 800, colors = 'light' } = look;
  const context = await browser.newContext({
    baseURL,
    viewport: { width, height },
    colorScheme: colors,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  // The browser hands a file chooser over from when somebody listens; one that a key opens at once would go by.
  page.on('filechooser', () => {});
  const pageErrors: string[] = [];
  page.on('pageerror', (error) => pageErrors.push(String(error)));
  page.on('console', (message) => {
    // That a call was refused is said by the browser as an error too; pages are there to deal with it.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      pageErrors.push(message.text());
  });
  return { page, context, pageErrors };
}

/** Goes to another page of the console as a link does, without loading it anew. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(`/console${path}`)})`);
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** By the Tab key to a control, as somebody without a mouse gets there. */
export async function tabTo(page: Page, control: Locator): Promise<void> {
  const isThere = () =>
    control.evaluate((element) => element === (element.ownerDocument as { activeElement: unknown }).activeElement);
  for (let presses = 0; presses < 60 && !(await isThere()); presses++) await page.keyboard.press('Tab');
  expect(await isThere(), `reached by the Tab key: ${control}`).toBe(true);
}

/**
 * What is seriously wrong with a page for people who use it otherwise than by looking and clicking. Given a selector,
 * with that part of it: a dialog over a long page takes a tenth of the time.
 */
export async function accessibilityViolations(page: Page, within?: string): Promise<string[]> {
  // By the debugger: the page's policy would refuse a script that is put into it.
  const session = await page.context().newCDPSession(page);
  const { result: known } = await session.send('Runtime.evaluate', { expression: 'typeof axe' });
  if (known.value === 'undefined') await session.send('Runtime.evaluate', { expression: axeSource });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(${within ? JSON.stringify(within) : 'document'}, { resultTypes: ['violations'], preload: false })`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  const { violations } = result.value as AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => {
      const [first] = nodes;
      return `${id} at ${first?.target.join(' ')} and ${nodes.length - 1} more: ${first?.failureSummary}`;
    });
}

const { WAYPOST_SCREENSHOTS: wanted } = process.env;
const folder = wanted && resolve(import.meta.dirname, '../..', wanted);

/** Keeps pictures of a page where WAYPOST_SCREENSHOTS says, light and dark, wide and narrow; without it none. */
export async function saveScreenshots(page: Page, name: string): Promise<void> {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  const before = page.viewportSize();
  // What lies over a page is as high as the screen.
  const isCovered = (await page.getByRole('dialog').count()) > 0;
  for (const [size, width, height] of [
    ['wide', 1280, 800],
    ['narrow', 360, 780],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const colors of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: colors });
      await page.waitForTimeout(250);
      await page.screenshot({
        path: join(folder, `${name}-${size}-${colors}.png`),
        fullPage: size === 'narrow' && !isCovered,
      });
    }
  }
  if (before) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.waitForTimeout(250);
}
