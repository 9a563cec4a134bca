import type { Sql } from '../../../../../database/connection.ts';
import { previousSpan, type Span } from '../../../../../values/span.ts';
import type { Scope } from '../../../../locations/index.ts';
import { feedbackQuery } from '../feedback-figures.ts';
import type { FigureQuery } from '../feedback-store.ts';
import { countAnalysed, frequentWords, likelyKeywords, type WordFigures, wordsOfKeywords } from './keyword-store.ts';

const maxKeywords = 100;
/** Candidates: equal words of two languages are merged, which reduces their number. */
const candidateCount = 200;
/** From this number of reviews on, words that occur once are omitted. */
const minReviewsForRareFilter = 20;
/** Below this number of reviews, counting all words is fast enough. */
const likelySearchThreshold = 5000;

/** Keywords, most frequent first. `current` is a value of the period, `previous` of the preceding one. */
export async function feedbackKeywords(sql: Sql, scope: Scope, span: Span, directoryType?: string) {
  const current = await feedbackQuery(sql, scope, span, directoryType);
  const previous = { ...current, span: previousSpan(span) };
  const [analysed, analysedBefore] = await Promise.all([countAnalysed(sql, current), countAnalysed(sql, previous)]);
  const found =
    (analysed > likelySearchThreshold && (await findLikelyKeywords(sql, current, analysed))) ||
    (await frequentWords(sql, current, candidateCount));
  const keywords = withoutRare(mergeForms(found), analysed).slice(0, maxKeywords);
  const ids = keywords.flatMap(({ ids: own }) => own);
  const before = await wordsOfKeywords(sql, previous, ids);
  const earlier = Map.groupBy(before, ({ keywordId }) => keywordId);
  return {
    keywords: keywords.map(({ keyword, forms, ids: own, figures }) => {
      const earlierTotals = totalOf(own.flatMap((id) => earlier.get(id) ?? []));
      return {
        keyword,
        percentage: { current: share(figures.count, analysed), previous: share(earlierTotals.count, analysedBefore) },
        rating: { current: average(figures), previous: average(earlierTotals) },
        ratingSum: { current: figures.ratingSum, previous: earlierTotals.ratingSum },
        aggregatedWords: forms,
      };
    }),
    totalFeedbacksAnalyzed: analysed,
  };
}

/**
 * Reads only likely keywords and then their exact figures. Returns undefined if another keyword could be among the top
 * 100.
 */
export async function findLikelyKeywords(
  sql: Sql,
  query: FigureQuery,
  analysed: number,
): Promise<WordFigures[] | undefined> {
  if (query.source.locationIds.length > 0) return undefined;
  const { keywords, maxUncounted } = await likelyKeywords(sql, query, analysed, candidateCount + 1);
  const likely = keywords.slice(0, candidateCount).map(({ keywordId }) => keywordId);
  const words = await wordsOfKeywords(sql, query, likely);
  const last = withoutRare(mergeForms(words), analysed)[maxKeywords - 1]?.figures.count ?? 0;
  return last > (keywords[candidateCount]?.count ?? 0) + maxUncounted ? words : undefined;
}

type Totals = Pick<WordFigures, 'count' | 'rated' | 'ratingSum'>;

interface MergedKeyword {
  keyword: string;
  /** Most frequent first. */
  forms: string[];
  ids: number[];
  figures: Totals;
}

const withoutRare = (keywords: MergedKeyword[], analysed: number): MergedKeyword[] =>
  analysed < minReviewsForRareFilter ? keywords : keywords.filter(({ figures }) => figures.count > 1);

/** Groups forms by keyword, and merges keywords with the same display form. */
function mergeForms(words: readonly WordFigures[]): MergedKeyword[] {
  const byKeyword = [...Map.groupBy(words, ({ keywordId }) => keywordId).values()];
  const byWord = Map.groupBy(byKeyword, (forms) => forms[0]?.form ?? '');
  return [...byWord]
    .map(([keyword, alike]) => {
      const all = alike.flat();
      const byForm = Map.groupBy(all, ({ form }) => form);
      const forms = [...byForm]
        .map(([form, entries]) => ({ form, count: totalOf(entries).count }))
        .sort((a, b) => b.count - a.count || (a.form < b.form ? -1 : 1));
      return {
        keyword,
        forms: forms.map(({ form }) => form),
        ids: [...new Set(all.map(({ keywordId }) => keywordId))],
        figures: totalOf(all),
      };
    })
    .sort((a, b) => b.figures.count - a.figures.count || (a.keyword < b.keyword ? -1 : 1));
}

const totalOf = (entries: readonly Totals[]): Totals =>
  entries.reduce(
    (sum, { count, rated, ratingSum }) => ({
      count: sum.count + count,
      rated: sum.rated + rated,
      ratingSum: sum.ratingSum + ratingSum,
    }),
    { count: 0, rated: 0, ratingSum: 0 },
  );

const average = ({ rated, ratingSum }: Totals) => (rated > 0 ? rounded(ratingSum / rated) : null);
const share = (count: number, of: number) => (of > 0 ? rounded((count / of) * 100) : 0);
const rounded = (value: number) => Math.round(value * 100) / 100;
