import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { FeedbackScene, type LinkedLocation } from '../../../../test/support/feedback.ts';
import { insightDays } from '../../../../test/support/figures.ts';
import { addUser } from '../../../../test/support/users.ts';
import type { JobContext } from '../../../jobs/job.ts';
import { dayOf, daysAfter } from '../../../values/span.ts';
import type { DirectoryConnector } from '../../directories/index.ts';
import { insightJobs } from './insight-jobs.ts';

let scene: FeedbackScene;
let partner: TestPartner;
let place: LinkedLocation;

beforeAll(async () => {
  scene = await FeedbackScene.open();
});
afterAll(() => scene.close());

beforeEach(async () => {
  partner = await scene.api.addPartner();
  place = await scene.addLinkedLocation(partner);
  await scene.control.seed('GOOGLE', place.page, { days: 120, perMonth: 1 });
});

const today = dayOf(new Date());
/** Sandbox directories report with a delay of one day. */
const latest = daysAfter(today, -2);
const collect = () => scene.run('insights.collect', { listingId: place.listingId });
const read = (query = '', by: { call: TestPartner['call'] } = partner) =>
  by.call('GET', `/api/listings/${place.listingId}/insights?${query}`);
const kept = async () =>
  (
    await scene.query(
      `select metric, to_char(day, 'YYYY-MM-DD') as day, count from (${insightDays}) as days
       where listing_id = $1 order by metric, days.day`,
      [place.listingId],
    )
  ).rows;

test('collects daily counts and monthly keywords of a listing', async () => {
  await collect();
  const rows = await kept();
  const calls = rows.filter(({ metric }) => metric === 'CALL_CLICKS');
  expect(calls.length).toBeGreaterThan(110);
  expect(calls.at(-1).day).toBe(latest);
  expect(rows.some(({ day }) => day >= today)).toBe(false);
  const keywords = await scene.query(
    `select count(*), min(impressions) from search_keywords where listing_id = $1 and location_id = $2`,
    [place.listingId, place.locationId],
  );
  expect(keywords.rows[0].count).toBeGreaterThan(0);
});

test('repeated and concurrent collections change nothing', async () => {
  await collect();
  const before = await kept();
  await Promise.all([collect(), collect()]);
  expect(await kept()).toEqual(before);
});

test('the next collection fills gaps', async () => {
  await collect();
  const before = await kept();
  await scene.query(
    `update insights set counts = array(
       select case when month + (number - 1)::integer between $2 and $3 then null else count end
       from unnest(counts) with ordinality as day (count, number) order by number
     )
     where listing_id = $1`,
    [place.listingId, daysAfter(today, -20), daysAfter(today, -18)],
  );
  expect(await kept()).not.toEqual(before);
  await collect();
  expect(await kept()).toEqual(before);
});

test('retries a directory that is down without loss', async () => {
  await scene.control.simulateOutage('GOOGLE');
  await collect();
  expect(await kept()).toEqual([]);
  await scene.control.endFailure('GOOGLE');
  await scene.query('update listings set insights_due = now() where id = $1', [place.listingId]);
  await expect
    .poll(async () => {
      await scene.run('insights.schedule', {});
      await scene.query('update listings set insights_due = now() where id = $1', [place.listingId]);
      return (await kept()).at(-1)?.day;
    })
    .toBe(latest);
});

const collectWith = (context: Partial<JobContext>) =>
  insightJobs
    .find(({ name }) => name === 'insights.collect')
    ?.run({ listingId: place.listingId }, { ...scene.context, ...context });

test('a collection that ends because the process stops is due again at once', async () => {
  await collectWith({ signal: AbortSignal.abort() });
  const { rows } = await scene.query('select insights_due <= now() as due from listings where id = $1', [
    place.listingId,
  ]);
  expect(rows).toEqual([{ due: true }]);
});

test('removes the keywords of a month that has none on the directory any more', async () => {
  await collect();
  const keywords = async () => {
    const thisMonth = `startDate=${today.slice(0, 7)}-01&endDate=${today}`;
    return (await partner.call('GET', `/api/dashboard/search-keywords?${thisMonth}`)).body.response;
  };
  expect((await keywords()).keywordsCount).toBeGreaterThan(0);
  const empty = { readInsights: async () => [], readKeywords: async () => [] } as unknown as DirectoryConnector;
  await collectWith({ directories: { list: [], connector: () => empty } });
  expect(await keywords()).toMatchObject({ keywordsCount: 0, totalImpressions: { current: 0, previous: 0 } });
});

/** A connector with this count for each day, and this keyword for each month. */
function fixedConnector(count: number, keyword: string | null) {
  const requests: string[] = [];
  const connector = {
    readInsights: async (page: string, from: string, to: string) => {
      requests.push(`${page} counts`);
      return [from, to].map((day) => ({ metric: 'CALL_CLICKS', day, count }));
    },
    readKeywords: async (page: string, month: string) => {
      requests.push(`${page} ${month}`);
      return keyword === null ? [] : [{ month, keyword, impressions: count }];
    },
  } as unknown as DirectoryConnector;
  return { requests, directories: { list: [], connector: () => connector } };
}

test('insights of a page to which the listing was linked by mistake are removed with the next collection', async () => {
  await collect();
  await scene.query('update listings set external_id = $2 where id = $1', [place.listingId, 'the-right-page']);
  const right = fixedConnector(7, 'right');
  await collectWith({ directories: right.directories });
  expect(new Set((await kept()).map(({ count }) => count))).toEqual(new Set([7]));
  expect(right.requests.filter((request) => request !== 'the-right-page counts')).toHaveLength(12);
  const since = daysAfter(today, -300);
  const { body } = await partner.call('GET', `/api/dashboard/search-keywords?startDate=${since}`);
  expect(body.response).toMatchObject({ keywordsCount: 1 });
  const figures = await partner.call('GET', `/api/dashboard/insights-data?type=GOOGLE&startDate=${since}`);
  const calls = figures.body.response.metrics.find(({ name }: { name: string }) => name === 'CALL_CLICKS');
  const expected = (await kept()).filter(({ day }) => day >= since).length * 7;
  expect(calls.data.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(expected);
});

test('a collection of a page that is no longer linked stores nothing', async () => {
  const slow = fixedConnector(5, 'old');
  const connector = slow.directories.connector();
  const relinked = {
    ...connector,
    readInsights: async (page: string, from: string, to: string) => {
      await scene.query('update listings set external_id = $2 where id = $1', [place.listingId, 'another-page']);
      return connector.readInsights(page, from, to);
    },
  } as DirectoryConnector;
  await collectWith({ directories: { list: [], connector: () => relinked } });
  expect(await kept()).toEqual([]);
});

test('months without keywords are read once', async () => {
  const none = fixedConnector(1, null);
  await collectWith({ directories: none.directories });
  expect(none.requests.filter((request) => !request.endsWith('counts'))).toHaveLength(12);
  none.requests.length = 0;
  await collectWith({ directories: none.directories });
  expect(none.requests.filter((request) => !request.endsWith('counts'))).toHaveLength(2);
});

test.each(['INACTIVE', 'DELETED'])('insights of a location that is %s are not collected', async (status) => {
  await scene.query('update locations set status = $2 where id = $1', [place.locationId, status]);
  await scene.run('insights.schedule', {});
  expect(await kept()).toEqual([]);
  const { rows } = await scene.query(
    `select insights_due > now() + interval '11 hours' as later from listings where id = $1`,
    [place.listingId],
  );
  expect(rows).toEqual([{ later: true }]);
});

test('listings stay due when the schedule fails to enqueue their collections', async () => {
  await scene.query(`
    create function reject() returns trigger language plpgsql as $$ begin raise exception 'rejected'; end $$;
    create trigger reject before insert on graphile_worker._private_jobs for each row execute function reject()`);
  const schedule = insightJobs.find(({ name }) => name === 'insights.schedule');
  await expect(schedule?.run({}, scene.context)).rejects.toThrow('rejected');
  await scene.query('drop function reject cascade');
  const { rows } = await scene.query('select insights_due <= now() as due from listings where id = $1', [
    place.listingId,
  ]);
  expect(rows).toEqual([{ due: true }]);
});

test('the schedule enqueues each due listing once', async () => {
  const { rows } = await scene.query('select insights_due <= now() as due from listings where id = $1', [
    place.listingId,
  ]);
  expect(rows).toEqual([{ due: true }]);
  await Promise.all([scene.run('insights.schedule', {}), scene.run('insights.schedule', {})]);
  expect((await kept()).length).toBeGreaterThan(0);
  const after = await scene.query(
    `select insights_due > now() + interval '1 hour' as later from listings where id = $1`,
    [place.listingId],
  );
  expect(after.rows).toEqual([{ later: true }]);
});

test('returns insights by day and metric', async () => {
  await collect();
  const from = daysAfter(latest, -6);
  const { body } = await read(`from=${from}&to=${latest}&metrics=CALL_CLICKS,WEBSITE_CLICKS`);
  expect(body.response).toMatchObject({
    listingId: place.listingId,
    directoryType: 'GOOGLE',
    from,
    to: latest,
    availableUntil: latest,
    metrics: [{ name: 'CALL_CLICKS' }, { name: 'WEBSITE_CLICKS' }],
  });
  const stored = await kept();
  for (const { name, data } of body.response.metrics) {
    const expected = stored.filter(({ metric, day }) => metric === name && day >= from);
    expect(data).toEqual(expected.map(({ day, count }) => ({ period: day, count })));
    expect(data).toHaveLength(7);
  }
  expect((await read()).body.response.metrics).toHaveLength(9);
});

test.each([
  'from=2026-02-30',
  'from=latest',
  'from=2026-02-02&to=2026-02-01',
  'from=2020-01-01&to=2026-01-01',
  'metrics=CLICKS_OF_THE_HEEL',
])('rejects %s', async (query) => {
  expect((await read(query)).code).toBe(400);
});

test('requires access to the listing', async () => {
  const stranger = await scene.api.addPartner();
  const outside = await addUser(scene.api, partner, { role: 'BUSINESS_MANAGER', features: ['DASHBOARD_READ'] });
  const inside = await addUser(scene.api, partner, {
    role: 'BUSINESS_MANAGER',
    features: ['DASHBOARD_READ'],
    businessIds: [place.businessId],
  });
  expect((await read('', stranger)).code).toBe(404);
  expect((await read('', outside)).code).toBe(404);
  expect((await read('', inside)).code).toBe(200);
});

// Last, because the sandbox clock only moves forward.
test('collects the next day without losing earlier ones', async () => {
  await collect();
  const before = await kept();
  await scene.control.advanceClock(86_400);
  await collect();
  const after = await kept();
  expect(after.at(-1).day).toBe(daysAfter(latest, 1));
  expect(after.filter(({ day }) => day <= latest)).toEqual(before);
});

// After the others, which would run the queued collections.
test('many due listings of a directory do not delay other directories', async () => {
  const other = await scene.addLinkedLocation(partner, 'FACEBOOK');
  await scene.query(
    `with many as (
       insert into locations (partner_id, business_id, source, status, name, street, city, country)
       select $1, $2, 'API', 'ACTIVE', 'Many', 'Hafenstraße', 'Hamburg', 'DE' from generate_series(1, 600) returning id
     )
     insert into listings (partner_id, location_id, directory_type, external_id)
     select $1, id, 'GOOGLE', 'many-' || id from many`,
    [partner.partner.id, other.businessId],
  );
  await insightJobs.find(({ name }) => name === 'insights.schedule')?.run({}, scene.context);
  const { rows } = await scene.query('select insights_due > now() as claimed from listings where id = $1', [
    other.listingId,
  ]);
  expect(rows).toEqual([{ claimed: true }]);
});
