import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import type { Scope } from '../../locations/index.ts';
import { withinScope } from './home-scope.ts';

/** Columns to rank by. Locations without a value are not ranked. */
const columnOf = {
  SCORE: 'score',
  PROFILE_COMPLETENESS: 'completeness',
  VISIBILITY_INDEX: 'visibility_index',
  AVERAGE_RATING: 'average_rating',
  RATING_COUNT: 'ratings',
} as const;

export type RankedBy = keyof typeof columnOf;
export const rankedBy = Object.keys(columnOf) as readonly RankedBy[];

const nullable: ReadonlySet<RankedBy> = new Set(['VISIBILITY_INDEX', 'AVERAGE_RATING']);

export const rankOrders = ['BEST_FIRST', 'WORST_FIRST'] as const;
export type RankOrder = (typeof rankOrders)[number];

export interface RankedLocation {
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
