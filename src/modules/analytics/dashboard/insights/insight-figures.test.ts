import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../../test/support/api.ts';
import {
  addBusinessRow,
  addDailyCounts,
  addListedLocation,
  dayAfter,
  foldFigures,
  type InsightListing,
  insightDays,
  runOverlapping,
} from '../../../../../test/support/figures.ts';
import { recountInsights } from '../../../../../test/support/recount-insights.ts';
import type { Transaction } from '../../../../database/transaction.ts';
import { type Group, groups } from '../../../../values/span.ts';
import type { Scope } from '../../../locations/location-filter.ts';
import { locationPages } from '../../exports/report-figures.ts';
import { replaceKeywords, upsertInsights } from '../../insights/insight-store.ts';
import { dataAvailability } from './data-availability.ts';
import { insightsByPeriod, readInsightDays } from './insight-figures.ts';
import { searchKeywords } from './search-keyword-figures.ts';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.close());

const metrics = ['CALL_CLICKS', 'WEBSITE_CLICKS'];
const firstDay = '2026-01-20';
const span = { from: '2026-01-25', to: '2026-03-12' };
const months = ['2026-02-01', '2026-03-01'];
const previousMonths = ['2025-12-01', '2026-01-01'];

/** In several batches, like exports. */
async function daysOf(scope: Scope, asked = {}) {
  const { pool } = api.database;
  const batches = await Array.fromAsync(locationPages(pool, scope, [], 10), (locations) =>
    readInsightDays(
      pool,
      locations.map(({ id }) => id),
      span,
      asked,
    ),
  );
  return batches.flat();
}

/** SQL condition for the locations of a scope. */
function located(scope: Scope): { where: string; values: unknown[] } {
  const live = `locations.partner_id = $1 and locations.status <> 'DELETED'`;
  if (scope.kind === 'partner') return { where: live, values: [scope.partnerId] };
  if (scope.kind === 'businesses')
    return { where: `${live} and business_id = any ($2)`, values: [scope.partnerId, scope.businessIds] };
  return { where: `${live} and locations.id = any ($2)`, values: [scope.partnerId, scope.locationIds] };
}

const plainly = async (scope: Scope, text: (where: string) => string) => {
  const { where, values } = located(scope);
  return (await api.database.pool.query(text(where), values)).rows;
};

/** Compares the figures of a scope with plain SQL. */
async function expectFigures(scope: Scope): Promise<void> {
  const { pool } = api.database;
  for (const group of groups) {
    const found = await insightsByPeriod(pool, scope, span, group, { directoryType: 'GOOGLE', metrics });
    const expected = await plainly(
      scope,
      (
        where,
      ) => `select metric, to_char(date_trunc('${group}', day), 'YYYY-MM-DD') as period, sum(count)::integer as count
        from (${insightDays}) as days join locations on locations.id = location_id
        where ${where} and directory_type = 'GOOGLE' and day between '${span.from}' and '${span.to}'
        group by 1, 2 having sum(count) > 0 order by 1, 2`,
    );
    expect(found.filter(({ count }) => count !== 0).sort(inOrder)).toEqual(expected);
    expect(found).toHaveLength(metrics.length * periodsBetween(group));
  }
  const available = await dataAvailability(pool, scope, ['GOOGLE', 'BING']);
  expect(available.map(({ countedUntil: _, ...known }) => known)).toEqual(
    await plainly(
      scope,
      (where) => `select directory_type as "directoryType", to_char(min(day), 'YYYY-MM-DD') as "availableFrom",
          to_char(max(day), 'YYYY-MM-DD') as "availableUntil"
        from (${insightDays}) as days join locations on locations.id = location_id where ${where}
        group by 1 order by 1 desc`,
    ),
  );
  const words = await searchKeywords(pool, scope, { months, previousMonths, limit: 3 });
  const [totals] = await plainly(
    scope,
    (where) => `select count(distinct keyword) filter (where month >= '2026-02-01')::integer as "keywordsCount",
        coalesce(sum(impressions) filter (where month >= '2026-02-01'), 0)::integer as current,
        coalesce(sum(impressions) filter (where month < '2026-02-01'), 0)::integer as previous
      from search_keywords join locations on locations.id = location_id where ${where}`,
  );
  const keywords = await plainly(
    scope,
    (where) => `select keyword, coalesce(sum(impressions) filter (where month >= '2026-02-01'), 0)::integer as current,
        coalesce(sum(impressions) filter (where month < '2026-02-01'), 0)::integer as previous,
        greatest(count(*) filter (where month = '2026-02-01'), count(*) filter (where month = '2026-03-01'))::integer
          as locations
      from search_keywords join locations on locations.id = location_id where ${where}
      group by keyword having count(*) filter (where month >= '2026-02-01') > 0 order by 2 desc, 1 limit 3`,
  );
  expect(words).toEqual({ ...totals, keywords });
}

const inOrder = (a: { metric: string; period: string }, b: { metric: string; period: string }) =>
  `${a.metric} ${a.period}` < `${b.metric} ${b.period}` ? -1 : 1;
const periodsBetween = (group: Group) => ({ DAY: 47, WEEK: 8, MONTH: 3, YEAR: 1 })[group];

interface Scene {
  partner: TestPartner;
  businesses: number[];
  places: InsightListing[];
}

async function addScene(): Promise<Scene> {
  const partner = await api.addPartner();
  const businesses = [await addBusinessRow(api.database, partner), await addBusinessRow(api.database, partner)];
  const places: InsightListing[] = [];
  for (const directory of ['GOOGLE', 'GOOGLE', 'GOOGLE', 'BING']) {
    const business = businesses[places.length % 2] as number;
    places.push(await addListedLocation(api.database, partner, business, [directory]));
  }
  return { partner, businesses, places };
}

async function scopesOf({ partner, businesses, places }: Scene): Promise<Scope[]> {
  const partnerId = partner.partner.id;
  const { rows } = await api.database.pool.query<{ id: number }>(
    `select id from locations where partner_id = $1 and status <> 'DELETED' order by id`,
    [partnerId],
  );
  const some = rows.map(({ id }) => id).filter((id) => id !== places[1]?.locationId);
  return [
    { kind: 'partner', partnerId },
    ...businesses.map((id): Scope => ({ kind: 'businesses', partnerId, businessIds: [id] })),
    { kind: 'businesses', partnerId, businessIds: businesses },
    { kind: 'locations', partnerId, locationIds: some },
  ];
}

const place = fc.nat({ max: 3 });
const write = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('count' as const),
      place,
      days: fc.array(
        fc.record({ metric: fc.constantFrom(...metrics), day: fc.nat({ max: 60 }), count: fc.nat({ max: 9 }) }),
        { minLength: 1, maxLength: 20 },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('search' as const),
      place,
      month: fc.constantFrom('2025-12', '2026-01', '2026-02', '2026-03'),
      words: fc.uniqueArray(fc.constantFrom('bakery', 'rolls', 'café', 'open now', 'cake'), { minLength: 1 }),
      impressions: fc.nat({ max: 50 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), place, business: fc.nat({ max: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fold' as const) }) },
);
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

async function perform({ businesses, places }: Scene, one: Write): Promise<void> {
  const { database } = api;
  if (one.kind === 'fold') {
    await foldFigures(database);
    return;
  }
  const at = places[one.place] as InsightListing;
  if (one.kind === 'count') {
    const days = one.days.map(({ metric, day, count }) => ({ metric, day: dayAfter(firstDay, day), count }));
    await database.transaction((transaction) => upsertInsights(transaction, at, days));
  } else if (one.kind === 'search') {
    const words = one.words.map((keyword, index) => ({
      month: one.month,
      keyword,
      impressions: one.impressions + index,
    }));
    await database.transaction((transaction) => replaceKeywords(transaction, at, words));
  } else if (one.kind === 'move') {
    const to = businesses[one.business];
    await database.pool.query('update locations set business_id = $2 where id = $1', [at.locationId, to]);
  } else {
    await database.pool.query(`update locations set status = 'DELETED' where id = $1`, [at.locationId]);
  }
}

test('figures equal the sum of the days after concurrent counts, moves, deletions and folds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 6, maxLength: 24 }), async (writes) => {
      const scene = await addScene();
      for (let from = 0; from < writes.length; from += 3) {
        await Promise.all(writes.slice(from, from + 3).map((one) => perform(scene, one)));
      }
      for (const scope of await scopesOf(scene)) await expectFigures(scope);
      await foldFigures(api.database);
      for (const scope of await scopesOf(scene)) await expectFigures(scope);
      await api.database.transaction((transaction) => recountInsights(transaction, scene.partner.partner.id));
      for (const scope of (await scopesOf(scene)).slice(0, 2)) await expectFigures(scope);
    }),
    { numRuns: 6 },
  );
}, 60_000);

describe('a location that moves during a count keeps its figures', () => {
  const days = [{ metric: 'CALL_CLICKS', day: '2026-02-10', count: 9 }];
  const words = [{ month: '2026-03', keyword: 'rolls', impressions: 4 }];
  type Step = (transaction: Transaction, scene: Scene) => Promise<unknown>;
  const count: Step = (transaction, { places }) => upsertInsights(transaction, places[0] as InsightListing, days);
  const search: Step = (transaction, { places }) => replaceKeywords(transaction, places[0] as InsightListing, words);
  const move: Step = (transaction, { places, businesses }) =>
    transaction.query('update locations set business_id = $2 where id = $1', [places[0]?.locationId, businesses[1]]);
  const remove: Step = (transaction, { places }) =>
    transaction.query(`update locations set status = 'DELETED' where id = $1`, [places[0]?.locationId]);

  test.each([
    ['counted, moved', count, move],
    ['moved, counted', move, count],
    ['searched for, moved', search, move],
    ['moved, searched for', move, search],
    ['counted, deleted', count, remove],
    ['deleted, counted', remove, count],
    ['counted twice', count, count],
  ])('%s', async (_name, first, second) => {
    const scene = await addScene();
    await runOverlapping(
      api.database,
      (transaction) => first(transaction, scene),
      (transaction) => second(transaction, scene),
    );
    for (const scope of await scopesOf(scene)) await expectFigures(scope);
  });
});

describe('insights', () => {
  test('of a corrected day are counted once, and unchanged data has no effect', async () => {
    const { places, partner } = await addScene();
    const [first] = places as [InsightListing];
    const scope: Scope = { kind: 'partner', partnerId: partner.partner.id };
    const total = async () => {
      const found = await insightsByPeriod(api.database.pool, scope, span, 'YEAR', {
        directoryType: 'GOOGLE',
        metrics: ['CALL_CLICKS'],
      });
      return found[0]?.count;
    };
    await addDailyCounts(api.database, first, 'CALL_CLICKS', '2026-02-01', [5, 0, 7]);
    await foldFigures(api.database);
    await addDailyCounts(api.database, first, 'CALL_CLICKS', '2026-02-02', [2, 7]);
    expect(await total()).toBe(14);
    await foldFigures(api.database);
    await addDailyCounts(api.database, first, 'CALL_CLICKS', '2026-02-01', [5, 2, 7]);
    const waiting = await api.database.pool.query('select from insight_deltas where partner_id = $1', [
      partner.partner.id,
    ]);
    expect(waiting.rows).toEqual([]);
    expect(await total()).toBe(14);
  });

  test('are streamed by location and month with the days of the span', async () => {
    const { places, partner, businesses } = await addScene();
    const [first, second, third, other] = places as [InsightListing, InsightListing, InsightListing, InsightListing];
    await addDailyCounts(api.database, second, 'CALL_CLICKS', '2026-01-24', [1, 2, 3]);
    await addDailyCounts(api.database, first, 'CALL_CLICKS', '2026-01-30', [4, 5, 6]);
    await addDailyCounts(api.database, other, 'SEARCH_CLICKS', '2026-03-10', [7, 8, 9, 10]);
    await addDailyCounts(api.database, third, 'CALL_CLICKS', '2026-04-10', [1]);
    const { partnerId } = first;
    const read = async (scope: Scope, asked = {}) =>
      (await daysOf(scope, asked)).map(({ counts, ...row }) => ({
        ...row,
        counts: Object.fromEntries(counts.flatMap((count, index) => (count === null ? [] : [[index + 1, count]]))),
      }));
    const all = await read({ kind: 'partner', partnerId: partner.partner.id });
    const rowOf = ({ locationId, directoryType }: InsightListing) => ({ locationId, directoryType });
    expect(all).toEqual([
      { ...rowOf(first), metric: 'CALL_CLICKS', month: '2026-01-01', counts: { 30: 4, 31: 5 } },
      { ...rowOf(first), metric: 'CALL_CLICKS', month: '2026-02-01', counts: { 1: 6 } },
      { ...rowOf(second), metric: 'CALL_CLICKS', month: '2026-01-01', counts: { 25: 2, 26: 3 } },
      { ...rowOf(other), metric: 'SEARCH_CLICKS', month: '2026-03-01', counts: { 10: 7, 11: 8, 12: 9 } },
    ]);
    const bing = { directoryTypes: ['BING'] };
    const locationIds = [other.locationId, first.locationId];
    expect(await read({ kind: 'locations', partnerId, locationIds })).toEqual([all[0], all[1], all[3]]);
    expect(await read({ kind: 'locations', partnerId, locationIds }, bing)).toEqual([all[3]]);
    const second_ = { kind: 'businesses', partnerId, businessIds: [businesses[1] as number] } as const;
    expect(await read(second_, { metrics: ['CALL_CLICKS'] })).toEqual([all[2]]);
  });

  test('are complete for more locations than one batch', async () => {
    const partner = await api.addPartner();
    const business = await addBusinessRow(api.database, partner);
    const expected: number[] = [];
    for (let number = 0; number < 30; number++) {
      const one = await addListedLocation(api.database, partner, business);
      await addDailyCounts(api.database, one, 'CALL_CLICKS', '2026-02-01', [number]);
      expected.push(one.locationId);
    }
    const scope: Scope = { kind: 'partner', partnerId: partner.partner.id };
    const rows = await daysOf(scope);
    expect(rows.map(({ locationId }) => locationId)).toEqual(expected);
  });
});
