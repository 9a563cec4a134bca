import type { BusinessKind } from '../business-kind.ts';

export type Tone = 'bad' | 'mixed' | 'good';

/** Text fragments of one language. */
export interface LanguageTexts {
  firstNames: readonly string[];
  lastNames: readonly string[];
  opening: Readonly<Record<Tone, readonly string[]>>;
  about: Readonly<Record<BusinessKind, { good: readonly string[]; bad: readonly string[] }>>;
  closing: Readonly<Record<Tone, readonly string[]>>;
  /** Appended when a review is edited. */
  secondThoughts: readonly string[];
  questions: readonly string[];
  messages: readonly string[];
  comments: readonly string[];
  captions: readonly string[];
  /** Owner replies. */
  thanks: readonly string[];
  apologies: readonly string[];
  /** Customer replies to the owner. */
  customerReplies: readonly string[];
}
