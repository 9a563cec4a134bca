import { Conditions } from '../../database/conditions.ts';
import type { Sql } from '../../database/connection.ts';
import type { Scope } from '../scope.ts';
import { type HomeLocation, homeColumns } from './home-location-store.ts';
import { withinScope } from './home-scope.ts';
import { type Score, scoreOf } from './location-score.ts';

export interface LocationScore extends Score {
  locationId: number;
  businessId: number;
}

/**
 * Scores with their parts, by location id; all of a scope, or of some locations, unless a page is asked for. They are
 * kept, not computed: whoever needs those of this moment calls `bringUpToDate` first.
 */
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

/** The parts as they were when the score was worked out, so that they always add up to it. */
const partsOf = (row: HomeLocation): Score => scoreOf({ ...row, hasRecentPost: row.postsUntil !== null });
