import { beforeAll, describe, expect, test } from 'vitest';
import {
  type DataPointSource,
  type DirectoryConnector,
  type DirectoryDataPoint,
  isFault,
  type ListingProfile,
} from '../../src/modules/directories/connector.ts';
import type { Directory } from '../../src/modules/directories/directory.ts';

/** What the suite makes happen at a directory, behind the connector's back. */
export interface Stage {
  connector: DirectoryConnector;
  addListing(profile: ListingProfile): Promise<string>;
  addBrandPage(name: string): Promise<string>;
  post(place: DataPointSource, text: string): Promise<string>;
  edit(dataPoint: string, text: string): Promise<unknown>;
  removeDataPoint(dataPoint: string): Promise<unknown>;
  restoreDataPoint(dataPoint: string): Promise<unknown>;
  answer(dataPoint: string, text: string): Promise<string>;
  /** The reviews of the directory's own people are over, and so are its other delays. */
  advanceClock(): Promise<unknown>;
  simulateFailure(
    how: 'error' | 'hang' | 'reset' | 'garbage' | 'html' | 'empty' | 'truncated' | 'wrong-shape' | 'huge' | 'repeat',
  ): Promise<unknown>;
  /** Also waits until the connector dares to ask again. */
  recover(): Promise<unknown>;
}

let places = 0;

/** What a directory does not have is no test of it, skipped or not. */
const testWhere =
  (holds: boolean) =>
  (name: string, body: () => Promise<void>): void => {
    if (holds) test(name, body);
  };
const describeWhere =
  (holds: boolean) =>
  (name: string, body: () => void): void => {
    if (holds) describe(name, body);
  };

/** A place of its own for each test, with everything that any directory asks for. */
function newProfile(directory: Directory): ListingProfile {
  places += 1;
  const number = String(places).padStart(4, '0');
  return {
    name: `Bäckerei Morgenrot ${number}`,
    street: `Lindenallee Nord ${number}`,
    streetNo: '12',
    zip: `2${number}`,
    city: 'Hamburg',
    country: 'DE',
    lat: 53.5 + places / 100,
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

function answered<T>(answer: T): Exclude<T, { fault: string }> {
  if (isFault(answer)) throw new Error(`a fault: ${JSON.stringify(answer)}`);
  return answer as Exclude<T, { fault: string }>;
}

const refusal = { fault: 'refused', messages: [expect.stringMatching(/\w/)] };

/** What holds for the connector of any directory, by what the directory is said to support. */
export function describeConnector(directory: Directory, prepare: () => Promise<Stage>): void {
  const { supports, dataPointTypes } = directory;
  const looks = supports.onlineListing;

  describe(directory.type, () => {
    let stage: Stage;
    let connector: DirectoryConnector;
    beforeAll(async () => {
      stage = await prepare();
      connector = stage.connector;
    });

    async function newPage(profile = newProfile(directory)): Promise<string> {
      return stage.addListing(profile);
    }

    testWhere(looks)('finds a page by what is known of a place, also when it is spelled otherwise', async () => {
      const profile = newProfile(directory);
      const id = await newPage(profile);
      const found = answered(
        await connector.search({ ...profile, name: profile.name.replace('Bäckerei', 'Backerei') }),
      );
      expect(found.map(({ externalId }) => externalId)).toEqual([id]);
      expect(answered(await connector.search(newProfile(directory)))).toEqual([]);
    });

    testWhere(looks)(
      'reads a page with the fields that the directory shows, and nothing when it is not there',
      async () => {
        const profile = newProfile(directory);
        const id = await newPage(profile);
        const page = answered(await connector.read(id));
        expect(page).toMatchObject({ externalId: id, url: expect.stringMatching(/^https:/) });
        const shown = Object.keys(page?.profile ?? {}).filter((field) => field !== 'name');
        const expected = directory.fields.filter((field) => field !== 'name' && field in profile);
        expect(shown.sort()).toEqual(expected.sort());
        expect(answered(await connector.read('no-such-page'))).toBe(undefined);
      },
    );

    testWhere(!looks)('says that there is nothing to look at', async () => {
      expect(await connector.search(newProfile(directory))).toMatchObject(refusal);
      expect(await connector.read('any')).toMatchObject(refusal);
    });

    testWhere(supports.submission)('takes a new page and changes of it, and gives it back as submitted', async () => {
      const profile = newProfile(directory);
      const created = answered(await connector.submit(profile, undefined));
      expect(created).toMatchObject({
        state: expect.stringMatching(/^(ACCEPTED|PENDING)$/),
        messages: expect.any(Array),
      });
      await stage.advanceClock();
      const changed = { ...profile, phone: '+49 40 900 12 34' };
      expect(answered(await connector.submit(changed, created.externalId)).externalId).toBe(created.externalId);
      await stage.advanceClock();
      if (!looks) return;
      const page = answered(await connector.read(created.externalId));
      expect(page?.pending).toBe(undefined);
      const shown = Object.fromEntries(Object.entries(changed).filter(([field]) => directory.fields.includes(field)));
      expect(page?.profile).toEqual({ ...shown, name: profile.name });
      expect(page?.claim).toBe('CLAIMED_BY_US');
    });

    testWhere(supports.submission)('carries a submission out once for one key', async () => {
      const profile = newProfile(directory);
      const once = { key: `submission of ${profile.name}` };
      const first = answered(await connector.submit(profile, undefined, once));
      expect(answered(await connector.submit(profile, undefined, once))).toEqual(first);
    });

    testWhere(supports.submission)('refuses a submission without each of the mandatory fields, in words', async () => {
      for (const field of directory.mandatoryFields.filter((name) => name !== 'name')) {
        const { [field as keyof ListingProfile]: _, ...rest } = newProfile(directory);
        expect(await connector.submit(rest as ListingProfile, undefined)).toMatchObject(refusal);
      }
    });

    testWhere(!supports.submission)('refuses submissions', async () => {
      expect(await connector.submit(newProfile(directory), undefined)).toMatchObject(refusal);
    });

    testWhere(supports.submission)('removes a page, once', async () => {
      const { externalId } = answered(await connector.submit(newProfile(directory), undefined));
      expect(answered(await connector.remove(externalId))).toEqual({ removed: true });
      expect(answered(await connector.remove(externalId))).toEqual({ removed: false });
      if (looks) expect(answered(await connector.read(externalId))).toBe(undefined);
    });

    testWhere(supports.claim)('claims a page that is nobody’s', async () => {
      const id = await newPage();
      expect(answered(await connector.read(id))?.claim).toBe('CLAIMABLE');
      expect(answered(await connector.claim(id)).claim).toMatch(/^(CLAIMED_BY_US|CLAIMING_IN_PROGRESS)$/);
      await stage.advanceClock();
      expect(answered(await connector.read(id))?.claim).toBe('CLAIMED_BY_US');
    });

    testWhere(!supports.claim)('refuses claims', async () => {
      expect(await connector.claim('any')).toMatchObject(refusal);
    });

    describeWhere(dataPointTypes.length > 0)('datapoints', () => {
      /** All pages of the stream from a cursor on. */
      async function readAll(place: DataPointSource, from?: string) {
        const dataPoints: DirectoryDataPoint[] = [];
        for (let cursor = from; ; ) {
          const page = answered(await connector.readDataPoints(place, cursor));
          dataPoints.push(...page.dataPoints);
          cursor = page.cursor;
          if (!page.more) return { dataPoints, cursor };
        }
      }

      test('are read page by page, each once, and from a cursor on only what is new or changed', async () => {
        const place = { listing: await newPage() };
        const ids: string[] = [];
        for (let n = 0; n < 60; n += 1) ids.push(await stage.post(place, `Text ${n}`));
        const all = await readAll(place);
        expect(all.dataPoints.map(({ externalId }) => externalId)).toEqual(ids);
        expect(all.dataPoints[0]).toMatchObject({ text: 'Text 0', author: expect.stringMatching(/\w/), replies: [] });
        for (const { type } of all.dataPoints) expect(dataPointTypes).toContain(type);
        expect((await readAll(place, all.cursor)).dataPoints).toEqual([]);
        await stage.edit(ids[7] as string, 'Anders');
        const added = await stage.post(place, 'Neu');
        const later = await readAll(place, all.cursor);
        expect(later.dataPoints.map(({ externalId, text }) => [externalId, text])).toEqual([
          [ids[7], 'Anders'],
          [added, 'Neu'],
        ]);
      });

      test('that vanish are missing from the complete list, and come by again when they are restored', async () => {
        const place = { listing: await newPage() };
        const [kept, removed] = [await stage.post(place, 'bleibt'), await stage.post(place, 'geht')];
        const comment = await stage.answer(kept, 'Danke!');
        const { cursor } = await readAll(place);
        await stage.removeDataPoint(removed);
        expect(answered(await connector.readDataPointIds(place))).toEqual([{ externalId: kept, replyIds: [comment] }]);
        expect((await readAll(place, cursor)).dataPoints).toEqual([]);
        await stage.restoreDataPoint(removed);
        const back = (await readAll(place, cursor)).dataPoints;
        expect(back.map(({ externalId }) => externalId)).toEqual([removed]);
        expect(answered(await connector.readDataPointIds(place))).toHaveLength(2);
      });

      test('of a page that is not there are refused, not empty', async () => {
        expect(await connector.readDataPointIds({ listing: 'no-such-page' })).toMatchObject(refusal);
        expect(await connector.readDataPoints({ listing: 'no-such-page' }, undefined)).toMatchObject(refusal);
      });

      test('are not taken for complete when pages repeat', async () => {
        const place = { listing: await newPage() };
        await stage.post(place, 'einmal');
        await stage.simulateFailure('repeat');
        expect(await connector.readDataPointIds(place)).toMatchObject({ fault: 'unavailable' });
        await stage.recover();
        expect(answered(await connector.readDataPointIds(place))).toHaveLength(1);
      });

      testWhere(supports.replies)(
        'take replies of the owner up to the length that is told, once for one key',
        async () => {
          const place = { listing: await newPage() };
          const point = await stage.post(place, 'Sehr gut');
          const text = 'x'.repeat(directory.replyMaxLength);
          const once = { key: `reply to ${point}` };
          const { externalId } = answered(await connector.reply(point, text, once));
          expect(answered(await connector.reply(point, text, once))).toEqual({ externalId });
          const [read] = (await readAll(place)).dataPoints;
          expect(read?.replies).toMatchObject([{ externalId, text, isOwner: true }]);
          expect(await connector.reply(point, `${text}x`)).toMatchObject(refusal);
          expect(await connector.reply('no-such-datapoint', 'Danke')).toMatchObject(refusal);
        },
      );
    });

    testWhere(dataPointTypes.length === 0)('says that it has no datapoints', async () => {
      expect(await connector.readDataPoints({ listing: 'any' }, undefined)).toMatchObject(refusal);
    });

    testWhere(!supports.replies)('refuses replies', async () => {
      expect(await connector.reply('any', 'Danke')).toMatchObject(refusal);
    });

    test('finds the pages of a brand, or says that there are none', async () => {
      if (!supports.brandPages) return expect(await connector.readBrandPages('Morgenrot')).toMatchObject(refusal);
      const id = await stage.addBrandPage('Morgenrot');
      const page = { externalId: id, name: 'Morgenrot', followers: expect.any(Number) };
      expect(answered(await connector.readBrandPages('Morgenrot'))).toMatchObject([page]);
      expect(answered(await connector.readBrandPages('Abendrot'))).toEqual([]);
      await stage.post({ brandPage: id }, 'Tolle Marke');
      expect(answered(await connector.readDataPoints({ brandPage: id }, undefined)).dataPoints).toHaveLength(1);
      expect(answered(await connector.readDataPointIds({ brandPage: id }))).toHaveLength(1);
    });

    test('counts the metrics that it is said to have, day by day, the same again when asked again', async () => {
      const [from, to] = [daysAgo(20), daysAgo(10)];
      if (!supports.insights) return expect(await connector.readInsights('any', from, to)).toMatchObject(refusal);
      const id = await newPage();
      const counts = answered(await connector.readInsights(id, from, to));
      expect([...new Set(counts.map(({ metric }) => metric))].sort()).toEqual([...directory.metrics].sort());
      expect(new Set(counts.map(({ day }) => day)).size).toBe(11);
      expect(counts.every(({ day, count }) => day >= from && day <= to && count >= 0)).toBe(true);
      expect(answered(await connector.readInsights(id, from, to))).toEqual(counts);
      expect(answered(await connector.readInsights(id, daysAgo(-1), daysAgo(-5)))).toEqual([]);
    });

    test('tells by which words a page was found, or that it does not', async () => {
      const month = daysAgo(40).slice(0, 7);
      if (!supports.searchKeywords) return expect(await connector.readKeywords('any', month)).toMatchObject(refusal);
      const keywords = answered(await connector.readKeywords(await newPage(), month));
      expect(keywords.length).toBeGreaterThan(3);
      expect(keywords.every((entry) => entry.month === month && entry.impressions > 0)).toBe(true);
    });

    test('publishes and withdraws posts within its length, or says that it takes none', async () => {
      const post = {
        type: 'POST',
        description: 'Neues Brot',
        photos: [{ photo: 'https://morgenrot.example/brot.jpg' }],
      };
      if (!supports.socialPosts) return expect(await connector.publishPost('any', post)).toMatchObject(refusal);
      const id = await newPage();
      const { externalId } = answered(await connector.publishPost(id, post));
      const tooLong = { ...post, description: 'x'.repeat(directory.postMaxLength + 1) };
      expect(await connector.publishPost(id, tooLong)).toMatchObject(refusal);
      expect(answered(await connector.withdrawPost(externalId))).toEqual({ withdrawn: true });
      expect(answered(await connector.withdrawPost(externalId))).toEqual({ withdrawn: false });
    });

    test.each(['error', 'reset', 'garbage', 'html', 'empty', 'truncated', 'wrong-shape'] as const)(
      'is unavailable, and nothing else, when it answers with %s',
      async (how) => {
        await stage.simulateFailure(how);
        const calls = looks
          ? [connector.search(newProfile(directory)), connector.read('any')]
          : [connector.submit(newProfile(directory), undefined)];
        for (const call of calls)
          expect(await call).toMatchObject({ fault: 'unavailable', detail: expect.any(String) });
        await stage.recover();
        const after = looks ? await connector.read('any') : await connector.remove('any');
        expect(isFault(after)).toBe(false);
      },
    );
  });
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
