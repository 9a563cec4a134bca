import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anyCaller, startSandbox, type TestSandbox } from '../../../test/support/sandbox.ts';
import { readConfig } from '../../config.ts';
import { isFault } from './connector.ts';
import { connectDirectories, type OpenDirectories, openDirectories, pageFinder } from './open-directories.ts';

const profile = {
  name: 'Kaffeehaus Elbblick',
  street: 'Große Elbstraße',
  streetNo: '8',
  zip: '22767',
  city: 'Hamburg',
  country: 'DE',
  phone: '+49 40 3190 774',
  categories: ['Cafe'],
};

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.control.reset());

const google = () => sandbox.directories.connector('GOOGLE', anyCaller);
const requests = async (type: string) =>
  (await sandbox.control.status()).directories.find((directory) => directory.type === type);

test('an unknown directory has no connector', () => {
  expect(() => sandbox.directories.connector('MYSPACE', anyCaller)).toThrow('Unknown directory MYSPACE.');
});

test('without the sandbox network there are no directories', () => {
  const directories = openDirectories(readConfig({ WAYPOST_SANDBOX: 'off' }), undefined);
  expect(directories.list).toEqual([]);
  expect(() => directories.connector('GOOGLE', anyCaller)).toThrow();
});

test('a process that cannot reach the sandbox network names the missing setting', async () => {
  const messageOf = async (directories: OpenDirectories) => {
    const found = await pageFinder(directories).find(1, 'GOOGLE', { id: 'any' });
    await directories.close();
    return 'message' in found && found.message;
  };
  const disabled = openDirectories(readConfig({ WAYPOST_SANDBOX: 'off' }), undefined);
  expect(await messageOf(disabled)).toContain('Set WAYPOST_SANDBOX to on.');
  const access = { url: () => 'http://127.0.0.1:9', key: '', isKnown: () => false };
  expect(await messageOf(connectDirectories(access, { timeoutMs: 3_000 }))).toContain('or set WAYPOST_SANDBOX_URL');
});

describe('failures', () => {
  let fastFailing: OpenDirectories;
  beforeAll(() => {
    const breaker = { threshold: 2, firstPause: 60, maxPause: 60 };
    const clientPolicy = { attempts: 1, backoffMs: 1, maxWaitMs: 100, breaker };
    fastFailing = connectDirectories({ url: () => sandbox.url, key: sandbox.key }, { timeoutMs: 1000, clientPolicy });
  });
  afterAll(() => fastFailing.close());

  test('a hanging directory times out, opens its breaker, and does not affect other directories', async () => {
    await sandbox.control.simulateFailure('YELP', 'hang');
    const yelp = fastFailing.connector('YELP', anyCaller);
    const first = await Promise.all([yelp.read('any'), yelp.read('any')]);
    expect(first).toMatchObject([{ fault: 'unavailable' }, { detail: 'Yelp did not respond within 1000 ms.' }]);
    expect(await yelp.read('any')).toMatchObject({ detail: 'Yelp is unavailable and requests are paused.' });
    expect(await fastFailing.connector('BING', anyCaller).read('any')).toBe(undefined);
    // On a busy machine, a request can time out before it is sent.
    expect((await requests('YELP'))?.requests).toBeLessThanOrEqual(2);
  });

  test('cuts off an endless response', async () => {
    await sandbox.control.simulateFailure('FACEBOOK', 'huge');
    const slowTimeout = connectDirectories({ url: () => sandbox.url, key: sandbox.key }, { timeoutMs: 10_000 });
    expect(await slowTimeout.connector('FACEBOOK', anyCaller).read('any')).toMatchObject({
      fault: 'unavailable',
      detail: 'Facebook sent more than 8388608 bytes.',
    });
    await slowTimeout.close();
  });

  test('a rejected sandbox key is a fault, not a refusal', async () => {
    const strangers = connectDirectories({ url: () => sandbox.url, key: 'unknown' }, { timeoutMs: 3_000 });
    expect(await strangers.connector('GOOGLE', anyCaller).read('any')).toMatchObject({ fault: 'unavailable' });
    await strangers.close();
  });

  test('an unreachable sandbox is a fault', async () => {
    const lost = connectDirectories({ url: () => 'http://127.0.0.1:9', key: 'any' }, { timeoutMs: 3_000 });
    expect(await lost.connector('GOOGLE', anyCaller).search(profile)).toMatchObject({
      fault: 'unavailable',
      detail: 'Google cannot be reached (ECONNREFUSED).',
    });
    await lost.close();
  });
});

describe('limits', () => {
  test('respects Retry-After of a directory', async () => {
    await sandbox.control.setLimit('APPLE_MAPS', { requests: 1, perSeconds: 120 });
    const maps = sandbox.directories.connector('APPLE_MAPS', anyCaller);
    expect(await maps.read('any')).toBe(undefined);
    const limited = await maps.read('any');
    expect(limited).toMatchObject({ fault: 'limited', retryAfterSeconds: expect.any(Number) });
    expect(limited && 'retryAfterSeconds' in limited && limited.retryAfterSeconds).toBeGreaterThan(60);
    expect(await maps.read('any')).toMatchObject({ fault: 'limited' });
    expect(await requests('APPLE_MAPS')).toMatchObject({ requests: 1, limited: 1 });
  });

  test('the client policy stays below the limits of every directory', async () => {
    const strict = await startSandbox({ limits: true });
    const cylex = strict.directories.connector('CYLEX', anyCaller);
    const responses = await Promise.all(Array.from({ length: 30 }, () => cylex.read('any')));
    expect(responses.filter((response) => isFault(response) && response.fault === 'limited').length).toBeGreaterThan(
      15,
    );
    const seen = (await strict.control.status()).directories.find(({ type }) => type === 'CYLEX');
    expect(seen?.limited).toBe(0);
    expect(seen?.requests).toBeGreaterThanOrEqual(10);
    await strict.close();
  });
});

describe('claims', () => {
  test.each(['CLAIMED_BY_OTHERS', 'CLAIMED_BY_ANOTHER_US'] as const)(
    'a page that is %s can be read, not changed, claimed or removed',
    async (claim) => {
      const { id } = await sandbox.control.addListing('GOOGLE', profile, { claim });
      expect(await google().read(id)).toMatchObject({ claim });
      expect(await google().claim(id)).toEqual({ claim });
      expect(await google().submit(profile, id)).toMatchObject({ fault: 'refused' });
      expect(await google().remove(id)).toMatchObject({ fault: 'refused' });
    },
  );

  test('a listing claimed by one installation is CLAIMED_BY_ANOTHER_US for another', async () => {
    const { key } = await sandbox.control.addInstallation('Neighbours');
    const neighbours = connectDirectories({ url: () => sandbox.url, key }, { timeoutMs: 3_000 });
    const { id } = await sandbox.control.addListing('GOOGLE', profile);
    await neighbours.connector('GOOGLE', anyCaller).claim(id);
    expect(await google().read(id)).toMatchObject({ claim: 'CLAIMED_BY_ANOTHER_US' });
    await neighbours.close();
  });
});

describe('submissions', () => {
  test.each([
    ['a forbidden word', { name: 'Casino Royal' }, /"casino" is not allowed/],
    ['a placeholder phone number', { phone: '+49 000 000000' }, /not a valid phone number/],
    ['a URL in the name', { name: 'www.billig.example' }, /contain a URL/],
    ['a description that is too long', { descriptionLong: 'x'.repeat(1001) }, /longer than 1000 characters/],
  ])('%s is rejected with the reason', async (_, change, reason) => {
    const response = await google().submit({ ...profile, ...change }, undefined);
    expect(response).toMatchObject({ fault: 'refused', messages: [expect.stringMatching(reason)] });
  });

  test('rejects a street address on a directory without addresses', async () => {
    const site = { ...profile, website: 'https://elbblick.example' };
    const instagram = sandbox.directories.connector('INSTAGRAM', anyCaller);
    expect(await instagram.submit(site, undefined)).toMatchObject({ fault: 'refused' });
    expect(await instagram.submit({ ...site, addressDisplay: false }, undefined)).toMatchObject({ state: 'ACCEPTED' });
  });

  test('under review, a listing shows only its name and is not found by search', async () => {
    const yelp = sandbox.directories.connector('YELP', anyCaller);
    const submission = await yelp.submit(profile, undefined);
    if (isFault(submission)) throw new Error('refused');
    expect(submission.state).toBe('PENDING');
    expect(await yelp.read(submission.externalId)).toMatchObject({ pending: true, profile: { name: profile.name } });
    expect(await yelp.search(profile)).toEqual([]);
    await sandbox.control.decideListing('YELP', submission.externalId, 'ACCEPTED');
    expect(await yelp.search(profile)).toMatchObject([{ externalId: submission.externalId }]);
  });

  test('a review can end with a rejection', async () => {
    await sandbox.control.decideSubmissions('GOOGLE', { decision: 'PENDING' });
    const submission = await google().submit(profile, undefined);
    if (isFault(submission)) throw new Error('refused');
    await sandbox.control.decideListing('GOOGLE', submission.externalId, 'REFUSED');
    expect(await google().read(submission.externalId)).toBe(undefined);
  });

  test('the control API can reject all submissions with a message', async () => {
    await sandbox.control.decideSubmissions('GOOGLE', { decision: 'REFUSED', messages: ['Not today.'] });
    expect(await google().submit(profile, undefined)).toEqual({ fault: 'refused', messages: ['Not today.'] });
    await sandbox.control.decideSubmissions('GOOGLE', null);
    expect(await google().submit(profile, undefined)).toMatchObject({ state: 'ACCEPTED' });
  });

  test('a second listing of a location is a duplicate and ranks after the first', async () => {
    const { id } = await sandbox.control.addListing('GOOGLE', profile);
    const second = await google().submit(profile, undefined);
    if (isFault(second)) throw new Error('refused');
    expect(await google().read(second.externalId)).toMatchObject({ duplicateOf: id });
    expect(await google().search(profile)).toMatchObject([{ externalId: id }, { duplicateOf: id }]);
  });
});
