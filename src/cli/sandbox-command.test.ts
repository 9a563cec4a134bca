import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { runCli } from '../../test/support/cli.ts';
import { freePort } from '../../test/support/free-port.ts';
import { runJobs } from '../../test/support/jobs.ts';
import { anyCaller, startSandbox, type TestSandbox } from '../../test/support/sandbox.ts';

const profile = {
  name: 'Hotel Alsterblick',
  street: 'An der Alster',
  streetNo: '40',
  zip: '20099',
  city: 'Hamburg',
  country: 'DE',
  phone: '+49 40 2418 700',
  categories: ['Hotel'],
  website: 'https://alsterblick.example',
};

let sandbox: TestSandbox;
let page: string;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  await sandbox.control.reset();
  page = (await sandbox.control.addListing('GOOGLE', profile)).id;
});

const run = (...args: string[]) =>
  runCli(['sandbox', ...args], { WAYPOST_SANDBOX_URL: sandbox.url, WAYPOST_SANDBOX_KEY: sandbox.key });

/** Runs the command successfully and returns its output. */
async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const points = async () => (await sandbox.control.dataPoints('GOOGLE', { listing: page })).dataPoints;
const stateOf = async (type: string) =>
  (await sandbox.control.status()).directories.find((directory) => directory.type === type);

test('status prints every directory and its state', async () => {
  await done('down', 'yelp', '--for', '1m', '--how', 'hang');
  const shown = await done('status');
  expect(shown).toMatch(/life is off/);
  expect(shown).toMatch(/^GOOGLE +1 +0 +0 +\d+ +\S+ +ok$/m);
  expect(shown).toMatch(/^YELP +.*hang until 20/m);
});

test('prints listings, filtered by name', async () => {
  expect(await done('listings', 'google', '--text', 'alster')).toContain(`${page}  CLAIMABLE  Hotel Alsterblick`);
  expect(await done('listings', '--text', 'nirgends')).toBe('');
});

test('review, edit, remove and restore a datapoint', async () => {
  const said = await done('review', 'google', page, '--rating', '2', '--text', 'Zu laut.', '--author', 'Uwe');
  const id = said.split(' ')[0] ?? '';
  expect(await points()).toMatchObject([{ id, type: 'REVIEW', rating: 2, text: 'Zu laut.', author: 'Uwe' }]);
  await done('edit', 'google', id, '--text', 'Doch gut.', '--rating', '4');
  expect(await points()).toMatchObject([{ rating: 4, text: 'Doch gut.' }]);
  await done('remove', 'google', id);
  expect(await points()).toMatchObject([{ removed: true }]);
  await done('restore', 'google', id);
  expect(await points()).toMatchObject([{ removed: false }]);
});

test('generates the text of a review from its rating; other types can be added too', async () => {
  await done('review', 'google', page, '--rating', '1');
  await done('review', 'google', page, '--type', 'question');
  expect(await points()).toMatchObject([
    { type: 'REVIEW', rating: 1, text: expect.stringMatching(/\w/), language: expect.any(String) },
    { type: 'QUESTION', text: expect.stringMatching(/\?/) },
  ]);
});

test('adds replies of the owner and of visitors, which can be removed and restored', async () => {
  const id = (await done('review', 'google', page, '--rating', '5')).split(' ')[0] ?? '';
  const reply = (await done('reply', 'google', id, '--text', 'Danke!', '--owner')).split(' ')[0] ?? '';
  expect((await points())[0]?.replies).toMatchObject([{ id: reply, isOwner: true, author: 'Hotel Alsterblick' }]);
  await done('remove', 'google', reply, '--kind', 'reply');
  expect((await points())[0]?.replies).toMatchObject([{ removed: true }]);
  await done('restore', 'google', reply, '--kind', 'reply');
  const shown = await done('datapoints', 'google', page);
  expect(shown).toMatch(new RegExp(`^${id}  REVIEW .*5★`, 'm'));
  expect(shown).toContain(`  ${reply}  Hotel Alsterblick (owner)  Danke!`);
});

test('drift changes a field randomly or to a value', async () => {
  await done('drift', 'google', page, '--field', 'phone');
  const drifted = (await sandbox.control.listing('GOOGLE', page)).profile;
  expect(drifted.phone).not.toBe(profile.phone);
  await done('drift', 'google', page, '--set', 'name=Hotel Elbblick');
  await done('drift', 'google', page, '--set', 'website=');
  const { name, website } = (await sandbox.control.listing('GOOGLE', page)).profile;
  expect([name, website]).toEqual(['Hotel Elbblick', undefined]);
});

test('duplicate, remove and decide', async () => {
  await done('duplicate', 'google', page);
  expect((await sandbox.control.listings({ directory: 'GOOGLE' })).listings).toMatchObject([{ duplicateOf: page }, {}]);
  await done('remove', 'google', page, '--kind', 'listing');
  expect((await sandbox.control.listings({ directory: 'GOOGLE' })).listings).toHaveLength(1);
  const submitted = await sandbox.directories.connector('YELP', anyCaller).submit(profile, undefined);
  const { externalId } = submitted as { externalId: string };
  await done('decide', 'yelp', externalId, '--as', 'accepted');
  expect((await sandbox.control.listing('YELP', externalId)).pending).toBe(undefined);
});

test('down, garbage, limit, slow and up change how a directory behaves', async () => {
  await done('down', 'google');
  expect(await stateOf('GOOGLE')).toMatchObject({ trouble: { kind: 'error' } });
  await done('garbage', 'google', '--how', 'truncated', '--for', '10s');
  expect(await stateOf('GOOGLE')).toMatchObject({ trouble: { kind: 'truncated', until: expect.any(String) } });
  await done('up', 'all');
  expect((await stateOf('GOOGLE'))?.trouble).toBe(undefined);
  await done('limit', 'google', '3', '--per', '1m');
  expect(await stateOf('GOOGLE')).toMatchObject({ limit: { requests: 3, perSeconds: 60 } });
  await done('limit', 'google', 'none');
  expect((await stateOf('GOOGLE'))?.limit.requests).not.toBe(3);
  await done('slow', 'google', '5ms');
});

test('seed, life, pass and reset', async () => {
  expect(await done('seed', 'google', page, '--days', '90', '--per-month', '20')).toMatch(/90 days of history/);
  expect((await points()).length).toBeGreaterThan(20);
  const before = Date.parse((await sandbox.control.status()).now);
  expect(await done('life', 'on')).toBe('life is on\n');
  await done('pass', '2h');
  const status = await sandbox.control.status();
  expect(status.life).toBe(true);
  expect(Date.parse(status.now) - before).toBeGreaterThanOrEqual(7_200_000);
  expect(await done('life', 'off')).toBe('life is off\n');
  await done('reset', '--yes');
  expect((await stateOf('GOOGLE'))?.listings).toBe(0);
});

describe('a listing can be selected', () => {
  let api: TestApi;
  let partner: TestPartner;
  beforeAll(async () => {
    api = await TestApi.start();
    partner = await api.addPartner();
  });
  afterAll(() => api.close());

  /** Creates a location with the address of the page and syncs it. */
  async function addLocation(): Promise<number> {
    const business = await partner.call('POST', '/api/businesses', { name: 'Alsterblick', type: 'SMB' });
    const hotel = (await partner.call('GET', '/api/categories?query=hotel')).body.response.categories;
    const created = await partner.call('POST', '/api/locations', {
      ...profile,
      businessId: business.body.response.id,
      categories: [hotel[0].id],
    });
    const location = created.body.response.id;
    await partner.call('POST', `/api/locations/${location}/sync`, {});
    await runJobs(api.database, { directories: sandbox.directories });
    return location;
  }

  /** A location whose Google listing is linked to the page. */
  async function synced(): Promise<{ location: string; listing: string }> {
    const location = await addLocation();
    const { listings } = (await partner.call('GET', `/api/locations/${location}/listings`)).body.response;
    const { id } = listings.find((entry: { type: string }) => entry.type === 'GOOGLE');
    await partner.call('POST', `/api/listings/${id}/connect`, {});
    await runJobs(api.database, { directories: sandbox.directories });
    expect((await partner.call('GET', `/api/listings/${id}`)).body.response.listingId).toBe(page);
    return { location: `${location}`, listing: `${id}` };
  }

  test('by a location and a directory, or by a listing', async () => {
    const { location, listing } = await synced();
    const at = ['--url', `http://127.0.0.1:${api.port}`, '--key', partner.privateKey];
    await done('review', 'google', '--location', location, '--rating', '3', ...at);
    await done('review', '--listing', listing, '--rating', '4', ...at);
    expect(await points()).toMatchObject([{ rating: 3 }, { rating: 4 }]);
    const wrong = await run('review', 'yelp', '--listing', listing, ...at);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining(`The listing ${listing} is on GOOGLE`) });
    const unknown = await run('review', 'google', '--location', '999999', ...at);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no location 999999') });
    const both = await run('review', 'google', page, '--listing', listing, ...at);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be combined with --listing') });
    // Its pages belong to the first location.
    const second = await run('review', 'golocal', '--location', `${await addLocation()}`, ...at);
    expect(second).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('another location has the same listing on GOLOCAL'),
    });
  });
});

describe('errors', () => {
  test.each<[string[], number, string]>([
    [[], 2, 'The action is missing. Actions: status, listings'],
    [['revew'], 2, 'There is no action "revew". Did you mean review?'],
    [['dance-all-night'], 2, 'There is no action "dance-all-night". Actions: status, listings'],
    [['review'], 2, 'The directory is missing. Directories: GOOGLE, FACEBOOK'],
    [['review', 'gogle', 'x'], 2, 'There is no directory "gogle". Did you mean GOOGLE?'],
    [['review', 'google'], 2, 'The listing is missing. Set its ID'],
    [['review', 'google', 'x', '--rating', '6'], 2, '--rating is "6": set it to a number of stars from 0 to 5.'],
    [['review', 'google', 'nowhere', '--rating', '5'], 1, 'Google has no listing nowhere.'],
    [['review', 'bing', 'x', '--type', 'poem'], 2, 'set it to one of REVIEW, PHOTO'],
    [['edit', 'google'], 2, 'The ID of the datapoint is missing.'],
    [['edit', 'google', 'x', '--text', 'y'], 1, 'Google has no data point x.'],
    [['reply', 'google', 'x'], 2, '--text is missing'],
    [['drift', 'google', 'x', '--set', 'phone'], 2, 'write it as FIELD=VALUE'],
    [['decide', 'google', 'x', '--message', 'No.'], 2, '--message requires --as refused.'],
    [['down', 'google', '--for', 'ever'], 2, '--for is "ever": set it to a duration from 1s'],
    [['limit', 'google'], 2, 'REQUESTS is missing.'],
    [['life', 'maybe'], 2, 'set it to one of on, off'],
    [['reset'], 2, 'Add --yes to confirm.'],
    [['status', '--loud'], 2, 'There is no option --loud.'],
  ])('%j', async (args, code, sentence) => {
    const ended = await run(...args);
    expect(ended.stderr).toContain(sentence);
    expect(ended.code).toBe(code);
  });

  test('a data folder without a sandbox', async () => {
    const { code, stderr } = await runCli(['sandbox', 'status']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/No sandbox was found in .*\. Run "npm start" to start one/);
  });

  test('a sandbox URL without a key', async () => {
    const { code, stderr } = await runCli(['sandbox', 'status'], { WAYPOST_SANDBOX_URL: sandbox.url });
    expect(code).toBe(1);
    expect(stderr).toContain('Set WAYPOST_SANDBOX_KEY: WAYPOST_SANDBOX_URL requires it.');
  });

  test('an unavailable sandbox', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, stderr } = await runCli(['sandbox', 'status'], {
      WAYPOST_SANDBOX_URL: url,
      WAYPOST_SANDBOX_KEY: 'x',
    });
    expect(code).toBe(1);
    expect(stderr).toContain(`The sandbox is not reachable at ${url}: ECONNREFUSED.`);
  });

  test('another key', async () => {
    const { code, stderr } = await runCli(['sandbox', 'status'], {
      WAYPOST_SANDBOX_URL: sandbox.url,
      WAYPOST_SANDBOX_KEY: 'another',
    });
    expect(code).toBe(1);
    expect(stderr).toContain('x-sandbox-key');
  });
});

test('--help lists every action', async () => {
  const shown = await done('--help');
  for (const action of [
    'status',
    'review',
    'edit',
    'remove',
    'restore',
    'reply',
    'drift',
    'duplicate',
    'seed',
    'reset',
  ]) {
    expect(shown).toMatch(new RegExp(`^  ${action}\\b`, 'm'));
  }
});
