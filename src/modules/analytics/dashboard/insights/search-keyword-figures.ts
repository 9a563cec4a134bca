import type { Sql } from '../../../../database/connection.ts';
import type { Scope } from '../../../locations/index.ts';
import { ofScope, plainSum, type RollUp } from '../roll-up.ts';

/** Search words by month: roll-ups of them, and for a choice of locations their own rows. */

export const keywordRollUp: RollUp = {
  figures: 'keyword_figures',
  deltas: 'keyword_deltas',
  keys: ['month', 'keyword'],
  sums: { impressions: plainSum('impressions'), locations: plainSum('locations') },
};

interface KeywordFigure {
  keyword: string;
  current: number;
  previous: number;
  /** Of the month with the most. */
  locations: number;
}

export interface KeywordFigures {
  keywordsCount: number;
  current: number;
  previous: number;
  /** The ones with the most impressions. */
  keywords: KeywordFigure[];
}

interface Asked {
  months: readonly string[];
  previousMonths: readonly string[];
  limit: number;
}

/** What was searched for in some months, one after the other, compared with as many right before. */
export async function searchKeywords(
  sql: Sql,
  scope: Scope,
  { months, previousMonths, limit }: Asked,
): Promise<KeywordFigures> {
  const values: unknown[] = [[...previousMonths, ...months], months[0], limit];
  const { words, mostLocations } = scope.kind === 'locations' ? byLocation(scope, values) : rolledUp(scope, values);
  const { rows } = await sql.query<{ keywordsCount: number; total: number; before: number; keywords: KeywordFigure[] }>(
    `with words as (${words}), top as (
       select keyword, current, previous, ${mostLocations} as locations
       from words where locations > 0 order by current desc, keyword limit $3
     )
     select (select count(*) from words where locations > 0) as "keywordsCount",
       (select coalesce(sum(current), 0)::bigint from words) as total,
       (select coalesce(sum(previous), 0)::bigint from words) as before,
       coalesce((select json_agg(top order by current desc, keyword) from top), '[]') as keywords`,
    values,
  );
  const { keywordsCount = 0, total = 0, before = 0, keywords = [] } = rows[0] ?? {};
  return { keywordsCount, current: total, previous: before, keywords };
}

/** A word with its impressions, and with locations above 0 if any month has it; in how many it is at most. */
interface Counted {
  words: string;
  mostLocations: string;
}

const asked = 'month = any ($1::date[])';
const impressions = `coalesce(sum(impressions) filter (where month >= $2::date), 0)::bigint as current,
  coalesce(sum(impressions) filter (where month < $2::date), 0)::bigint as previous`;

function byLocation({ locationIds }: Scope & { kind: 'locations' }, values: unknown[]): Counted {
  const words = `
    select keyword, ${impressions}, coalesce(max(locations) filter (where month >= $2::date), 0) as locations
    from (
      select keyword, month, sum(impressions) as impressions, count(*) as locations from search_keywords
      where location_id = any ($${values.push(locationIds)}::bigint[]) and ${asked} group by keyword, month
    ) as counted group by keyword`;
  return { words, mostLocations: 'locations' };
}

/** The months of a word are gone through only for the few that are shown, which an index finds. */
function rolledUp(scope: Exclude<Scope, { kind: 'locations' }>, values: unknown[]): Counted {
  const { figures, deltas } = ofScope(scope, values);
  const counted = `
    select keyword, month, impressions, locations from keyword_figures where ${figures} and ${asked}
    union all
    select keyword, month, impressions, locations from keyword_deltas where ${deltas} and ${asked}`;
  return {
    words: `
      select keyword, ${impressions}, coalesce(sum(locations) filter (where month >= $2::date), 0) as locations
      from (${counted}) as counted group by keyword`,
    mostLocations: `(
      select max(located) from (
        select sum(locations)::bigint as located from (${counted}) as counted
        where counted.keyword = words.keyword and month >= $2::date group by month
      ) as by_month)`,
  };
}
