import type { Sql } from '../../../../../database/connection.ts';
import { wordIds } from './keyword-store.ts';

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
