import type { Tone } from './content-request.ts';
import { dutch } from './phrases/dutch.ts';
import { english } from './phrases/english.ts';
import { french } from './phrases/french.ts';
import { german } from './phrases/german.ts';
import { italian } from './phrases/italian.ts';
import { spanish } from './phrases/spanish.ts';

/**
 * Templates of the built-in writer in one language. A sentence is used only if all of its placeholders are known.
 * Topics are placed where they need no inflection.
 */
export interface Phrases {
  /** With {topic}. Three each, so that variants differ. */
  openers: Record<Tone, readonly [string, string, string]>;
  /** With {name}, {city}. */
  place: string;
  /** With {category}. */
  category: string;
  /** With {services}. */
  services: string;
  /** With {keywords}. */
  keywords: string;
  /** With {day}, {hours}. */
  open: string;
  /** With {website}. */
  website: string;
  closers: Record<Tone, readonly [string, string, string]>;
}

const byLanguage: Readonly<Record<string, Phrases>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  nl: dutch,
};

export const builtInLanguages: readonly string[] = Object.keys(byLanguage);

/** `de-AT` falls back to `de`. Undefined for unsupported languages. */
export const phrasesOf = (language: string): Phrases | undefined => byLanguage[language.split('-')[0] ?? ''];
