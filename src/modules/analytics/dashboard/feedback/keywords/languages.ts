import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import stopWordLists from 'stopwords-iso/stopwords-iso.json' with { type: 'json' };
import { reviewWords, topics } from './review-words.ts';

export interface Language {
  /** ISO 639-1; `und` when nobody knows. */
  code: string;
  /** Small words alone, by which a text is known to be in the language. */
  stopWords: ReadonlySet<string>;
  /** What the forms of a word have in common. */
  stem(word: string): string;
  /** Whether a word names something that a review can be about. */
  isTopic(word: string): boolean;
}

/** Shorter stems are those of quite different words too: "war" is one of "Ware". */
const leastStem = 4;

function language(code: string, listed: readonly string[], stem = (word: string) => word): Language {
  const stopWords = new Set(listed.map((word) => word.toLowerCase()));
  const kept = new Set((topics[code] ?? []).map(stem));
  const without = new Set([...stopWords, ...(reviewWords[code] ?? [])]);
  const stems = new Set([...without].map(stem).filter((one) => one.length >= leastStem));
  return {
    code,
    stopWords,
    stem,
    isTopic: (word) => kept.has(stem(word)) || !(without.has(word) || stems.has(stem(word))),
  };
}

const stemmers: Readonly<Record<string, (word: string) => string>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  nl: dutch,
  pt: portuguese,
  da: danish,
  sv: swedish,
  no: norwegian,
  fi: finnish,
  hu: hungarian,
  ro: romanian,
  ru: russian,
  tr: turkish,
};

/** The languages whose small words are known; words of those without a stemmer are counted form by form. */
const languages: ReadonlyMap<string, Language> = new Map(
  Object.entries(stopWordLists as Record<string, string[]>).map(([code, words]) => [
    code,
    language(code, words, stemmers[code]),
  ]),
);

/** Other codes for the same. */
const otherCodes = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
]);

/** Texts without a language are looked at for these only: of 58 languages, too many would seem to be a match. */
const guessed = [...Object.keys(stemmers), 'pl', 'cs', 'el', 'uk', 'ja', 'zh'];
/** So many words of a language must be met before a text is taken to be in it. */
const fewestStopWords = 2;

/**
 * The language that the directory says; of a text without one, that whose small words it uses most. A language that is
 * not known has no small words and no forms.
 */
export function languageOf(said: string | null, words: readonly string[]): Language {
  const code = said?.toLowerCase();
  if (code) return languages.get(otherCodes.get(code) ?? code) ?? language(code, []);
  const counted = guessed
    .flatMap((name) => languages.get(name) ?? [])
    .map((one) => ({
      one,
      hits: words.filter((word) => one.stopWords.has(word)).length,
    }));
  const best = counted.reduce((a, b) => (b.hits > a.hits ? b : a));
  return best.hits >= fewestStopWords ? best.one : language('und', []);
}
