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
import { stopwords as danishStops } from '@orama/stopwords/danish';
import { stopwords as dutchStops } from '@orama/stopwords/dutch';
import { stopwords as englishStops } from '@orama/stopwords/english';
import { stopwords as finnishStops } from '@orama/stopwords/finnish';
import { stopwords as frenchStops } from '@orama/stopwords/french';
import { stopwords as germanStops } from '@orama/stopwords/german';
import { stopwords as hungarianStops } from '@orama/stopwords/hungarian';
import { stopwords as italianStops } from '@orama/stopwords/italian';
import { stopwords as japaneseStops } from '@orama/stopwords/japanese';
import { stopwords as chineseStops } from '@orama/stopwords/mandarin';
import { stopwords as norwegianStops } from '@orama/stopwords/norwegian';
import { stopwords as portugueseStops } from '@orama/stopwords/portuguese';
import { stopwords as romanianStops } from '@orama/stopwords/romanian';
import { stopwords as russianStops } from '@orama/stopwords/russian';
import { stopwords as spanishStops } from '@orama/stopwords/spanish';
import { stopwords as swedishStops } from '@orama/stopwords/swedish';
import { stopwords as turkishStops } from '@orama/stopwords/turkish';

export interface Language {
  /** ISO 639-1; `und` when nobody knows. */
  code: string;
  stopWords: ReadonlySet<string>;
  /** What the forms of a word have in common. */
  stem(word: string): string;
}

const unchanged = (word: string) => word;
const language = (code: string, stopWords: readonly string[], stem: Language['stem'] = unchanged): Language => ({
  code,
  stopWords: new Set(stopWords.map((word) => word.toLowerCase())),
  stem,
});

/** The languages whose words are known; what is written in others is counted form by form. */
const languages: ReadonlyMap<string, Language> = new Map(
  [
    language('en', englishStops, english),
    language('de', germanStops, german),
    language('fr', frenchStops, french),
    language('es', spanishStops, spanish),
    language('it', italianStops, italian),
    language('nl', dutchStops, dutch),
    language('pt', portugueseStops, portuguese),
    language('da', danishStops, danish),
    language('sv', swedishStops, swedish),
    language('no', norwegianStops, norwegian),
    language('fi', finnishStops, finnish),
    language('hu', hungarianStops, hungarian),
    language('ro', romanianStops, romanian),
    language('ru', russianStops, russian),
    language('tr', turkishStops, turkish),
    language('ja', japaneseStops),
    language('zh', chineseStops),
  ].map((one) => [one.code, one]),
);

/** Other codes for the same. */
const otherCodes = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
]);

/** So many words of a language must be met before a text is taken to be in it. */
const fewestStopWords = 2;

/**
 * The language that the directory says; of a text without one, that whose small words it uses most. A language that is
 * not known has no small words and no forms.
 */
export function languageOf(said: string | null, words: readonly string[]): Language {
  const code = said?.toLowerCase();
  if (code) return languages.get(otherCodes.get(code) ?? code) ?? language(code, []);
  const counted = [...languages.values()].map((one) => ({
    one,
    hits: words.filter((word) => one.stopWords.has(word)).length,
  }));
  const best = counted.reduce((a, b) => (b.hits > a.hits ? b : a));
  return best.hits >= fewestStopWords ? best.one : language('und', []);
}
