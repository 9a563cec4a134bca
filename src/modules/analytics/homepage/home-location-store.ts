import { type Expression, expressionBuilder, type Selectable, type SqlBool } from 'kysely';
import type { Sql } from '../../../database/connection.ts';
import { anyOf, db, raw } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import { columnsOf, defineStatement, run, runUnprepared, selectionOf, snakeCase } from '../../../database/statement.ts';
import { lockName, type Transaction } from '../../../database/transaction.ts';
import type { Scope } from '../../locations/index.ts';
import { allBusinesses } from '../dashboard/roll-up.ts';

/** Stored values of a location for the homepage. */
export type HomeLocation = Omit<Selectable<DB['homeLocations']>, 'partnerId'>;

const columns = {
  locationId: 'int8',
  businessId: 'int8',
  score: 'int2',
  completeness: 'int2',
  listings: 'int4',
  listingsInSync: 'int4',
  reviews: 'int4',
  reviewsAnswered: 'int4',
  messages: 'int4',
  messagesAnswered: 'int4',
  postsUntil: 'timestamptz',
  visibilityIndex: 'int2',
  ratings: 'int4',
  averageRating: 'float8',
} as const satisfies Record<keyof HomeLocation, string>;

export const homeColumns = Object.keys(columns) as readonly (keyof HomeLocation)[];
const columnNames = homeColumns.map(snakeCase);

/** Serializes refreshes of a partner's homepage. */
export async function lockHomepage(transaction: Transaction, partnerId: number): Promise<void> {
  await lockName(transaction, `homepage of partner ${partnerId}`);
}

/** Claims changed locations, and those whose latest post is older than 30 days. */
export async function claimPendingLocations(
  transaction: Transaction,
  partnerId: number,
  now: Date,
  limit: number,
): Promise<number[]> {
  const claimed = await run(transaction, claimPending, [partnerId, now, limit]);
  return claimed.map(({ id }) => id);
}

const claimPending = defineStatement<{ id: number }>({
  name: 'home-take-waiting',
  text: `with taken as (
           delete from home_waiting where partner_id = $1 and location_id in (
             select distinct location_id from home_waiting where partner_id = $1 order by location_id limit $3
           )
           returning location_id
         ), outdated as (
           select location_id from home_locations where partner_id = $1 and posts_until <= $2
           order by posts_until limit $3
         )
         select location_id as id from taken union select location_id from outdated order by id`,
  columns: { id: 'int8' },
});

/** Counts pending entries up to the limit. */
export async function countPending(sql: Sql, partnerId: number, now: Date, limit: number): Promise<number> {
  const [counted] = await run(sql, countWaiting, [partnerId, now, limit]);
  return counted?.count ?? 0;
}

const countWaiting = defineStatement<{ count: number }>({
  name: 'home-count-waiting',
  text: `select count(*) from (
           (select from home_waiting where partner_id = $1 limit $3)
           union all
           (select from home_locations where partner_id = $1 and posts_until <= $2 limit $3)
         ) as waiting`,
  columns: { count: 'int8' },
});

export async function partnersWithPendingLocations(sql: Sql, now: Date): Promise<number[]> {
  const partners = await db(sql)
    .selectFrom('salesPartners')
    .select('id')
    .where(({ or, exists, selectFrom }) =>
      or([
        exists(selectFrom('homeWaiting').whereRef('homeWaiting.partnerId', '=', 'salesPartners.id')),
        exists(
          selectFrom('homeLocations')
            .whereRef('homeLocations.partnerId', '=', 'salesPartners.id')
            .where('postsUntil', '<=', now),
        ),
      ]),
    )
    .orderBy('id')
    .execute();
  return partners.map(({ id }) => id);
}

export const findHomeLocations = (sql: Sql, ids: readonly number[]): Promise<HomeLocation[]> =>
  run(sql, homeLocations, [ids]);

const homeLocations = defineStatement<HomeLocation>({
  name: 'home-locations',
  text: `select ${selectionOf(columns)} from home_locations where location_id = any ($1::bigint[])`,
  columns,
});

export async function upsertHomeLocations(
  transaction: Transaction,
  partnerId: number,
  locations: readonly HomeLocation[],
): Promise<void> {
  await run(transaction, upsertLocations, [partnerId, JSON.stringify(locations)]);
}

const given = homeColumns.map((name) => `"${name}" ${columns[name]}`);
const assignments = columnNames.slice(1).map((column) => `${column} = excluded.${column}`);

const upsertLocations = defineStatement({
  name: 'home-put-locations',
  text: `insert into home_locations (partner_id, ${columnNames.join(', ')})
         select $1, ${homeColumns.map((name) => `next."${name}"`).join(', ')}
         from json_to_recordset($2::json) as next (${given.join(', ')})
         on conflict (location_id) do update set ${assignments.join(', ')}`,
});

export async function removeHomeLocations(transaction: Transaction, ids: readonly number[]): Promise<void> {
  await db(transaction).deleteFrom('homeLocations').where('locationId', '=', anyOf(ids, 'bigint')).execute();
}

/** The condition of a scope on a table with partner, business and location. */
export function inScope(scope: Scope): Expression<SqlBool> {
  const eb = expressionBuilder<DB, 'homeFindings' | 'homeLocations'>();
  if (scope.kind === 'locations') return eb('locationId', '=', anyOf(scope.locationIds, 'bigint'));
  const ofPartner = eb('partnerId', '=', scope.partnerId);
  if (scope.kind === 'partner') return ofPartner;
  const [first, ...others] = scope.businessIds;
  // Equality lets an index provide the order.
  const isOne = first !== undefined && others.length === 0;
  return eb.and([ofPartner, eb('businessId', '=', isOne ? first : anyOf(scope.businessIds, 'bigint'))]);
}

/** Sums over locations. */
const totalColumns = {
  locations: 'int4',
  scoreSum: 'int8',
  completenessSum: 'int8',
  listings: 'int8',
  listingsInSync: 'int8',
} as const;

export type Totals = Record<keyof typeof totalColumns, number>;

export const totalNames = Object.keys(totalColumns) as readonly (keyof Totals)[];
const sums = totalNames.map(snakeCase);

const sumOf = (name: keyof Totals) =>
  `coalesce(sum(${snakeCase(name)}), 0)::${totalColumns[name]} as ${snakeCase(name)}`;

/** Adds changes to the latest totals and stores them under `day`. */
export async function addToTotals(
  transaction: Transaction,
  partnerId: number,
  day: string,
  changes: readonly (Totals & { businessId: number })[],
): Promise<void> {
  await run(transaction, addTotals, [partnerId, day, ...columnsOf(changes, 'businessId', ...totalNames)]);
}

const addTotals = defineStatement({
  name: 'home-add-to-totals',
  text: `insert into home_totals (partner_id, business_id, day, ${sums.join(', ')})
         select $1, change.business_id, greatest($2::date, latest.day),
           ${sums.map((sum) => `coalesce(latest.${sum}, 0) + change.${sum}`).join(', ')}
         from unnest($3::bigint[], $4::integer[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
           as change (business_id, ${sums.join(', ')})
         left join lateral (
           select * from home_totals where partner_id = $1 and home_totals.business_id = change.business_id
           order by day desc limit 1
         ) as latest on true
         on conflict (partner_id, business_id, day) do update set ${sums.map((sum) => `${sum} = excluded.${sum}`).join(', ')}`,
});

const historyNames = ['score', 'completeness', 'listings', 'listingsInSync'] as const;

/** Identifies the values that the history of a location stores. */
export const historyKey = (location: HomeLocation) => historyNames.map((name) => location[name]).join(' ');

/** Stores the daily values of locations under `day`, or the latest stored day: refreshes around midnight can overtake. */
export async function upsertLocationDays(
  transaction: Transaction,
  day: string,
  locations: readonly HomeLocation[],
): Promise<void> {
  await run(transaction, upsertDays, [day, ...columnsOf(locations, 'locationId', ...historyNames)]);
}

const upsertDays = defineStatement({
  name: 'home-put-location-days',
  text: `insert into home_location_days (location_id, day, score, completeness, listings, listings_in_sync)
         select location.id, greatest($1::date, (select max(day) from home_location_days where location_id = location.id)),
           score, completeness, listings, listings_in_sync
         from unnest($2::bigint[], $3::smallint[], $4::smallint[], $5::integer[], $6::integer[])
           as location (id, score, completeness, listings, listings_in_sync)
         on conflict (location_id, day) do update
           set score = excluded.score, completeness = excluded.completeness, listings = excluded.listings,
             listings_in_sync = excluded.listings_in_sync`,
});

/** Totals at the end of a day, or the current totals without a day. */
export async function totalsOf(sql: Sql, scope: Scope, day: string | null): Promise<Totals> {
  const [totals] = await (scope.kind === 'locations'
    ? runUnprepared(sql, totalsOfLocations, [scope.locationIds, day])
    : runUnprepared(sql, totalsOfBusinesses, [
        scope.kind === 'partner' ? [allBusinesses] : scope.businessIds,
        day,
        scope.partnerId,
      ]));
  return totals as Totals;
}

const latestTotals = (name: string, latest: string) =>
  defineStatement<Totals>({
    name,
    text: `select ${totalNames.map(sumOf).join(', ')}
           from unnest($1::bigint[]) as asked (id) cross join lateral (
             ${latest} and ($2::date is null or day <= $2) order by day desc limit 1
           ) as latest`,
    columns: totalColumns,
  });

const totalsOfLocations = latestTotals(
  'home-totals-of-locations',
  `select 1 as locations, score as score_sum, completeness as completeness_sum, listings, listings_in_sync
   from home_location_days where location_id = asked.id`,
);

const totalsOfBusinesses = latestTotals(
  'home-totals-of-businesses',
  'select * from home_totals where partner_id = $3 and business_id = asked.id',
);

/** Keeps the last row before the date, which holds the values of that date. */
export async function deleteOldLocationDays(sql: Sql, before: string): Promise<number> {
  const limit = raw<Date>`${before}::date`;
  const { numDeletedRows } = await db(sql)
    .deleteFrom('homeLocationDays as old')
    .where('day', '<', limit)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('homeLocationDays as later')
          .whereRef('later.locationId', '=', 'old.locationId')
          .whereRef('later.day', '>', 'old.day')
          .where('later.day', '<=', limit),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
