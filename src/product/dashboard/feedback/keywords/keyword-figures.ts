import type { Sql } from '../../../../database/connection.ts';
import type { Scope } from '../../../scope.ts';
import { previousSpan, type Span } from '../../../span.ts';
import { feedbackSource } from '../feedback-source.ts';
import { countAnalysed, frequentWords, keywordFigures, type WordFigures } from './keyword-store.ts';

/** Then and in as many days before. */
interface Compared<Value> {
  current: Value;
  previous: Value;
}

export interface KeywordFigures {
  /** The form that is used most. */
  keyword: string;
  /** Of a hundred reviews that were read, so many have it. */
  percentage: Compared<number>;
  /** The average of those that have it. */
  rating: Compared<number | null>;
  ratingSum: Compared<number>;
  aggregatedWords: string[];
}

const mostKeywords = 100;
/** Words of two languages that are written alike are one keyword, if both are among so many. */
const considered = 300;

/** What reviews speak of, the most frequent first. */
export async function feedbackKeywords(
  sql: Sql,
  scope: Scope,
  span: Span,
  { directoryType }: { directoryType?: string | undefined } = {},
): Promise<{ keywords: KeywordFigures[]; totalFeedbacksAnalyzed: number }> {
  const source = await feedbackSource(sql, scope);
  const current = { source, span, directoryType };
  const previous = { source, span: previousSpan(span), directoryType };
  const keywords = joinAlike(await frequentWords(sql, current, considered)).slice(0, mostKeywords);
  const ids = keywords.flatMap(({ ids: own }) => own);
  const [analysed, analysedBefore, before] = await Promise.all([
    countAnalysed(sql, current),
    countAnalysed(sql, previous),
    keywordFigures(sql, previous, ids),
  ]);
  const earlier = new Map(before.map((figures) => [figures.keywordId, figures]));
  return {
    keywords: keywords.map(({ keyword, forms, ids: own, figures }) => {
      const then = totalOf(own.flatMap((id) => earlier.get(id) ?? []));
      return {
        keyword,
        percentage: { current: share(figures.count, analysed), previous: share(then.count, analysedBefore) },
        rating: { current: average(figures), previous: average(then) },
        ratingSum: { current: figures.ratingSum, previous: then.ratingSum },
        aggregatedWords: forms,
      };
    }),
    totalFeedbacksAnalyzed: analysed,
  };
}

type Totals = Pick<WordFigures, 'count' | 'rated' | 'ratingSum'>;

interface Joined {
  keyword: string;
  /** The most frequent first. */
  forms: string[];
  ids: number[];
  figures: Totals;
}

/** Forms to keywords, and those keywords to one that are shown by the same word. */
function joinAlike(words: readonly WordFigures[]): Joined[] {
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
