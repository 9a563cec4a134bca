import { distance } from 'fastest-levenshtein';

/** The text without the characters at its end that match. Takes linear time; a search for /x+$/ takes quadratic time. */
export function trimEndOf(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Without white space at its ends. Composed (NFC), so that texts that look the same are equal. */
export const normalizeText = (text: string): string => text.normalize('NFC').trim();

/** The new text: undefined keeps the value, null or blank deletes it. */
export function changedText(value: string | null, change: string | null | undefined): string | null {
  if (change === undefined) return value;
  return (change && normalizeText(change)) || null;
}

/** The name with the smallest edit distance, or undefined if none is close. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const [nearest] = names.map((name) => ({ name, edits: distance(typed, name) })).sort((a, b) => a.edits - b.edits);
  return nearest && nearest.edits <= typed.length / 3 ? nearest.name : undefined;
}
