import type { Sql } from '../../../../../database/connection.ts';
import type { Transaction } from '../../../../../database/transaction.ts';
import { lengthOf } from '../../../../../values/span.ts';
import { cellsOf } from '../feedback-source.ts';
import {
  type Asked,
  cellsAsked,
  cellsRolledUp,
  deltasWaiting,
  givenTypes,
  listedDatapoints,
  partsOf,
  valuesOf,
} from '../feedback-store.ts';
import type { Keyword } from './extract-keywords.ts';

/** Takes so many reviews off the list of those to be read; those that another process is at are left to it. */
export async function takeToRead(transaction: Transaction, limit: number): Promise<number[]> {
  const { rows } = await transaction.query<{ id: number }>(
    `delete from feedback_to_read
     where ctid = any (array(select ctid from feedback_to_read limit $1 for update skip locked))
     returning datapoint_id as id`,
    [limit],
  );
  return [...new Set(rows.map(({ id }) => id))];
}

/** The ids of words, in the order of the words; those that are new get one. */
export async function wordIds(sql: Sql, keywords: readonly Keyword[]): Promise<number[]> {
  const columns = [
    keywords.map(({ language }) => language),
    keywords.map(({ stem }) => stem),
    keywords.map(({ form }) => form),
  ];
  // In one order, so that two processes that add the same words never wait for each other.
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

/** Of datapoints that this transaction holds; null where there is nothing to read any more. */
export async function noteWords(
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
  from (select * from ${deltasWaiting} and words is not null) as delta
  cross join unnest(words) as spoken (id) join feedback_words word on word.id = spoken.id`;

const spokenInDatapoints = `
  select keyword_id, word.id as word_id, 1 as count, (rating is not null)::integer as rated,
    coalesce(rating, 0)::double precision as rating_sum
  from (select id, rating from datapoints where ${listedDatapoints}) as datapoint
  join datapoint_words on datapoint_id = datapoint.id
  cross join unnest(words) as spoken (id) join feedback_words word on word.id = spoken.id`;

/** The forms of the most frequent keywords. */
export async function frequentWords(sql: Sql, asked: Asked, limit: number): Promise<WordFigures[]> {
  const spoken = partsOf(asked.source, {
    rolledUp: [
      `select keyword_id, word_id, count, rated, rating_sum from ${cellsRolledUp('feedback_word_figures')}
       where figures.directory_type = coalesce($9::text, '')`,
      spokenInDeltas,
    ],
    listed: spokenInDatapoints,
  });
  const { rows } = await sql.query<WordFigures>(
    `with given as (${givenTypes}), word_figures as materialized (
       select keyword_id, word_id, ${ofWords} from (${spoken}) as spoken group by 1, 2
     ), frequent as (
       select keyword_id from word_figures group by keyword_id having sum(count) > 0
       order by sum(count) desc, keyword_id limit $10
     )
     select word.keyword_id as "keywordId", form, count, rated, "ratingSum"
     from word_figures join feedback_words word on word.id = word_id
     where word.keyword_id in (select keyword_id from frequent) and count > 0
     order by word.keyword_id, count desc, form`,
    [...valuesOf(asked), limit],
  );
  return rows;
}

/** Counts up to this share of the reviews of a day or a month are not looked at to begin with, and none of one. */
const seldomShare = 0.001;
const leastSeldom = 1;

/** Keywords by what their larger counts come to, and by how much the true counts may be above that. */
export async function likelyKeywords(
  sql: Sql,
  asked: Asked,
  analysed: number,
  limit: number,
): Promise<{ keywords: { keywordId: number; count: number }[]; atMostMore: number }> {
  const perDay = (analysed / lengthOf(asked.span)) * seldomShare;
  const seldom = { D: Math.max(Math.floor(perDay), leastSeldom), M: Math.max(Math.floor(perDay * 30), leastSeldom) };
  const { rows } = await sql.query<{ keywordId: number; count: number }>(
    `with given as (${givenTypes})
     select keyword_id as "keywordId", sum(count)::bigint as count
     from (
       select keyword_id, count from ${cellsRolledUp('feedback_word_figures')}
       where figures.directory_type = coalesce($9::text, '')
         and figures.count > ${leastSeldom} and figures.count > case cell.grain when 'M' then ${seldom.M} else ${seldom.D} end
       union all
       select keyword_id, count from (${spokenInDeltas}) as spoken
     ) as counted
     group by keyword_id order by sum(count) desc, keyword_id limit $10`,
    [...valuesOf(asked), limit],
  );
  const missed = cellsOf(asked.span).map(({ grain }) => seldom[grain] * asked.source.owners.length);
  return { keywords: rows, atMostMore: missed.reduce((sum, count) => sum + count, 0) };
}

/** The forms of these keywords. */
export async function wordsOfKeywords(sql: Sql, asked: Asked, keywordIds: readonly number[]): Promise<WordFigures[]> {
  const isAsked = 'keyword_id = any ($10::integer[])';
  const spoken = partsOf(asked.source, {
    rolledUp: [
      // Day by day and month by month: the server would sooner read those words of all days and months.
      `select figures.* from ${cellsAsked} cross join lateral (
         select word_id, count, rated, rating_sum from feedback_word_figures
         where partner_id = $1 and business_id = owner.id and directory_type = coalesce($9::text, '')
           and grain = cell.grain and start = cell.start and ${isAsked}
         offset 0
       ) as figures`,
      `select word_id, count, rated, rating_sum from (${spokenInDeltas}) as spoken where ${isAsked}`,
    ],
    listed: `select word_id, count, rated, rating_sum from (${spokenInDatapoints}) as spoken where ${isAsked}`,
  });
  const { rows } = await sql.query<WordFigures>(
    `with given as (${givenTypes}, $10::integer[])
     select word.keyword_id as "keywordId", form, count, rated, "ratingSum"
     from (select word_id, ${ofWords} from (${spoken}) as spoken group by word_id having sum(count) > 0) as found
     join feedback_words word on word.id = found.word_id
     order by word.keyword_id, count desc, form`,
    [...valuesOf(asked), keywordIds],
  );
  return rows;
}

/** How many reviews were read for their words. */
export async function countAnalysed(sql: Sql, asked: Asked): Promise<number> {
  const analysed = partsOf(asked.source, {
    rolledUp: [
      `select analysed from ${cellsRolledUp('feedback_figures')} where $9::text is null or directory_type = $9`,
      `select analysed from ${deltasWaiting}`,
    ],
    listed: `select 1 as analysed from datapoints join datapoint_words on datapoint_id = id where ${listedDatapoints}`,
  });
  const { rows } = await sql.query<{ count: number }>(
    `with given as (${givenTypes}) select coalesce(sum(analysed), 0)::bigint as count from (${analysed}) as read`,
    valuesOf(asked),
  );
  return rows[0]?.count ?? 0;
}
