import { trimEndOf } from '../../../text.ts';

const segmenters = new Map<string, Intl.Segmenter>();

function segmenter(language: string, granularity: 'sentence' | 'word' | 'grapheme'): Intl.Segmenter {
  const key = `${language} ${granularity}`;
  const known = segmenters.get(key) ?? new Intl.Segmenter(language, { granularity });
  segmenters.set(key, known);
  return known;
}

/** Including trailing white space. */
export const sentencesOf = (text: string, language: string): string[] =>
  [...segmenter(language, 'sentence').segment(text)].map(({ segment }) => segment);

const longestPrefix = (parts: Iterable<{ segment: string }>, limit: number): string => {
  let prefix = '';
  for (const { segment } of parts) {
    if ((prefix + segment).trimEnd().length > limit) break;
    prefix += segment;
  }
  return prefix.trimEnd();
};

/**
 * Cuts to `limit` UTF-16 code units after a sentence, otherwise after a word with an ellipsis. Never splits a
 * character.
 */
export function cutAtSentence(text: string, limit: number, language: string): string {
  const whole = text.trim();
  if (whole.length <= limit) return whole;
  if (limit <= 0) return '';
  const sentences = longestPrefix(segmenter(language, 'sentence').segment(whole), limit);
  if (sentences !== '') return sentences;
  const words = trimEndOf(longestPrefix(segmenter(language, 'word').segment(whole), limit - 1), /[\s\p{P}]/u);
  return `${words || longestPrefix(segmenter(language, 'grapheme').segment(whole), limit - 1)}…`;
}
