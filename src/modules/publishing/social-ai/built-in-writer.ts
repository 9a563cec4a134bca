import { trimEndOf } from '../../../text.ts';
import { type Phrases, phrasesOf } from './built-in-phrases.ts';
import type { Length, Tone } from './content-request.ts';
import type { LocationFacts } from './location-facts.ts';
import type { Order, Writer, Written } from './writer.ts';

const usualLanguage = 'en';

const emoji: Record<Tone, readonly [string, string]> = {
  FRIENDLY: ['😊', '👋'],
  PROFESSIONAL: ['✅', '📍'],
  FUNNY: ['😄', '😉'],
  ENTHUSIASTIC: ['🎉', '🤩'],
  INFORMATIVE: ['💡', '📌'],
};

/** How many sentences about the location stand between the first and the last one. */
const sentencesBetween: Record<Length, number> = { SHORT: 1, MEDIUM: 3, LONG: 6 };

/** Writes from templates, and says so. `dice` gives numbers from 0 to 1; the same ones make the same text again. */
export class BuiltInWriter implements Writer {
  readonly source = 'BUILT_IN';
  readonly #dice: () => number;

  constructor(dice: () => number) {
    this.#dice = dice;
  }

  async write(order: Order): Promise<Written> {
    return { kind: 'written', text: composePost(order, this.#dice) };
  }
}

export function composePost(order: Order, dice: () => number): string {
  const { tone, variant, length } = order;
  const known = phrasesOf(order.language);
  const phrases = known ?? (phrasesOf(usualLanguage) as Phrases);
  const words = wordsOf(order, known ? order.language : usualLanguage);
  const [first, last] = order.emoji ? emoji[tone].map((sign) => ` ${sign}`) : ['', ''];
  // Variants of one request begin with different sentences, whatever the dice say.
  const opener = fill(phrases.openers[tone][variant % 3] ?? phrases.openers[tone][0], words) as string;
  const closer = phrases.closers[tone][Math.floor(dice() * 3) % 3];
  const { place, keywords, category, services, open, website } = phrases;
  const body = [place, keywords, category, services, open, website]
    .flatMap((phrase) => fill(phrase, words) ?? [])
    .slice(0, sentencesBetween[length]);
  return [`${opener}${first}`, ...body, `${closer}${last}`].join(length === 'LONG' ? '\n' : ' ');
}

type Words = Readonly<Record<string, string | undefined>>;

function wordsOf({ topic, keywords, facts }: Order, language: string): Words {
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
      ...openWords(facts.openToday, language),
    }),
  };
}

/** Names the day, so that the sentence is still true when the post appears on another one. */
function openWords(openToday: LocationFacts['openToday'], language: string): Words {
  if (!openToday || openToday.hours === '') return {};
  const day = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
  return { day: day.format(new Date(`${openToday.date}T00:00:00Z`)), hours: openToday.hours };
}

/** Nothing when a word is not known. Words are put in as they are: what they hold is not looked at again. */
function fill(phrase: string, words: Words): string | undefined {
  const names = [...phrase.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  if (names.some((name) => !words[name])) return undefined;
  const text = phrase.replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
