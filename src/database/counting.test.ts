import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { TestApi, type TestPartner } from '../../test/support/api.ts';
import { addLocation } from '../../test/support/locations.ts';
import type { Sql } from './connection.ts';
import { countOf, invalidateCounts } from './counting.ts';

let api: TestApi;
let partner: TestPartner;
let location: { id: number; businessId: number };
let listingId: number;

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  partner = await api.addPartner();
  location = await addLocation(partner);
  const { rows } = await api.database.pool.query<{ id: number }>(
    "insert into listings (partner_id, location_id, directory_type, external_id) values ($1, $2, 'GOOGLE', 'x') returning id",
    [partner.partner.id, location.id],
  );
  listingId = rows[0]?.id ?? 0;
});
afterAll(() => api.close());

const addDatapoints = (count: number, { isRead = false } = {}) =>
  api.database.pool.query(
    `insert into datapoints (partner_id, business_id, location_id, listing_id, directory_type, external_id, type, author, read,
       action_date, thread_action_date, fingerprint, text)
     select $1, $2, $3, $6, 'GOOGLE', gen_random_uuid()::text, 'REVIEW', 'Anna', $5, now() - n * interval '1 minute',
       now() - n * interval '1 minute', '', 'Good bread'
     from generate_series(1, $4::integer) as n`,
    [partner.partner.id, location.businessId, location.id, count, isRead, listingId],
  );

const inbox = async (query: string) => (await partner.call('GET', `/api/data-points?${query}`)).body.response.inbox;

test('a client that reads while page * max < count reads every datapoint', async () => {
  await addDatapoints(2500);
  const seen = new Set<number>();
  for (let page = 0, count = 1; page * 1000 < count; page += 1) {
    const { dataPoints, ...rest } = await inbox(`max=1000&page=${page}&fieldMask=id`);
    expect(rest).toMatchObject({ page, pageSize: 1000, count: 2500, countIsExact: true });
    for (const { id } of dataPoints) seen.add(id);
    count = rest.count;
  }
  expect(seen.size).toBe(2500);
});

test('deep pages by offset equal pages by after', async () => {
  const byPage: number[] = [];
  for (let page = 0; page < 6; page += 1) {
    byPage.push(...(await inbox(`max=500&page=${page}&fieldMask=id`)).dataPoints.map(({ id }: { id: number }) => id));
  }
  const byAfter: number[] = [];
  for (let after = ''; ; ) {
    const page = await inbox(`max=500&fieldMask=id${after && `&after=${after}`}`);
    byAfter.push(...page.dataPoints.map(({ id }: { id: number }) => id));
    if (page.after === undefined) break;
    after = page.after;
  }
  expect(byPage).toEqual(byAfter);
});

test('a change of the last entry of a page does not move the next page by offset', async () => {
  const { id } = partner.partner;
  await api.database.pool.query(
    `insert into businesses (partner_id, name, type) select $1, 'Page ' || n, 'SMB' from generate_series(1001, 2010) as n`,
    [id],
  );
  const names = async (offset: number, max: number) => {
    const { body } = await partner.call('GET', `/api/businesses?sort=name&query=Page&offset=${offset}&max=${max}`);
    return body.response.businesses.map(({ name }: { name: string }) => name);
  };
  expect((await names(500, 500)).at(-1)).toBe('Page 2000');
  await api.database.pool.query(`update businesses set name = 'Page 0' where partner_id = $1 and name = 'Page 2000'`, [
    id,
  ]);
  expect(await names(1000, 2)).toEqual(['Page 2001', 'Page 2002']);
});

test('counts rows that were added or changed since the last count', async () => {
  expect((await inbox('isRead=false&max=1')).count).toBe(2500);
  await addDatapoints(7);
  const { count, dataPoints } = await inbox('isRead=false&max=1');
  expect(count).toBe(2507);
  await partner.call('PATCH', '/api/data-points', { ids: [dataPoints[0].id], read: true });
  expect((await inbox('isRead=false&max=1')).count).toBe(2506);
});

test('lists can be read by offset beyond 10,000', async () => {
  await addDatapoints(10_000);
  const ids = new Set<number>();
  for (const page of [10, 11, 12]) {
    for (const { id } of (await inbox(`max=1000&page=${page}&fieldMask=id`)).dataPoints) ids.add(id);
  }
  expect(ids.size).toBe(2507);
});

test('above 100,000 the count is an upper bound for every filter', async () => {
  const addEntries = (count: number, subject: string) =>
    api.database.pool.query(
      `insert into audit_trail (partner_id, actor, action, subject, details)
       select $1, 'SYSTEM', 'CHANGED', $2, '{}' from generate_series(1, $3::integer)`,
      [partner.partner.id, subject, count],
    );
  const list = async (query: string) => (await partner.call('GET', `/api/audit-trail?max=1&${query}`)).body.response;
  await addEntries(99_000, 'MANY');
  expect(await list('subject=MANY')).toMatchObject({ count: 99_000, countIsExact: true });
  await addEntries(2000, 'MANY');
  await addEntries(5000, 'FEW');
  const { count, countIsExact } = await list('subject=MANY');
  expect(countIsExact).toBe(false);
  expect(count).toBeGreaterThanOrEqual(101_000);
  expect(count).toBeLessThan(130_000);
  expect(await list('subject=FEW')).toMatchObject({ count: 5000, countIsExact: true });
  await addEntries(20_000, 'MANY');
  expect((await list('subject=MANY')).count).toBeGreaterThanOrEqual(121_000);
});

describe('a count that is still requested after five seconds', () => {
  const partnerId = 7;
  let sql: Sql;
  let counts: PromiseWithResolvers<number>[];
  let laterMs: number;

  beforeEach(() => {
    const now = performance.now.bind(performance);
    laterMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now() + laterMs);
    // Each has its own cache.
    sql = {} as Sql;
    counts = [];
  });
  afterEach(() => void vi.restoreAllMocks());

  const upTo = async () => {
    const count = Promise.withResolvers<number>();
    counts.push(count);
    return { count: await count.promise, lastId: 1 };
  };
  const request = () =>
    countOf(sql, { table: 'datapoints', key: 'k', partnerId, lastId: 1, upTo, total: { key: 't', count: upTo } });
  const requestAndCount = async (index: number, count: number) => {
    const requested = request();
    await expect.poll(() => counts).toHaveLength(index + 1);
    counts[index]?.resolve(count);
    expect(await requested).toMatchObject({ count });
  };

  test('is renewed in the background', async () => {
    await requestAndCount(0, 2000);
    laterMs += 4000;
    expect(await request()).toMatchObject({ count: 2000 });
    expect(counts).toHaveLength(1);
    laterMs += 2000;
    expect(await request()).toMatchObject({ count: 2000 });
    expect(await request()).toMatchObject({ count: 2000 });
    expect(counts).toHaveLength(2);
    counts[1]?.resolve(3000);
    await expect.poll(request).toMatchObject({ count: 3000 });
    expect(counts).toHaveLength(2);
  });

  test('is counted again after a write, also during the renewal', async () => {
    await requestAndCount(0, 2000);
    laterMs += 6000;
    await request();
    invalidateCounts(sql, partnerId);
    counts[1]?.resolve(3000);
    await requestAndCount(2, 4000);
  });

  test('is counted again after ten seconds if the renewal fails', async () => {
    await requestAndCount(0, 2000);
    laterMs += 6000;
    await request();
    counts[1]?.reject(new Error('No connection.'));
    laterMs += 6000;
    await requestAndCount(2, 4000);
  });
});

describe('a write of the partner ends the cached count of', () => {
  const countOf = async (path: string) => (await partner.call('GET', `${path}?max=1`)).body.response.count;
  const write = () => partner.call('PATCH', `/api/locations/${location.id}`, { name: 'Bakery' });

  // The ids must differ from the id of the partner.
  beforeAll(async () => {
    await api.database.pool.query(
      `select setval(pg_get_serial_sequence('locations', 'id'), 1000), setval(pg_get_serial_sequence('tasks', 'id'), 2000)`,
    );
    location = await addLocation(partner);
  });

  test('the changes of a location', async () => {
    const path = `/api/locations/${location.id}/history`;
    await api.database.pool.query(
      "insert into location_changes (location_id, changed_by, fields) select $1, 'SYSTEM', '{zip}' from generate_series(1, 2000)",
      [location.id],
    );
    const before = await countOf(path);
    await api.database.pool.query("delete from location_changes where location_id = $1 and fields = '{zip}'", [
      location.id,
    ]);
    await write();
    // The write is a change of the location.
    expect(await countOf(path)).toBe(before - 2000 + 1);
  });

  test('the errors of an import', async () => {
    const { rows } = await api.database.pool.query<{ id: number }>(
      "insert into tasks (partner_id, type, created_by) values ($1, 'LOCATION_IMPORT', 'SYSTEM') returning id",
      [partner.partner.id],
    );
    const taskId = rows[0]?.id;
    await api.database.pool.query(
      `insert into location_import_errors (task_id, line, field, message, raw)
       select $1, line, 'zip', '', '' from generate_series(1, 2000) as line`,
      [taskId],
    );
    const path = `/api/location-imports/${taskId}/errors`;
    expect(await countOf(path)).toBe(2000);
    await api.database.pool.query('delete from location_import_errors where task_id = $1 and line > 500', [taskId]);
    await write();
    expect(await countOf(path)).toBe(500);
  });
});
