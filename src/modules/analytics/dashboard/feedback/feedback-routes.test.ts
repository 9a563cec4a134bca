import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../../test/support/api.ts';
import {
  addFeedback,
  addFeedbackBusiness,
  addFeedbackLocation,
  type FeedbackInput,
  type FeedbackLocation,
} from '../../../../../test/support/feedback-rows.ts';
import { runJobs } from '../../../../../test/support/jobs.ts';
import { addUser } from '../../../../../test/support/users.ts';
import { Job } from '../../../../jobs/job.ts';

let api: TestApi;
let partner: TestPartner;
let north: FeedbackLocation;
let south: FeedbackLocation;
let east: FeedbackLocation;

const november = 'startDate=2026-11-01&endDate=2026-11-10';

/** Feedback at the two locations of the first business. */
const left: [place: 'north' | 'south', left: FeedbackInput][] = [
  ['north', { at: '2026-11-01', rating: 5, text: 'The rooms are clean', language: 'en', repliedAfter: 1 }],
  ['north', { at: '2026-11-01', rating: 4, text: 'A clean room', language: 'en', repliedAfter: 2, read: true }],
  ['north', { at: '2026-11-03', rating: 1, text: 'Dirty rooms', language: 'en', directory: 'FACEBOOK' }],
  ['north', { at: '2026-11-10', type: 'PHOTO' }],
  ['south', { at: '2026-11-08', rating: 4.5, text: 'Die Zimmer sind klein', language: 'de', repliedAfter: 3 }],
  ['south', { at: '2026-11-09', type: 'QUESTION', text: 'Are there rooms?', language: 'en', repliedAfter: 100 }],
  ['south', { at: '2026-11-10T23:59:59Z', rating: 2, read: true, repliedAfter: 10 }],
  // Excluded: removed from the directory, one day later, and earlier.
  ['south', { at: '2026-11-05', rating: 1, status: 'INVALID', text: 'rooms', language: 'en' }],
  ['south', { at: '2026-11-11T00:00:00Z', rating: 1 }],
  ['north', { at: '2026-10-31T23:59:59Z', rating: 3, text: 'room', language: 'en', repliedAfter: 5 }],
  ['north', { at: '2026-10-22', rating: 2, text: 'cold breakfast', language: 'en' }],
];

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
  const { id } = partner.partner;
  const first = await addFeedbackBusiness(api.database, id);
  north = await addFeedbackLocation(api.database, id, first);
  south = await addFeedbackLocation(api.database, id, first);
  east = await addFeedbackLocation(api.database, id, await addFeedbackBusiness(api.database, id));
  for (const [place, one] of left) await addFeedback(api.database, place === 'north' ? north : south, one);
  await addFeedback(api.database, east, { at: '2026-11-02', rating: 5, text: 'Great rooms', language: 'en' });
  await rollUp();
});
afterAll(() => api.close());

async function rollUp(): Promise<void> {
  await new Job('feedback.roll-up').enqueue(api.database.pool, {});
  await runJobs(api.database);
}

async function get(path: string, by: Pick<TestPartner, 'call'> = partner) {
  const { code, body } = await by.call('GET', `/api/dashboard/${path}`);
  expect(body.message, path).toBeUndefined();
  expect(code).toBe(200);
  return body.response;
}

/** Ids of the datapoints of a location by date. */
const idsAt = async ({ locationId }: FeedbackLocation) => {
  const { rows } = await api.database.pool.query('select id from datapoints where location_id = $1 order by id', [
    locationId,
  ]);
  return rows.map(({ id }) => id as number);
};

describe('customer feedback', () => {
  test('counts feedback within the period', async () => {
    const response = await get(`customer-feedback?${november}&businessIds=${north.businessId}`);
    expect(response).toMatchObject({
      countByRating: [
        { rating: 1, count: 1 },
        { rating: 2, count: 1 },
        { rating: 3, count: 0 },
        { rating: 4, count: 1 },
        { rating: 4.5, count: 1 },
        { rating: 5, count: 1 },
      ],
      ratingCount: 5,
      averageRating: 3.3,
      repliedCount: 5,
      interactionCount: 7,
      unreadInteractionCount: 5,
      matchedLocationsCount: 2,
    });
    const [first, , third, photo] = await idsAt(north);
    const [zimmer, question] = await idsAt(south);
    expect(response.unreadInteractions.map(({ id }: { id: number }) => id)).toEqual([
      photo,
      question,
      zimmer,
      third,
      first,
    ]);
    expect(response.unreadInteractions[1]).toMatchObject({
      type: 'QUESTION',
      data: 'Are there rooms?',
      locationId: south.locationId,
      supportsReply: true,
      read: false,
    });
  });

  test('filters by directory', async () => {
    expect(await get(`customer-feedback?${november}&type=facebook`)).toMatchObject({
      interactionCount: 1,
      averageRating: 1,
      matchedLocationsCount: 3,
    });
  });

  test('is empty without feedback', async () => {
    const response = await get(`customer-feedback?startDate=2020-01-01&endDate=2020-01-31`);
    expect(response).toMatchObject({ interactionCount: 0, averageRating: null, unreadInteractions: [] });
  });

  test('contains at most the ten newest unread datapoints', async () => {
    const busy = await api.addPartner();
    const business = await addFeedbackBusiness(api.database, busy.partner.id);
    const place = await addFeedbackLocation(api.database, busy.partner.id, business);
    const ids: number[] = [];
    for (let day = 1; day <= 12; day++) {
      ids.push(await addFeedback(api.database, place, { at: `2026-05-${String(day).padStart(2, '0')}` }));
    }
    for (const scope of ['', `&businessIds=${business}`, `&locationIds=${place.locationId}`]) {
      const response = await get(`customer-feedback?startDate=2026-05-01&endDate=2026-05-31${scope}`, busy);
      expect(response.unreadInteractionCount).toBe(12);
      expect(response.unreadInteractions.map(({ id }: { id: number }) => id)).toEqual(ids.slice(2).reverse());
    }
  });

  test('excludes brand pages and deleted locations', async () => {
    const other = await api.addPartner();
    const business = await addFeedbackBusiness(api.database, other.partner.id);
    const kept = await addFeedbackLocation(api.database, other.partner.id, business);
    const gone = await addFeedbackLocation(api.database, other.partner.id, business);
    for (const place of [kept, gone]) await addFeedback(api.database, place, { at: '2026-05-01', rating: 4 });
    await api.database.pool.query(
      `with page as (
         insert into directory_business_pages (partner_id, business_id, directory_type, external_id, name)
         values ($1, $2, 'FACEBOOK', 'page', 'Page') returning *
       )
       insert into datapoints (partner_id, business_id, page_id, directory_type, external_id, type, rating, action_date,
         thread_action_date, fingerprint)
       select partner_id, business_id, id, 'FACEBOOK', 'one', 'REVIEW', 1, '2026-05-01', '2026-05-01', '' from page`,
      [other.partner.id, business],
    );
    await api.database.pool.query(`update locations set status = 'DELETED' where id = $1`, [gone.locationId]);
    for (const scope of ['', `&businessIds=${business}`]) {
      const response = await get(`customer-feedback?startDate=2026-05-01&endDate=2026-05-31${scope}`, other);
      expect(response).toMatchObject({ interactionCount: 1, averageRating: 4, matchedLocationsCount: 1 });
      expect(response.unreadInteractions).toHaveLength(1);
    }
  });
});

describe('customer feedback by period', () => {
  test.each(['customer-feedback/by-period', 'customer-feedback-by-period'])(
    '%s contains every period',
    async (path) => {
      const response = await get(`${path}?${november}&group=WEEK&businessIds=${north.businessId}`);
      expect(response).toEqual({
        interactionCountByPeriod: [
          { period: '2026-10-26', count: 2 },
          { period: '2026-11-02', count: 2 },
          { period: '2026-11-09', count: 3 },
        ],
        averageRatingByPeriod: [
          { period: '2026-10-26', value: 4.5 },
          { period: '2026-11-02', value: 2.75 },
          { period: '2026-11-09', value: 2 },
        ],
        totalRatingCount: 5,
        matchedLocationsCount: 2,
      });
    },
  );

  test('groups by day by default', async () => {
    const { interactionCountByPeriod, averageRatingByPeriod } = await get(`customer-feedback/by-period?${november}`);
    expect(interactionCountByPeriod.map(({ count }: { count: number }) => count)).toEqual([
      2, 1, 1, 0, 0, 0, 0, 1, 1, 2,
    ]);
    expect(averageRatingByPeriod[3]).toEqual({ period: '2026-11-04', value: null });
  });
});

describe('keywords', () => {
  test('merge the forms of a word and compare with the preceding period', async () => {
    const response = await get(`customer-feedback-keywords?${november}&businessIds=${north.businessId}`);
    expect(response.totalFeedbacksAnalyzed).toBe(4);
    expect(response.keywords[0]).toEqual({
      keyword: 'rooms',
      // Three of four; one of two in the preceding period.
      percentage: { current: 75, previous: 50 },
      rating: { current: 3.33, previous: 3 },
      ratingSum: { current: 10, previous: 3 },
      aggregatedWords: ['rooms', 'room'],
    });
    expect(response.keywords.map(({ keyword }: { keyword: string }) => keyword)).toEqual([
      'rooms',
      'clean',
      'dirty',
      'klein',
      'zimmer',
    ]);
    expect(response.keywords[1]).toMatchObject({
      percentage: { current: 50, previous: 0 },
      rating: { current: 4.5, previous: null },
    });
  });

  test('are filtered by directory', async () => {
    const { keywords } = await get(`customer-feedback/keywords?${november}&type=FACEBOOK`);
    expect(keywords.map(({ keyword }: { keyword: string }) => keyword)).toEqual(['dirty', 'rooms']);
  });

  test('are updated when a review changes', async () => {
    const place = await addFeedbackLocation(api.database, partner.partner.id, east.businessId);
    const id = await addFeedback(api.database, place, {
      at: '2026-06-01',
      rating: 5,
      text: 'Bagels',
      language: 'en',
    });
    const path = `customer-feedback-keywords?startDate=2026-06-01&endDate=2026-06-01&locationIds=${place.locationId}`;
    await rollUp();
    expect((await get(path)).keywords).toMatchObject([{ keyword: 'bagels', rating: { current: 5 } }]);
    await api.database.pool.query(`update datapoints set text = 'Stale pretzels', rating = 2 where id = $1`, [id]);
    await rollUp();
    expect((await get(path)).keywords).toMatchObject([
      { keyword: 'pretzels', rating: { current: 2 } },
      { keyword: 'stale', rating: { current: 2 } },
    ]);
    await api.database.pool.query('update datapoints set text = null where id = $1', [id]);
    await rollUp();
    expect(await get(path)).toMatchObject({ keywords: [], totalFeedbacksAnalyzed: 0 });
  });

  test('of two languages with the same form are merged', async () => {
    const other = await api.addPartner();
    const business = await addFeedbackBusiness(api.database, other.partner.id);
    const place = await addFeedbackLocation(api.database, other.partner.id, business);
    await addFeedback(api.database, place, { at: '2026-06-01', rating: 5, text: 'Pizza', language: 'en' });
    await addFeedback(api.database, place, { at: '2026-06-01', rating: 3, text: 'La pizza', language: 'it' });
    await rollUp();
    const { keywords } = await get('customer-feedback-keywords?startDate=2026-06-01&endDate=2026-06-01', other);
    expect(keywords).toMatchObject([{ keyword: 'pizza', percentage: { current: 100 }, ratingSum: { current: 8 } }]);
  });
});

describe('review response time', () => {
  test('is the time from the review to the first reply', async () => {
    const response = await get(`review-response-time?${november}&group=MONTH&businessIds=${north.businessId}`);
    expect(response).toMatchObject({
      averageHours: 4,
      respondedCount: 4,
      unrespondedCount: 1,
      matchedLocationsCount: 2,
      byPeriod: [{ period: '2026-11-01', averageHours: 4, respondedCount: 4, unrespondedCount: 1 }],
      previous: { averageHours: 5, respondedCount: 1, unrespondedCount: 1 },
    });
    // Of 1, 2, 3 and 10 hours.
    expect(Math.abs(response.medianHours / 2.5 - 1)).toBeLessThan(0.01);
    expect(Math.abs(response.p90Hours / 7.9 - 1)).toBeLessThan(0.01);
    expect(Math.abs(response.previous.medianHours / 5 - 1)).toBeLessThan(0.01);
  });

  test('is null without replies', async () => {
    expect(await get(`review-response-time?${november}&locationIds=${east.locationId}`)).toMatchObject({
      averageHours: null,
      medianHours: null,
      p90Hours: null,
      respondedCount: 0,
      unrespondedCount: 1,
      previous: { averageHours: null, unrespondedCount: 0 },
    });
  });
});

describe('the caller', () => {
  test('sees figures of accessible locations', async () => {
    const ofSouth = await addUser(api, partner, {
      role: 'LOCATION_MANAGER',
      features: ['DASHBOARD_READ'],
      locationIds: [south.locationId],
    });
    expect(await get(`customer-feedback?${november}`, ofSouth)).toMatchObject({
      interactionCount: 3,
      matchedLocationsCount: 1,
    });
    const words = await get(`customer-feedback-keywords?${november}`, ofSouth);
    expect(words.keywords.map(({ keyword }: { keyword: string }) => keyword)).toEqual(['klein', 'zimmer']);
    expect(await get(`review-response-time?${november}`, ofSouth)).toMatchObject({ averageHours: 6.5 });
    const ofEast = await addUser(api, partner, {
      role: 'BUSINESS_MANAGER',
      features: ['DASHBOARD_READ'],
      businessIds: [east.businessId],
    });
    expect(await get(`customer-feedback?${november}`, ofEast)).toMatchObject({ interactionCount: 1 });
    const hidden = await ofEast.call('GET', `/api/dashboard/customer-feedback?locationIds=${north.locationId}`);
    expect(hidden.code).toBe(404);
  });

  test('sees unread interactions only with INBOX_READ', async () => {
    const path = `/api/dashboard/customer-feedback?${november}`;
    const user = { role: 'BUSINESS_MANAGER' as const, businessIds: [south.businessId] };
    const reader = await addUser(api, partner, { ...user, features: ['DASHBOARD_READ', 'INBOX_READ'] });
    const other = await addUser(api, partner, { ...user, features: ['DASHBOARD_READ'] });
    const { body } = await reader.call('GET', path);
    expect(body.response.unreadInteractions).not.toEqual([]);
    expect(body).not.toHaveProperty('warnings');
    expect((await other.call('GET', path)).body).toMatchObject({
      response: { ...body.response, unreadInteractions: [] },
      warnings: [expect.stringContaining('INBOX_READ')],
    });
  });

  test('needs DASHBOARD_READ', async () => {
    const user = await addUser(api, partner, {
      role: 'BUSINESS_MANAGER',
      features: [],
      businessIds: [east.businessId],
    });
    expect((await user.call('GET', '/api/dashboard/customer-feedback')).code).toBe(403);
  });

  test.each([
    ['startDate=2026-11-10&endDate=2026-11-09', 'endDate'],
    ['startDate=2024-01-01&endDate=2026-11-09', 'startDate'],
    ['type=NOWHERE', 'type'],
    ['group=CENTURY', 'group'],
  ])('gets an error for %s', async (query, field) => {
    const { code, body } = await partner.call('GET', `/api/dashboard/customer-feedback/by-period?${query}`);
    expect(code).toBe(400);
    expect(body.errors).toMatchObject([{ field }]);
  });
});
