import { extractText, getDocumentProxy } from 'unpdf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { upsertInsights } from '../src/modules/analytics/insights/insight-store.ts';
import { findDirectory } from '../src/modules/directories/directory-list.ts';
import type { TestPartner } from './support/api.ts';
import { addExport, downloadFile } from './support/exports.ts';
import { dayAfter, foldFigures, insightDays } from './support/figures.ts';
import { HomeScene } from './support/home-scene.ts';
import { openWorkbook } from './support/xlsx.ts';

/**
 * Each figure is computed once from raw rows by plain SQL. Home, dashboard, workbook and PDF must all show that figure.
 * The dashboard and home pages of the console show these responses unchanged.
 */

const today = new Date().toISOString().slice(0, 10);
const span = { from: dayAfter(today, -30), to: dayAfter(today, -1) };
const before = { from: dayAfter(today, -60), to: dayAfter(today, -31) };
const days = `startDate=${span.from}&endDate=${span.to}`;

/** Days since the last count by directory; the first Google listing is one day ahead. */
const delays = { GOOGLE: 2, FACEBOOK: 4, INSTAGRAM: 3, YELP: 2 } as const;
const countedUntil = dayAfter(today, -4);
const viewMetrics = ['PAGE_IMPRESSIONS', 'IMPRESSIONS', 'PAGE_VIEWS'];
const isView = `(metric like 'BUSINESS_IMPRESSIONS%' or metric in (${viewMetrics.map((name) => `'${name}'`).join(', ')}))`;
const isAction = `(metric in ('CALL_CLICKS', 'WEBSITE_CLICKS', 'BUSINESS_DIRECTION_REQUESTS', 'BUSINESS_CONVERSATIONS',
  'BUSINESS_BOOKINGS', 'PAGE_CONSUMPTIONS', 'USER_ACTIONS'))`;

let scene: HomeScene;
let partner: TestPartner;

beforeAll(async () => {
  scene = await HomeScene.open();
  partner = await scene.api.addPartner();
  const locations = [await scene.addLocation(partner), await scene.addLocation(partner, { photos: null })];
  for (const [index, location] of locations.entries()) {
    for (const [directoryType, delay] of Object.entries(delays)) {
      const sync = index === 0 ? 'IN_SYNC' : 'NOT_FOUND';
      const listingId = await scene.addListing(partner, location.id, directoryType, { sync });
      const ahead = directoryType === 'GOOGLE' && index === 0 ? 1 : 0;
      await count({ listingId, locationId: location.id, directoryType }, delay - ahead, index + 1);
    }
    await scene.query('update listings set matching_fields = $2, comparable_fields = 8 where location_id = $1', [
      location.id,
      5 + index,
    ]);
    for (const [ago, rating, repliedAfterHours] of [
      [3, 5, 2],
      [5, 4, 30],
      [6, 1, undefined],
      [35, 2, 10],
      [44, 3, undefined],
    ] as const) {
      const reply = repliedAfterHours === undefined ? {} : { repliedAfterHours: repliedAfterHours + index };
      await scene.addDatapoint(partner, location, { hoursAgo: 24 * (ago + index), rating, ...reply });
    }
    // Photos and check-ins are interactions, but have no replies and do not affect the response rate.
    for (const type of ['PHOTO', 'CHECKIN', 'PHOTO'])
      await scene.addDatapoint(partner, location, { hoursAgo: 80, type });
    await scene.addDatapoint(partner, location, { hoursAgo: 80, type: 'QUESTION', repliedAfterHours: 1, read: false });
  }
}, 60_000);
afterAll(() => scene.close());

async function count(
  listing: { listingId: number; locationId: number; directoryType: string },
  delay: number,
  size: number,
): Promise<void> {
  const { metrics = [] } = findDirectory(listing.directoryType) ?? {};
  const counts = metrics.flatMap((metric, position) =>
    Array.from({ length: 80 - delay }, (_, index) => delay + index).map((ago) => ({
      metric,
      day: dayAfter(today, -ago),
      count: size * (10 + position + (ago % 7)),
    })),
  );
  const progress = { ...listing, partnerId: partner.partner.id };
  await scene.api.database.transaction((transaction) => upsertInsights(transaction, progress, counts));
}

type Period = typeof span;

const feedbackFigure = async (figure: string, { from, to }: Period): Promise<number> => {
  const [row] = await scene.query(
    `select (${figure})::float8 as figure from datapoints where partner_id = $1 and status = 'VALID'
       and action_date >= $2::date and action_date < $3::date + 1`,
    [partner.partner.id, from, to],
  );
  return row.figure;
};

const insightSum = async (condition: string, { from, to }: Period): Promise<number> => {
  const [row] = await scene.query(
    `select sum(count)::float8 as figure from (${insightDays}) as days
     where partner_id = $1 and day between $2::date and $3::date and ${condition}`,
    [partner.partner.id, from, to],
  );
  return row.figure;
};

const isCall = `directory_type = 'GOOGLE' and metric = 'CALL_CLICKS'`;
/** Google has counted more days than all directories together. */
const callSums = () =>
  Promise.all([
    insightSum(isCall, { from: span.from, to: dayAfter(today, -2) }),
    insightSum(isCall, { from: before.from, to: dayAfter(today, -32) }),
  ]);

const reviews = `filter (where type = 'REVIEW')`;
const countedSpan = { from: span.from, to: countedUntil };
const countedBefore = { from: before.from, to: dayAfter(countedUntil, -30) };

/** Value and previous value of every figure from raw rows. */
async function expectedFigures() {
  const pair = async (of: (period: Period) => Promise<number>, now = span, then = before) => [
    await of(now),
    await of(then),
  ];
  const feedback = (figure: string) => pair((period) => feedbackFigure(figure, period));
  const insights = (condition: string) => pair((period) => insightSum(condition, period), countedSpan, countedBefore);
  return {
    interactions: await feedback('count(*)'),
    ratings: await feedback('count(rating)'),
    rating: await feedback('avg(rating)'),
    responseRate: await feedback(`100.0 * count(owner_replied_at) ${reviews} / count(*) ${reviews}`),
    hours: await feedback(`avg(extract(epoch from owner_replied_at - action_date) / 3600) ${reviews}`),
    views: await insights(isView),
    actions: await insights(isAction),
  };
}
type Figures = Awaited<ReturnType<typeof expectedFigures>>;

const get = async (path: string) => {
  const { body } = await partner.call('GET', path);
  expect(body.status).toBe('SUCCESS');
  return body.response;
};
const rounded = (values: readonly (number | undefined)[], digits = 2) =>
  values.map((value) => Math.round((value ?? Number.NaN) * 10 ** digits) / 10 ** digits);

describe.each([
  ['waiting to be folded', async () => undefined],
  ['folded', async () => foldFigures(scene.api.database)],
])('figures that are %s', (_name, prepare) => {
  let expected: Figures;
  beforeAll(async () => {
    await prepare();
    expected = await expectedFigures();
  });

  test('on the home page equal the raw rows', async () => {
    const names =
      'INTERACTIONS,AVERAGE_RATING,RESPONSE_RATE,RESPONSE_TIME,IMPRESSIONS,CALLS,PROFILE_COMPLETENESS,LISTINGS_IN_SYNC';
    const { metrics } = await get(`/api/home/key-metrics?${days}&metrics=${names}`);
    const shown = (name: string) => {
      const { value, previousValue } = metrics.find((one: { name: string }) => one.name === name);
      return [value, previousValue];
    };
    expect(shown('INTERACTIONS')).toEqual(expected.interactions);
    expect(shown('AVERAGE_RATING')).toEqual(rounded(expected.rating));
    expect(shown('RESPONSE_RATE')).toEqual(rounded(expected.responseRate));
    expect(shown('RESPONSE_TIME')).toEqual(rounded(expected.hours));
    expect(shown('IMPRESSIONS')).toEqual(expected.views);
    expect(shown('CALLS')).toEqual(await callSums());
    for (const one of metrics.filter(({ name }: { name: string }) => name === 'IMPRESSIONS')) {
      expect(one).toMatchObject({ countedUntil, previousUntil: countedBefore.to });
    }
    const { averageProfileCompleteness } = await get('/api/dashboard/profile-completeness');
    expect(shown('PROFILE_COMPLETENESS')[0]).toBe(averageProfileCompleteness);
    const { countListingsInSync } = await get('/api/dashboard/listing-health');
    expect(shown('LISTINGS_IN_SYNC')[0]).toBe((100 * countListingsInSync) / 8);
  });

  test('on the dashboard equal the raw rows', async () => {
    for (const [index, { from, to }] of [span, before].entries()) {
      const query = `startDate=${from}&endDate=${to}`;
      const feedback = await get(`/api/dashboard/customer-feedback?${query}`);
      expect(feedback).toMatchObject({
        interactionCount: expected.interactions[index],
        ratingCount: expected.ratings[index],
        averageRating: rounded(expected.rating)[index],
      });
      const response = await get(`/api/dashboard/review-response-time?${query}`);
      expect(rounded([response.responseRate])).toEqual([rounded(expected.responseRate)[index]]);
      expect(rounded([response.averageHours])).toEqual([rounded(expected.hours)[index]]);
    }
    const { previous } = await get(`/api/dashboard/review-response-time?${days}`);
    expect(previous.responseRate).toBe(rounded(expected.responseRate)[1]);
    const { byDirectory } = await get(`/api/dashboard/data-availability?${days}`);
    const google = byDirectory.find(({ directoryType }: { directoryType: string }) => directoryType === 'GOOGLE');
    // A day with data of one of two listings does not count yet.
    expect(google).toMatchObject({ availableUntil: dayAfter(today, -1), countedUntil: dayAfter(today, -2) });
    const totalOf = async ({ startDate, endDate }: { startDate: string; endDate: string }) => {
      const query = `type=GOOGLE&metrics=CALL_CLICKS&startDate=${startDate}&endDate=${endDate}`;
      const { metrics } = await get(`/api/dashboard/insights-data?${query}`);
      return metrics[0].data.reduce((sum: number, one: { count: number }) => sum + one.count, 0);
    };
    expect([await totalOf(google.counted), await totalOf(google.compared)]).toEqual(await callSums());
  });

  test('in the workbook equal the raw rows', async () => {
    const file = await downloadFile(scene.api, partner, `/api/dashboard/excel-export?${days}`);
    const { rows } = await openWorkbook(file);
    const line = (label: string) =>
      rows('Summary')
        .find(([first]) => first === label)
        ?.slice(1, 3) as number[];
    expect(line('Customer interactions')).toEqual(expected.interactions);
    expect(line('Ratings')).toEqual(expected.ratings);
    expect(rounded(line('Average rating'))).toEqual(rounded(expected.rating));
    expect(rounded(line('Response rate').map((share) => 100 * share))).toEqual(rounded(expected.responseRate));
    expect(line('Views')).toEqual(expected.views);
    expect(line('Customer actions')).toEqual(expected.actions);
    expect(rows('Summary').flat()).toContainEqual(expect.stringContaining(`counted until ${countedUntil}`));
    const development = rows('Summary').filter(([, , , , views]) => typeof views === 'number');
    expect(development.reduce((sum, [, , , , views]) => sum + Number(views), 0)).toBe(expected.views[0]);
  });

  test('in the PDF equal the raw rows', async () => {
    const text = (await reportPages(span)).join('\n');
    const whole = new Intl.NumberFormat('en-GB');
    const shown = (label: string, texts: string[]) =>
      expect(text.replaceAll(/\s+/g, ' ')).toContain(`${label} ${texts.join(' ')}`);
    shown('Customer interactions', expected.interactions.map(whole.format));
    shown(
      'Average rating',
      expected.rating.map((value) => value.toFixed(2)),
    );
    shown(
      'Response rate',
      rounded(expected.responseRate, 1).map((value) => `${value}%`),
    );
    shown('Views', expected.views.map(whole.format));
    shown('Customer actions', expected.actions.map(whole.format));
    const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
    expect(text).toContain(`counted until ${day.format(new Date(countedUntil))}`);
    shown('Google This period Previous period Change', ['Views on Maps (desktop)']);
    shown('Calls', (await callSums()).map(whole.format));
  });
});

test('the chart of a PDF ends with the last day counted by all directories', async () => {
  const [titlePage = ''] = await reportPages({ from: dayAfter(today, -8), to: span.to });
  const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const isLabelled = (ago: number) =>
    new RegExp(`\\b${short.format(new Date(dayAfter(today, -ago)))}\\b`).test(titlePage);
  expect([8, 7, 6, 5, 4, 3, 2, 1].map(isLabelled)).toEqual([true, true, true, true, true, false, false, false]);
});

async function reportPages({ from, to }: Period): Promise<string[]> {
  const id = await addExport(scene.api, partner, '/api/dashboard-exports', { start: from, end: to });
  const bytes = await downloadFile(scene.api, partner, `/api/dashboard-exports/${id}/download`);
  return (await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: false })).text;
}
