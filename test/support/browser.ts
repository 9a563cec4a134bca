import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { browserPath } from './chromium.ts';

/** Without a browser, the tests are skipped, or fail if CI is set. */
export const describeInBrowser = describe.skipIf(browserPath === undefined && !process.env.CI);

/** The time limit of conditions in the console. */
export const eventually = { timeout: 30_000 };
/** Dialogs and drawers. */
export const overlay = '[role="dialog"]';

export interface ViewOptions {
  width?: number;
  height?: number;
  colors?: 'light' | 'dark';
}

export interface Tab {
  page: Page;
  context: BrowserContext;
  /** Script errors and violations of the content security policy. */
  pageErrors: string[];
}

/** Opens a tab with its own cookies. */
export async function openTab(browser: Browser, baseURL: string, view: ViewOptions = {}): Promise<Tab> {
  const { width = 1280, height = 800, colors = 'light' } = view;
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
  // File choosers are intercepted only while a listener is registered. This one prevents a race with key presses.
  page.on('filechooser', () => {});
  const pageErrors: string[] = [];
  page.on('pageerror', (error) => pageErrors.push(String(error)));
  page.on('console', (message) => {
    // The browser also logs failed requests. The pages handle them.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      pageErrors.push(message.text());
  });
  return { page, context, pageErrors };
}

/** Navigates within the console without a reload. */
export async function goTo(page: Page, path: string): Promise<void> {
  // The router undoes a Back that is blocked with the index.
  const state = '{ __TSR_index: (history.state?.__TSR_index ?? 0) + 1 }';
  await page.evaluate(`history.pushState(${state}, '', ${JSON.stringify(`/console${path}`)})`);
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Moves the focus to a control with the Tab key. */
export async function tabTo(page: Page, control: Locator): Promise<void> {
  const isFocused = () =>
    control.evaluate((element) => element === (element.ownerDocument as { activeElement: unknown }).activeElement);
  for (let presses = 0; presses < 60 && !(await isFocused()); presses++) await page.keyboard.press('Tab');
  expect(await isFocused(), `focused with the Tab key: ${control}`).toBe(true);
}

/** Rows of a list are alike: the first ten show the violations of all. The others took a quarter of the browser's time. */
const otherRows = ['tbody > tr:nth-child(n + 11)', 'ul > li:nth-child(n + 11)'];

// Without the rules whose violations are minor or moderate, because they are ignored.
const axeOptions = `{
  rules: Object.fromEntries(
    axe._audit.rules.filter(({ impact }) => ['minor', 'moderate'].includes(impact)).map(({ id }) => [id, { enabled: false }]),
  ),
  resultTypes: ['violations'],
  preload: false,
}`;

/** Serious and critical violations found by axe. Checking only a selector is up to ten times faster. */
export async function accessibilityViolations(page: Page, within?: string): Promise<string[]> {
  // With the debugger, because the content security policy blocks injected scripts.
  const session = await page.context().newCDPSession(page);
  const { result: axeType } = await session.send('Runtime.evaluate', { expression: 'typeof axe' });
  if (axeType.value === 'undefined') await session.send('Runtime.evaluate', { expression: axeSource });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(${JSON.stringify({ include: [within ?? 'html'], exclude: otherRows })}, ${axeOptions})`,
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

const { TEST_SCREENSHOTS: screenshotFolder } = process.env;
const folder = screenshotFolder && resolve(import.meta.dirname, '../..', screenshotFolder);

/** Saves screenshots in light and dark mode, wide and narrow, to the folder in TEST_SCREENSHOTS, if set. */
export async function saveScreenshots(page: Page, name: string): Promise<void> {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  const before = page.viewportSize();
  // Dialogs are as high as the viewport.
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
