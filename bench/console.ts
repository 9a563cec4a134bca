/**
 * Bytes that the console loads before the first screen, and the time until the Webhooks tab is usable, in Chromium with an
 * empty cache. The time is compared with an empty page of the same server.
 */
import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { buildConsole } from '../console/build.ts';
import { eventTypeNames } from '../src/events/catalogue/catalogue.ts';
import { plainName } from '../src/http/session-cookie.ts';
import { createUser } from '../src/modules/accounts/users/change-user.ts';
import { hashPassword } from '../src/modules/accounts/users/user.ts';
// Connects the hooks of the modules.
import '../src/modules/modules.ts';
import { openBrowser } from '../test/support/chromium.ts';
import { median } from './delivery/scene.ts';
import { poster } from './support/full-location.ts';
import { type Bench, withBench } from './support/server.ts';

const maxBytes = 350_000;
const email = 'bench@example.com';
const password = randomBytes(12).toString('base64url');

export async function run({ quick }: { quick: boolean }): Promise<void> {
  await buildConsole(console.log);
  await withBench((bench) => openPages(bench, quick ? 3 : 9));
}

async function openPages({ database, addPartner, startService, atEnd }: Bench, rounds: number): Promise<void> {
  const { partner, privateKey } = await addPartner();
  const passwordHash = await hashPassword(password);
  await database.transaction((sql) =>
    createUser(sql, { partner, by: 'PRIVATE_TOKEN' }, { email, role: 'ADMIN' }, passwordHash),
  );
  const service = await startService();
  const browser = await openBrowser();
  atEnd(() => browser.close());
  const post = poster(service.origin, privateKey);
  for (const type of eventTypeNames)
    await post('/api/sales-partners/webhooks', { type, pushUrl: 'http://127.0.0.1:9/hook' });
  const token = await signIn(service.origin);
  const login: Opening[] = [];
  const webhooks: Opening[] = [];
  const empty: Opening[] = [];
  for (let round = 0; round < rounds; round++) {
    empty.push(await open(browser, `${service.origin}/health/live`, undefined, async () => {}));
    login.push(await open(browser, `${service.origin}/console`, undefined, (page) => button(page, 'Sign in')));
    webhooks.push(await open(browser, `${service.origin}/console/settings/webhooks`, token, usableTab));
  }
  report({ empty, login, webhooks });
}

const button = (page: Page, name: string) => page.getByRole('button', { name }).waitFor();

/** Waits until the tab is selected, its rows are loaded and its controls are enabled. */
async function usableTab(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Webhooks', selected: true }).waitFor();
  const panel = page.getByRole('tabpanel');
  await panel.getByRole('row').nth(1).waitFor();
  await panel.getByRole('button').first().waitFor();
}

interface Opening {
  ms: number;
  /** Transferred bytes. */
  scriptBytes: number;
  allBytes: number;
}

/** With an empty cache and a new browser. */
async function open(
  browser: Browser,
  url: string,
  token: string | undefined,
  until: (page: Page) => Promise<void>,
): Promise<Opening> {
  const context = await browser.newContext();
  if (token)
    await context.addCookies([
      { name: plainName, value: token, url: new URL(url).origin, httpOnly: true, sameSite: 'Strict' },
    ]);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const scripts = new Set<string>();
  const loaded = { scriptBytes: 0, allBytes: 0 };
  session.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    loaded.allBytes += encodedDataLength;
    if (scripts.has(requestId)) loaded.scriptBytes += encodedDataLength;
  });
  const start = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await until(page);
  const ms = performance.now() - start;
  await page.waitForLoadState('networkidle');
  await context.close();
  return { ms, ...loaded };
}

async function signIn(origin: string): Promise<string> {
  const httpResponse = await fetch(`${origin}/api/users/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const { response } = (await httpResponse.json()) as { response: { accessToken: string } };
  return response.accessToken;
}

function report({ empty, login, webhooks }: Record<'empty' | 'login' | 'webhooks', Opening[]>): void {
  const typical = (openings: Opening[], figure: keyof Opening) =>
    Math.round(median(openings.map((one) => one[figure])));
  const result = {
    bench: 'console',
    rounds: webhooks.length,
    firstScreenScriptBytes: typical(login, 'scriptBytes'),
    firstScreenAllBytes: typical(login, 'allBytes'),
    webhooksScriptBytes: typical(webhooks, 'scriptBytes'),
    firstScreenMs: typical(login, 'ms'),
    webhooksUsableMs: typical(webhooks, 'ms'),
    emptyPageMs: typical(empty, 'ms'),
    dueScriptBytes: maxBytes,
    ok: typical(login, 'scriptBytes') <= maxBytes && typical(webhooks, 'scriptBytes') <= maxBytes,
  };
  console.log(
    `First screen: ${kB(result.firstScreenScriptBytes)} of script (at most ${kB(maxBytes)}), ${result.firstScreenMs} ms`,
  );
  console.log(`Webhooks tab: ${kB(result.webhooksScriptBytes)} of script, usable after ${result.webhooksUsableMs} ms`);
  console.log(`An empty page of the same server takes ${result.emptyPageMs} ms.`);
  console.log(JSON.stringify(result));
}

const kB = (bytes: number) => `${Math.round(bytes / 1000)} kB`;
