import { type Expression, expressionBuilder, type Selectable, type SqlBool } from 'kysely';
import type { Sql } from '../../../database/connection.ts';
import { anyOf, db } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import { lockName, type Transaction } from '../../../database/transaction.ts';
import type { Scope } from '../../locations/index.ts';

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
/** listingsInSync → listings_in_sync */
export const columnName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const columnNames = homeColumns.map(columnName);

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
  text: `select ${columnNames.join(', ')} from home_locations where location_id = any ($1::bigint[])`,
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
