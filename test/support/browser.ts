import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { describe } from 'vitest';
import { browserPath } from './chromium.ts';

/** Tests in a real browser. Where there is none they are listed as skipped. */
export const describeInBrowser = describe.skipIf(browserPath === undefined);

export interface Look {
  width?: number;
  height?: number;
  colors?: 'light' | 'dark';
}

export interface Tab {
  page: Page;
  context: BrowserContext;
  /** What the page complained about: errors of scripts, and whatever its policy refused. */
  complaints: string[];
}

/** A tab with a cookie jar of its own. */
export async function openTab(browser: Browser, baseURL: string, look: Look = {}): Promise<Tab> {
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
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // That a call was refused is said by the browser as an error too; pages are there to deal with it.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  return { page, context, complaints };
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What is seriously wrong with a page for people who use it otherwise than by looking and clicking. */
export async function seriousBarriers(page: Page): Promise<string[]> {
  // By the debugger: the page's policy would refuse a script that is put into it.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axeSource });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] })`,
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

const folder = process.env.WAYPOST_SCREENSHOTS;

/** Keeps pictures of a page where WAYPOST_SCREENSHOTS says, light and dark, wide and narrow; without it none. */
export async function keepPictures(page: Page, name: string): Promise<void> {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  const before = page.viewportSize();
  for (const [size, width, height] of [
    ['wide', 1280, 800],
    ['narrow', 360, 780],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const colors of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: colors });
      await page.waitForTimeout(250);
      await page.screenshot({ path: join(folder, `${name}-${size}-${colors}.png`), fullPage: size === 'narrow' });
    }
  }
  if (before) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.waitForTimeout(250);
}
