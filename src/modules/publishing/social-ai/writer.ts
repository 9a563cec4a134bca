import type { Directory } from '../../directories/index.ts';
import type { Length, Tone } from './content-request.ts';
import type { LocationFacts } from './location-facts.ts';

/** Specification of one text. */
export interface TextSpec {
  topic: string;
  tone: Tone;
  /** BCP 47. */
  language: string;
  length: Length;
  keywords: readonly string[];
  hashtags: boolean | readonly string[];
  emoji: boolean;
  directory: Directory;
  /** Index of the text among several for one directory. */
  variant: number;
  facts: LocationFacts | undefined;
}

export type WriteResult =
  | { kind: 'written'; text: string }
  /** The model declined to write about this topic. */
  | { kind: 'refused' }
  /** The model server is rate limited. */
  | { kind: 'limited'; retryAfterSeconds: number }
  /** The model server is misconfigured; the detail is for the operator. */
  | { kind: 'misconfigured'; detail: string }
  /** Timeout, outage or invalid response. A retry may succeed. */
  | { kind: 'unavailable'; detail: string };

export interface Writer {
  /** Value of `source` in the response. */
  readonly source: string;
  write(spec: TextSpec, signal: AbortSignal): Promise<WriteResult>;
}

/** Target lengths; the directory's limit may be lower. */
export const charactersOf: Readonly<Record<Length, number>> = { SHORT: 160, MEDIUM: 450, LONG: 1000 };
