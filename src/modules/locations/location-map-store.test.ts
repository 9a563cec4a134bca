import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { distanceKm } from '../../../test/support/distance.ts';
import { addBusiness } from '../../../test/support/locations.ts';
import type { Sql } from '../../database/connection.ts';
import { countPublicLocations, listByName, listNearest, listPublicLocations } from './location-map-store.ts';

const many = 20_000;
const middle = { lat: 51, lng: 10 };
let api: TestApi;
let partner: TestPartner;
let filter: { partnerId: number };
let places: { id: number; lat: number; lng: number }[];

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
  filter = { partnerId: partner.partner.id };
  places = await spread(partner);
  // Another partner has the same number of locations at the same coordinates.
  await spread(await api.addPartner());
  await api.database.pool.query('analyze locations');
});
afterAll(() => api.close());

async function spread(owner: TestPartner): Promise<typeof places> {
  const { id } = await addBusiness(owner);
  // Spread over ten degrees in each direction, deterministic.
  const { rows } = await api.database.pool.query<(typeof places)[number]>(
    `insert into locations (partner_id, business_id, source, name, street, city, zip, country, lat, lng, status)
     select $1, $2, 'API', 'Shop ' || n, 'Street ' || n, 'City ' || n % 2000, (10000 + n % 5000)::text, 'DE',
       46 + (n * 7919 % 100003) / 10000.3, 5 + (n::bigint * 104729 % 100019) / 10001.9,
       case when n % 4 = 0 then 'CREATED' else 'ACTIVE' end
     from generate_series(1, $3::int) as n
     returning id, lat, lng`,
    [owner.partner.id, id, many],
  );
  return rows;
}

/** Returns query plans instead of rows. */
function explaining(plans: string[]): Sql {
  const query = async (text: string, values: unknown[]) => {
    const { rows } = await api.database.pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    return { rows: [{ count: 0 }] };
  };
  return { query } as unknown as Sql;
}

async function plansOf(work: (sql: Sql) => Promise<unknown>): Promise<string> {
  const plans: string[] = [];
  await work(explaining(plans));
  return plans.join('\n');
}

test.each([0, 40, 400])('returns the nearest locations by distance, offset %d', async (offset) => {
  const shown = new Set(
    (await listPublicLocations(api.database.pool, filter, { after: 0, limit: many }, new Set(['id']))).map(
      ({ id }) => id,
    ),
  );
  const measured = places
    .filter(({ id }) => shown.has(id))
    .map((place) => ({ id: place.id, distance: distanceKm(middle, place) }))
    .filter(({ distance }) => distance <= 120)
    .sort((a, b) => a.distance - b.distance);
  const found = await listNearest(api.database.pool, filter, { ...middle, radiusKm: 120 }, { offset, limit: 25 });
  expect(found.map(({ id }) => id)).toEqual(measured.slice(offset, offset + 25).map(({ id }) => id));
  expect(found[0]?.distance).toBeCloseTo(measured[offset]?.distance ?? Number.NaN, 6);
  expect(await countPublicLocations(api.database.pool, filter, { ...middle, radiusKm: 120 })).toEqual({
    count: measured.length,
    countIsExact: true,
  });
});

test('reads only the bounding box for a search around a point', async () => {
  const around = { ...middle, radiusKm: 25 };
  const plan = await plansOf(async (sql) => {
    await listNearest(sql, filter, around, { offset: 0, limit: 50 });
    await countPublicLocations(sql, filter, around);
  });
  expect(plan).toMatch(/locations_on_map[\s\S]*locations_on_map/);
  expect(plan).toMatch(/Index Cond: .*lat >= .*lng >= /);
  expect(plan).not.toContain('Seq Scan');
});

test.each([
  ['a city', { cities: ['City 7'] }, 'locations_city'],
  ['a postal code', { zips: ['10 007'] }, 'locations_zip'],
  ['words', { query: 'shop 777' }, 'locations_search'],
  ['a business', { businessIds: [987654] }, 'Cond: (business_id = ANY'],
  ['labels', { labelLists: [[987654]] }, 'locations_labels'],
  ['categories', { categories: [987654] }, 'locations_categories'],
  ['payment options', { paymentOptions: ['VISA'] }, 'locations_payment'],
  ['services', { serviceTitles: ['Catering'] }, 'service_items_title'],
])('uses an index for %s', async (_, narrowed, index) => {
  const plan = await plansOf((sql) => listByName(sql, { ...filter, ...narrowed }, { offset: 0, limit: 50 }));
  expect(plan).toContain(index);
  expect(plan).not.toContain('Seq Scan on locations');
});

test('reads the first page from the index', async () => {
  const plan = await plansOf(async (sql) => {
    await listPublicLocations(sql, filter, { after: places[9000]?.id ?? 0, limit: 1000 }, new Set(['id']));
    await listByName(sql, filter, { offset: 0, limit: 50 });
  });
  expect(plan).toContain('locations_shown');
  expect(plan).toContain('locations_name');
  expect(plan).not.toMatch(/Seq Scan|Sort/);
});
