/** The data of the platform benchmark, made by the database itself: believable sizes and spreads, no meaning. */
import type { Database } from '../../src/database/connection.ts';

const chunk = 20_000;
const listingsPerLocation = 12;
const datapointsPerLocation = 20;

export interface Filled {
  partnerId: number;
  firstLocation: number;
  lastLocation: number;
}

/** Adds locations with their listings and datapoints until the partner has so many; answers how far their ids reach. */
export async function fill(database: Database, partnerId: number, locations: number): Promise<Filled> {
  const sql = database.pool;
  await sql.query(
    `insert into businesses (partner_id, identifier, name, type, country, status)
     select $1, 'bench-' || n, 'Business ' || n, 'ENTERPRISE', 'DE', 'ACTIVE' from generate_series(1, 50) as n
     on conflict do nothing`,
    [partnerId],
  );
  const { rows } = await sql.query<{ count: number }>('select count(*) from locations where partner_id = $1', [
    partnerId,
  ]);
  const known = rows[0]?.count ?? 0;
  if (known < locations) {
    await withoutIndexes(database, async () => {
      for (let done = known; done < locations; done += chunk) {
        await addLocations(database, partnerId, done, Math.min(chunk, locations - done));
      }
    });
  }
  await sql.query('vacuum analyze locations, listings, datapoints');
  const reach = await sql.query<{ first: number; last: number }>(
    'select min(id) as first, max(id) as last from locations where partner_id = $1',
    [partnerId],
  );
  return { partnerId, firstLocation: reach.rows[0]?.first ?? 0, lastLocation: reach.rows[0]?.last ?? 0 };
}

/** Indexes are made once at the end: keeping eighteen of them up with every row would take most of an hour. */
async function withoutIndexes(database: Database, work: () => Promise<void>): Promise<void> {
  const { rows } = await database.pool.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid in ('listings'::regclass, 'datapoints'::regclass) and not indisunique
       and indexrelid <> 'listings_location'::regclass`,
  );
  for (const { name } of rows) await database.pool.query(`drop index ${name}`);
  await work();
  for (const { definition } of rows) await database.pool.query(definition);
}

async function addLocations(database: Database, partnerId: number, from: number, count: number): Promise<void> {
  await database.transaction(async (sql) => {
    const { rows } = await sql.query<{ first: number }>(addLocationsStatement, [partnerId, from, count]);
    const first = rows[0]?.first ?? 0;
    // Nobody has counted the new rows yet; guesses of how many they are have led to plans that take hours.
    await sql.query('analyze locations');
    await sql.query(addListingsStatement, [first, listingsPerLocation]);
    await sql.query('analyze listings');
    await sql.query(addDatapointsStatement, [first, datapointsPerLocation]);
  });
}

// Few enough cities and words that a filter fills its page on a tenth of the data too.
const addLocationsStatement = `
  with added as (
    insert into locations
      (partner_id, business_id, identifier, status, source, name, street, street_no, zip, city, country, lat, lng,
       time_zone, phone, website, categories, profile, profile_completeness, classification, listings_count)
    select $1, business.id, 'bench-' || n, case when n % 10 = 0 then 'NEEDS_REVIEW' else 'ACTIVE' end, 'API',
      'Shop word' || n * 7919 % 200 || ' ' || n, 'Street ' || n % 500, (n % 200)::text,
      lpad((10000 + n % 89999)::text, 5, '0'), 'City' || n % 400, 'DE', 47.5 + n % 700 / 100.0, 6 + n % 900 / 100.0,
      'Europe/Berlin', '+49301' || lpad((n % 1000000)::text, 6, '0'), 'https://shop' || n || '.example', '{}',
      json_build_object('descriptionShort', 'A shop with many good things, number ' || n,
        'openingHours', json_build_array(json_build_object('dayOfWeek', 1, 'from1', '09:00', 'to1', '18:00'))),
      60, 'BASIC', 12
    from generate_series($2::integer + 1, $2 + $3::integer) as n
    join businesses business on business.partner_id = $1 and business.identifier = 'bench-' || (n % 50 + 1)
    returning id
  )
  select min(id) as first from added
`;

const addListingsStatement = `
  insert into listings
    (partner_id, location_id, directory_type, external_id, url, claim_status, flow_status, sync_status, last_checked)
  select partner_id, id, 'DIRECTORY_' || n, id || '-' || n, 'https://directory' || n || '.example/' || id,
    'CLAIMED_BY_US', 'ALL_INFORMATION_SUBMITTED', case when (id + n) % 4 = 0 then 'NOT_IN_SYNC' else 'IN_SYNC' end, now()
  from locations cross join generate_series(1, $2::integer) as n
  where id >= $1
`;

const addDatapointsStatement = `
  insert into datapoints
    (partner_id, business_id, location_id, listing_id, directory_type, external_id, type, text, language, rating, author,
     action_date, thread_action_date, read, owner_replied_at, fingerprint)
  select listing.partner_id, location.business_id, location.id, listing.id, listing.directory_type,
    location.id || '-' || n, case when n % 5 = 0 then 'PHOTO' else 'REVIEW' end,
    'word' || (location.id * 31 + n * 7919) % 2000 || ' and some more words about the visit number ' || n, 'en',
    case when n % 5 = 0 then null else 1 + (location.id + n) % 5 end, 'Author ' || n,
    moment, moment, n % 3 <> 0, case when n % 2 = 0 then moment end, ''
  from locations location
  cross join generate_series(1, $2::integer) as n
  join listings listing on listing.location_id = location.id and listing.directory_type = 'DIRECTORY_' || (n % 12 + 1)
  cross join lateral (
    select now() - make_interval(mins => ((location.id * 13 + n * 37) % 525600)::integer) as moment
  ) as moments
  where location.id >= $1
`;
