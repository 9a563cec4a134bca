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

/** Stop words that are relevant topics in reviews. */
const topics: Readonly<Record<string, readonly string[]>> = {
  en: ['room', 'order', 'bill', 'website', 'computer'],
  de: ['klein'],
};

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Words that are frequent in reviews of any topic, in addition to stop words. */
const reviewWords: Readonly<Record<string, readonly string[]>> = {
  en: words(`
    disappoint disappointing expected honest honestly time times worth trip rarely write wrote review reviews mixed
    experience bad nice lovely middle highly recommend recommended people ready heart walk minute minutes wrong hour hours
    day days night week weeks month months arrive arrived explain explained left leave hand listened agreed started
    hurried question answer star stars fine nearby told friends trouble definitely absolutely super amazing awesome
    terrible awful horrible worst thing people person guys lot bit suggested answered charge`),
  de: words(`
    enttäuschend enttäuscht erwartet erwartung lohnt lohnen eigentlich schreibe geschrieben bewertung bewertungen raus
    gemischte gefühle toll tolle super empfehlen empfehlung empfehlenswert echter glücksgriff genau gesucht hierher gegend
    abstand wert fünfzig minute minuten gewartet gestört zweimal falsche ließ wünsche hört nimmt erklärt bekommen trotz
    stunde stunden erreichen hand zugehört vorgeschlagen halbe angefangen egal erledigt versprochen offensichtlich
    obwohl fertig vorher gezeigt woche wochen stand wort leute doppelt hälfte braucht woanders hingehen hinsehen stern
    sterne versuche luft weitererzählt mittags spätabends besetzt klare prima schlecht schlechte absolut
    liebe beste besten geworden beraten abgefertigt bestellt zurückgenommen nähe`),
  fr: words(`
    déçu déçue attendais mieux vaut faut détour avis mitigé correct mal recommande recommander vivement belle découverte
    jamais cherchais revient plaisir loin meilleur meilleure minute minutes venir prend temps expliquer jour jours heure
    heures impossible voulais voulait trompés demi-heure écoutée prévu soucié réglée rappelé promis chose midi contraire
    avance montré double bout semaine semaines moitié connaissent retournerai chemin dommage étoile étoiles déjà revoir
    peut-être faire côté vite continuez moment super nul horrible quartier conseillés gestes`),
  es: words(`
    decepcionante esperaba merece pena escribo reseña reseñas decirlo opinión dividida correcto malas mala malo recomendable
    recomiendo descubrimiento falla justo buscaba volvemos zona vale esperamos cincuenta minuto minutos equivocaron toman
    espera hora horas mano escuchan empezaron importó resolvieron cosa contrario listo enseñaron doble volvió semana
    semanas gente mitad volveré buscar sitio estrella estrellas oportunidad seguid gracias oye quería
    super horrible aconsejan aconsejó mediodía prisas`),
  it: words(`
    davvero deludente delude aspettavo viaggio esperienza media luci ombre consigliatissimo consiglio consigliano bella
    bello scoperta cercavo torniamo volentieri pena cinquanta minuto minuti sbagliato arrivati tardi sente prendono
    spiegare esattamente volevo voleva mano sicura ascoltano entra concordato corsa risolto incontro nascoste richiamato
    scritto pronta mostrato giusto tornato settimana settimane fermo notizie metà tornerò riproverò migliorare comodo
    zona presto stella stelle continuate pessimo super`),
  nl: words(`
    teleurgesteld verwacht vroeger beter reis waard gemengde gevoelens prima deels goed goede bijzonder echt echte aanrader
    vondst stelt teleur zocht komen graag terug mensen gaf omweg minuut minuten gewacht keer verkeerde laat aangekomen
    hoort tijd leggen dezelfde dag dagen terecht uur stond geworden hand half begonnen lette erop vraag één opgelost
    beloofd zegt lieten zien dubbele week weken helft vinden kom heen jammer probeer buurt snel ster sterren hele bedankt
    fijne slecht slechte super luisteren wils`),
  pl: words(`
    rozczarowanie spodziewałam czegoś pierwszy ostatni kiedyś lepiej warto mieszane uczucia porządku plusy minusy źle
    gorąco polecam prawdziwe odkrycie zawiodłem dokładnie czego szukałem chętnie wracamy pełne świetnie samej przyjść
    czekaliśmy pięćdziesiąt minut nikt razy pomylono późny dwóch minutach nikogo samego dnia godziny umówionej dodzwonić
    chciałam chciał ręka najpierw słuchają potem zupełnie ustaliłyśmy pół załatwiona jednej obiecali trzy żadnej innego
    południe inaczej godzinę pokazali dniach wrócił tydzień duży duże kogo zapytać wrócę iść indziej szkoda spróbuję
    drodze zobaczenia pięć gwiazdek całej trzymać dziękujemy miły dzień słychać obeszło zna połowa część pewna`),
};

interface Language {
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

const stopWordsByLanguage = new Map(Object.entries(stopWordLists as Record<string, string[]>));
const languages = new Map<string, Language>();

/** A language with stop words, created on first use. Without a stemmer, each form is its own keyword. */
function knownLanguage(code: string): Language | undefined {
  const existing = languages.get(code);
  const words = stopWordsByLanguage.get(code);
  if (existing || !words) return existing;
  const created = language(code, words, stemmers[code]);
  languages.set(code, created);
  return created;
}

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
function languageOf(declared: string | null, words: readonly string[]): Language {
  const code = declared?.toLowerCase();
  if (code) return knownLanguage(codeAliases.get(code) ?? code) ?? language(code, []);
  const counted = detectable
    .flatMap((name) => knownLanguage(name) ?? [])
    .map((one) => ({
      one,
      hits: words.filter((word) => one.stopWords.has(word)).length,
    }));
  const best = counted.reduce((a, b) => (b.hits > a.hits ? b : a));
  return best.hits >= minStopWords ? best.one : language('und', []);
}

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
const wordPattern = /[\p{L}\p{M}\p{N}]+(?:['-][\p{L}\p{M}\p{N}]+)*/gu;
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
  return (plain.match(wordPattern) ?? []).flatMap((word) =>
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
