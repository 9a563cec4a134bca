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
  /** ISO 639-1, or `und` if unknown. */
  code: string;
  /** Stop words, which also identify the language of a text. */
  stopWords: ReadonlySet<string>;
  stem(word: string): string;
  /** Whether the word can be a keyword. */
  isTopic(word: string): boolean;
}

/** Shorter stems are ambiguous: "war" is also the stem of "Ware". */
const minStemLength = 4;

function language(code: string, stopWordList: readonly string[], stem = (word: string) => word): Language {
  const stopWords = new Set(stopWordList.map((word) => word.toLowerCase()));
  const topicStems = new Set((topics[code] ?? []).map(stem));
  const ignoredWords = new Set([...stopWords, ...(reviewWords[code] ?? [])]);
  const stems = new Set([...ignoredWords].map(stem).filter((one) => one.length >= minStemLength));
  return {
    code,
    stopWords,
    stem,
    isTopic: (word) => topicStems.has(stem(word)) || !(ignoredWords.has(word) || stems.has(stem(word))),
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

/** Languages with stop words. Without a stemmer, each form is its own keyword. */
const languages: ReadonlyMap<string, Language> = new Map(
  Object.entries(stopWordLists as Record<string, string[]>).map(([code, words]) => [
    code,
    language(code, words, stemmers[code]),
  ]),
);

const codeAliases = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
]);

/** Candidates for language detection: with all 58 languages there are too many false matches. */
const detectable = [...Object.keys(stemmers), 'pl', 'cs', 'el', 'uk', 'ja', 'zh'];
/** Minimum number of stop words to detect a language. */
const minStopWords = 2;

/**
 * The declared language, otherwise the one with the most stop words in the text. Unknown languages have no stop words
 * and no stemmer.
 */
export function languageOf(declared: string | null, words: readonly string[]): Language {
  const code = declared?.toLowerCase();
  if (code) return languages.get(codeAliases.get(code) ?? code) ?? language(code, []);
  const counted = detectable
    .flatMap((name) => languages.get(name) ?? [])
    .map((one) => ({
      one,
      hits: words.filter((word) => one.stopWords.has(word)).length,
    }));
  const best = counted.reduce((a, b) => (b.hits > a.hits ? b : a));
  return best.hits >= minStopWords ? best.one : language('und', []);
}
