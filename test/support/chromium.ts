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
export const browserPath = [process.env.TEST_CHROMIUM, ...browserPaths].find(
  (path) => path !== undefined && existsSync(path),
);

/**
 * Pages of tests are open for seconds: optimizing their scripts, parallel garbage collection and a process for the GPU
 * cost more than they save. A page load takes a fifth less processor time.
 */
export const forShortVisits = ['--js-flags=--no-opt --no-maglev --single-threaded-gc', '--in-process-gpu'];

/** Starts the browser with a new profile and without background requests. */
export async function openBrowser(options: readonly string[] = []): Promise<Browser> {
  if (browserPath === undefined) {
    throw new Error('No browser found. Install chromium-headless-shell or set TEST_CHROMIUM to its path.');
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
      ...options,
    ],
  });
}
