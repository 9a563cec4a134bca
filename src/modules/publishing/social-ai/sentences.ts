import { trimEndOf } from '../../../text.ts';

const segmenters = new Map<string, Intl.Segmenter>();

function segmenter(language: string, granularity: 'sentence' | 'word' | 'grapheme'): Intl.Segmenter {
  const key = `${language} ${granularity}`;
  const known = segmenters.get(key) ?? new Intl.Segmenter(language, { granularity });
  segmenters.set(key, known);
  return known;
}

/** With the white space behind each. */
export const sentencesOf = (text: string, language: string): string[] =>
  [...segmenter(language, 'sentence').segment(text)].map(({ segment }) => segment);

const beginningOf = (parts: Iterable<{ segment: string }>, most: number): string => {
  let taken = '';
  for (const { segment } of parts) {
    if ((taken + segment).trimEnd().length > most) break;
    taken += segment;
  }
  return taken.trimEnd();
};

/**
 * At most so many characters (as directories count them: UTF-16 code units), ended behind a sentence; where not even the
 * first one fits, behind a word and with an ellipsis. No character is ever cut in two.
 */
export function cutAtSentence(text: string, most: number, language: string): string {
  const whole = text.trim();
  if (whole.length <= most) return whole;
  if (most <= 0) return '';
  const sentences = beginningOf(segmenter(language, 'sentence').segment(whole), most);
  if (sentences !== '') return sentences;
  const words = trimEndOf(beginningOf(segmenter(language, 'word').segment(whole), most - 1), /[\s\p{P}]/u);
  return `${words || beginningOf(segmenter(language, 'grapheme').segment(whole), most - 1)}…`;
}
