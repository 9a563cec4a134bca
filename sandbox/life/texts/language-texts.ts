import type { BusinessKind } from '../business-kind.ts';

export type Tone = 'bad' | 'mixed' | 'good';

/** What people write in one language. */
export interface LanguageTexts {
  firstNames: readonly string[];
  lastNames: readonly string[];
  opening: Readonly<Record<Tone, readonly string[]>>;
  about: Readonly<Record<BusinessKind, { good: readonly string[]; bad: readonly string[] }>>;
  closing: Readonly<Record<Tone, readonly string[]>>;
  /** Added when somebody comes back to what they wrote. */
  secondThoughts: readonly string[];
  questions: readonly string[];
  messages: readonly string[];
  comments: readonly string[];
  captions: readonly string[];
  /** Of the owner. */
  thanks: readonly string[];
  apologies: readonly string[];
  /** Of the guest, after the owner has replied. */
  answers: readonly string[];
}
