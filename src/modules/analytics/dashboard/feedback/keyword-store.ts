import type { Sql } from '../../../../database/connection.ts';
import { notMovingSql } from '../../../../database/partner-moves.ts';
import { columnsOf, defineStatement, run, runUnprepared } from '../../../../database/statement.ts';
import type { Transaction } from '../../../../database/transaction.ts';
import { lengthOf } from '../../../../values/span.ts';
import type { Keyword } from './extract-keywords.ts';
import { cellsOf } from './feedback-source.ts';
import {
  cellsRolledUp,
  defineStatementsBySource,
  type FigureQuery,
  isOfDirectories,
  isTotalOfDirectories,
  listedDatapoints,
  parameterTypes,
  pendingDeltas,
  requestedCells,
  runForSource,
  valuesOf,
} from './feedback-store.ts';

/** Claims reviews to analyze; rows locked by other processes are skipped. */
export async function claimUnreadReviews(transaction: Transaction, limit: number): Promise<number[]> {
  const claimed = await run(transaction, claimUnread, [limit]);
  return [...new Set(claimed.map(({ datapointId }) => datapointId))];
}

/** A subquery, so that no plan reads all datapoints. */
const partnerOfUnread = 'coalesce((select partner_id from datapoints where id = datapoint_id), 0)';

const claimUnread = defineStatement<{ datapointId: number }>({
  name: 'claim-unread-reviews',
  text: `delete from feedback_to_read
         where ctid = any (array(
           select ctid from feedback_to_read where ${notMovingSql(partnerOfUnread)} limit $1 for update skip locked
         ))
         returning datapoint_id`,
  columns: { datapointId: 'int8' },
});

/** Returns the ids in the order of `keywords`. New words are inserted. */
export async function wordIds(sql: Sql, keywords: readonly Keyword[]): Promise<number[]> {
  const columns = columnsOf(keywords, 'language', 'stem', 'form');
  await runUnprepared(sql, insertKeywords, columns.slice(0, 2));
  await runUnprepared(sql, insertWords, columns);
  return (await runUnprepared(sql, findWords, columns)).map(({ id }) => id);
}

// Words are inserted in order, to avoid deadlocks between processes that insert the same words.
const insertKeywords = defineStatement({
  name: 'insert-feedback-keywords',
  text: `insert into feedback_keywords (language, stem)
         select distinct language, stem from unnest($1::text[], $2::text[]) as given (language, stem)
         where not exists (
           select from feedback_keywords known where (known.language, known.stem) = (given.language, given.stem)
         )
         order by language, stem
         on conflict do nothing`,
});

const insertWords = defineStatement({
  name: 'insert-feedback-words',
  text: `insert into feedback_words (keyword_id, form)
         select distinct keyword.id, form
         from unnest($1::text[], $2::text[], $3::text[]) as given (language, stem, form)
         join feedback_keywords keyword using (language, stem)
         where not exists (
           select from feedback_words known where (known.keyword_id, known.form) = (keyword.id, given.form)
         )
         order by keyword.id, form
         on conflict do nothing`,
});

const findWords = defineStatement<{ id: number }>({
  name: 'find-feedback-words',
  text: `select word.id
         from unnest($1::text[], $2::text[], $3::text[]) with ordinality as given (language, stem, form, place)
         join feedback_keywords keyword using (language, stem)
         join feedback_words word on word.keyword_id = keyword.id and word.form = given.form
         order by place`,
  columns: { id: 'int4' },
});

/** The datapoints must be locked. `words` is null if there is no text. */
export async function storeWords(
  transaction: Transaction,
  read: readonly { id: number; words: readonly number[] | null }[],
): Promise<void> {
  await run(transaction, noteWords, [
    read.map(({ id }) => id),
    read.map(({ words }) => words && `{${words.join(',')}}`),
  ]);
}

const noteWords = defineStatement({
  name: 'note-feedback-words',
  text: 'select from note_feedback_words($1::bigint[], $2::text[])',
});

export interface WordFigures {
  keywordId: number;
  form: string;
  count: number;
  rated: number;
  ratingSum: number;
}

const wordFigures = { keywordId: 'int4', form: 'text', count: 'int8', rated: 'int8', ratingSum: 'float8' } as const;
const ofWords = 'sum(count)::bigint as count, sum(rated)::bigint as rated, sum(rating_sum) as rating_sum';

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

export const frequentWords = (sql: Sql, query: FigureQuery, limit: number): Promise<WordFigures[]> =>
  runForSource(sql, wordsByFrequency, query.source, [...valuesOf(query), limit]);

const wordsByFrequency = defineStatementsBySource<WordFigures>(
  'frequent-words',
  wordFigures,
  {
    rolledUp: [
      `select keyword_id, word_id, count, rated, rating_sum from ${cellsRolledUp('feedback_word_figures')}
       where ${isTotalOfDirectories}`,
      spokenInDeltas,
    ],
    listed: spokenInDatapoints,
  },
  (spoken) => `
    with given as (${parameterTypes}), word_figures as materialized (
      select keyword_id, word_id, ${ofWords} from (${spoken}) as spoken group by 1, 2
    ), frequent as (
      select keyword_id from word_figures group by keyword_id having sum(count) > 0
      order by sum(count) desc, keyword_id limit $11
    )
    select word.keyword_id, form, count, rated, rating_sum
    from word_figures join feedback_words word on word.id = word_id
    where word.keyword_id in (select keyword_id from frequent) and count > 0
    order by word.keyword_id, count desc, form`,
);

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
  const keywords = await runUnprepared(sql, frequentKeywords, [...valuesOf(query), limit, rareLimit.M, rareLimit.D]);
  const figures = query.source.owners.length * (query.directoryTypes?.length ?? 1);
  const missed = cellsOf(query.span).map(({ grain }) => rareLimit[grain] * figures);
  return { keywords, maxUncounted: missed.reduce((sum, count) => sum + count, 0) };
}

const frequentKeywords = defineStatement<{ keywordId: number; count: number }>({
  name: 'frequent-keywords',
  text: `
    with given as (${parameterTypes})
    select keyword_id, sum(count)::bigint as count
    from (
      select keyword_id, count from ${cellsRolledUp('feedback_word_figures')}
      where ${isTotalOfDirectories} and figures.count > ${minRareCount}
        and figures.count > case cell.grain when 'M' then $12::integer else $13::integer end
      union all
      select keyword_id, count from (${spokenInDeltas}) as spoken
    ) as counted
    group by keyword_id order by sum(count) desc, keyword_id limit $11`,
  columns: { keywordId: 'int4', count: 'int8' },
});

export const wordsOfKeywords = (sql: Sql, query: FigureQuery, keywordIds: readonly number[]): Promise<WordFigures[]> =>
  runForSource(sql, wordsByKeyword, query.source, [...valuesOf(query), keywordIds]);

const isRequested = 'keyword_id = any ($11::integer[])';

const wordsByKeyword = defineStatementsBySource<WordFigures>(
  'words-of-keywords',
  wordFigures,
  {
    rolledUp: [
      // The lateral join forces index lookups per cell; the planner would read these words of all cells.
      `select figures.* from ${requestedCells} cross join lateral (
         select word_id, count, rated, rating_sum from feedback_word_figures
         where partner_id = $1 and business_id = owner.id and ${isTotalOfDirectories}
           and grain = cell.grain and start = cell.start and ${isRequested}
         offset 0
       ) as figures`,
      `select word_id, count, rated, rating_sum from (${spokenInDeltas}) as spoken where ${isRequested}`,
    ],
    listed: `select word_id, count, rated, rating_sum from (${spokenInDatapoints}) as spoken where ${isRequested}`,
  },
  (spoken) => `
    with given as (${parameterTypes})
    select word.keyword_id, form, count, rated, rating_sum
    from (select word_id, ${ofWords} from (${spoken}) as spoken group by word_id having sum(count) > 0) as found
    join feedback_words word on word.id = found.word_id
    order by word.keyword_id, count desc, form`,
);

/** Number of analyzed reviews. */
export async function countAnalysed(sql: Sql, query: FigureQuery): Promise<number> {
  const [counted] = await runForSource(sql, analysedReviews, query.source, valuesOf(query));
  return counted?.count ?? 0;
}

const analysedReviews = defineStatementsBySource<{ count: number }>(
  'count-analysed-reviews',
  { count: 'int8' },
  {
    rolledUp: [
      `select analysed from ${cellsRolledUp('feedback_figures')} where ${isOfDirectories}`,
      `select analysed from ${pendingDeltas}`,
    ],
    listed: `select 1 as analysed from datapoints join datapoint_words on datapoint_id = id where ${listedDatapoints}`,
  },
  (analysed) => `
    with given as (${parameterTypes}) select coalesce(sum(analysed), 0)::bigint as count from (${analysed}) as read`,
);

/** Language, stem and form of a word as one text. The separator is not part of any word. */
const separator = `E'\\x1f'`;
const wordText = `concat_ws(${separator}, keyword.language, keyword.stem, word.form)`;
const keywordText = `concat_ws(${separator}, keyword.language, keyword.stem)`;
const words = 'feedback_words as word join feedback_keywords as keyword on keyword.id = word.keyword_id';

const partOf = (text: string, part: number) => `split_part(${text}, ${separator}, ${part})`;
const isKeyword = (text: string) => `(keyword.language, keyword.stem) = (${partOf(text, 1)}, ${partOf(text, 2)})`;
const isWord = (text: string) => `${isKeyword(text)} and word.form = ${partOf(text, 3)}`;

/** A column with ids of words. They differ from database to database, so the rows are moved with texts. */
export interface WordColumn {
  /** The type of the texts. */
  type: 'text' | 'text[]';
  /** The texts of the ids in `column`. */
  textsOf(column: string): string;
  /** The ids, in this database, of the texts in `column`. All words must exist. */
  idsOf(column: string): string;
}

const wordList: WordColumn = {
  type: 'text[]',
  textsOf: (column) => `case when ${column} is not null then array(
    select ${wordText} from unnest(${column}) with ordinality as used (id, position)
    join ${words} on word.id = used.id order by position) end`,
  idsOf: (column) => `case when ${column} is not null then array(
    select word.id from unnest(${column}) with ordinality as used (text, position)
    join ${words} on ${isWord('used.text')} order by position) end`,
};

const singleWord: WordColumn = {
  type: 'text',
  textsOf: (column) => `(select ${wordText} from ${words} where word.id = ${column})`,
  idsOf: (column) => `(select word.id from ${words} where ${isWord(column)})`,
};

const singleKeyword: WordColumn = {
  type: 'text',
  textsOf: (column) => `(select ${keywordText} from feedback_keywords as keyword where keyword.id = ${column})`,
  idsOf: (column) => `(select keyword.id from feedback_keywords as keyword where ${isKeyword(column)})`,
};

/** All columns with ids of words, by table. */
export const wordColumns: Readonly<Record<string, Readonly<Record<string, WordColumn>>>> = {
  datapoint_words: { words: wordList },
  feedback_deltas: { words: wordList },
  feedback_word_figures: { keyword_id: singleKeyword, word_id: singleWord },
};

const batch = 5000;

/** Adds the words that the rows of `conditions`, by table, use to the dictionary of another database. */
export async function copyWords(
  from: Sql,
  to: Sql,
  conditions: Readonly<Record<keyof typeof wordColumns, string>>,
): Promise<void> {
  const { rows } = await from.query<{ language: string; stem: string; form: string }>(
    `select keyword.language, keyword.stem, word.form from ${words}
     where word.id in (
       select unnest(words) from datapoint_words where ${conditions.datapoint_words}
       union select unnest(words) from feedback_deltas where ${conditions.feedback_deltas}
       union select word_id from feedback_word_figures where ${conditions.feedback_word_figures})
     order by 1, 2, 3`,
  );
  for (let first = 0; first < rows.length; first += batch) await wordIds(to, rows.slice(first, first + batch));
}
