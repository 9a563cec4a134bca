import type { Order } from './writer.ts';

const mostMade = 5;
const tag = /#[\p{L}\p{N}\p{M}_]+/gu;

/** `Fresh rye bread` is #FreshRyeBread; nothing when no letter or digit is left. */
function hashtagOf(words: string): string | undefined {
  const name = words
    .normalize('NFC')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '')
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
  return name === '' ? undefined : `#${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Apart from its hashtags. Those within a sentence stay there as words; lines of nothing else go. */
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

/** Word by word from the end: one expression for all of them would try every way to divide the spaces between them. */
function withoutLastHashtags(text: string): string {
  const parts = text.split(/([\s,]+)/u);
  while (parts.length > 0 && gapOrTags.test(parts.at(-1) ?? '')) parts.pop();
  return parts.join('');
}

/** Those that the order names; else those that the writer found, or ones made of what is known. */
export function hashtagsFor({ hashtags, keywords, facts, topic }: Order, found: readonly string[]): string[] {
  if (hashtags === false) return [];
  if (hashtags !== true) return distinct(hashtags.flatMap((words) => hashtagOf(words) ?? []));
  if (found.length > 0) return distinct(found).slice(0, mostMade);
  const sources = [...keywords, ...(facts ? [...facts.categories.slice(0, 1), facts.city, facts.name] : [topic])];
  return distinct(sources.flatMap((words) => hashtagOf(words) ?? [])).slice(0, mostMade);
}

function distinct(tags: readonly string[]): string[] {
  const lower = tags.map((name) => name.toLowerCase());
  return tags.filter((_, index) => lower.indexOf(lower[index] as string) === index);
}
