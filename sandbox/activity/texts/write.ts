import type { BusinessKind } from '../business-kind.ts';
import { pick, type Random, weightedPick } from '../seeded-random.ts';
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

const languagesByCountry: Readonly<Record<string, Record<string, number>>> = {
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

const foreignShare = 0.15;

/** Mostly a language of the country. */
export function languageIn(random: Random, country: string | undefined): string {
  if (random() < foreignShare) return pick(random, Object.keys(languages));
  return weightedPick(random, languagesByCountry[country ?? ''] ?? { en: 1 });
}

export const textsOf = (language: string): LanguageTexts => languages[language] ?? english;

export function authorIn(random: Random, language: string): string {
  const { firstNames, lastNames } = textsOf(language);
  const last = pick(random, lastNames);
  return `${pick(random, firstNames)} ${random() < 0.4 ? `${last.slice(0, 1).toUpperCase()}.` : last}`;
}

export const toneOf = (rating: number): Tone => (rating < 2.5 ? 'bad' : rating < 3.5 ? 'mixed' : 'good');

/** A review that matches the rating and the kind of business. */
export function reviewText(random: Random, language: string, kind: BusinessKind, rating: number): string {
  const texts = textsOf(language);
  const tone = toneOf(rating);
  const { good, bad } = texts.about[kind];
  const details =
    tone === 'good'
      ? shuffled(random, good)
      : tone === 'bad'
        ? shuffled(random, bad)
        : [pick(random, good), pick(random, bad)];
  const length = weightedPick(random, { short: 0.25, usual: 0.5, long: 0.25 });
  const parts = {
    short: [pick(random, random() < 0.5 ? texts.opening[tone] : details)],
    usual: [pick(random, texts.opening[tone]), ...details.slice(0, tone === 'mixed' ? 2 : 1)],
    long: [pick(random, texts.opening[tone]), ...details.slice(0, 2), pick(random, texts.closing[tone])],
  };
  return parts[length].join(' ');
}

function shuffled<T>(random: Random, entries: readonly T[]): T[] {
  return entries
    .map((entry) => ({ entry, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ entry }) => entry);
}
