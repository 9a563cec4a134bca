import type { Database } from '../../../../../database/connection.ts';
import { holdTexts } from '../../../../feedback/index.ts';
import { extractKeywords } from './extract-keywords.ts';
import { noteWords, takeToRead, wordIds } from './keyword-store.ts';

/**
 * Reads the words of so many reviews that are new or were changed; answers how many. The datapoints are held meanwhile:
 * what changes them finds the words that were counted.
 */
export function readReviews(database: Database, limit: number): Promise<number> {
  return database.transaction(async (transaction) => {
    const ids = await takeToRead(transaction, limit);
    if (ids.length === 0) return 0;
    const read = (await holdTexts(transaction, ids)).map(({ id, type, text, language }) => ({
      id,
      keywords: type === 'REVIEW' && text !== null ? extractKeywords(text, language) : null,
    }));
    const known = await wordIds(
      transaction,
      read.flatMap(({ keywords }) => keywords ?? []),
    );
    let next = 0;
    const noted = read.map(({ id, keywords }) => {
      const from = next;
      next += keywords?.length ?? 0;
      return { id, words: keywords && known.slice(from, next) };
    });
    await noteWords(transaction, noted);
    return ids.length;
  });
}
