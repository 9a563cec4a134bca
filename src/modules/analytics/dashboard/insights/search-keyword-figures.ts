import type { Sql } from '../../../../database/connection.ts';
import type { Scope } from '../../../locations/index.ts';
import {
  defineRollUp,
  defineStatementsByScope,
  plainSums,
  rolledUpRows,
  runForScope,
  type ScopeKind,
} from '../roll-up.ts';

export const keywordRollUp = defineRollUp({
  figures: 'keyword_figures',
  deltas: 'keyword_deltas',
  keys: ['month', 'keyword'],
  sums: plainSums('impressions', 'locations'),
});

interface KeywordFigure {
  keyword: string;
  current: number;
  previous: number;
  /** In the month with the most locations. */
  locations: number;
}

interface KeywordFigures {
  keywordsCount: number;
  current: number;
  previous: number;
  /** Keywords with the most impressions. */
  keywords: KeywordFigure[];
}

/** Keywords of consecutive months, compared with the preceding months. */
export async function searchKeywords(
  sql: Sql,
  scope: Scope,
  { months, previousMonths, limit }: { months: readonly string[]; previousMonths: readonly string[]; limit: number },
): Promise<KeywordFigures> {
  const [found] = await runForScope(sql, topKeywords, scope, [[...previousMonths, ...months], months[0], limit]);
  return found as KeywordFigures;
}

/** SQL for keywords with impressions (locations > 0 if any month has it), and for their maximum number of locations. */
interface KeywordSql {
  words: string;
  mostLocations: string;
}

const inMonths = 'month = any ($1::date[])';
const impressions = `coalesce(sum(impressions) filter (where month >= $2::date), 0)::bigint as current,
  coalesce(sum(impressions) filter (where month < $2::date), 0)::bigint as previous`;

const byLocation: KeywordSql = {
  words: `
    select keyword, ${impressions}, coalesce(max(locations) filter (where month >= $2::date), 0) as locations
    from (
      select keyword, month, sum(impressions) as impressions, count(*) as locations from search_keywords
      where location_id = any ($4::bigint[]) and ${inMonths} group by keyword, month
    ) as counted group by keyword`,
  mostLocations: 'locations',
};

/** The maximum is computed only for the keywords on the page, with an index. */
function rolledUp(kind: Exclude<ScopeKind, 'locations'>): KeywordSql {
  const columns = 'keyword, month, impressions, locations';
  const counted = rolledUpRows(keywordRollUp, kind, 4, columns, { condition: inMonths });
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

const topKeywords = defineStatementsByScope<KeywordFigures>(
  'top-search-keywords',
  { keywordsCount: 'int8', current: 'int8', previous: 'int8', keywords: 'json' },
  (kind) => {
    const { words, mostLocations } = kind === 'locations' ? byLocation : rolledUp(kind);
    return `
      with words as (${words}), top as (
        select keyword, current, previous, ${mostLocations} as locations
        from words where locations > 0 order by current desc, keyword limit $3
      )
      select (select count(*) from words where locations > 0) as keywords_count,
        (select coalesce(sum(current), 0)::bigint from words) as current,
        (select coalesce(sum(previous), 0)::bigint from words) as previous,
        coalesce((select json_agg(top order by current desc, keyword) from top), '[]') as keywords`;
  },
);
