import { trimEndOf } from '../../../text.ts';
import { type Phrases, phrasesOf } from './built-in-phrases.ts';
import type { Length, LocationFacts, TextSpec, Tone, WriteResult, Writer } from './content-request.ts';

const defaultLanguage = 'en';

const emoji: Record<Tone, readonly [string, string]> = {
  FRIENDLY: ['😊', '👋'],
  PROFESSIONAL: ['✅', '📍'],
  FUNNY: ['😄', '😉'],
  ENTHUSIASTIC: ['🎉', '🤩'],
  INFORMATIVE: ['💡', '📌'],
};

/** Number of sentences about the location between opener and closer. */
const bodySentences: Record<Length, number> = { SHORT: 1, MEDIUM: 3, LONG: 6 };

/** Writes from templates. `random` returns numbers from 0 to 1. */
export class BuiltInWriter implements Writer {
  readonly source = 'BUILT_IN';
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  async write(spec: TextSpec): Promise<WriteResult> {
    return { kind: 'written', text: composePost(spec, this.#random) };
  }
}

export function composePost(spec: TextSpec, random: () => number): string {
  const { tone, variant, length } = spec;
  const known = phrasesOf(spec.language);
  const phrases = known ?? (phrasesOf(defaultLanguage) as Phrases);
  const values = placeholderValues(spec, known ? spec.language : defaultLanguage);
  const [first, last] = spec.emoji ? emoji[tone].map((symbol) => ` ${symbol}`) : ['', ''];
  // Variants of one request start with different sentences.
  const opener = fill(phrases.openers[tone][variant % 3] ?? phrases.openers[tone][0], values) as string;
  const closer = phrases.closers[tone][Math.floor(random() * 3) % 3];
  const { location, keywords, category, services, open, website } = phrases;
  const body = [location, keywords, category, services, open, website]
    .flatMap((phrase) => fill(phrase, values) ?? [])
    .slice(0, bodySentences[length]);
  return [`${opener}${first}`, ...body, `${closer}${last}`].join(length === 'LONG' ? '\n' : ' ');
}

type PlaceholderValues = Readonly<Record<string, string | undefined>>;

function placeholderValues({ topic, keywords, facts }: TextSpec, language: string): PlaceholderValues {
  const list = (entries: readonly string[]) =>
    entries.length > 0 ? new Intl.ListFormat(language, { type: 'conjunction' }).format(entries) : undefined;
  return {
    topic: trimEndOf(topic.replace(/\s+/g, ' ').trim(), /[\s.!?:;,…]/),
    keywords: list(keywords.map((word) => word.trim())),
    ...(facts && {
      name: facts.name,
      city: facts.city,
      category: list(facts.categories.slice(0, 2)),
      services: list(facts.services.slice(0, 3)),
      website: facts.website,
      ...openingHoursValues(facts.openToday, language),
    }),
  };
}

/** Contains the date, so that the sentence stays true on other days. */
function openingHoursValues(openToday: LocationFacts['openToday'], language: string): PlaceholderValues {
  if (!openToday || openToday.hours === '') return {};
  const day = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
  return { day: day.format(new Date(`${openToday.date}T00:00:00Z`)), hours: openToday.hours };
}

/** Undefined if a placeholder is unknown. Inserted values are not expanded again. */
function fill(phrase: string, values: PlaceholderValues): string | undefined {
  const names = [...phrase.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  if (names.some((name) => !values[name])) return undefined;
  const text = phrase.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
