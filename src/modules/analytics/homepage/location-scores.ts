import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import type { Scope } from '../../locations/index.ts';
import { type HomeLocation, homeColumns } from './home-location-store.ts';
import { withinScope } from './home-scope.ts';
import { maxPointsByPart, type Score, scoreOf } from './location-score.ts';

export interface LocationScore extends Score {
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
