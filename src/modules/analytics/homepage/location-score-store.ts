import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import type { Scope } from '../../locations/index.ts';
import { type HomeLocation, homeColumns, withinScope } from './home-location-store.ts';
import { maxPointsByPart, type Score, scoreOf } from './location-score.ts';

interface LocationScore extends Score {
  locationId: number;
  businessId: number;
}

/** Stored scores with their parts by location id. Call `catchUp` first for current values. */
export async function locationScores(
  sql: Sql,
  of: Scope | readonly number[],
  { offset = 0, limit, after }: { offset?: number; limit?: number; after?: number } = {},
): Promise<LocationScore[]> {
  const conditions = new Conditions();
  if ('kind' in of) withinScope(conditions, of);
  else conditions.add(`location_id = any (${conditions.value(of)}::bigint[])`);
  if (after !== undefined) conditions.add(`location_id > ${conditions.value(after)}`);
  const { rows } = await sql.query<HomeLocation>(
    `select ${homeColumns} from home_locations ${conditions.where}
     order by location_id offset ${conditions.value(offset)} limit ${conditions.value(limit ?? null)}`,
    conditions.values,
  );
  return rows.map((row) => ({ locationId: row.locationId, businessId: row.businessId, ...partsOf(row) }));
}

/** Parts of the stored score, which always add up to it. */
const partsOf = (row: HomeLocation): Score => scoreOf({ ...row, hasRecentPost: row.postsUntil !== null });

/** Average points per part, and sums of done and total items. */
export async function averageParts(sql: Sql, scope: Scope): Promise<Score['parts']> {
  const conditions = new Conditions();
  withinScope(conditions, scope);
  const { rows } = await sql.query<Record<keyof typeof maxPointsByPart, [share: number, done: number, of: number]>>(
    `select
       array[avg(completeness) / 100.0, sum(completeness), sum(100)]::float[] as "PROFILE_COMPLETENESS",
       array[avg(case when listings = 0 then 0 else listings_in_sync::float / listings end),
         sum(listings_in_sync), sum(listings)]::float[] as "LISTINGS_IN_SYNC",
       array[avg(case when reviews = 0 then 1 else reviews_answered::float / reviews end),
         sum(reviews_answered), sum(reviews)]::float[] as "REVIEWS_ANSWERED",
       array[avg((posts_until is not null)::integer), count(posts_until), count(*)]::float[] as "RECENT_POSTS",
       array[avg(case when messages = 0 then 1 else messages_answered::float / messages end),
         sum(messages_answered), sum(messages)]::float[] as "MESSAGES_ANSWERED"
     from home_locations ${conditions.where} having count(*) > 0`,
    conditions.values,
  );
  const [found] = rows;
  if (!found) return [];
  return (Object.keys(maxPointsByPart) as (keyof typeof maxPointsByPart)[]).map((name) => {
    const [share, done, of] = found[name];
    return {
      name,
      points: Math.round(share * maxPointsByPart[name] * 10) / 10,
      maxPoints: maxPointsByPart[name],
      done,
      of,
    };
  });
}

/** Columns to rank by. Locations without a value are not ranked. */
const columnOf = {
  SCORE: 'score',
  PROFILE_COMPLETENESS: 'completeness',
  VISIBILITY_INDEX: 'visibility_index',
  AVERAGE_RATING: 'average_rating',
  RATING_COUNT: 'ratings',
} as const;

type RankedBy = keyof typeof columnOf;
export const rankedBy = Object.keys(columnOf) as readonly RankedBy[];

const nullable: ReadonlySet<RankedBy> = new Set(['VISIBILITY_INDEX', 'AVERAGE_RATING']);

export const rankOrders = ['BEST_FIRST', 'WORST_FIRST'] as const;
type RankOrder = (typeof rankOrders)[number];

interface RankedLocation {
  rank: number;
  locationId: number;
  value: number;
}

/** Reads a page in index order. The best rank is 1; equal values share a rank, and the next ranks are skipped. */
export async function rankLocations(
  sql: Sql,
  scope: Scope,
  by: RankedBy,
  order: RankOrder,
  page: { offset: number; limit: number },
): Promise<{ count: number; ranked: RankedLocation[] }> {
  const column = columnOf[by];
  const conditions = withinScope(new Conditions(), scope);
  if (nullable.has(by)) conditions.add(`${column} is not null`);
  const inOrder = order === 'BEST_FIRST' ? 'desc, location_id' : 'asc, location_id desc';
  const { rows } = await sql.query<{ count: number; better: number; locationId: number | null; value: number }>(
    `with page as materialized (
       select location_id, ${column} as value from home_locations ${conditions.where}
       order by ${column} ${inOrder} offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}
     ), figures as (
       select (select count(*) from home_locations ${conditions.where}) as count,
         (select count(*) from home_locations ${conditions.where} and ${column} > (select max(value) from page)) as better
     )
     select figures.*, page.location_id as "locationId", page.value from figures left join page on true
     order by value ${inOrder}`,
    conditions.values,
  );
  const { count = 0, better = 0 } = rows[0] ?? {};
  const found = rows.filter((row): row is typeof row & { locationId: number } => row.locationId !== null);
  const ranks = ranksOf(
    found.map(({ value }) => value),
    { count, better, order, offset: page.offset },
  );
  return {
    count,
    ranked: found.map(({ locationId, value }, index) => ({ rank: ranks[index] ?? 0, locationId, value })),
  };
}

/** `better`: number of locations ahead of the best on the page. */
function ranksOf(
  values: readonly number[],
  { count, better, order, offset }: { count: number; better: number; order: RankOrder; offset: number },
): number[] {
  const best = order === 'BEST_FIRST' ? values[0] : values.at(-1);
  return values.map((value) => {
    if (value === best) return better + 1;
    return order === 'BEST_FIRST' ? offset + values.indexOf(value) + 1 : count - offset - values.lastIndexOf(value);
  });
}
