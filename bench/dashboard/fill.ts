/** The data of the dashboard benchmark, made by the database itself; its figures by what the product makes them with. */
import type { Database } from '../../src/database/connection.ts';
import { wordIds } from '../../src/modules/analytics/dashboard/feedback/keywords/keyword-store.ts';
import {
  beginRollUp,
  findBusinessesToRollUp,
  foldDeltas,
} from '../../src/modules/analytics/dashboard/feedback/roll-up-store.ts';
import { healthRollUps } from '../../src/modules/analytics/dashboard/figures-jobs.ts';
import { insightRollUp } from '../../src/modules/analytics/dashboard/insights/insight-figures-store.ts';
import { keywordRollUp } from '../../src/modules/analytics/dashboard/insights/search-keyword-figures.ts';
import { allBusinesses, foldAll, type RollUp } from '../../src/modules/analytics/dashboard/roll-up.ts';
import { directoryList } from '../../src/modules/directories/directory-list.ts';

const chunk = 2000;
const datapointsPerLocation = 50;
const metricsPerDirectory = 10;
const vocabulary = 20_000;
const chains = 50;

/** Those with the most metrics. */
const directories = directoryList
  .toSorted((a, b) => b.metrics.length - a.metrics.length)
  .slice(0, 4)
  .map(({ type, metrics }) => ({
    type,
    // The names that it has, and as many more as make ten.
    metrics: [...metrics, ...Array.from({ length: metricsPerDirectory - metrics.length }, (_, n) => `METRIC_${n}`)],
  }));
const builtAtOnce = ['insights', 'search_keywords'] as const;
const others = directoryList.filter(({ type }) => directories.every((one) => one.type !== type)).slice(0, 8);

/** Every second location belongs to one of fifty chains, the others have a business each. */
export async function fill(database: Database, partnerId: number, locations: number): Promise<number[]> {
  const sql = database.pool;
  const { rows } = await sql.query<{ count: number }>('select count(*) from locations where partner_id = $1', [
    partnerId,
  ]);
  await prepare(database, partnerId);
  await withoutIndexes(database, ['datapoints', 'insights', 'search_keywords'], () =>
    withoutTriggers(database, builtAtOnce, async () => {
      for (let done = rows[0]?.count ?? 0; done < locations; done += chunk) {
        await addLocations(database, partnerId, done, Math.min(chunk, locations - done));
      }
    }),
  );
  await rollUp(database);
  await sql.query('vacuum (analyze)');
  const found = await sql.query<{ id: number }>('select id from locations where partner_id = $1 order by id', [
    partnerId,
  ]);
  return found.rows.map(({ id }) => id);
}

/** Chains, words, and what the counts of a month look like. */
async function prepare(database: Database, partnerId: number): Promise<void> {
  const sql = database.pool;
  await sql.query(
    `insert into businesses (partner_id, identifier, name, type, country, status)
     select $1, 'chain-' || n, 'Chain ' || n, 'ENTERPRISE', 'DE', 'ACTIVE' from generate_series(1, $2::integer) as n
     on conflict do nothing`,
    [partnerId, chains],
  );
  const words = Array.from({ length: vocabulary }, (_, n) => ({ language: 'en', stem: `word${n}`, form: `word${n}` }));
  await wordIds(sql, words);
  await sql.query('analyze feedback_words');
  await sql.query('drop table if exists bench_months');
  // Ninety-seven kinds of month: that of each listing and metric is one of them. Known from a year ago to yesterday.
  await sql.query(
    `create table bench_months as
     select kind, month::date, array(
       select case when day between current_date - 365 and current_date - 1 then (kind * 7 + extract(day from day)::integer * 13) % 60 end
       from generate_series(month, month + interval '1 month' - interval '1 day', interval '1 day') as day order by day
     )::integer[] as counts
     from generate_series(0, 96) as kind
     cross join generate_series(date_trunc('month', current_date - 365), date_trunc('month', current_date - 1), interval '1 month') as month`,
  );
}

/** Indexes are made once at the end: keeping so many of them up with every row would take most of an hour. */
async function withoutIndexes(database: Database, tables: readonly string[], work: () => Promise<void>): Promise<void> {
  const { rows } = await database.pool.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid = any ($1::regclass[]) and not indisunique`,
    [tables],
  );
  for (const { name } of rows) await database.pool.query(`drop index ${name}`);
  await work();
  for (const { definition } of rows) await database.pool.query(definition);
}

/** What they would note for the figures is not needed where the figures are built at once. */
async function withoutTriggers(database: Database, tables: readonly string[], work: () => Promise<void>) {
  for (const table of tables) await database.pool.query(`alter table ${table} disable trigger user`);
  await work();
  for (const table of tables) await database.pool.query(`alter table ${table} enable trigger user`);
}

async function addLocations(database: Database, partnerId: number, from: number, count: number): Promise<void> {
  const { rows } = await database.pool.query<{ first: number }>(addLocationsStatement, [
    partnerId,
    from,
    count,
    chains,
  ]);
  const first = rows[0]?.first ?? 0;
  await database.pool.query('analyze locations');
  const all = [...directories, ...others].map(({ type }) => type);
  await database.pool.query(addListingsStatement, [first, all, directories.map(({ type }) => type)]);
  await database.pool.query('analyze listings');
  await database.transaction(async (sql) => {
    const added = await sql.query<{ from: number; to: number }>(addDatapointsStatement, [
      first,
      datapointsPerLocation,
      directories.map(({ type }) => type),
      vocabulary,
    ]);
    // As the job that reads reviews does, with the splitting of texts left to the database.
    await sql.query(readWordsStatement, [added.rows[0]?.from, added.rows[0]?.to]);
    await sql.query('truncate feedback_to_read');
  });
  for (const { type, metrics } of directories) {
    await database.pool.query(addInsightsStatement, [first, type, metrics]);
  }
  await database.pool.query(addSearchKeywordsStatement, [first, 'GOOGLE']);
}

const addLocationsStatement = `
  with numbers as (
    select n, n % 2 = 0 as in_chain from generate_series($2::integer + 1, $2 + $3::integer) as n
  ), single as (
    insert into businesses (partner_id, identifier, name, type, country, status)
    select $1, 'single-' || n, 'Business ' || n, 'SMB', 'DE', 'ACTIVE' from numbers where not in_chain
    returning id, identifier
  ), business as (
    select id, identifier from businesses where partner_id = $1 and identifier like 'chain-%'
    union all select id, identifier from single
  ), added as (
    insert into locations
      (partner_id, business_id, identifier, status, source, name, street, city, country, profile_completeness,
       classification, listings_count, synced_revision)
    select $1, business.id, 'bench-' || n, case when n % 10 = 0 then 'NEEDS_REVIEW' else 'ACTIVE' end, 'API',
      'Shop ' || n, 'Street ' || n % 500, 'City' || n % 400, 'DE', n % 101,
      (array['REQUIRED', 'BASIC', 'ADVANCED', 'BONUS'])[1 + n % 4], 12, case when n % 7 > 0 then 1 end
    from numbers
    join business on business.identifier = case when in_chain then 'chain-' || (1 + n / 2 % $4::integer) else 'single-' || n end
    returning id
  )
  select min(id) as first from added
`;

const addListingsStatement = `
  insert into listings
    (partner_id, location_id, directory_type, external_id, url, claim_status, flow_status, sync_status, connect_status,
     matching_fields, comparable_fields, last_checked, insights_until)
  select partner_id, locations.id, type, locations.id || '-' || n, 'https://directory' || n || '.example/' || locations.id,
    case when (locations.id + n) % 9 = 0 then 'CLAIMABLE' else 'CLAIMED_BY_US' end,
    (array['ALL_INFORMATION_SUBMITTED', 'NO_ACTION_NEEDED', 'SUBMISSION_NEEDED'])[1 + (locations.id + n) % 3],
    case when (locations.id + n) % 4 = 0 then 'NOT_IN_SYNC' else 'IN_SYNC' end,
    case when (locations.id + n) % 5 = 0 then 'NOT_CONNECTED' else 'CONNECTED' end, (locations.id + n) % 9, 8, now(),
    case when type = any ($3::text[]) then current_date - 1 end
  from locations cross join unnest($2::text[]) with ordinality as directory (type, n)
  where locations.id >= $1
`;

// Four of five are reviews; half of them answered, within minutes to weeks. The nth word is used an nth as often as the first.
const addDatapointsStatement = `
  with added as (
    insert into datapoints
      (partner_id, business_id, location_id, listing_id, directory_type, external_id, type, text, language, rating, author,
       action_date, thread_action_date, read, owner_replied_at, fingerprint)
    select location.partner_id, location.business_id, location.id, listing.id, listing.directory_type,
      location.id || '-' || n, case when n % 5 = 0 then 'PHOTO' else 'REVIEW' end,
      case when n % 5 <> 0 then said.text end, 'en', case when n % 5 <> 0 then 1 + (location.id + n) % 5 end, 'Author ' || n,
      moment, greatest(moment, replied), n % 3 <> 0, replied, ''
    from locations location
    cross join generate_series(1, $2::integer) as n
    join listings listing on listing.location_id = location.id
      and listing.directory_type = ($3::text[])[1 + n % cardinality($3::text[])]
    cross join lateral (
      select date_trunc('day', now()) - make_interval(mins => ((location.id * 7919 + n * 10513) % 525600)::integer) as moment
    ) as moments
    cross join lateral (
      select case when (location.id + n) % 2 = 0
        then moment + make_interval(secs => 60 * exp((location.id * 31 + n * 17) % 1000 / 100.0)) end as replied
    ) as replies
    cross join lateral (
      select string_agg('word' || (floor(power($4::integer,
        ((location.id * 7919 + n * 104729 + place * 15485863 + location.id * place) % 100003) / 100003::float8))::bigint - 1),
        ' ') as text
      from generate_series(1, 8) as place
    ) as said
    where location.id >= $1
    returning id
  )
  select min(id) as from, max(id) as to from added
`;

const readWordsStatement = `
  select note_feedback_words(array_agg(id), array_agg(words)) from (
    select datapoints.id, array_agg(distinct word.id)::text as words
    from datapoints
    cross join regexp_split_to_table(text, ' ') as said (form)
    join feedback_words word using (form)
    where datapoints.id between $1 and $2 and text is not null
    group by datapoints.id
  ) as read
`;

const addInsightsStatement = `
  insert into insights (listing_id, metric, month, location_id, partner_id, directory_type, counts)
  select listing.id, metric, month, listing.location_id, listing.partner_id, listing.directory_type, counts
  from listings listing
  cross join unnest($3::text[]) with ordinality as metrics (metric, number)
  join bench_months on kind = (listing.id * 31 + number) % 97
  where listing.location_id >= $1 and listing.directory_type = $2
`;

const addSearchKeywordsStatement = `
  insert into search_keywords (listing_id, month, keyword, location_id, partner_id, impressions)
  select distinct on (listing.id, month, keyword) listing.id, month, keyword, listing.location_id, listing.partner_id,
    10 + (listing.id + n) % 500
  from listings listing
  cross join (select distinct month from bench_months) as months
  cross join generate_series(1, 5) as n
  cross join lateral (select 'search word ' || (listing.id * 31 + n * 7919) % 2000 as keyword) as words
  where listing.location_id >= $1 and listing.directory_type = $2
`;

async function rollUp(database: Database): Promise<void> {
  const sql = database.pool;
  for (const id of await findBusinessesToRollUp(sql, 20, 1000)) {
    await database.transaction((transaction) => beginRollUp(transaction, id));
  }
  // All of them in one go: what is folded bit by bit is written many times.
  await database.transaction(async (transaction) => {
    await transaction.query("set local work_mem = '256MB'");
    await foldDeltas(transaction, 10_000_000);
  });
  await foldAll(sql, healthRollUps);
  const [insights, searchKeywords] = builtAtOnce;
  await build(database, insightRollUp, insights);
  await build(database, keywordRollUp, searchKeywords);
}

/** What folding the deltas of every row would come to, by the same sums in one statement. */
async function build(database: Database, { figures, keys, sums }: RollUp, base: string): Promise<void> {
  const columns = Object.keys(sums);
  const groups = ['partner_id', 'counted.business', ...keys].join(', ');
  await database.pool.query(`truncate ${figures}`);
  await database.pool.query(
    `insert into ${figures} (partner_id, business_id, ${[...keys, ...columns].join(', ')})
     select ${groups}, ${columns.map((name) => sums[name]?.of).join(', ')}
     from (
       select base.*, location.business_id, 1 as sign, 1 as locations
       from ${base} base join locations location on location.id = base.location_id
     ) as rows cross join lateral (values (business_id), (${allBusinesses})) as counted (business)
     group by ${groups}`,
  );
}
