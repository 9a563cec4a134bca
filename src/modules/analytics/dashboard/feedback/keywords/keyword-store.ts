import type { Sql } from '../../../../../database/connection.ts';
import type { Transaction } from '../../../../../database/transaction.ts';
import { lengthOf } from '../../../../../values/span.ts';
import { cellsOf } from '../feedback-source.ts';
import {
  cellsRolledUp,
  type FigureQuery,
  listedDatapoints,
  parameterTypes,
  partsOf,
  pendingDeltas,
  requestedCells,
  valuesOf,
} from '../feedback-store.ts';
import type { Keyword } from './extract-keywords.ts';

/** Claims reviews to analyze; rows locked by other processes are skipped. */
export async function claimUnreadReviews(transaction: Transaction, limit: number): Promise<number[]> {
  const { rows } = await transaction.query<{ id: number }>(
    `delete from feedback_to_read
     where ctid = any (array(select ctid from feedback_to_read limit $1 for update skip locked))
     returning datapoint_id as id`,
    [limit],
  );
  return [...new Set(rows.map(({ id }) => id))];
}

/** Returns the ids in the order of `keywords`. New words are inserted. */
export async function wordIds(sql: Sql, keywords: readonly Keyword[]): Promise<number[]> {
  const columns = [
    keywords.map(({ language }) => language),
    keywords.map(({ stem }) => stem),
    keywords.map(({ form }) => form),
  ];
  // Sorted, to avoid deadlocks between processes that insert the same words.
  await sql.query(
    `insert into feedback_keywords (language, stem)
     select distinct language, stem from unnest($1::text[], $2::text[]) as given (language, stem)
     where not exists (select from feedback_keywords known where (known.language, known.stem) = (given.language, given.stem))
     order by language, stem
     on conflict do nothing`,
    columns.slice(0, 2),
  );
  await sql.query(
    `insert into feedback_words (keyword_id, form)
     select distinct keyword.id, form
     from unnest($1::text[], $2::text[], $3::text[]) as given (language, stem, form)
     join feedback_keywords keyword using (language, stem)
     where not exists (select from feedback_words known where (known.keyword_id, known.form) = (keyword.id, given.form))
     order by keyword.id, form
     on conflict do nothing`,
    columns,
  );
  const { rows } = await sql.query<{ id: number }>(
    `select word.id from unnest($1::text[], $2::text[], $3::text[]) with ordinality as given (language, stem, form, place)
     join feedback_keywords keyword using (language, stem)
     join feedback_words word on word.keyword_id = keyword.id and word.form = given.form
     order by place`,
    columns,
  );
  return rows.map(({ id }) => id);
}

/** The datapoints must be locked. `words` is null if there is no text. */
export async function storeWords(
  transaction: Transaction,
  read: readonly { id: number; words: readonly number[] | null }[],
): Promise<void> {
  await transaction.query('select note_feedback_words($1::bigint[], $2::text[])', [
    read.map(({ id }) => id),
    read.map(({ words }) => words && `{${words.join(',')}}`),
  ]);
}

export interface WordFigures {
  keywordId: number;
  form: string;
  count: number;
  rated: number;
  ratingSum: number;
}

const ofWords = `sum(count)::bigint as count, sum(rated)::bigint as rated, sum(rating_sum) as "ratingSum"`;

const spokenInDeltas = `
  select keyword_id, word.id as word_id, analysed as count, case when rating >= 0 then analysed else 0 end as rated,
    case when rating >= 0 then analysed * rating::double precision else 0 end as rating_sum
  from (select * from ${pendingDeltas} and words is not null) as delta
  cross join unnest(words) as spoken (id) join feedback_words word on word.id = spoken.id`;

const spokenInDatapoints = `
  select keyword_id, word.id as word_id, 1 as count, (rating is not null)::integer as rated,
    coalesce(rating, 0)::double precision as rating_sum
  from (select id, rating from datapoints where ${listedDatapoints}) as datapoint
  join datapoint_words on datapoint_id = datapoint.id
  cross join unnest(words) as spoken (id) join feedback_words word on word.id = spoken.id`;

export async function frequentWords(sql: Sql, query: FigureQuery, limit: number): Promise<WordFigures[]> {
  const spoken = partsOf(query.source, {
    rolledUp: [
      `select keyword_id, word_id, count, rated, rating_sum from ${cellsRolledUp('feedback_word_figures')}
       where figures.directory_type = coalesce($9::text, '')`,
      spokenInDeltas,
    ],
    listed: spokenInDatapoints,
  });
  const { rows } = await sql.query<WordFigures>(
    `with given as (${parameterTypes}), word_figures as materialized (
       select keyword_id, word_id, ${ofWords} from (${spoken}) as spoken group by 1, 2
     ), frequent as (
       select keyword_id from word_figures group by keyword_id having sum(count) > 0
       order by sum(count) desc, keyword_id limit $10
     )
     select word.keyword_id as "keywordId", form, count, rated, "ratingSum"
     from word_figures join feedback_words word on word.id = word_id
     where word.keyword_id in (select keyword_id from frequent) and count > 0
     order by word.keyword_id, count desc, form`,
    [...valuesOf(query), limit],
  );
  return rows;
}

/** Counts below this share of the reviews of a day or month, and counts of 1, are skipped at first. */
const rareShare = 0.001;
const minRareCount = 1;

/** Sums of the larger counts, and the maximum by which the exact sums may exceed them. */
export async function likelyKeywords(
  sql: Sql,
  query: FigureQuery,
  analysed: number,
  limit: number,
): Promise<{ keywords: { keywordId: number; count: number }[]; maxUncounted: number }> {
  const perDay = (analysed / lengthOf(query.span)) * rareShare;
  const rareLimit = {
    D: Math.max(Math.floor(perDay), minRareCount),
    M: Math.max(Math.floor(perDay * 30), minRareCount),
  };
  const { rows } = await sql.query<{ keywordId: number; count: number }>(
    `with given as (${parameterTypes})
     select keyword_id as "keywordId", sum(count)::bigint as count
     from (
       select keyword_id, count from ${cellsRolledUp('feedback_word_figures')}
       where figures.directory_type = coalesce($9::text, '')
         and figures.count > ${minRareCount} and figures.count > case cell.grain when 'M' then ${rareLimit.M} else ${rareLimit.D} end
       union all
       select keyword_id, count from (${spokenInDeltas}) as spoken
     ) as counted
     group by keyword_id order by sum(count) desc, keyword_id limit $10`,
    [...valuesOf(query), limit],
  );
  const missed = cellsOf(query.span).map(({ grain }) => rareLimit[grain] * query.source.owners.length);
  return { keywords: rows, maxUncounted: missed.reduce((sum, count) => sum + count, 0) };
}

export async function wordsOfKeywords(
  sql: Sql,
  query: FigureQuery,
  keywordIds: readonly number[],
): Promise<WordFigures[]> {
  const isRequested = 'keyword_id = any ($10::integer[])';
  const spoken = partsOf(query.source, {
    rolledUp: [
      // The lateral join forces index lookups per cell; the planner would read these words of all cells.
      `select figures.* from ${requestedCells} cross join lateral (
         select word_id, count, rated, rating_sum from feedback_word_figures
         where partner_id = $1 and business_id = owner.id and directory_type = coalesce($9::text, '')
           and grain = cell.grain and start = cell.start and ${isRequested}
         offset 0
       ) as figures`,
      `select word_id, count, rated, rating_sum from (${spokenInDeltas}) as spoken where ${isRequested}`,
    ],
    listed: `select word_id, count, rated, rating_sum from (${spokenInDatapoints}) as spoken where ${isRequested}`,
  });
  const { rows } = await sql.query<WordFigures>(
    `with given as (${parameterTypes}, $10::integer[])
     select word.keyword_id as "keywordId", form, count, rated, "ratingSum"
     from (select word_id, ${ofWords} from (${spoken}) as spoken group by word_id having sum(count) > 0) as found
     join feedback_words word on word.id = found.word_id
     order by word.keyword_id, count desc, form`,
    [...valuesOf(query), keywordIds],
  );
  return rows;
}

/** Number of analyzed reviews. */
export async function countAnalysed(sql: Sql, query: FigureQuery): Promise<number> {
  const analysed = partsOf(query.source, {
    rolledUp: [
      `select analysed from ${cellsRolledUp('feedback_figures')} where $9::text is null or directory_type = $9`,
      `select analysed from ${pendingDeltas}`,
    ],
    listed: `select 1 as analysed from datapoints join datapoint_words on datapoint_id = id where ${listedDatapoints}`,
  });
  const { rows } = await sql.query<{ count: number }>(
    `with given as (${parameterTypes}) select coalesce(sum(analysed), 0)::bigint as count from (${analysed}) as read`,
    valuesOf(query),
  );
  return rows[0]?.count ?? 0;
}
