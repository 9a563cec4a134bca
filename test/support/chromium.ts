import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

// The one without windows does the same in less time.
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The system's browser; undefined where there is none. */
export const browserPath = [process.env.WAYPOST_CHROMIUM, ...places].find(
  (path) => path !== undefined && existsSync(path),
);

/** A fresh profile, and nothing that calls home. */
export async function openBrowser(): Promise<Browser> {
  if (browserPath === undefined) {
    throw new Error(`There is no browser: install chromium-headless-shell, or set WAYPOST_CHROMIUM to its program.`);
  }
  return chromium.launch({
    executablePath: browserPath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--hide-scrollbars',
    ],
  });
}
