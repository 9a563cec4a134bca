import type { BusinessKind } from '../business-kind.ts';
import { type Dice, pick, weigh } from '../seeded-random.ts';
import { dutch } from './dutch.ts';
import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { italian } from './italian.ts';
import type { LanguageTexts, Tone } from './language-texts.ts';
import { polish } from './polish.ts';
import { spanish } from './spanish.ts';

const languages: Readonly<Record<string, LanguageTexts>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  nl: dutch,
  pl: polish,
};

const spoken: Readonly<Record<string, Record<string, number>>> = {
  DE: { de: 1 },
  AT: { de: 1 },
  CH: { de: 0.63, fr: 0.25, it: 0.12 },
  FR: { fr: 1 },
  BE: { nl: 0.58, fr: 0.42 },
  LU: { fr: 0.7, de: 0.3 },
  ES: { es: 1 },
  MX: { es: 1 },
  IT: { it: 1 },
  NL: { nl: 1 },
  PL: { pl: 1 },
};

const strangers = 0.15;

/** Mostly that of the country, now and then that of a traveller. */
export function languageIn(dice: Dice, country: string | undefined): string {
  if (dice() < strangers) return pick(dice, Object.keys(languages));
  return weigh(dice, spoken[country ?? ''] ?? { en: 1 });
}

export const textsOf = (language: string): LanguageTexts => languages[language] ?? english;

export function authorIn(dice: Dice, language: string): string {
  const { firstNames, lastNames } = textsOf(language);
  const last = pick(dice, lastNames);
  return `${pick(dice, firstNames)} ${dice() < 0.4 ? `${last.slice(0, 1).toUpperCase()}.` : last}`;
}

export const toneOf = (rating: number): Tone => (rating < 2.5 ? 'bad' : rating < 3.5 ? 'mixed' : 'good');

/** A review that fits its rating and what kind of place it is about. */
export function reviewText(dice: Dice, language: string, kind: BusinessKind, rating: number): string {
  const texts = textsOf(language);
  const tone = toneOf(rating);
  const { good, bad } = texts.about[kind];
  const told =
    tone === 'good' ? shuffled(dice, good) : tone === 'bad' ? shuffled(dice, bad) : [pick(dice, good), pick(dice, bad)];
  const length = weigh(dice, { short: 0.25, usual: 0.5, long: 0.25 });
  const parts = {
    short: [pick(dice, dice() < 0.5 ? texts.opening[tone] : told)],
    usual: [pick(dice, texts.opening[tone]), ...told.slice(0, tone === 'mixed' ? 2 : 1)],
    long: [pick(dice, texts.opening[tone]), ...told.slice(0, 2), pick(dice, texts.closing[tone])],
  };
  return parts[length].join(' ');
}

function shuffled<T>(dice: Dice, entries: readonly T[]): T[] {
  return entries
    .map((entry) => ({ entry, place: dice() }))
    .sort((a, b) => a.place - b.place)
    .map(({ entry }) => entry);
}
