import type { Database } from '../../../../../database/connection.ts';
import { lockTexts } from '../../../../feedback/index.ts';
import { extractKeywords } from './extract-keywords.ts';
import { claimUnreadReviews, storeWords, wordIds } from './keyword-store.ts';

/**
 * Analyzes new and changed reviews and returns their number. The datapoints stay locked, so that concurrent changes see
 * the stored words.
 */
export function readReviews(database: Database, limit: number): Promise<number> {
  return database.transaction(async (transaction) => {
    const ids = await claimUnreadReviews(transaction, limit);
    if (ids.length === 0) return 0;
    const read = (await lockTexts(transaction, ids)).map(({ id, type, text, language }) => ({
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
    await storeWords(transaction, noted);
    return ids.length;
  });
}
