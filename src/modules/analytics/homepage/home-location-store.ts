import type { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import type { Scope } from '../../locations/index.ts';
import type { ScoreFacts } from './location-score.ts';

/** Stored values of a location for the homepage. */
export interface HomeLocation extends Omit<ScoreFacts, 'hasRecentPost'> {
  locationId: number;
  businessId: number;
  score: number;
  postsUntil: Date | null;
  visibilityIndex: number | null;
  ratings: number;
  averageRating: number | null;
}

const columnOf = {
  locationId: ['location_id', 'bigint'],
  businessId: ['business_id', 'bigint'],
  score: ['score', 'smallint'],
  completeness: ['completeness', 'smallint'],
  listings: ['listings', 'integer'],
  listingsInSync: ['listings_in_sync', 'integer'],
  reviews: ['reviews', 'integer'],
  reviewsAnswered: ['reviews_answered', 'integer'],
  messages: ['messages', 'integer'],
  messagesAnswered: ['messages_answered', 'integer'],
  postsUntil: ['posts_until', 'timestamptz'],
  visibilityIndex: ['visibility_index', 'smallint'],
  ratings: ['ratings', 'integer'],
  averageRating: ['average_rating', 'double precision'],
} as const satisfies Record<keyof HomeLocation, readonly [string, string]>;

const names = Object.keys(columnOf) as readonly (keyof HomeLocation)[];
const columnNames = names.map((name) => columnOf[name][0]);

export const homeColumns = names.map((name) => `home_locations.${columnOf[name][0]} as "${name}"`).join(', ');

/** Serializes refreshes of a partner's homepage. */
export async function lockHomepage(transaction: Transaction, partnerId: number): Promise<void> {
  await transaction.query({
    name: 'lock-homepage',
    text: `select pg_advisory_xact_lock(hashtextextended('homepage of partner ' || $1::bigint, 0))`,
    values: [partnerId],
  });
}

/** Claims changed locations, and those whose latest post is older than 30 days. */
export async function claimPendingLocations(
  transaction: Transaction,
  partnerId: number,
  now: Date,
  limit: number,
): Promise<number[]> {
  const { rows } = await transaction.query<{ id: number }>({
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
    values: [partnerId, now, limit],
  });
  return rows.map(({ id }) => id);
}

/** Counts pending entries up to the limit. */
export async function countPending(sql: Sql, partnerId: number, now: Date, limit: number): Promise<number> {
  const { rows } = await sql.query<{ count: number }>({
    name: 'home-count-waiting',
    text: `select count(*) from (
             (select from home_waiting where partner_id = $1 limit $3)
             union all
             (select from home_locations where partner_id = $1 and posts_until <= $2 limit $3)
           ) as waiting`,
    values: [partnerId, now, limit],
  });
  return rows[0]?.count ?? 0;
}

export async function partnersWithPendingLocations(sql: Sql, now: Date): Promise<number[]> {
  const { rows } = await sql.query<{ id: number }>(
    `select id from sales_partners
     where exists (select from home_waiting where partner_id = sales_partners.id)
       or exists (select from home_locations where partner_id = sales_partners.id and posts_until <= $1)
     order by id`,
    [now],
  );
  return rows.map(({ id }) => id);
}

export async function findHomeLocations(sql: Sql, ids: readonly number[]): Promise<HomeLocation[]> {
  const { rows } = await sql.query<HomeLocation>({
    name: 'home-locations',
    text: `select ${homeColumns} from home_locations where location_id = any ($1::bigint[])`,
    values: [ids],
  });
  return rows;
}

export async function upsertHomeLocations(
  transaction: Transaction,
  partnerId: number,
  locations: readonly HomeLocation[],
): Promise<void> {
  const definition = names.map((name) => `"${name}" ${columnOf[name][1]}`).join(', ');
  const values = names.map((name) => `next."${name}"`).join(', ');
  const assignments = columnNames.slice(1).map((column) => `${column} = excluded.${column}`);
  await transaction.query({
    name: 'home-put-locations',
    text: `insert into home_locations (partner_id, ${columnNames.join(', ')})
           select $1, ${values} from json_to_recordset($2::json) as next (${definition})
           on conflict (location_id) do update set ${assignments.join(', ')}`,
    values: [partnerId, JSON.stringify(locations)],
  });
}

export async function removeHomeLocations(transaction: Transaction, ids: readonly number[]): Promise<void> {
  await transaction.query('delete from home_locations where location_id = any ($1::bigint[])', [ids]);
}

/** Adds the conditions of a scope for tables with partner_id, business_id and location_id. */
export function withinScope(conditions: Conditions, scope: Scope): Conditions {
  if (scope.kind === 'locations') {
    return conditions.add(`location_id = any (${conditions.value(scope.locationIds)}::bigint[])`);
  }
  conditions.add(`partner_id = ${conditions.value(scope.partnerId)}`);
  if (scope.kind === 'partner') return conditions;
  // Equality lets an index provide the order.
  const [only] = scope.businessIds;
  return scope.businessIds.length === 1
    ? conditions.add(`business_id = ${conditions.value(only)}`)
    : conditions.add(`business_id = any (${conditions.value(scope.businessIds)}::bigint[])`);
}
