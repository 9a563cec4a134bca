import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TestControl } from '../test/support/sandbox.ts';
import { type SandboxOptions, startSandbox } from './sandbox.ts';

const key = 'key of the test';
const start = Date.UTC(2026, 4, 4, 0, 0);

const profile = (number: number) => ({
  name: `Trattoria Nummer ${number}`,
  street: 'Via Roma',
  streetNo: `${number}`,
  zip: `${10_100 + number}`,
  city: 'Torino',
  country: (['IT', 'DE', 'FR', 'ES', 'NL', 'PL', 'GB'] as const)[number % 7] as string,
  phone: `+39 011 40${1000 + number}`,
  categories: ['Restaurant'],
  openingHours: [{ dayOfWeek: 1, from1: '12:00', to1: '22:00' }],
});

async function open(options: Partial<SandboxOptions> = {}) {
  const sandbox = await startSandbox({ key, seed: 7, ...options });
  const control = new TestControl({ url: () => sandbox.url, key });
  let closed = false;
  const close = async () => {
    if (!closed) await sandbox.close();
    closed = true;
  };
  onTestFinished(close);
  return { control, url: sandbox.url, close };
}

const hour = 3600;

/** Simulates two days of activity of 120 listings. Returns each listing after each day by `DAY ID`. */
async function simulateTwoDays(seed: number) {
  const { control, close } = await open({ seed, now: () => start });
  const pages: { directory: string; id: string }[] = [];
  for (let number = 0; number < 40; number += 1) {
    for (const directory of ['GOOGLE', 'FACEBOOK', 'YELP'])
      pages.push(await control.addListing(directory, profile(number)));
  }
  await control.setLife(true);
  const states: Record<string, unknown> = {};
  for (let day = 0; day < 2; day += 1) {
    await control.advanceClock(24 * hour);
    for (const { directory, id } of pages) {
      const { profile: shown } = await control.listing(directory, id);
      states[`${day} ${id}`] = { shown, ...(await control.dataPoints(directory, { listing: id })) };
    }
  }
  await close();
  return states as Record<string, { shown: { phone?: string }; dataPoints: SimulatedPoint[] }>;
}

type SimulatedPoint = {
  id: string;
  type: string;
  language?: string;
  rating?: number;
  text?: string;
  date: string;
  removed: boolean;
};

test('simulated activity adds reviews in many languages, mostly by day, and changes listings', async () => {
  const pages = await simulateTwoDays(7);
  const points = Object.entries(pages)
    .filter(([name]) => name.startsWith('1 '))
    .flatMap(([, { dataPoints }]) => dataPoints);
  expect(points.length).toBeGreaterThan(25);
  const reviews = points.filter(({ type, text }) => type === 'REVIEW' && text !== undefined);
  expect(new Set(reviews.map(({ language }) => language)).size).toBeGreaterThanOrEqual(4);
  expect(new Set(reviews.map(({ text }) => text)).size).toBeGreaterThan(reviews.length * 0.8);
  const hours = points.map(({ date }) => new Date(date).getUTCHours());
  expect(hours.filter((at) => at < 6).length).toBeLessThan(hours.filter((at) => at >= 12 && at < 18).length);
  for (const { date } of points) expect(Date.parse(date)).toBeGreaterThanOrEqual(start);
  const before = (name: string) => pages[name.replace('1 ', '0 ')];
  const changed = Object.entries(pages).filter(
    ([name, { shown }]) => name.startsWith('1 ') && JSON.stringify(shown) !== JSON.stringify(before(name)?.shown),
  );
  expect(changed.length).toBeGreaterThan(0);
});

test('repeats the activity with the same seed and varies it with another seed', async () => {
  const first = await simulateTwoDays(7);
  expect(await simulateTwoDays(7)).toEqual(first);
  // Ids also depend on the seed, so only the dates show that the activity differs.
  const datesOf = (states: typeof first) =>
    Object.values(states).map(({ dataPoints }) => dataPoints.map(({ date }) => date));
  expect(datesOf(await simulateTwoDays(8))).not.toEqual(datesOf(first));
});

test('simulated activity edits, removes and restores datapoints', async () => {
  const { control } = await open({ now: () => start });
  const ids: string[] = [];
  for (let number = 0; number < 20; number += 1) {
    const { id } = await control.addListing('GOOGLE', profile(number));
    await control.seed('GOOGLE', id, { days: 100, perMonth: 30 });
    ids.push(id);
  }
  await control.setLife(true);
  const edited = new Set<string>();
  const texts = new Map<string, string | undefined>();
  const removed = new Set<string>();
  const restored = new Set<string>();
  for (let days = 0; days < 240 && restored.size === 0; days += 2) {
    await control.advanceClock(48 * hour);
    for (const listing of ids) {
      for (const point of (await control.dataPoints('GOOGLE', { listing })).dataPoints) {
        if (texts.has(point.id) && texts.get(point.id) !== point.text) edited.add(point.id);
        texts.set(point.id, point.text);
        if (point.removed) removed.add(point.id);
        else if (removed.has(point.id)) restored.add(point.id);
      }
    }
  }
  expect(edited.size).toBeGreaterThan(0);
  expect(removed.size).toBeGreaterThan(restored.size);
  expect(restored.size).toBeGreaterThan(0);
});

test('a restart keeps listings, threads, failures, limits, clock and activity', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-sandbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'sandbox.sqlite');
  const first = await open({ file });
  const { id } = await first.control.addListing('GOOGLE', profile(1), { claim: 'CLAIMED_BY_US' });
  const review = await first.control.postReview('GOOGLE', id, { rating: 2, text: 'Mah.' });
  await first.control.addReply('GOOGLE', review.id, { text: 'Ci dispiace.', isOwner: true });
  await first.control.removeDataPoint('GOOGLE', (await first.control.postReview('GOOGLE', id, { rating: 1 })).id);
  await first.control.simulateOutage('BING');
  await first.control.setLimit('YELP', { requests: 3, perSeconds: 60 });
  await first.control.advanceClock(100 * hour);
  await first.control.setLife(true);
  const before = {
    points: await first.control.dataPoints('GOOGLE', { listing: id }),
    page: await first.control.listing('GOOGLE', id),
  };
  await first.close();

  const second = await open({ file, seed: 99 });
  expect(await second.control.listing('GOOGLE', id)).toEqual(before.page);
  expect(await second.control.dataPoints('GOOGLE', { listing: id })).toEqual(before.points);
  const status = await second.control.status();
  expect(status).toMatchObject({ life: true, seed: 7 });
  expect(Date.parse(status.now) - Date.now()).toBeGreaterThan(99 * hour * 1000);
  expect(status.directories.find(({ type }) => type === 'BING')?.trouble).toEqual({ kind: 'error' });
  expect(status.directories.find(({ type }) => type === 'YELP')?.limit).toEqual({ requests: 3, perSeconds: 60 });
  const again = await second.control.postReview('GOOGLE', id, { rating: 5 });
  expect(before.points.dataPoints.map((point) => point.id)).not.toContain(again.id);
});

test('a generated history has datapoints with replies and insights from the first day on', async () => {
  const { control, url } = await open();
  const { id } = await control.addListing('GOOGLE', profile(3), { since: new Date().toISOString() });
  const read = async (from: string, to: string) => {
    const path = `${url}/google/pages/${id}/insights?from=${from}&to=${to}`;
    const response = await fetch(path, { headers: { 'x-sandbox-key': key } });
    const { counts } = (await response.json()) as { counts: { metric: string; day: string; count: number }[] };
    return counts;
  };
  const [from, to] = [daysAgo(120), daysAgo(8)];
  expect(await read(from, to)).toEqual([]);
  const { dataPoints } = await control.seed('GOOGLE', id, { days: 365, perMonth: 8 });
  const listed = (await control.dataPoints('GOOGLE', { listing: id })).dataPoints;
  expect(listed).toHaveLength(dataPoints);
  expect(listed.some(({ replies }) => replies.some(({ isOwner }) => isOwner))).toBe(true);
  const mobile = (await read(from, to)).filter(({ metric }) => metric === 'BUSINESS_IMPRESSIONS_MOBILE_SEARCH');
  const on = (weekday: number) =>
    mobile.filter(({ day }) => new Date(day).getUTCDay() === weekday).map(({ count }) => count);
  const mean = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0) / counts.length;
  // A restaurant is busier at the end of the week.
  expect(mean(on(6))).toBeGreaterThan(mean(on(1)) * 1.3);
});

test('a simulated failure ends after its duration', async () => {
  const { control, url } = await open();
  await control.simulateOutage('GOOGLE', 60);
  const read = () => fetch(`${url}/google/pages/any`, { headers: { 'x-sandbox-key': key } });
  expect((await read()).status).toBe(503);
  await control.advanceClock(61);
  expect((await read()).status).toBe(404);
});

test('requires a key, also for the control API', async () => {
  const { url } = await open();
  for (const path of ['/google/pages/any', '/control/status', '/control/reset']) {
    expect((await fetch(`${url}${path}`, { headers: { 'x-sandbox-key': 'guess' } })).status).toBe(401);
  }
});

test.each([
  ['POST', '/control/listings', '{"directory":"MYSPACE","profile":{"name":"x"}}', 404, 'Directory MYSPACE not found.'],
  [
    'POST',
    '/control/listings',
    '{"directory":"GOOGLE","profile":{"name":"x","fax":1}}',
    400,
    'profile has no field "fax"',
  ],
  ['POST', '/control/listings', '{"directory":"GOOGLE"}', 400, 'profile must be an object'],
  ['POST', '/control/listings', '{}', 400, 'directory is required'],
  ['POST', '/control/brand-pages', '{"directory":"FACEBOOK","name":" "}', 400, 'name is required'],
  ['PUT', '/control/directories/GOOGLE/trouble', '{"kind":"sulk"}', 400, 'kind must be one of error, hang'],
  ['PUT', '/control/life', '{"on":"yes"}', 400, 'on must be true or false'],
  ['POST', '/control/datapoints', '{"directory":"GOOGLE","listing":"x"}', 404, 'Google has no listing x'],
  ['POST', '/control/datapoints', '{"directory":"GOOGLE"}', 400, 'listing or brandPage is required'],
  ['POST', '/control/seed', 'not json', 400, 'The body must be a JSON object'],
  ['GET', '/control/nowhere', undefined, 404, '/nowhere not found'],
  ['DELETE', '/control/status', undefined, 405, 'use GET'],
  ['GET', '/myspace/pages/1', undefined, 404, 'Directory myspace not found'],
  ['GET', '/google/pages/x/insights?from=2026-01-01&to=2026-01-02', undefined, 404, 'Google has no page x'],
])('%s %s %s is rejected with a message', async (method, path, body, status, message) => {
  const { url } = await open();
  const response = await fetch(`${url}${path}`, { method, headers: { 'x-sandbox-key': key }, ...(body && { body }) });
  expect(response.status).toBe(status);
  expect(((await response.json()) as { messages: string[] }).messages.join(' ')).toContain(message);
});

test('rejects changes that leave a page without a name or refer to an unknown page', async () => {
  const { control } = await open();
  const { id } = await control.addListing('GOOGLE', profile(1));
  for (const name of ['', ' ']) {
    await expect(control.changeListing('GOOGLE', id, { profile: { name } })).rejects.toThrow(
      'profile.name is required',
    );
  }
  const unknown = control.changeListing('GOOGLE', id, { duplicateOf: 'unknown' });
  await expect(unknown).rejects.toThrow('Google has no listing unknown');
  expect(await control.listing('GOOGLE', id)).toMatchObject({ profile: profile(1) });

  const brandPage = await control.addBrandPage('FACEBOOK', { name: 'Trattoria' });
  for (const name of ['', ' ']) {
    await expect(control.changeBrandPage('FACEBOOK', brandPage.id, { name })).rejects.toThrow('name is required');
  }
});

test('finds listings whose name is only a legal form', async () => {
  const { control, url } = await open();
  const { id } = await control.addListing('GOOGLE', { ...profile(1), name: 'Spa' });
  await control.addListing('GOOGLE', { ...profile(1), name: 'Limited' });
  const { country, city, street, streetNo } = profile(1);
  const search = await fetch(`${url}/google/search`, {
    method: 'POST',
    headers: { 'x-sandbox-key': key },
    body: JSON.stringify({ profile: { name: 'Spa', country, city, street, streetNo } }),
  });
  expect(await search.json()).toMatchObject({ results: [{ id }] });
});

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

test('the state file is readable only by its owner', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-sandbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'sandbox.sqlite');
  writeFileSync(file, '', { mode: 0o644 });
  const { close } = await open({ file });
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  await close();
});

test('the control client does not follow redirects with its key', async () => {
  let forwarded = 0;
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/elsewhere')) forwarded += 1;
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const control = new TestControl({ url: () => `http://127.0.0.1:${port}`, key });
  await expect(control.status()).rejects.toThrow('is not reachable');
  expect(forwarded).toBe(0);
});
