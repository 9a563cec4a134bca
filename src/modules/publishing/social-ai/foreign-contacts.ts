import { type CountryCode, findPhoneNumbersInText, isSupportedCountry } from 'libphonenumber-js/max';
import { trimEndOf } from '../../../text.ts';
import { normalizePhone, normalizeUrl } from '../../listings/index.ts';
import type { LocationFacts } from './location-facts.ts';
import { sentencesOf } from './sentences.ts';

/** Anchored at word starts: trying every character would be quadratic. */
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
const mark = '\uE000';

/**
 * Removes sentences with a URL, e-mail address or phone number that does not belong to the location: models invent
 * contacts.
 */
export function removeForeignContacts(
  text: string,
  facts: Pick<LocationFacts, 'own' | 'country'> | undefined,
  language: string,
): { text: string; removed: number } {
  const marked = markPhones(markLinks(text.replaceAll(mark, ''), facts), facts);
  if (!marked.includes(mark)) return { text: text.replaceAll(mark, ''), removed: 0 };
  const lines = marked.split('\n').map((line) => (line.includes(mark) ? sentencesOf(line, language) : [line]));
  const removed = lines.flat().filter((sentence) => sentence.includes(mark)).length;
  const kept = lines.map((line) =>
    line
      .filter((sentence) => !sentence.includes(mark))
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

function markLinks(text: string, facts: Pick<LocationFacts, 'own'> | undefined): string {
  const links = new Set((facts?.own.links ?? []).map(normalizeUrl));
  const mails = new Set((facts?.own.emails ?? []).map((mail) => mail.toLowerCase()));
  const unlessOwn = (isOwn: (found: string) => boolean) => (found: string) => {
    const bare = trimEndOf(found, closing);
    return isOwn(bare) ? found : `${mark}${found.slice(bare.length)}`;
  };
  const isOwnLink = unlessOwn((link) => links.has(normalizeUrl(link)));
  return text
    .replace(
      emails,
      unlessOwn((mail) => mails.has(mail.toLowerCase())),
    )
    .replace(urls, isOwnLink)
    .replace(bareUrls, isOwnLink);
}

function markPhones(text: string, facts: Pick<LocationFacts, 'own' | 'country'> | undefined): string {
  const { country } = facts ?? {};
  const own = new Set((facts?.own.phones ?? []).map((phone) => normalizePhone(phone, country)));
  const isOwn = (phone: string) => own.has(normalizePhone(phone, country));
  const home = country !== undefined && isSupportedCountry(country) ? { defaultCountry: country as CountryCode } : {};
  const timeless = text.replace(times, (time) => 'x'.repeat(time.length));
  const found = findPhoneNumbersInText(timeless, home).toReversed();
  const marked = found.reduce(
    (rest, { startsAt, endsAt, number }) =>
      isOwn(number.number) ? rest : `${rest.slice(0, startsAt)}${mark}${rest.slice(endsAt)}`,
    text,
  );
  return marked.replace(internationalNumbers, (number) => (isOwn(number) ? number : mark));
}
