import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../../test/support/api.ts';
import {
  addBusinessRow,
  addListedLocation,
  dayAfter,
  foldFigures,
  type InsightListing,
  runOverlapping,
} from '../../../../../test/support/figures.ts';
import { readMigration } from '../../../../database/schema-state.ts';
import type { Transaction } from '../../../../database/transaction.ts';
import { findDirectory } from '../../../directories/directory-list.ts';
import type { Listing } from '../../../listings/listing.ts';
import { changeListing, ensureDuplicate, ensureListings, listingsOfLocation } from '../../../listings/listing-store.ts';
import type { Scope } from '../../../locations/location-filter.ts';
import { listingHealth, profileCompleteness, suppressedDuplicates, visibilityIndex } from './health-figures.ts';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.close());

const directories = ['GOOGLE', 'BING', 'NEXTDOOR'];

interface Fields {
  locationId: number;
  directoryType: string;
  matching: number;
  comparable: number;
}

interface Scene {
  partner: TestPartner;
  businesses: number[];
  places: InsightListing[];
  /** Field counts at the end of each past day. */
  days: Fields[][];
}

async function addScene(): Promise<Scene> {
  const partner = await api.addPartner();
  const businesses = [await addBusinessRow(api.database, partner), await addBusinessRow(api.database, partner)];
  const places: InsightListing[] = [];
  for (let number = 0; number < 4; number++) {
    places.push(await addListedLocation(api.database, partner, businesses[number % 2] as number, directories));
  }
  return { partner, businesses, places, days: [] };
}

/** Current field counts of listings. */
const fieldsNow = async ({ partner }: Scene): Promise<Fields[]> => {
  const { rows } = await api.database.pool.query<Fields>(
    `select location_id as "locationId", directory_type as "directoryType", matching_fields as matching,
       comparable_fields as comparable
     from listings where partner_id = $1 and duplicate_of is null and flow_status not in ('INACTIVE', 'REMOVED')`,
    [partner.partner.id],
  );
  return rows;
};

/** Ages all daily rows by one day, in two steps to avoid duplicate keys. */
async function passDay(scene: Scene): Promise<void> {
  scene.days.push(await fieldsNow(scene));
  const { id } = scene.partner.partner;
  for (const table of ['visibility_changes', 'visibility_figures', 'visibility_deltas']) {
    await api.database.pool.query(`update ${table} set day = day - 100000 where partner_id = $1`, [id]);
    await api.database.pool.query(`update ${table} set day = day + 99999 where partner_id = $1`, [id]);
  }
}

const place = fc.nat({ max: 3 });
const fields = fc
  .tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 }))
  .map(([a, b]) => ({ matchingFields: Math.min(a, b), comparableFields: Math.max(a, b) }));
const statuses = fc.record({
  claimStatus: fc.constantFrom('CLAIMED_BY_US', 'CLAIMABLE', 'UNKNOWN'),
  flowStatus: fc.constantFrom(
    'SUBMISSION_NEEDED',
    'WAITING_USER_ACTION',
    'WAITING_DIRECTORY_ACTION',
    'ALL_INFORMATION_SUBMITTED',
    'NO_ACTION_NEEDED',
    'NEEDS_REVIEW',
    'INACTIVE',
    'REMOVED',
  ),
  syncStatus: fc.constantFrom('IN_SYNC', 'NOT_IN_SYNC', 'NOT_FOUND'),
  connectStatus: fc.constantFrom('CONNECTED', 'NOT_CONNECTED'),
  externalId: fc.constantFrom('page', null),
});
const change = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('listing' as const),
      place,
      listing: fc.nat({ max: 4 }),
      statuses,
      fields,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('duplicate' as const), place, page: fc.nat({ max: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('suppress' as const), place }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('location' as const),
      place,
      status: fc.constantFrom('ACTIVE', 'NEEDS_REVIEW', 'CLOSED'),
      classification: fc.constantFrom('REQUIRED', 'BASIC', 'BONUS'),
      completeness: fc.nat({ max: 100 }),
      autoSync: fc.boolean(),
      synced: fc.constantFrom(null, 1, 2),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), place, business: fc.nat({ max: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fold' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('midnight' as const) }) },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

async function perform({ businesses, places }: Scene, one: Exclude<Change, { kind: 'midnight' }>): Promise<void> {
  const { database } = api;
  const { pool } = database;
  if (one.kind === 'fold') {
    await foldFigures(database);
    return;
  }
  const { locationId } = places[one.place] as InsightListing;
  const listings = await listingsOfLocation(pool, locationId);
  switch (one.kind) {
    case 'listing': {
      const listing = listings[one.listing % listings.length] as Listing;
      // An external listing can be claimed through one listing only.
      const externalId = one.statuses.externalId && `${one.statuses.externalId}-${listing.id}`;
      await changeListing(pool, listing.id, { ...(one.statuses as Partial<Listing>), ...one.fields, externalId });
      return;
    }
    case 'duplicate':
      await database.transaction((transaction) =>
        ensureDuplicate(transaction, listings[0] as Listing, {
          externalId: `copy-${one.page}-${listings[0]?.id}`,
          url: null,
        }),
      );
      return;
    case 'suppress': {
      const duplicate = listings.find(({ duplicateOf }) => duplicateOf !== null);
      if (duplicate) await changeListing(pool, duplicate.id, { suppressedAt: new Date() });
      return;
    }
    case 'location':
      await pool.query(
        `update locations set status = case when status = 'DELETED' then status else $2 end, classification = $3,
           profile_completeness = $4, auto_sync = $5, synced_revision = $6, revision = 2
         where id = $1`,
        [locationId, one.status, one.classification, one.completeness, one.autoSync, one.synced],
      );
      return;
    case 'move':
      await pool.query('update locations set business_id = $2 where id = $1', [locationId, businesses[one.business]]);
      return;
    case 'delete':
      await pool.query(`update locations set status = 'DELETED' where id = $1`, [locationId]);
  }
}

async function scopesOf({ partner, businesses, places }: Scene): Promise<{ scope: Scope; locationIds: number[] }[]> {
  const partnerId = partner.partner.id;
  const { rows } = await api.database.pool.query<{ id: number; business: number }>(
    `select id, business_id as business from locations where partner_id = $1 and status <> 'DELETED'`,
    [partnerId],
  );
  const of = (isIn: (row: { id: number; business: number }) => boolean) => rows.filter(isIn).map(({ id }) => id);
  const some = of(({ id }) => id !== places[1]?.locationId);
  return [
    { scope: { kind: 'partner', partnerId }, locationIds: of(() => true) },
    ...businesses.map((id) => ({
      scope: { kind: 'businesses', partnerId, businessIds: [id] } as const,
      locationIds: of(({ business }) => business === id),
    })),
    { scope: { kind: 'locations', partnerId, locationIds: some }, locationIds: some },
  ];
}

async function expectListings(scope: Scope, locationIds: number[]): Promise<void> {
  const { pool } = api.database;
  const { rows } = await pool.query(
    `select coalesce(sum(matching_fields), 0)::integer as "countFieldsInSync",
       count(*) filter (where sync_status = 'IN_SYNC') as "countListingsInSync",
       count(*) filter (where flow_status = 'ALL_INFORMATION_SUBMITTED') as "countListingsSubmitted",
       count(*) filter (where flow_status in ('SUBMISSION_NEEDED', 'WAITING_DIRECTORY_ACTION'))
         as "countListingsBeingUpdated",
       count(*) filter (where external_id is not null) as "countListingsLinked",
       count(*) filter (where flow_status in ('WAITING_USER_ACTION', 'NEEDS_REVIEW')) as "countListingsActionRequired",
       (select count(*) from locations where id = any ($1) and status in ('ACTIVE', 'NEEDS_REVIEW')
         and (synced_revision is null or (synced_revision < revision and not auto_sync)))
         as "countLocationsRequireSync",
       (select count(*) from locations where id = any ($1) and status = 'NEEDS_REVIEW') as "countLocationsNeedsReview",
       case when bool_or(directory_type = 'GOOGLE' and connect_status = 'NOT_CONNECTED') then '{GOOGLE}'::text[]
         else '{}' end as "directoriesMissingConnect"
     from listings where location_id = any ($1) and duplicate_of is null and flow_status not in ('INACTIVE', 'REMOVED')`,
    [locationIds],
  );
  expect(await listingHealth(pool, scope)).toEqual(rows[0]);
  const suppressed = await pool.query(
    `select directory_type as "directoryType", count(*) from listings
     where location_id = any ($1) and duplicate_of is not null and suppressed_at is not null group by 1`,
    [locationIds],
  );
  expect(await suppressedDuplicates(pool, scope)).toEqual({
    totalCount: suppressed.rows.reduce((sum, { count }) => sum + count, 0),
    countByDirectory: suppressed.rows,
  });
}

async function expectCompleteness(scope: Scope, locationIds: number[]): Promise<void> {
  const { rows } = await api.database.pool.query(
    `select round(avg(profile_completeness), 2)::float as average, count(*),
       count(*) filter (where classification = 'REQUIRED') as "REQUIRED",
       count(*) filter (where classification = 'BASIC') as "BASIC", 0 as "ADVANCED",
       count(*) filter (where classification = 'BONUS') as "BONUS"
     from locations where id = any ($1)`,
    [locationIds],
  );
  const { average, count, ...locationClassificationCounts } = rows[0];
  expect(await profileCompleteness(api.database.pool, scope)).toEqual({
    ...(average !== null && { averageProfileCompleteness: average }),
    locationClassificationCounts,
    locationsCount: count,
  });
}

/** Matching over comparable fields, weighted by directory. */
function pointsOf(given: readonly Fields[]) {
  const weighted = (count: (one: Fields) => number) =>
    given.reduce((sum, one) => sum + count(one) * (findDirectory(one.directoryType)?.weight ?? 0), 0);
  const [maxPoints, pointsReached] = [weighted((one) => one.comparable), weighted((one) => one.matching)];
  return { ...(maxPoints > 0 && { score: Math.round((100 * pointsReached) / maxPoints) }), maxPoints, pointsReached };
}

async function expectVisibility(scene: Scene, scope: Scope, locationIds: number[]): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  const mine = (all: readonly Fields[]) => all.filter(({ locationId }) => locationIds.includes(locationId));
  const now = mine(await fieldsNow(scene));
  const states = [...scene.days.map(mine), now];
  const history = states.flatMap((state, index) => {
    const { score } = pointsOf(state);
    return score === undefined ? [] : [{ period: dayAfter(today, index + 1 - states.length), score }];
  });
  const byDirectory = directories.flatMap((directoryType) => {
    const points = pointsOf(now.filter((one) => one.directoryType === directoryType && one.comparable > 0));
    return now.some((one) => one.directoryType === directoryType && one.comparable > 0)
      ? [{ directoryType, ...points }]
      : [];
  });
  const span = { from: dayAfter(today, -states.length - 3), to: dayAfter(today, 2) };
  const found = await visibilityIndex(api.database.pool, scope, span, 'DAY');
  expect(found).toEqual({ ...pointsOf(now), byDirectory, history });
  const later = { from: dayAfter(today, -1), to: dayAfter(today, -1) };
  const yesterday = history.filter(({ period }) => period === later.from);
  expect((await visibilityIndex(api.database.pool, scope, later, 'DAY')).history).toEqual(yesterday);
}

async function expectFigures(scene: Scene): Promise<void> {
  for (const { scope, locationIds } of await scopesOf(scene)) {
    await expectListings(scope, locationIds);
    await expectCompleteness(scope, locationIds);
    await expectVisibility(scene, scope, locationIds);
  }
}

test('figures equal plain SQL after concurrent changes, moves, deletions and folds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 8, maxLength: 30 }), async (changes) => {
      const scene = await addScene();
      let atOnce: Promise<void>[] = [];
      for (const one of changes) {
        if (one.kind === 'midnight' || atOnce.length === 3) {
          await Promise.all(atOnce);
          atOnce = [];
        }
        if (one.kind === 'midnight') await passDay(scene);
        else atOnce.push(perform(scene, one));
      }
      await Promise.all(atOnce);
      await expectFigures(scene);
      await foldFigures(api.database);
      await expectFigures(scene);
    }),
    { numRuns: 8 },
  );
}, 60_000);

test('the migration no longer counts the fields of removed listings', async () => {
  const { partner } = await addScene();
  const client = await api.database.pool.connect();
  try {
    await client.query('begin');
    await client.query(`create or replace function counts_for_visibility(duplicate_of bigint, flow_status text)
      returns boolean language sql immutable as $$ select duplicate_of is null and flow_status <> 'INACTIVE' $$`);
    const { id } = partner.partner;
    await client.query(`update listings set comparable_fields = 10, matching_fields = 5 where partner_id = $1`, [id]);
    await client.query(
      `update listings set flow_status = 'REMOVED', matching_fields = 0 where partner_id = $1 and directory_type = 'BING'`,
      [id],
    );
    const migration = await readMigration('0066-removed-listings.sql');
    await client.query('savepoint moving');
    const move = 'insert into partner_moves (partner_id, partner_ids, target_cell) values ($1, array[$1::bigint], 1)';
    await client.query(move, [id]);
    await expect(client.query(migration)).rejects.toThrow('is being moved to another cell');
    await client.query('rollback to moving');
    await client.query(migration);
    const { rows } = await client.query(
      `select directory_type as type, sum(matching_fields)::int as matching, sum(comparable_fields)::int as comparable
       from visibility_changes where partner_id = $1 group by 1 order by 1`,
      [id],
    );
    expect(rows).toEqual([
      { type: 'BING', matching: 0, comparable: 0 },
      { type: 'GOOGLE', matching: 20, comparable: 40 },
      { type: 'NEXTDOOR', matching: 20, comparable: 40 },
    ]);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

describe('a location that moves during listing changes keeps its figures', () => {
  type Step = (transaction: Transaction, scene: Scene) => Promise<unknown>;
  const locationOf = ({ places }: Scene) => places[0]?.locationId as number;
  const change: Step = async (transaction, scene) => {
    const [listing] = await listingsOfLocation(transaction, locationOf(scene));
    await changeListing(transaction, listing?.id as number, {
      syncStatus: 'IN_SYNC',
      matchingFields: 3,
      comparableFields: 4,
    });
  };
  const add: Step = (transaction, scene) =>
    ensureListings(transaction, scene.partner.partner.id, locationOf(scene), ['YELP']);
  const move: Step = (transaction, scene) =>
    transaction.query('update locations set business_id = $2 where id = $1', [locationOf(scene), scene.businesses[1]]);
  const remove: Step = (transaction, scene) =>
    transaction.query(`update locations set status = 'DELETED' where id = $1`, [locationOf(scene)]);

  test.each([
    ['changed, moved', change, move],
    ['moved, changed', move, change],
    ['added, moved', add, move],
    ['moved, added', move, add],
    ['changed, deleted', change, remove],
    ['deleted, changed', remove, change],
  ])('%s', async (_name, first, second) => {
    const scene = await addScene();
    await runOverlapping(
      api.database,
      (transaction) => first(transaction, scene),
      (transaction) => second(transaction, scene),
    );
    await expectFigures(scene);
  });
});
