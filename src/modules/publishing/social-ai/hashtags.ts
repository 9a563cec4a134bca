import type { TextSpec } from './writer.ts';

const maxGenerated = 5;
const tag = /#[\p{L}\p{N}\p{M}_]+/gu;

/** `Fresh rye bread` becomes #FreshRyeBread. Undefined without letters and digits. */
function hashtagOf(words: string): string | undefined {
  const name = words
    .normalize('NFC')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '')
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
  return name === '' ? undefined : `#${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Hashtags within a sentence become words. Lines that contain only hashtags are removed. */
export function withoutHashtags(text: string): { body: string; hashtags: string[] } {
  const hashtags = text.match(tag) ?? [];
  const body = withoutLastHashtags(text)
    .split('\n')
    .filter((line) => line.trim() === '' || line.replaceAll(tag, '').trim() !== '')
    .join('\n')
    .replaceAll(tag, (found) => found.slice(1))
    .trim();
  return { body, hashtags: distinct(hashtags) };
}

const gapOrTags = /^(?:[\s,]*|(?:#[\p{L}\p{N}\p{M}_]+)+)$/u;

/** Word by word from the end: a single expression would backtrack over all whitespace. */
function withoutLastHashtags(text: string): string {
  const parts = text.split(/([\s,]+)/u);
  while (parts.length > 0 && gapOrTags.test(parts.at(-1) ?? '')) parts.pop();
  return parts.join('');
}

/** The given hashtags, otherwise those of the writer, otherwise generated ones. */
export function hashtagsFor({ hashtags, keywords, facts, topic }: TextSpec, found: readonly string[]): string[] {
  if (hashtags === false) return [];
  if (hashtags !== true) return distinct(hashtags.flatMap((words) => hashtagOf(words) ?? []));
  if (found.length > 0) return distinct(found).slice(0, maxGenerated);
  const sources = [...keywords, ...(facts ? [...facts.categories.slice(0, 1), facts.city, facts.name] : [topic])];
  return distinct(sources.flatMap((words) => hashtagOf(words) ?? [])).slice(0, maxGenerated);
}

function distinct(tags: readonly string[]): string[] {
  const lower = tags.map((name) => name.toLowerCase());
  return tags.filter((_, index) => lower.indexOf(lower[index] as string) === index);
}
