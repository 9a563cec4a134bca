import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { addReview, download, downloadFile } from '../../../../test/support/exports.ts';
import {
  addBusinessRow,
  addDailyCounts,
  addListedLocation,
  type InsightListing,
} from '../../../../test/support/figures.ts';
import { addUser, type TestUser } from '../../../../test/support/users.ts';
import { openWorkbook } from '../../../../test/support/xlsx.ts';

let api: TestApi;
let partner: TestPartner;
let north: InsightListing;
let south: InsightListing;
let manager: TestUser;

const hostile = '=HYPERLINK("http://evil.example","Süd")\u0007';
const span = 'startDate=2026-10-30&endDate=2026-11-02';

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_EXPORT_THRESHOLD: '10', WAYPOST_EXPORT_LIMIT: '50' });
  partner = await api.addPartner();
  const business = await addBusinessRow(api.database, partner);
  north = await addListedLocation(api.database, partner, business, ['GOOGLE', 'FACEBOOK']);
  south = await addListedLocation(api.database, partner, business);
  const gone = await addListedLocation(api.database, partner, business);
  const rename = 'update locations set name = $2, identifier = $3, profile_completeness = 80 where id = $1';
  await api.database.pool.query(rename, [north.locationId, 'Nørd', 'N-1']);
  await api.database.pool.query(rename, [south.locationId, hostile, 'S-1']);
  // The days before the span, for the comparison.
  await addDailyCounts(api.database, north, 'CALL_CLICKS', '2026-10-26', [0, 0, 5, 5, 1, 2, 3, 4]);
  await addDailyCounts(api.database, north, 'BUSINESS_IMPRESSIONS_MOBILE_MAPS', '2026-10-30', [100, 200, 300, 400]);
  await addDailyCounts(api.database, south, 'CALL_CLICKS', '2026-11-01', [30, 40, 99]);
  await addDailyCounts(api.database, gone, 'CALL_CLICKS', '2026-10-30', [1000]);
  const { rows } = await api.database.pool.query(
    "select id from listings where location_id = $1 and directory_type = 'FACEBOOK'",
    [north.locationId],
  );
  const onFacebook = { ...north, listingId: rows[0].id, directoryType: 'FACEBOOK' };
  await addDailyCounts(api.database, onFacebook, 'PAGE_CONSUMPTIONS', '2026-11-01', [7]);
  await api.database.pool.query("update locations set status = 'DELETED' where id = $1", [gone.locationId]);
  await addReview(api, north, { day: '2026-10-30', rating: 5, repliedAfterHours: 2 });
  await addReview(api, north, { day: '2026-11-02', rating: 2 });
  await addReview(api, south, { day: '2026-11-02', rating: 4, repliedAfterHours: 4 });
  await addReview(api, south, { day: '2026-10-29', rating: 1 });
  manager = await addUser(api, partner, {
    role: 'LOCATION_MANAGER',
    features: ['DASHBOARD_READ'],
    locationIds: [south.locationId],
  });
});
afterAll(() => api.close());

const insights = (query = '') => `/api/dashboard/export-insights-data?${span}${query}`;
const opened = async (path: string, by: TestPartner | TestUser = partner) =>
  openWorkbook(await downloadFile(api, by, path));
/** A date as a spreadsheet serial number. */
const serial = (day: string) => (Date.parse(day) - Date.parse('1899-12-30')) / 86_400_000;
/** The row of a page that starts with a text. */
const line = (rows: unknown[][], label: string) => rows.find(([first]) => first === label)?.slice(1);

describe('insights export', () => {
  test('has one row per location and day and one sheet per directory', async () => {
    const { book, rows } = await opened(
      insights('&metrics=CALL_CLICKS,BUSINESS_IMPRESSIONS_MOBILE_MAPS,PAGE_CONSUMPTIONS'),
    );
    expect(book.SheetNames).toEqual(['Summary', 'Google', 'Facebook']);
    const place = ({ locationId }: InsightListing, identifier: string, name: string) => [
      locationId,
      identifier,
      name,
      'Hamburg',
      'DE',
    ];
    const days = ['2026-10-30', '2026-10-31', '2026-11-01', '2026-11-02'].map(serial);
    expect(rows('Google')).toEqual([
      ['Id', 'Identifier', 'Location', 'City', 'Country', 'Period', 'Views on Maps (mobile)', 'Calls'],
      ...[0, 1, 2, 3].map((index) => [...place(north, 'N-1', 'Nørd'), days[index], (index + 1) * 100, index + 1]),
      [...place(south, 'S-1', hostile), days[2], null, 30],
      [...place(south, 'S-1', hostile), days[3], null, 40],
    ]);
    expect(rows('Facebook').slice(1)).toEqual([[...place(north, 'N-1', 'Nørd'), days[2], 7]]);
  });

  test('sums by group in all languages', async () => {
    const { rows, book } = await opened(insights('&type=GOOGLE&metrics=CALL_CLICKS&group=MONTH&language=de'));
    expect(book.SheetNames).toEqual(['Übersicht', 'Google']);
    const [head, ...lines] = rows('Google');
    expect(head).toEqual(['Id', 'Kennung', 'Standort', 'Ort', 'Land', 'Zeitraum', 'Anrufe']);
    expect(lines.map((row) => row.slice(5))).toEqual([
      [serial('2026-10-01'), 1 + 2],
      [serial('2026-11-01'), 3 + 4],
      [serial('2026-11-01'), 30 + 40],
    ]);
  });

  test('starts with totals, comparison and chart', async () => {
    const { rows, parts } = await opened(insights());
    const summary = rows('Summary');
    expect(line(summary, 'Calls')).toEqual([80, 10, 7]);
    // Facebook has counted 1 November only: sums end there and have no comparison.
    expect(summary.flat()).toContainEqual(expect.stringContaining('counted until 2026-11-01'));
    expect(line(summary, 'Customer actions')).toEqual([1 + 2 + 3 + 30 + 7]);
    expect(line(summary, 'Views')).toEqual([600]);
    const first = summary.findIndex(([label]) => label === serial('2026-10-30')) + 1;
    expect(summary.slice(first - 1).map((row) => row[2])).toEqual([1, 2, 33 + 7, undefined]);
    const chart = String(parts.get('xl/charts/chart2.xml'));
    expect(chart).toContain(`<c:f>'Summary'!$C$${first}:$C$${first + 2}</c:f>`);
    expect(chart).toContain('<c:pt idx="2"><c:v>40</c:v></c:pt>');
  });

  test('contains only accessible locations for a restricted user', async () => {
    const { rows, book } = await opened(insights(), manager);
    expect(book.SheetNames).toEqual(['Summary', 'Google']);
    expect(
      new Set(
        rows('Google')
          .slice(1)
          .map(([id]) => id),
      ),
    ).toEqual(new Set([south.locationId]));
    expect(line(rows('Summary'), 'Calls')).toEqual([70]);
    expect((await download(api, manager, insights(`&locationIds=${north.locationId}`))).code).toBe(404);
  });

  test('is a named file that is not cached', async () => {
    const { headers } = await download(api, partner, insights());
    expect(headers.get('content-type')).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
    expect(headers.get('content-disposition')).toContain('filename="Insights 2026-10-30 to 2026-11-02.xlsx"');
    expect(headers.get('cache-control')).toBe('no-store');
    const head = await fetch(`http://127.0.0.1:${api.port}${insights()}`, {
      method: 'HEAD',
      headers: { privateKey: partner.privateKey },
    });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('is an empty summary without data', async () => {
    const { book, rows } = await opened('/api/dashboard/export-insights-data?startDate=2020-01-01&endDate=2020-01-31');
    expect(book.SheetNames).toEqual(['Summary']);
    expect(line(rows('Summary'), 'Views')).toEqual([0, 0]);
  });

  test.each([
    ['&type=GOGLE', 'type', 'GOOGLE, FACEBOOK'],
    ['&type=GOOGLE&metrics=PAGE_CONSUMPTIONS', 'metrics', 'CALL_CLICKS'],
    ['&group=DECADE', 'group', 'DAY'],
    ['&language=xx', 'language', 'en'],
  ])('rejects %s and lists accepted values', async (query, field, accepted) => {
    const { code, body } = await partner.call('GET', insights(query));
    expect(code).toBe(400);
    expect(body.errors[0].field).toBe(field);
    expect(body.message).toContain(accepted);
  });

  test('rejects dates in the wrong order and too many rows', async () => {
    const backwards = '/api/dashboard/export-insights-data?startDate=2026-11-02&endDate=2026-11-01';
    expect((await partner.call('GET', backwards)).body.errors).toMatchObject([{ field: 'endDate', rule: 'order' }]);
    // Two locations, 7 days of Google and one of Facebook: 2 × 8 rows; the limit is 50.
    await addDailyCounts(api.database, south, 'WEBSITE_CLICKS', '2025-01-01', [1]);
    const { code, body } = await partner.call(
      'GET',
      '/api/dashboard/export-insights-data?startDate=2026-01-01&type=GOOGLE',
    );
    expect(code).toBe(400);
    expect(body).toMatchObject({ status: 'USER_ERROR', errorCode: 'LIMIT_REACHED' });
    expect(body.message).toContain('50 are allowed');
  });

  test('requires the feature and a key', async () => {
    const other = await addUser(api, partner, { role: 'LOCATION_MANAGER', features: ['INBOX_READ'] });
    expect((await other.call('GET', insights())).code).toBe(403);
    expect((await api.call('GET', insights())).code).toBe(401);
  });
});

describe('insights with a threshold', () => {
  const path = (query: string) => `/api/dashboard/export-insights-data-with-threshold?${span}&type=FACEBOOK${query}`;

  test('returns the URL of a small file', async () => {
    const { body } = await manager.call('GET', path(''));
    expect(body.response).toMatchObject({ rows: 0, threshold: 10 });
    const response = (await partner.call('GET', path('&group=WEEK'))).body.response;
    expect(response).toMatchObject({ rows: 2, threshold: 10 });
    const { rows } = await opened(response.url);
    expect(rows('Facebook')[1]?.slice(5)).toEqual([serial('2026-10-26'), null, 7]);
  });

  test('creates a job for a large file', async () => {
    const { code, body } = await partner.call('GET', path('&type=GOOGLE'));
    expect(code).toBe(200);
    expect(body.response).toMatchObject({ rows: 2 * 4 + 2 * 1 });
    const more = await partner.call('GET', path('&type=GOOGLE').replace('10-30', '10-27'));
    expect(more.body.response).toMatchObject({
      threshold: 10,
      job: { status: 'CREATED', progress: 0, type: 'INSIGHTS' },
    });
    const { jobId, job, rows } = more.body.response;
    expect(rows).toBeGreaterThan(10);
    expect(jobId).toBe(job.id);
    expect((await partner.call('GET', `/api/dashboard/excel-exports/${jobId}`)).body.response).toEqual(job);
  });
});

describe('dashboard export', () => {
  const path = `/api/dashboard/excel-export?${span}`;

  test('contains a summary, feedback and insights by period, and locations', async () => {
    const { book, rows } = await opened(path);
    expect(book.SheetNames).toEqual(['Summary', 'Feedback by period', 'Insights by period', 'Locations']);
    const summary = rows('Summary');
    expect(summary[1]).toEqual([partner.partner.name]);
    expect(line(summary, 'Customer interactions')).toEqual([3, 1, 2]);
    expect(line(summary, 'Average rating')).toEqual([11 / 3, 1, 11 / 3 - 1]);
    expect(line(summary, 'Response rate')).toEqual([2 / 3, 0]);
    expect(line(summary, 'Profile completeness')).toEqual([0.8]);
    expect(line(summary, '5 stars')).toEqual([1, 1 / 3]);
    expect(rows('Feedback by period')).toEqual([
      ['Period', 'Customer interactions', 'Ratings', 'Average rating'],
      [serial('2026-10-30'), 1, 1, 5],
      [serial('2026-10-31'), 0, 0],
      [serial('2026-11-01'), 0, 0],
      [serial('2026-11-02'), 2, 2, 3],
    ]);
    const [head, ...periods] = rows('Insights by period');
    const calls = head?.indexOf('Google: Calls') ?? -1;
    expect(periods.map((row) => row[calls])).toEqual([1, 2, 33, 44]);
    const locations = rows('Locations');
    expect(locations.map((row) => row.slice(0, 3))).toEqual([
      ['Id', 'Identifier', 'Location'],
      [north.locationId, 'N-1', 'Nørd'],
      [south.locationId, 'S-1', hostile],
    ]);
    expect(locations[1]?.[locations[0]?.indexOf('Completeness') ?? -1]).toBe(0.8);
    // Completeness 80 % of 30, sync 0 of 30, one of two reviews of 20, no post, no messages.
    expect(locations[1]?.[locations[0]?.indexOf('Score') ?? -1]).toBe(24 + 0 + 10 + 0 + 10);
  });

  test('contains the figures of the requested directories', async () => {
    const ofGoogle = (await opened(`${path}&type=google`)).rows('Summary');
    expect(line(ofGoogle, 'Customer interactions')).toEqual([3, 1, 2]);
    const ofYelp = (await opened(`${path}&type=YELP`)).rows('Summary');
    expect(line(ofYelp, 'Customer interactions')?.slice(0, 2)).toEqual([0, 0]);
    expect(line(ofYelp, '5 stars')?.[0]).toBe(0);
    const ofOthers = await opened(`${path}&type=YELP&type=FACEBOOK`);
    expect(line(ofOthers.rows('Summary'), 'Customer interactions')?.slice(0, 2)).toEqual([0, 0]);
    expect(line(ofOthers.rows('Summary'), 'Response rate')).toEqual([]);
    expect(line(ofOthers.rows('Summary'), 'Customer actions')?.[0]).toBe(7);
    const ofBoth = (await opened(`${path}&type=YELP,GOOGLE`)).rows('Summary');
    expect(line(ofBoth, 'Customer interactions')).toEqual([3, 1, 2]);
    expect((await download(api, partner, `${path}&type=NOWHERE`)).code).toBe(400);
  });

  test('is complete while the partner is being moved', async () => {
    const { id } = partner.partner;
    const { pool } = api.database;
    await pool.query(`
      insert into home_waiting (partner_id, location_id) values (${id}, ${north.locationId});
      create trigger partner_move_${id} before delete on home_waiting for each row when (old.partner_id = ${id})
        execute function refuse_moving_partner('${id}')`);
    onTestFinished(async () => {
      await pool.query(`drop trigger partner_move_${id} on home_waiting`);
    });
    expect((await opened(path)).rows('Locations')).toHaveLength(3);
  });

  test('contains only accessible locations for a restricted user', async () => {
    const { rows } = await opened(path, manager);
    expect(
      rows('Locations')
        .slice(1)
        .map(([id]) => id),
    ).toEqual([south.locationId]);
    expect(line(rows('Summary'), 'Customer interactions')).toEqual([1, 1, 0]);
    expect(rows('Summary')[1]).toEqual([hostile]);
  });

  test('contains no data of another partner', async () => {
    const stranger = await api.addPartner();
    const { rows } = await opened(path, stranger);
    expect(rows('Locations')).toHaveLength(1);
    expect((await download(api, stranger, `${path}&locationIds=${north.locationId}`)).code).toBe(404);
  });
});

describe('concurrent downloads', () => {
  const path = `/api/dashboard/excel-export?${span}`;
  const start = (by: TestPartner, query = '', options: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${api.port}${path}${query}`, { headers: { privateKey: by.privateKey }, ...options });
  const codesOf = (responses: Response[]) => responses.map(({ status }) => status);

  /** Downloads wait for the returned connection, after their first bytes. */
  async function blockDownloads() {
    const { database } = api;
    const lock = await database.pool.connect();
    onTestFinished(async () => {
      await lock.query('rollback');
      lock.release();
    });
    const block = () => lock.query('begin; lock table feedback_deltas');
    await block();
    return { block, unblock: () => lock.query('rollback') };
  }

  test('are limited per partner, until they are complete, have failed or are aborted', async () => {
    const { pool } = api.database;
    const [own, stranger] = [await api.addPartner(), await api.addPartner()];
    for (const _ of [1, 2, 3, 4]) {
      expect((await start(own, '', { method: 'HEAD' })).status).toBe(200);
      expect((await start(own, '&locationIds=1')).status).toBe(404);
    }
    const complete = async () => {
      const responses = await Promise.all([start(own), start(own), start(own)]);
      await Promise.all(responses.map((response) => response.bytes()));
      return codesOf(responses);
    };
    expect(await complete()).toEqual([200, 200, 200]);
    expect(await complete()).toEqual([200, 200, 200]);

    const { block, unblock } = await blockDownloads();
    const failing = [await start(own), await start(own), await start(own), await start(stranger)];
    expect(codesOf(failing)).toEqual([200, 200, 200, 200]);
    const refused = await start(own);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '15']);
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining('Too many exports') });
    const waiting = "pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await expect.poll(async () => (await pool.query(`select from ${waiting}`)).rowCount).toBe(failing.length);
    await pool.query(`select pg_cancel_backend(pid) from ${waiting}`);
    const bodies = await Promise.allSettled(failing.map((response) => response.bytes()));
    expect(new Set(bodies.map(({ status }) => status))).toEqual(new Set(['rejected']));
    await unblock();
    await expect.poll(complete).toEqual([200, 200, 200]);

    await block();
    const client = new AbortController();
    for (const _ of [1, 2, 3]) expect((await start(own, '', { signal: client.signal })).status).toBe(200);
    client.abort();
    await unblock();
    await expect.poll(complete).toEqual([200, 200, 200]);
  });

  test('of child partners count for the parent partner that requests them', async () => {
    const parent = await api.addPartner();
    const children = [parent, await api.addPartner(parent), await api.addPartner(parent), await api.addPartner(parent)];
    const { unblock } = await blockDownloads();
    const responses: Response[] = [];
    for (const { partner: child } of children) responses.push(await start(parent, `&salesPartnerId=${child.id}`));
    expect(codesOf(responses)).toEqual([200, 200, 200, 429]);
    await unblock();
    await Promise.all(responses.map((response) => response.bytes()));
  });
});
