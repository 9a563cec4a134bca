import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { createDemoData } from '../../../test/support/demo.ts';
import { insightDays } from '../../../test/support/figures.ts';
import { runJobs } from '../../../test/support/jobs.ts';
import { anyCaller, startSandbox, type TestSandbox } from '../../../test/support/sandbox.ts';
import type { Task } from '../../jobs/tasks/task.ts';

// Responses of different shapes.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Json = any;

const patience = 240_000;
const dayMs = 86_400_000;
let api: TestApi;
let sandbox: TestSandbox;

beforeAll(async () => {
  api = await TestApi.start();
  sandbox = await startSandbox();
});
afterAll(async () => {
  await api.close();
  await sandbox.close();
});

const get = async (partner: TestPartner, path: string): Promise<Json> => {
  const { code, body } = await partner.call('GET', path);
  expect(code, path).toBe(200);
  return body.response;
};

/** Counts of all records that could be duplicated. */
const counts = async ({ partner }: TestPartner) => {
  const { rows } = await api.database.pool.query(
    `select (select count(*) from businesses where partner_id = $1) as businesses,
       (select count(*) from product_plans where partner_id = $1) as plans,
       (select count(*) from locations where partner_id = $1) as locations,
       (select count(*) from service_items where partner_id = $1) as services,
       (select count(*) from labels where partner_id = $1) as labels,
       (select count(*) from social_posts where partner_id = $1) as posts,
       (select count(*) from assets where partner_id = $1) as assets,
       (select count(*) from events where partner_id = $1 and type in ('LOCATION_CREATED', 'BUSINESS_CREATED')) as events`,
    [partner.id],
  );
  return rows[0];
};

const pagesShown = async () => {
  const { directories } = await sandbox.control.status();
  return directories.map(({ type, listings, brandPages }) => ({ type, listings, brandPages }));
};

describe('ten locations, created by the regular jobs and connectors', () => {
  let partner: TestPartner;
  let task: Task;
  let locations: Json[];
  let listings: Json[];

  beforeAll(async () => {
    partner = await api.addPartner();
    task = await createDemoData(api.database, sandbox.directories, partner.partner);
    locations = (await get(partner, '/api/locations?max=50')).locations;
    listings = (await get(partner, '/api/listings?max=500')).listings;
  }, patience);

  test('the task finishes with its counts', () => {
    expect(task).toMatchObject({ status: 'FINISHED', error: null, total: 20, done: 20, result: { locations: 10 } });
    expect(Number(task.result.pages)).toBeGreaterThan(50);
  });

  test('creates active locations of three businesses with plans', async () => {
    expect(locations.map(({ status }) => status)).toEqual(Array(10).fill('ACTIVE'));
    const { businesses } = await get(partner, '/api/businesses');
    expect(businesses).toHaveLength(3);
    for (const business of businesses)
      expect(business).toMatchObject({ status: 'ACTIVE', productPlan: { currency: 'EUR' } });
    const { events } = await get(partner, '/api/events?type=LOCATION_CREATED&max=50');
    expect(events).toHaveLength(10);
    for (const { event } of events) expect(event).toMatchObject({ source: 'DEMO_JOB' });
  });

  test('creates listings in different claim and sync states', () => {
    for (const { id, listings: figure } of locations) {
      const own = listings.filter(({ locationId, duplicateOf }) => locationId === id && duplicateOf === undefined);
      expect(own.length).toBe(sandbox.directories.list.length);
      expect(figure).toBeGreaterThan(0);
    }
    expect(listings.every(({ lastChecked }) => lastChecked !== undefined)).toBe(true);
    const found = listings.filter(({ syncStatus }) => syncStatus === 'IN_SYNC' || syncStatus === 'NOT_IN_SYNC');
    expect(found.length).toBeGreaterThan(60);
    const values = (field: string) => new Set(listings.map((listing) => listing[field]));
    expect(values('syncStatus')).toContain('IN_SYNC');
    expect(values('claimStatus')).toContain('CLAIMED_BY_US');
    expect(values('claimStatus').size).toBeGreaterThan(2);
  });

  test('imports every datapoint with its replies and counts it for the location', async () => {
    const google = listings.filter(({ type, listingUrl }) => type === 'GOOGLE' && listingUrl);
    expect(google.length).toBeGreaterThan(3);
    for (const { id, listingId, locationId } of google) {
      const { dataPoints } = await sandbox.control.dataPoints('GOOGLE', { listing: listingId });
      const { inbox } = await get(partner, `/api/data-points?locationIds=${locationId}&directoryTypes=GOOGLE&max=1000`);
      const own = inbox.dataPoints.filter((point: Json) => point.listingId === id);
      expect(own.length).toBe(dataPoints.length);
      const replied = (points: Json[]) => points.filter(({ replies }) => replies.length > 0).length;
      expect(replied(own)).toBe(replied(dataPoints));
    }
    for (const { id, dataPoints, averageRating } of locations) {
      const { inbox } = await get(partner, `/api/data-points?locationIds=${id}&max=1000`);
      expect(inbox.count).toBe(dataPoints);
      const ratings = inbox.dataPoints.flatMap(({ rating }: Json) => (rating === undefined ? [] : [rating]));
      const mean = ratings.reduce((sum: number, rating: number) => sum + rating, 0) / ratings.length;
      expect(averageRating).toBeCloseTo(mean, 1);
    }
  });

  test('reviews span a year, several languages and all ratings; most old ones are read', async () => {
    const { inbox } = await get(partner, '/api/data-points?types=REVIEW&max=1000');
    const reviews: Json[] = inbox.dataPoints;
    const ages = reviews.map(({ actionDate }) => (Date.now() - Date.parse(actionDate)) / dayMs);
    expect(Math.max(...ages)).toBeGreaterThan(300);
    expect(Math.max(...ages)).toBeLessThan(366);
    expect(Math.min(...ages)).toBeLessThan(30);
    expect(new Set(reviews.map(({ language }) => language)).size).toBeGreaterThan(3);
    expect(new Set(reviews.map(({ rating }) => rating)).size).toBeGreaterThanOrEqual(4);
    const old = reviews.filter(({ threadActionDate }) => Date.parse(threadActionDate) < Date.now() - 15 * dayMs);
    const read = old.filter((review) => review.read).length / old.length;
    expect(read).toBeGreaterThan(0.8);
    expect(read).toBeLessThan(1);
    expect(reviews.some((review) => !review.read)).toBe(true);
  });

  test('imports a year of insights', async () => {
    const old = listings.filter(({ type, syncStatus }) => type === 'BING' && syncStatus !== 'NOT_FOUND');
    const year = await Promise.all(
      old.map(async ({ id, listingId }) => {
        const { rows } = await api.database.pool.query(
          `select metric, to_char(day, 'YYYY-MM-DD') as day, count from (${insightDays}) as days
           where listing_id = $1 order by 1, 2`,
          [id],
        );
        const shown =
          rows.length > 0 &&
          (await sandbox.directories
            .connector('BING', anyCaller)
            .readInsights(listingId, rows[0].day, rows.at(-1).day));
        return { days: new Set(rows.map(({ day }) => day)).size, rows, shown };
      }),
    );
    const counted = year.filter(({ days }) => days > 300);
    expect(counted.length).toBeGreaterThan(3);
    for (const { rows, shown } of counted) {
      const inOrder = (shown as Json[]).toSorted((a, b) => (`${a.metric}${a.day}` < `${b.metric}${b.day}` ? -1 : 1));
      expect(inOrder).toEqual(rows);
    }
  });

  test('stores pictures as assets in a folder per business', async () => {
    expect(task.result).toMatchObject({ assets: 6 });
    const { assets } = await get(partner, '/api/dam/assets?size=50');
    expect(assets.filter(({ type }: Json) => type === 'SOCIAL_POST_TEMPLATE')).toHaveLength(1);
    const pictures = assets.filter(({ type }: Json) => type === 'IMAGE');
    expect(pictures).toHaveLength(6);
    for (const picture of pictures) {
      expect(picture).toMatchObject({ mimeType: 'image/jpeg', width: 1200, height: 800, createdBy: 'SYSTEM' });
      expect(picture).toMatchObject({ allManagedResources: false, businessIds: [expect.any(Number)] });
    }
    const { folders } = await get(partner, '/api/dam/folders');
    expect(folders).toHaveLength(4);
    const { rows } = await api.database.pool.query('select from unsettled_files');
    expect(rows).toEqual([]);
  });

  test('publishes or schedules posts for half of the locations', async () => {
    const { socialPosts } = await get(partner, '/api/social-posts');
    expect(socialPosts.length).toBe(task.result.posts);
    const byStatus = (status: string) => socialPosts.filter((post: Json) => post.status === status);
    expect(byStatus('SCHEDULED').length).toBeGreaterThan(0);
    expect(byStatus('ACTIVE').length).toBeGreaterThan(1);
    for (const { id, description } of byStatus('ACTIVE')) {
      const { publications } = await get(partner, `/api/social-posts/${id}/publications`);
      const published = publications.filter(({ status }: Json) => status === 'PUBLISHED');
      expect(published.length, description).toBeGreaterThan(0);
    }
    const posted = new Set(socialPosts.flatMap(({ locationIds }: Json) => locationIds));
    expect(locations.some(({ id }) => !posted.has(id))).toBe(true);
  });

  test('imports brand pages with their datapoints', async () => {
    const { directoryBusinessPages } = await get(partner, '/api/directory-business-pages');
    expect(directoryBusinessPages).toHaveLength(6);
    const ids = directoryBusinessPages.map(({ id }: Json) => id).join();
    const { inbox } = await get(partner, `/api/data-points?directoryBusinessPageIds=${ids}`);
    expect(inbox.count).toBeGreaterThan(100);
  });

  test('a second request creates nothing twice', { timeout: patience }, async () => {
    // Finish submissions that were postponed by a rate limit first, some of them again.
    const postponed = async () => {
      await runJobs(api.database, { directories: sandbox.directories, early: true });
      const { rowCount } = await api.database.pool.query(
        `select from graphile_worker.jobs where key ~ '^listings\\.submit-'`,
      );
      return rowCount;
    };
    await expect.poll(postponed).toBe(0);
    const before = { ...(await counts(partner)), shown: await pagesShown() };
    const again = await createDemoData(api.database, sandbox.directories, partner.partner);
    expect(again).toMatchObject({ status: 'FINISHED', result: { pages: 0 } });
    expect({ ...(await counts(partner)), shown: await pagesShown() }).toEqual(before);
  });
});
