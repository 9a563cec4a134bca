import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

// The headless shell is faster.
const browserPaths = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Path of the installed browser; undefined if there is none. */
export const browserPath = [process.env.WAYPOST_CHROMIUM, ...browserPaths].find(
  (path) => path !== undefined && existsSync(path),
);

/** Starts the browser with a new profile and without background requests. */
export async function openBrowser(): Promise<Browser> {
  if (browserPath === undefined) {
    throw new Error('No browser found. Install chromium-headless-shell or set WAYPOST_CHROMIUM to its path.');
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
