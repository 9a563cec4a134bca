import { type CountryCode, findPhoneNumbersInText, isSupportedCountry } from 'libphonenumber-js/max';
import { LRUCache } from 'lru-cache';
import { trimEndOf } from '../../../text.ts';
import { normalizePhone, normalizeUrl } from '../../listings/index.ts';
import type { GeneratedContent, LocationFacts, TextSpec } from './content-request.ts';

/** The data of a prompt is between these. */
export const frameStart = '<data>';
export const frameEnd = '</data>';

/** Language codes are chosen by users and can have any variant. */
const segmenters = new LRUCache<string, Intl.Segmenter>({ max: 100 });

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

type Finished = { content: GeneratedContent; warnings: string[] } | { rejected: string };

const minLetters = 3;
/** Longer output of a model is ignored. */
const maxReadLength = 5000;
const reasoning = /^\s*<think>[\s\S]*?<\/think>/i;
const fence = /^```\w*\n([\s\S]*?)\n?```$/;
const quotes = /^["“„«]([^"“”„«»]*)["”“»]$/u;

/** Cleans the output of a writer: removes foreign contacts, formats hashtags, applies the directory's limit. */
export function finishText(spec: TextSpec, source: string, written: string): Finished {
  const { directory, language, facts } = spec;
  const raw = written
    .replace(reasoning, '')
    .slice(0, 2 * maxReadLength)
    .toWellFormed();
  const plain = removeDecoration(cutAtSentence(raw, maxReadLength, language));
  if (plain.includes(frameStart) || plain.includes(frameEnd)) return { rejected: 'returned its prompt' };
  const { body, hashtags: found } = withoutHashtags(plain);
  const { text, removed } = removeForeignContacts(body, facts, language);
  if ((text.match(/\p{L}/gu)?.length ?? 0) < minLetters) {
    return { rejected: removed > 0 ? 'returned only contacts that do not belong to the location' : 'returned no text' };
  }
  const limit = directory.postMaxLength;
  const hashtags = limitHashtags(hashtagsFor(spec, found), limit);
  const line = hashtags.length > 0 ? `\n\n${hashtags.join(' ')}` : '';
  const finished = cutAtSentence(text, limit - line.length, language) + line;
  const warnings =
    removed > 0
      ? [
          `${directory.type}: ${removed} sentence(s) were removed because they contain contacts that do not belong to the location.`,
        ]
      : [];
  return {
    content: { text: finished, hashtags, characterCount: finished.length, directory: directory.type, source },
    warnings,
  };
}

/** Removes code fences, quotation marks and invisible characters around the text. */
function removeDecoration(written: string): string {
  const text = written
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/gu, '')
    .split('\n')
    .map((line) => trimEndOf(line, /[ \t]/))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  const unfenced = fence.exec(text)?.[1]?.trim() ?? text;
  return quotes.exec(unfenced)?.[1]?.trim() ?? unfenced;
}

/** Hashtags may use up to a third of the limit. */
function limitHashtags(hashtags: readonly string[], limit: number): string[] {
  const kept = [...hashtags];
  while (kept.length > 0 && kept.join(' ').length + 2 > limit / 3) kept.pop();
  return kept;
}

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
function withoutHashtags(text: string): { body: string; hashtags: string[] } {
  const hashtags = text.match(tag) ?? [];
  const body = withoutTrailingHashtags(text)
    .split('\n')
    .filter((line) => line.trim() === '' || line.replaceAll(tag, '').trim() !== '')
    .join('\n')
    .replaceAll(tag, (found) => found.slice(1))
    .trim();
  return { body, hashtags: distinct(hashtags) };
}

const gapOrTags = /^(?:[\s,]*|(?:#[\p{L}\p{N}\p{M}_]+)+)$/u;

/** Word by word from the end: a single expression would backtrack over all whitespace. */
function withoutTrailingHashtags(text: string): string {
  const parts = text.split(/([\s,]+)/u);
  while (parts.length > 0 && gapOrTags.test(parts.at(-1) ?? '')) parts.pop();
  return parts.join('');
}

/** The given hashtags, otherwise those of the writer, otherwise generated ones. */
function hashtagsFor({ hashtags, keywords, facts, topic }: TextSpec, found: readonly string[]): string[] {
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

/** Anchored at word starts: matching from every character would be quadratic. */
const emails = /(?<![^\s@<>()])[^\s@<>()]+@(?:[^\s@<>().]*\.)+\p{L}{2,}/gu;
const urls = /\b(?:https?:\/\/|www\.)[^\s<>"'“”«»]+/giu;
/** URLs without a scheme: lower-case domains, or common top-level domains in any case. */
const bareUrls =
  /(?<!\/\/)(?<![\p{L}\p{N}@.-])(?:[\p{L}\p{N}][\p{L}\p{N}-]*\.)+(?:[a-z]{2,24}|(?:COM|NET|ORG|INFO|BIZ|SHOP|APP|DE|EU|UK|FR|ES|IT|NL))(?![\p{L}\p{N}@])(?:\/[^\s<>"'“”«»]*)?/gu;
const internationalNumbers = /(?:\+|\b00)\d[\d\s()./-]{5,}\d/g;
/** Dates and opening hours, which resemble phone numbers. */
const times = /\b\d{1,4}([./-])\d{1,2}\1\d{1,4}\b|\b\d{1,2}[.:]\d{2}\s*[-–]\s*\d{1,2}[.:]\d{2}\b/g;
const closing = /[.,;:!?…)\]]/;

/** Replaces a foreign contact; a private-use character that texts do not contain. */
const marker = '\uE000';

/**
 * Removes sentences with a URL, e-mail address or phone number that does not belong to the location: models invent
 * contacts.
 */
function removeForeignContacts(text: string, facts: LocationFacts | undefined, language: string) {
  const marked = markPhones(markLinks(text.replaceAll(marker, ''), facts), facts);
  if (!marked.includes(marker)) return { text: text.replaceAll(marker, ''), removed: 0 };
  const lines = marked.split('\n').map((line) => (line.includes(marker) ? sentencesOf(line, language) : [line]));
  const removed = lines.flat().filter((sentence) => sentence.includes(marker)).length;
  const kept = lines.map((line) =>
    line
      .filter((sentence) => !sentence.includes(marker))
      .join('')
      .trimEnd(),
  );
  const isEmptied = (index: number) => kept[index] === '' && (lines[index]?.join('').trim() ?? '') !== '';
  return {
    text: kept
      .filter((_, index) => !isEmptied(index))
      .join('\n')
      .trim(),
    removed,
  };
}

function markLinks(text: string, facts: LocationFacts | undefined): string {
  const links = new Set((facts?.contacts.links ?? []).map(normalizeUrl));
  const mails = new Set((facts?.contacts.emails ?? []).map((mail) => mail.toLowerCase()));
  const markUnlessOwn = (isOwn: (found: string) => boolean) => (found: string) => {
    const bare = trimEndOf(found, closing);
    return isOwn(bare) ? found : `${marker}${found.slice(bare.length)}`;
  };
  const markForeignLink = markUnlessOwn((link) => links.has(normalizeUrl(link)));
  return text
    .replace(
      emails,
      markUnlessOwn((mail) => mails.has(mail.toLowerCase())),
    )
    .replace(urls, markForeignLink)
    .replace(bareUrls, markForeignLink);
}

function markPhones(text: string, facts: LocationFacts | undefined): string {
  const { country } = facts ?? {};
  const own = new Set((facts?.contacts.phones ?? []).map((phone) => normalizePhone(phone, country)));
  const isOwn = (phone: string) => own.has(normalizePhone(phone, country));
  const options =
    country !== undefined && isSupportedCountry(country) ? { defaultCountry: country as CountryCode } : {};
  const withoutTimes = text.replace(times, (time) => 'x'.repeat(time.length));
  const found = findPhoneNumbersInText(withoutTimes, options).toReversed();
  const marked = found.reduce(
    (rest, { startsAt, endsAt, number }) =>
      isOwn(number.number) ? rest : `${rest.slice(0, startsAt)}${marker}${rest.slice(endsAt)}`,
    text,
  );
  return marked.replace(internationalNumbers, (number) => (isOwn(number) ? number : marker));
}
