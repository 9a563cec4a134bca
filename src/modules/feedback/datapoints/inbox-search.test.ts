import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { FeedbackScene, type UnlinkedLocation } from '../../../../test/support/feedback.ts';
import { monthSlices } from './inbox-routes.ts';

const words = ['bread', 'coffee', 'service', "baker's", 'schön', 'naïve'];

let scene: FeedbackScene;
let partner: TestPartner;
let place: UnlinkedLocation;
const all: { id: number; day: number; text: string }[] = [];

beforeAll(async () => {
  scene = await FeedbackScene.open();
  partner = await scene.api.addPartner();
  place = await scene.addUnlinkedLocation(partner);
  const stranger = await scene.api.addPartner();
  const elsewhere = await scene.addUnlinkedLocation(stranger);
  // Over three years, newer ones more often.
  for (let n = 0; n < 60; n++) {
    const day = -Math.floor((n * n * 1100) / 3600);
    const text = words.filter((_, bit) => (n >> bit) % 2 === 1).join(' ') || 'nothing';
    all.push({ id: await scene.addDatapoint(place, { day, text, externalId: `${n}` }, partner), day, text });
    await scene.addDatapoint(elsewhere, { day, text, externalId: `${n}` }, stranger);
  }
});
afterAll(() => scene.close());

const inbox = async (query: string) => (await partner.call('GET', `/api/data-points?${query}`)).body.response.inbox;

/** Entries that contain all wanted and none of the unwanted words. */
const expected = (wanted: readonly string[], unwanted: readonly string[], descending: boolean) =>
  all
    .filter(({ text }) => wanted.every((word) => text.split(' ').includes(word)))
    .filter(({ text }) => !unwanted.some((word) => text.split(' ').includes(word)))
    .sort((a, b) => (descending ? -1 : 1) * (a.day - b.day || a.id - b.id))
    .map(({ id }) => id);

test('finds words over several years in inbox order, page by page', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(words, { maxLength: 3 }),
      fc.subarray(words, { maxLength: 1 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 25 }),
      async (wanted, unwanted, descending, max) => {
        fc.pre(wanted.length + unwanted.length > 0);
        const query = [...wanted, ...unwanted.map((word) => `-${word}`)].join(' ');
        const order = descending ? 'DESC' : 'ASC';
        const path = `query=${encodeURIComponent(query)}&order=${order}&max=${max}`;
        const found: number[] = [];
        for (let after: string | undefined; ; ) {
          const page = await inbox(after === undefined ? path : `${path}&after=${after}`);
          found.push(...page.dataPoints.map(({ id }: { id: number }) => id));
          after = page.after;
          if (after === undefined) break;
        }
        const right = expected(wanted, unwanted, descending);
        expect(found).toEqual(right);
        const second = await inbox(`${path}&page=1`);
        expect(second.dataPoints.map(({ id }: { id: number }) => id)).toEqual(right.slice(max, 2 * max));
        expect(second).toMatchObject({ count: right.length, countIsExact: true });
      },
    ),
    { numRuns: 40 },
  );
});

test.each(['"bread"-coffee', '(bread)-coffee', 'bread - coffee'])('excludes a word: %s', async (query) => {
  const { dataPoints } = await inbox(`query=${encodeURIComponent(query)}&max=1000`);
  expect(dataPoints.map(({ id }: { id: number }) => id)).toEqual(expected(['bread'], ['coffee'], true));
});

test('finds a thread at its new position after activity', async () => {
  const last = all.at(-1);
  if (!last) throw new Error('There is no datapoint.');
  await scene.query("update datapoints set thread_action_date = now() + interval '1 day' where id = $1", [last.id]);
  const word = last.text.split(' ')[0] ?? '';
  const page = await inbox(`query=${encodeURIComponent(word)}&max=1`);
  expect(page.dataPoints).toMatchObject([{ id: last.id }]);
});

test('counts all matches on every page', async () => {
  const many = await scene.api.addPartner();
  const busy = await scene.addUnlinkedLocation(many);
  await scene.addDatapoint(busy, { day: 0, text: 'Good bread' }, many);
  await scene.query(
    `insert into datapoints (partner_id, business_id, location_id, listing_id, directory_type, external_id, type, status,
       text, author, action_date, thread_action_date, fingerprint)
     select partner_id, business_id, location_id, listing_id, directory_type, 'copy-' || n, type, status, text, author,
       action_date, thread_action_date, '' from datapoints, generate_series(1, 1164) as n where partner_id = $1`,
    [many.partner.id],
  );
  const ask = async (query: string) => {
    const { dataPoints, count, countIsExact, after } = (await many.call('GET', `/api/data-points?${query}`)).body
      .response.inbox;
    return { shown: dataPoints.length, count, countIsExact, after };
  };
  expect(await ask('max=1000')).toMatchObject({ shown: 1000, count: 1165, countIsExact: true });
  expect(await ask('max=400&page=1')).toMatchObject({ shown: 400, count: 1165, countIsExact: true });
  expect(await ask('max=550&page=1')).toMatchObject({ shown: 550, count: 1165, countIsExact: true });
  expect(await ask('max=400&page=2')).toMatchObject({ shown: 365, count: 1165, countIsExact: true });
  expect(await ask('max=400&page=3')).toMatchObject({ shown: 0, count: 1165, countIsExact: true });
  expect(await ask('max=5000&v=20180101')).toMatchObject({ shown: 1165, count: 1165, countIsExact: true });
  expect(await ask('max=1000&query=bread')).toMatchObject({ shown: 1000, count: 1165, countIsExact: true });
});

test('searches in slices of doubling length, in page order', () => {
  const months = [10, 11, 12, 13, 14, 15, 16, 17, 18];
  const sort = 'threadActionDate';
  expect(monthSlices(months, { sort, order: 'DESC' })).toEqual([[18], [17, 16], [15, 14, 13, 12], [11, 10]]);
  expect(monthSlices(months, { sort, order: 'ASC' })).toEqual([[10], [11, 12], [13, 14, 15, 16], [17, 18]]);
  expect(monthSlices([10, 11, 12], { sort: 'rating', order: 'ASC' })).toEqual([[10, 11, 12]]);
});
