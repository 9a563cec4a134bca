import { languageOf } from './languages.ts';

/** A word of a review as written, and its stem. */
export interface Keyword {
  language: string;
  stem: string;
  form: string;
}

const maxTextLength = 10_000;
const maxKeywords = 50;
const [minLength, maxLength] = [3, 40];

const isUrlOrEmail = (chunk: string) => chunk.includes('@') || /https?:|www\./.test(chunk);
const words = /[\p{L}\p{M}\p{N}]+(?:['-][\p{L}\p{M}\p{N}]+)*/gu;
/** Scripts without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** One keyword per stem, with its first form. Stop words are omitted. */
export function extractKeywords(text: string, declaredLanguage: string | null): Keyword[] {
  const found = wordsOf(text);
  const language = languageOf(declaredLanguage, found);
  const keywords = new Map<string, Keyword>();
  for (const whole of found) {
    if (!language.isTopic(whole)) continue;
    const form = bareWord(whole);
    if (!isSignificant(form) || !language.isTopic(form)) continue;
    const stem = language.stem(form) || form;
    if (!keywords.has(stem)) keywords.set(stem, { language: language.code, stem, form });
    if (keywords.size === maxKeywords) break;
  }
  return [...keywords.values()];
}

function wordsOf(text: string): string[] {
  const plain = text
    .slice(0, maxTextLength)
    .normalize('NFKC')
    .replaceAll(/[’‘`´]/g, "'")
    .toLowerCase()
    .split(/\s+/u)
    .filter((chunk) => !isUrlOrEmail(chunk))
    .join(' ');
  return (plain.match(words) ?? []).flatMap((word) =>
    unspaced.test(word) ? Array.from(segmenter.segment(word), ({ segment }) => segment) : [word],
  );
}

/** Removes articles and endings at an apostrophe: l'accueil, dell'hotel, owner's. */
const bareWord = (word: string) =>
  word.split("'").reduce((longer, part) => (part.length > longer.length ? part : longer));

function isSignificant(word: string): boolean {
  if (!/\p{L}/u.test(word)) return false;
  const { length } = word;
  return length <= maxLength && length >= (unspaced.test(word) ? 2 : minLength);
}
