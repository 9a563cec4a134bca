import type { Directory } from '../../directories/index.ts';
import type { Length, Tone } from './content-request.ts';
import type { LocationFacts } from './location-facts.ts';

/** One text that is to be written. */
export interface Order {
  topic: string;
  tone: Tone;
  /** As BCP 47 writes it. */
  language: string;
  length: Length;
  keywords: readonly string[];
  hashtags: boolean | readonly string[];
  emoji: boolean;
  directory: Directory;
  /** Of several texts for one directory, which; they are to differ. */
  variant: number;
  facts: LocationFacts | undefined;
}

/** What came of an order. Exceptions are for bugs. */
export type Written =
  | { kind: 'written'; text: string }
  /** The model will not write about this. */
  | { kind: 'refused' }
  /** The model server takes no more requests for now. */
  | { kind: 'limited'; retryAfterSeconds: number }
  /** The model server is set up wrongly, and what the operator has to look at. */
  | { kind: 'misconfigured'; detail: string }
  /** Too slow, away, or talking nonsense: it may be asked again. */
  | { kind: 'unavailable'; detail: string };

export interface Writer {
  /** As `source` of a content names it. */
  readonly source: string;
  write(order: Order, signal: AbortSignal): Promise<Written>;
}

/** How long a text should be; the directory's limit may be less. */
export const charactersOf: Readonly<Record<Length, number>> = { SHORT: 160, MEDIUM: 450, LONG: 1000 };
