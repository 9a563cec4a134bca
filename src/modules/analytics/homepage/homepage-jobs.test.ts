import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { HomeScene } from '../../../../test/support/home-scene.ts';
import { runJobs } from '../../../../test/support/jobs.ts';
import { addBusiness } from '../../../../test/support/locations.ts';
import type { Scope } from '../../locations/location-filter.ts';
import { countFindings } from './finding-store.ts';
import { taskTypes } from './finding-types.ts';
import { lockHomepage, totalsOf } from './home-location-store.ts';
import { catchUp, refreshHomepage, refreshHomepageJob } from './homepage-jobs.ts';

let scene: HomeScene;
beforeAll(async () => {
  scene = await HomeScene.open();
});
afterAll(() => scene.close());

/** The definition of each task in SQL. */
const meaning: Record<string, string> = {
  LOCATION_START_FIRST_SYNC: 'last_sync_started is null',
  LISTING_CONNECTION_MISSING: `exists (select from listings where location_id = locations.id and duplicate_of is null
    and connect_status = 'NOT_CONNECTED' and status = 'ACTIVE')`,
  LISTING_FIELDS_MISSING: `false`,
  DATAPOINT_UNREPLIED: `exists (select from datapoints where location_id = locations.id and status = 'VALID'
    and type in ('REVIEW', 'QUESTION', 'CONVERSATION', 'COMMENT') and owner_replied_at is null)`,
  DATAPOINT_UNREAD: `exists (select from datapoints where location_id = locations.id and status = 'VALID' and not read)`,
  LOCATION_SUGGESTIONS_PENDING: `exists (select from suggestions where location_id = locations.id and status = 'PENDING')`,
  LOCATION_PROPERTIES_MISSING: `not profile ? 'openingHours'`,
  LOCATION_ADD_PHOTOS: `not profile ? 'photos'`,
  LOCATION_SOCIAL_POST_MISSING: `exists (select from listings where location_id = locations.id and duplicate_of is null
      and external_id is not null and connect_status = 'CONNECTED' and directory_type = 'GOOGLE')
    and not exists (select from social_post_publications where location_id = locations.id
      and published_at > now() - interval '30 days')`,
};

const operations = {
  sync: 'update locations set last_sync_started = case when last_sync_started is null then now() end where id = $1',
  connect: `update listings set connect_status = case connect_status when 'CONNECTED' then 'NOT_CONNECTED'
    else 'CONNECTED' end where location_id = $1 and directory_type = 'GOOGLE'`,
  link: `update listings set external_id = case when external_id is null then 'page-' || id end
    where location_id = $1 and directory_type = 'GOOGLE'`,
  read: 'update datapoints set read = not read where location_id = $1',
  reply: `update datapoints set owner_replied_at = case when owner_replied_at is null then now() end
    where location_id = $1`,
  vanish: `update datapoints set status = case status when 'VALID' then 'INVALID' else 'VALID' end
    where location_id = $1 and type = 'QUESTION'`,
  decide: `update suggestions set status = case status when 'PENDING' then 'DECLINED' else 'PENDING' end
    where location_id = $1`,
  photos: `update locations set revision = revision + 1, profile = case when profile ? 'photos' then profile - 'photos'
    else profile || '{"photos": [{"url": "https://lindner.example/x.jpg"}]}' end where id = $1`,
  hours: `update locations set revision = revision + 1, profile = case when profile ? 'openingHours'
    then profile - 'openingHours' else profile || '{"openingHours": [{"dayOfWeek": 1, "closed": true}]}' end
    where id = $1`,
  complete: 'update locations set profile_completeness = (profile_completeness + 7) % 101 where id = $1',
  check: `update listings set sync_status = case sync_status when 'IN_SYNC' then 'NOT_IN_SYNC' else 'IN_SYNC' end
    where location_id = $1`,
  remove: `update locations set status = case status when 'DELETED' then 'ACTIVE' else 'DELETED' end where id = $1`,
  move: `update locations set business_id = (select id from businesses where partner_id = locations.partner_id
    and id <> locations.business_id limit 1) where id = $1`,
} as const;

interface World {
  partner: TestPartner;
  businesses: number[];
  ids: number[];
}

async function makeWorld(): Promise<World> {
  const partner = await scene.api.addPartner();
  const businesses = [(await addBusiness(partner)).id, (await addBusiness(partner)).id];
  const ids: number[] = [];
  for (let n = 0; n < 5; n++) {
    const place = await scene.addLocation(partner, { businessId: businesses[n % 2] as number });
    await scene.addDatapoint(partner, place, { type: 'REVIEW', repliedAfterHours: 1 });
    await scene.addDatapoint(partner, place, { type: 'QUESTION', repliedAfterHours: 1 });
    await scene.suggest(partner, place.id);
    ids.push(place.id);
  }
  return { partner, businesses, ids };
}

async function expectTruth({ partner, businesses, ids }: World): Promise<void> {
  const partnerId = partner.partner.id;
  const { pool } = scene.api.database;
  const [first = 0, second = 0, third = 0] = ids;
  const scopes: [Scope, string][] = [
    [{ kind: 'partner', partnerId }, 'true'],
    [{ kind: 'businesses', partnerId, businessIds: businesses.slice(0, 1) }, `business_id = ${businesses[0]}`],
    [{ kind: 'businesses', partnerId, businessIds: businesses }, 'true'],
    [{ kind: 'locations', partnerId, locationIds: [first, second, third] }, `id in (${first}, ${second}, ${third})`],
  ];
  for (const [scope, which] of scopes) {
    const there = `partner_id = ${partnerId} and status <> 'DELETED' and ${which}`;
    const columns = taskTypes.map((type) => `count(*) filter (where ${meaning[type]})::integer as "${type}"`);
    const [expected] = await scene.query(`select ${columns.join(', ')} from locations where ${there}`);
    const counts = await countFindings(pool, scope);
    expect(Object.fromEntries(taskTypes.map((type) => [type, counts.get(type) ?? 0]))).toEqual(expected);
    const [sums] = await scene.query(
      `select count(*)::integer as locations, coalesce(sum(profile_completeness), 0)::integer as "completenessSum",
         coalesce(sum((select count(*) from listings where location_id = locations.id)), 0)::integer as listings,
         coalesce(sum((select count(*) from listings where location_id = locations.id and sync_status = 'IN_SYNC')),
           0)::integer as "listingsInSync"
       from locations where ${there}`,
    );
    if (scope.kind !== 'locations') expect(await totalsOf(pool, scope, null)).toMatchObject(sums);
  }
}

test('counts and totals equal plain SQL after any changes', { timeout: 60_000 }, async () => {
  const world = await makeWorld();
  const { database } = scene.api;
  const names = Object.keys(operations) as (keyof typeof operations)[];
  const step = fc.record({
    operation: fc.constantFrom(...names),
    place: fc.nat({ max: 4 }),
    refresh: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      for (const { operation, place, refresh } of steps) {
        await scene.query(operations[operation], [world.ids[place]]);
        if (refresh) await refreshHomepage(database, world.partner.partner.id, new Date());
      }
      expect(await catchUp(database, world.partner.partner.id, new Date())).toBe(true);
      await expectTruth(world);
    }),
    { numRuns: 40 },
  );
});

test('concurrent changes and reads give the same result', async () => {
  const world = await makeWorld();
  const { database } = scene.api;
  const { id: partnerId } = world.partner.partner;
  const names = ['photos', 'complete', 'read', 'check', 'move', 'reply'] as const;
  let changing = world.ids.length;
  const change = async (id: number) => {
    for (let n = 0; n < 12; n++) await scene.query(operations[names[n % names.length] ?? 'read'], [id]);
    changing -= 1;
  };
  const look = async () => {
    while (changing > 0) await refreshHomepage(database, partnerId, new Date());
  };
  await Promise.all([...world.ids.map(change), look(), look(), look(), look()]);
  await catchUp(database, partnerId, new Date());
  await expectTruth(world);
});

test('refreshes of a partner are serialized', async () => {
  const { partner, ids } = await makeWorld();
  const { database } = scene.api;
  const { id: partnerId } = partner.partner;
  const waits = async () => {
    const waiting = await scene.query(
      `select from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return waiting.length;
  };
  let second: Promise<number> | undefined;
  await database.transaction(async (transaction) => {
    await lockHomepage(transaction, partnerId);
    second = refreshHomepage(database, partnerId, new Date());
    await expect.poll(waits, { interval: 10 }).toBe(1);
  });
  expect(await second).toBe(ids.length);
});

test('many changes are left to the job, and the response has upToDate: false', async () => {
  const world = await makeWorld();
  const { partner } = world;
  await partner.call('GET', '/api/home/tasks');
  await scene.query(`insert into home_waiting (partner_id, location_id) select $1, $2 from generate_series(1, 1200)`, [
    partner.partner.id,
    world.ids[0],
  ]);
  await scene.query(operations.photos, [world.ids[0]]);
  const before = (await partner.call('GET', '/api/home/tasks')).body.response;
  expect(before.upToDate).toBe(false);
  const waiting = await scene.query('select from graphile_worker.jobs where task_identifier = $1', [
    refreshHomepageJob.name,
  ]);
  expect(waiting).toHaveLength(1);
  await runJobs(scene.api.database);
  const after = (await partner.call('GET', '/api/home/tasks')).body.response;
  expect(after.upToDate).toBe(true);
  expect(after.tasks).toContainEqual(expect.objectContaining({ type: 'LOCATION_ADD_PHOTOS', locationsCount: 1 }));
  await expectTruth(world);
});
