import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { trimEndOf } from '../../text.ts';
import type { OpeningHours, SpecialOpeningHours } from '../directories/index.ts';

// Directories reformat submitted values. Values that differ only in format normalize to the same text.

/** Ignores case, accents, punctuation and the difference between ü and ue. */
export function normalizeText(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('æ', 'ae')
    .replaceAll('ø', 'oe')
    .replaceAll('&', ' and ')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([aou])e/g, '$1')
    .replace(/['’`´]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Ignores white space and case, but not punctuation. */
export const normalizeProse = (text: string): string => text.toLowerCase().normalize('NFC').replace(/\s+/g, ' ').trim();

// Long forms map to short ones, because "St" is ambiguous: street or saint.
const shortForms: Record<string, string> = Object.fromEntries(
  [
    ['st', 'street', 'saint', 'sankt', 'sainte'],
    ['rd', 'road'],
    ['av', 'ave', 'avenue', 'avenida', 'avda'],
    ['bd', 'blvd', 'boulevard', 'bld', 'bulevar'],
    ['dr', 'drive'],
    ['ln', 'lane'],
    ['sq', 'square'],
    ['pl', 'place', 'platz', 'plaza', 'plaa', 'pza', 'pla'],
    ['ct', 'court'],
    ['hwy', 'highway'],
    ['pkwy', 'parkway'],
    ['ter', 'terrace'],
    ['n', 'north'],
    ['s', 'south'],
    ['e', 'east'],
    ['w', 'west'],
    ['c', 'calle'],
    ['r', 'rue', 'rua'],
    ['v', 'via'],
    ['vle', 'viale'],
    ['cso', 'corso'],
    ['pzza', 'piazza'],
    ['al', 'allee'],
    ['ch', 'chemin'],
  ].flatMap((forms) => forms.map((form) => [normalizeText(form), forms[0] as string])),
);

/** A street with its number, in either order and with any abbreviation. */
export function normalizeStreet(street: string): string {
  const words = normalizeText(street.replace(/\bv\.\s?le\b/gi, 'viale').replace(/\bp\.\s?zz?a\b/gi, 'piazza'))
    .replace(/(\p{L})strasse\b/gu, '$1str')
    .replace(/\bstrasse\b/g, 'str')
    .replace(/(\p{L})\s+str\b/gu, '$1str')
    .replace(/(\p{L})platz\b/gu, '$1pl')
    // "12 a" is 12a, but in "12 n" the letter is a compass direction.
    .replace(/(\d)\s+([a-z])\b(?<![nsew])/g, '$1$2')
    .split(' ')
    .map((word) => shortForms[word] ?? word);
  const numbers = words.filter((word) => /^\d/.test(word));
  return [...words.filter((word) => !/^\d/.test(word)), ...numbers].join(' ');
}

export function normalizePhone(phone: string, country: string | undefined): string {
  const home = country?.toUpperCase() === 'UK' ? 'GB' : country?.toUpperCase();
  const number = parsePhoneNumberFromString(phone, {
    ...(home && isSupportedCountry(home) && { defaultCountry: home as CountryCode }),
  });
  return number ? number.number : phone.replace(/\D/g, '').replace(/^0+/, '');
}

/** Ignores scheme, www, trailing slash, fragment and campaign parameters. */
export function normalizeUrl(url: string): string {
  const text = url.trim();
  const parsed = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (!parsed) return text.toLowerCase();
  for (const name of [...parsed.searchParams.keys()]) if (/^utm_/i.test(name)) parsed.searchParams.delete(name);
  parsed.searchParams.sort();
  const query = parsed.searchParams.size > 0 ? `?${parsed.searchParams}` : '';
  const port = parsed.port === '' ? '' : `:${parsed.port}`;
  return `${parsed.hostname.replace(/^www\./, '')}${port}${trimEndOf(parsed.pathname, /\//)}${query}`;
}

export const normalizeZip = (zip: string): string => zip.toUpperCase().replace(/[^A-Z0-9]/g, '');

export const normalizeCountry = (country: string): string => {
  const code = country.trim().toUpperCase();
  return code === 'UK' ? 'GB' : code;
};

/** Sorts days and periods, joins adjacent periods and omits closed days. */
export const normalizeHours = (hours: readonly OpeningHours[]): string =>
  hours
    .map(({ dayOfWeek, ...day }) => ({ dayOfWeek, periods: periodsOf(day) }))
    .filter(({ periods }) => periods !== '')
    .map(({ dayOfWeek, periods }) => `${dayOfWeek} ${periods}`)
    .sort()
    .join('; ');

/** Past days are ignored, because directories remove them. Closed days count. */
export const normalizeSpecialHours = (hours: readonly SpecialOpeningHours[], today: string): string =>
  hours
    .filter(({ date }) => date >= today)
    .map(({ date, ...day }) => `${date} ${periodsOf(day) || 'closed'}`)
    .sort()
    .join('; ');

function periodsOf({ closed, from1, to1, from2, to2 }: Omit<OpeningHours, 'dayOfWeek'>): string {
  if (closed) return '';
  const periods = [
    [from1, to1],
    [from2, to2],
  ]
    .flatMap(([from, to]) => (from && to ? [{ from: normalizeTime(from), to: normalizeTime(to) }] : []))
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  const [first, second] = periods;
  const met = first && second && first.to === second.from ? [{ from: first.from, to: second.to }] : periods;
  return met.map(({ from, to }) => `${from}-${to}`).join(' ');
}

function normalizeTime(time: string): string {
  const padded = time.trim().padStart(5, '0').slice(0, 5);
  return padded === '24:00' ? '00:00' : padded;
}
