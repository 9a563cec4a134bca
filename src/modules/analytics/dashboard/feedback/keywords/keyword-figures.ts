import type { Sql } from '../../../../../database/connection.ts';
import { previousSpan, type Span } from '../../../../../values/span.ts';
import type { Scope } from '../../../../locations/index.ts';
import { feedbackSource } from '../feedback-source.ts';
import type { Asked } from '../feedback-store.ts';
import { countAnalysed, frequentWords, likelyKeywords, type WordFigures, wordsOfKeywords } from './keyword-store.ts';

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
const considered = 200;
/** From so many reviews on, a word that only one of them has is no topic. */
const enoughToTellApart = 20;
/** Of fewer reviews than this, all words are soon gone through. */
const many = 5000;

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
  const [analysed, analysedBefore] = await Promise.all([countAnalysed(sql, current), countAnalysed(sql, previous)]);
  const found =
    (analysed > many && (await soonFound(sql, current, analysed))) || (await frequentWords(sql, current, considered));
  const keywords = distinctive(joinAlike(found), analysed).slice(0, mostKeywords);
  const ids = keywords.flatMap(({ ids: own }) => own);
  const before = await wordsOfKeywords(sql, previous, ids);
  const earlier = Map.groupBy(before, ({ keywordId }) => keywordId);
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

/**
 * The words of the most frequent keywords without going through all that were used: those that are likely to be, and then
 * their true figures. Nothing when another one could be among the hundred.
 */
export async function soonFound(sql: Sql, asked: Asked, analysed: number): Promise<WordFigures[] | undefined> {
  if (asked.source.locationIds.length > 0) return undefined;
  const { keywords, atMostMore } = await likelyKeywords(sql, asked, analysed, considered + 1);
  const likely = keywords.slice(0, considered).map(({ keywordId }) => keywordId);
  const words = await wordsOfKeywords(sql, asked, likely);
  const last = distinctive(joinAlike(words), analysed)[mostKeywords - 1]?.figures.count ?? 0;
  return last > (keywords[considered]?.count ?? 0) + atMostMore ? words : undefined;
}

type Totals = Pick<WordFigures, 'count' | 'rated' | 'ratingSum'>;

interface Joined {
  keyword: string;
  /** The most frequent first. */
  forms: string[];
  ids: number[];
  figures: Totals;
}

const distinctive = (keywords: Joined[], analysed: number): Joined[] =>
  analysed < enoughToTellApart ? keywords : keywords.filter(({ figures }) => figures.count > 1);

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
