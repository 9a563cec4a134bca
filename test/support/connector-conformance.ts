import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type DataPointSource,
  type DirectoryConnector,
  type DirectoryDataPoint,
  isFault,
  type ListingProfile,
} from '../../src/modules/directories/connector.ts';
import type { Directory } from '../../src/modules/directories/directory-list.ts';

/** Changes data at the directory without the connector. */
export interface DirectoryDriver {
  connector: DirectoryConnector;
  addListing(profile: ListingProfile): Promise<string>;
  addBrandPage(name: string): Promise<string>;
  post(source: DataPointSource, text: string): Promise<string>;
  edit(dataPoint: string, text: string): Promise<unknown>;
  removeDataPoint(dataPoint: string): Promise<unknown>;
  restoreDataPoint(dataPoint: string): Promise<unknown>;
  reply(dataPoint: string, text: string): Promise<string>;
  /** Completes pending reviews and other delays of the directory. */
  advanceClock(): Promise<unknown>;
  simulateFailure(
    mode: 'error' | 'hang' | 'reset' | 'garbage' | 'html' | 'empty' | 'truncated' | 'wrong-shape' | 'huge' | 'repeat',
  ): Promise<unknown>;
  /** Ends the failure and waits until the breaker of the connector is closed. */
  recover(): Promise<unknown>;
}

let profileCount = 0;

/** Omits tests of unsupported features instead of skipping them. */
const testIf =
  (condition: boolean) =>
  (name: string, body: () => Promise<void>): void => {
    if (condition) test(name, body);
  };
const describeIf =
  (condition: boolean) =>
  (name: string, body: () => void): void => {
    if (condition) describe(name, body);
  };

/** A unique profile with all fields that directories require. */
function newProfile(directory: Directory): ListingProfile {
  profileCount += 1;
  const number = String(profileCount).padStart(4, '0');
  return {
    name: `Bäckerei Morgenrot ${number}`,
    street: `Lindenallee Nord ${number}`,
    streetNo: '12',
    zip: `2${number}`,
    city: 'Hamburg',
    country: 'DE',
    lat: 53.5 + profileCount / 100,
    lng: 10.02,
    addressDisplay: directory.supports.addressDisplay,
    phone: `+49 40 557${number}`,
    website: `https://morgenrot-${number}.example`,
    email: 'brot@morgenrot.example',
    descriptionShort: 'Brot aus dem Holzofen.',
    descriptionLong: 'Seit 1931 backen wir Brot im Holzofen, jeden Tag von Hand.',
    categories: ['Bakery'],
    openingHours: [{ dayOfWeek: 1, from1: '07:00', to1: '18:00' }],
    photos: ['https://morgenrot.example/laden.jpg'],
  };
}

function resultOf<T>(reply: T): Exclude<T, { fault: string }> {
  if (isFault(reply)) throw new Error(`The connector returned a fault: ${JSON.stringify(reply)}`);
  return reply as Exclude<T, { fault: string }>;
}

const rejection = { fault: 'refused', messages: [expect.stringMatching(/\w/)] };

/** Tests that every connector must pass, by the features that the directory supports. */
export function describeConnector(directory: Directory, prepare: () => Promise<DirectoryDriver>): void {
  const { supports, dataPointTypes } = directory;
  const hasOnlineListing = supports.onlineListing;

  describe(directory.type, () => {
    let driver: DirectoryDriver;
    let connector: DirectoryConnector;
    beforeAll(async () => {
      driver = await prepare();
      connector = driver.connector;
    });

    async function newListing(profile = newProfile(directory)): Promise<string> {
      return driver.addListing(profile);
    }

    testIf(hasOnlineListing)('finds a listing by its profile, also with a different spelling', async () => {
      const profile = newProfile(directory);
      const id = await newListing(profile);
      const found = resultOf(
        await connector.search({ ...profile, name: profile.name.replace('Bäckerei', 'Backerei') }),
      );
      expect(found.map(({ externalId }) => externalId)).toEqual([id]);
      expect(resultOf(await connector.search(newProfile(directory)))).toEqual([]);
    });

    testIf(hasOnlineListing)(
      'reads a listing with the fields that the directory shows; a missing listing is undefined',
      async () => {
        const profile = newProfile(directory);
        const id = await newListing(profile);
        const listing = resultOf(await connector.read(id));
        expect(listing).toMatchObject({ externalId: id, url: expect.stringMatching(/^https:/) });
        const shown = Object.keys(listing?.profile ?? {}).filter((field) => field !== 'name');
        const expected = directory.fields.filter((field) => field !== 'name' && field in profile);
        expect(shown.sort()).toEqual(expected.sort());
        expect(resultOf(await connector.read('no-such-page'))).toBe(undefined);
      },
    );

    testIf(!hasOnlineListing)('rejects search and read', async () => {
      expect(await connector.search(newProfile(directory))).toMatchObject(rejection);
      expect(await connector.read('any')).toMatchObject(rejection);
    });

    testIf(supports.submission)('creates and changes a listing, and reads it as submitted', async () => {
      const profile = newProfile(directory);
      const created = resultOf(await connector.submit(profile, undefined));
      expect(created).toMatchObject({
        state: expect.stringMatching(/^(ACCEPTED|PENDING)$/),
        messages: expect.any(Array),
      });
      await driver.advanceClock();
      const changed = { ...profile, phone: '+49 40 900 12 34' };
      expect(resultOf(await connector.submit(changed, created.externalId)).externalId).toBe(created.externalId);
      await driver.advanceClock();
      if (!hasOnlineListing) return;
      const listing = resultOf(await connector.read(created.externalId));
      expect(listing?.pending).toBe(undefined);
      const shown = Object.fromEntries(Object.entries(changed).filter(([field]) => directory.fields.includes(field)));
      expect(listing?.profile).toEqual({ ...shown, name: profile.name });
      expect(listing?.claim).toBe('CLAIMED_BY_US');
    });

    testIf(supports.submission)('applies repeated submissions with the same key once', async () => {
      const profile = newProfile(directory);
      const options = { key: `submission of ${profile.name}` };
      const first = resultOf(await connector.submit(profile, undefined, options));
      expect(resultOf(await connector.submit(profile, undefined, options))).toEqual(first);
    });

    testIf(supports.submission)('rejects a submission without a mandatory field, with a message', async () => {
      for (const field of directory.mandatoryFields.filter((name) => name !== 'name')) {
        const { [field as keyof ListingProfile]: _, ...rest } = newProfile(directory);
        expect(await connector.submit(rest as ListingProfile, undefined)).toMatchObject(rejection);
      }
    });

    testIf(!supports.submission)('rejects submissions', async () => {
      expect(await connector.submit(newProfile(directory), undefined)).toMatchObject(rejection);
    });

    testIf(supports.submission)('removes a listing once', async () => {
      const { externalId } = resultOf(await connector.submit(newProfile(directory), undefined));
      expect(resultOf(await connector.remove(externalId))).toEqual({ removed: true });
      expect(resultOf(await connector.remove(externalId))).toEqual({ removed: false });
      if (hasOnlineListing) expect(resultOf(await connector.read(externalId))).toBe(undefined);
    });

    testIf(supports.claim)('claims an unclaimed listing', async () => {
      const id = await newListing();
      expect(resultOf(await connector.read(id))?.claim).toBe('CLAIMABLE');
      expect(resultOf(await connector.claim(id)).claim).toMatch(/^(CLAIMED_BY_US|CLAIMING_IN_PROGRESS)$/);
      await driver.advanceClock();
      expect(resultOf(await connector.read(id))?.claim).toBe('CLAIMED_BY_US');
    });

    testIf(!supports.claim)('rejects claims', async () => {
      expect(await connector.claim('any')).toMatchObject(rejection);
    });

    describeIf(dataPointTypes.length > 0)('datapoints', () => {
      /** Reads all pages of the stream after a cursor. */
      async function readAll(source: DataPointSource, from?: string) {
        const dataPoints: DirectoryDataPoint[] = [];
        for (let cursor = from; ; ) {
          const page = resultOf(await connector.readDataPoints(source, cursor));
          dataPoints.push(...page.dataPoints);
          cursor = page.cursor;
          if (!page.more) return { dataPoints, cursor };
        }
      }

      test('are read once each over several pages; after a cursor, only new and changed ones', async () => {
        const source = { listing: await newListing() };
        const ids: string[] = [];
        for (let n = 0; n < 60; n += 1) ids.push(await driver.post(source, `Text ${n}`));
        const all = await readAll(source);
        expect(all.dataPoints.map(({ externalId }) => externalId)).toEqual(ids);
        expect(all.dataPoints[0]).toMatchObject({ text: 'Text 0', author: expect.stringMatching(/\w/), replies: [] });
        for (const { type } of all.dataPoints) expect(dataPointTypes).toContain(type);
        expect((await readAll(source, all.cursor)).dataPoints).toEqual([]);
        await driver.edit(ids[7] as string, 'Anders');
        const added = await driver.post(source, 'Neu');
        const later = await readAll(source, all.cursor);
        expect(later.dataPoints.map(({ externalId, text }) => [externalId, text])).toEqual([
          [ids[7], 'Anders'],
          [added, 'Neu'],
        ]);
      });

      test('that are removed are missing in the list of ids; restored ones are read again', async () => {
        const source = { listing: await newListing() };
        const [kept, removed] = [await driver.post(source, 'bleibt'), await driver.post(source, 'geht')];
        const comment = await driver.reply(kept, 'Danke!');
        const { cursor } = await readAll(source);
        await driver.removeDataPoint(removed);
        expect(resultOf(await connector.readDataPointIds(source))).toEqual([{ externalId: kept, replyIds: [comment] }]);
        expect((await readAll(source, cursor)).dataPoints).toEqual([]);
        await driver.restoreDataPoint(removed);
        const back = (await readAll(source, cursor)).dataPoints;
        expect(back.map(({ externalId }) => externalId)).toEqual([removed]);
        expect(resultOf(await connector.readDataPointIds(source))).toHaveLength(2);
      });

      test('of an unknown listing are rejected instead of empty', async () => {
        expect(await connector.readDataPointIds({ listing: 'no-such-page' })).toMatchObject(rejection);
        expect(await connector.readDataPoints({ listing: 'no-such-page' }, undefined)).toMatchObject(rejection);
      });

      test('are unavailable instead of complete when pages repeat', async () => {
        const source = { listing: await newListing() };
        await driver.post(source, 'einmal');
        await driver.simulateFailure('repeat');
        expect(await connector.readDataPointIds(source)).toMatchObject({ fault: 'unavailable' });
        await driver.recover();
        expect(resultOf(await connector.readDataPointIds(source))).toHaveLength(1);
      });

      testIf(supports.replies)('accept owner replies up to the maximum length, once per key', async () => {
        const source = { listing: await newListing() };
        const point = await driver.post(source, 'Sehr gut');
        const text = 'x'.repeat(directory.replyMaxLength);
        const options = { key: `reply to ${point}` };
        const { externalId } = resultOf(await connector.reply(point, text, options));
        expect(resultOf(await connector.reply(point, text, options))).toEqual({ externalId });
        const [read] = (await readAll(source)).dataPoints;
        expect(read?.replies).toMatchObject([{ externalId, text, isOwner: true }]);
        expect(await connector.reply(point, `${text}x`)).toMatchObject(rejection);
        expect(await connector.reply('no-such-datapoint', 'Danke')).toMatchObject(rejection);
      });
    });

    testIf(dataPointTypes.length === 0)('rejects reading datapoints', async () => {
      expect(await connector.readDataPoints({ listing: 'any' }, undefined)).toMatchObject(rejection);
    });

    testIf(!supports.replies)('rejects replies', async () => {
      expect(await connector.reply('any', 'Danke')).toMatchObject(rejection);
    });

    test('finds the pages of a brand, or rejects the search', async () => {
      if (!supports.brandPages) return expect(await connector.readBrandPages('Morgenrot')).toMatchObject(rejection);
      const id = await driver.addBrandPage('Morgenrot');
      const page = { externalId: id, name: 'Morgenrot', followers: expect.any(Number) };
      expect(resultOf(await connector.readBrandPages('Morgenrot'))).toMatchObject([page]);
      expect(resultOf(await connector.readBrandPages('Abendrot'))).toEqual([]);
      await driver.post({ brandPage: id }, 'Tolle Marke');
      expect(resultOf(await connector.readDataPoints({ brandPage: id }, undefined)).dataPoints).toHaveLength(1);
      expect(resultOf(await connector.readDataPointIds({ brandPage: id }))).toHaveLength(1);
    });

    test('returns the same daily counts of all supported metrics each time, or rejects the request', async () => {
      const [from, to] = [daysAgo(20), daysAgo(10)];
      if (!supports.insights) return expect(await connector.readInsights('any', from, to)).toMatchObject(rejection);
      const id = await newListing();
      const counts = resultOf(await connector.readInsights(id, from, to));
      expect([...new Set(counts.map(({ metric }) => metric))].sort()).toEqual([...directory.metrics].sort());
      expect(new Set(counts.map(({ day }) => day)).size).toBe(11);
      expect(counts.every(({ day, count }) => day >= from && day <= to && count >= 0)).toBe(true);
      expect(resultOf(await connector.readInsights(id, from, to))).toEqual(counts);
      expect(resultOf(await connector.readInsights(id, daysAgo(-1), daysAgo(-5)))).toEqual([]);
    });

    test('returns the search keywords of a month, or rejects the request', async () => {
      const month = daysAgo(40).slice(0, 7);
      if (!supports.searchKeywords) return expect(await connector.readKeywords('any', month)).toMatchObject(rejection);
      const keywords = resultOf(await connector.readKeywords(await newListing(), month));
      expect(keywords.length).toBeGreaterThan(3);
      expect(keywords.every((entry) => entry.month === month && entry.impressions > 0)).toBe(true);
    });

    test('publishes posts up to the maximum length and withdraws them, or rejects them', async () => {
      const post = {
        type: 'POST',
        description: 'Neues Brot',
        photos: [{ photo: 'https://morgenrot.example/brot.jpg' }],
      };
      if (!supports.socialPosts) return expect(await connector.publishPost('any', post)).toMatchObject(rejection);
      const id = await newListing();
      const key = { key: randomUUID() };
      const { externalId } = resultOf(await connector.publishPost(id, post, key));
      const tooLong = { ...post, description: 'x'.repeat(directory.postMaxLength + 1) };
      expect(await connector.publishPost(id, tooLong)).toMatchObject(rejection);
      expect(resultOf(await connector.findPost(key))).toMatchObject({ externalId });
      expect(resultOf(await connector.withdrawPost(externalId))).toEqual({ withdrawn: true });
      expect(resultOf(await connector.withdrawPost(externalId))).toEqual({ withdrawn: false });
      expect(await connector.findPost(key)).toBeUndefined();
    });

    test.each(['error', 'reset', 'garbage', 'html', 'empty', 'truncated', 'wrong-shape'] as const)(
      'is unavailable during a failure of type %s and recovers',
      async (mode) => {
        await driver.simulateFailure(mode);
        const calls = hasOnlineListing
          ? [connector.search(newProfile(directory)), connector.read('any')]
          : [connector.submit(newProfile(directory), undefined)];
        for (const call of calls)
          expect(await call).toMatchObject({ fault: 'unavailable', detail: expect.any(String) });
        await driver.recover();
        const after = hasOnlineListing ? await connector.read('any') : await connector.remove('any');
        expect(isFault(after)).toBe(false);
      },
    );
  });
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
