import { languageOf } from './languages.ts';

/** A word of a review: as it is written there, and what it is a form of. */
export interface Keyword {
  language: string;
  stem: string;
  form: string;
}

const longestText = 10_000;
const mostKeywords = 50;
const [shortest, longest] = [3, 40];

const isAddress = (chunk: string) => chunk.includes('@') || /https?:|www\./.test(chunk);
const words = /[\p{L}\p{M}\p{N}]+(?:['-][\p{L}\p{M}\p{N}]+)*/gu;
/** Written without spaces between the words, each of which is short. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The keywords of a text, each once by the form that comes first; words that carry no meaning are left out. */
export function extractKeywords(text: string, said: string | null): Keyword[] {
  const found = wordsOf(text);
  const language = languageOf(said, found);
  const keywords = new Map<string, Keyword>();
  for (const whole of found) {
    if (!language.isTopic(whole)) continue;
    const form = bareWord(whole);
    if (!carriesMeaning(form) || !language.isTopic(form)) continue;
    const stem = language.stem(form) || form;
    if (!keywords.has(stem)) keywords.set(stem, { language: language.code, stem, form });
    if (keywords.size === mostKeywords) break;
  }
  return [...keywords.values()];
}

function wordsOf(text: string): string[] {
  const plain = text
    .slice(0, longestText)
    .normalize('NFKC')
    .replaceAll(/[’‘`´]/g, "'")
    .toLowerCase()
    .split(/\s+/u)
    .filter((chunk) => !isAddress(chunk))
    .join(' ');
  return (plain.match(words) ?? []).flatMap((word) =>
    unspaced.test(word) ? Array.from(segmenter.segment(word), ({ segment }) => segment) : [word],
  );
}

/** Without an article or an ending behind an apostrophe: l'accueil, dell'hotel, owner's. */
const bareWord = (word: string) =>
  word.split("'").reduce((longer, part) => (part.length > longer.length ? part : longer));

function carriesMeaning(word: string): boolean {
  if (!/\p{L}/u.test(word)) return false;
  const { length } = word;
  return length <= longest && length >= (unspaced.test(word) ? 2 : shortest);
}
