import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { trimEndOf } from '../../text.ts';
import { isEmpty, type ListingProfile, type OpeningHours, type SpecialOpeningHours } from '../directories/index.ts';

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
const normalizeProse = (text: string): string => text.toLowerCase().normalize('NFC').replace(/\s+/g, ' ').trim();

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
function normalizeStreet(street: string): string {
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
const normalizeHours = (hours: readonly OpeningHours[]): string =>
  hours
    .map(({ dayOfWeek, ...day }) => ({ dayOfWeek, periods: periodsOf(day) }))
    .filter(({ periods }) => periods !== '')
    .map(({ dayOfWeek, periods }) => `${dayOfWeek} ${periods}`)
    .sort()
    .join('; ');

/** Past days are ignored, because directories remove them. Closed days count. */
const normalizeSpecialHours = (hours: readonly SpecialOpeningHours[], today: string): string =>
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

export const fieldStatuses = ['MATCH', 'MISMATCH', 'PRESENT', 'MISSING', 'NOT_APPLICABLE'] as const;
/**
 * MATCH, MISMATCH: both have a value. MISSING: only the location has one. PRESENT: only the directory has one.
 * NOT_APPLICABLE: neither has one. Exceptions: hidden addresses, house numbers in the street and temporarilyClosed.
 */
type FieldStatus = (typeof fieldStatuses)[number];

interface ComparedField {
  status: FieldStatus;
  /** Value of the location. */
  expected?: unknown;
  /** Value that the directory shows. */
  shown?: unknown;
}

export type ComparedFields = Record<string, ComparedField>;

type Field = keyof ListingProfile;
type Comparator = (expected: ListingProfile, shown: ListingProfile, today: string) => boolean;

const text = (field: Field, normalize: (value: string) => string): Comparator => {
  return (a, b) => normalize(String(a[field])) === normalize(String(b[field]));
};

/** About 55 m in latitude. */
const maxDegreeDifference = 0.0005;
const coordinate =
  (field: 'lat' | 'lng'): Comparator =>
  (a, b) =>
    Math.abs((a[field] ?? 0) - (b[field] ?? 0)) <= maxDegreeDifference;

export const streetAndNumber = ({ street = '', streetNo = '' }: ListingProfile) =>
  normalizeStreet(`${street} ${streetNo}`);
const sameStreet = (a: ListingProfile, b: ListingProfile) => streetAndNumber(a) === streetAndNumber(b);

const comparators: Record<Field, Comparator> = {
  name: text('name', normalizeText),
  street: (a, b) => sameStreet(a, b) || normalizeStreet(a.street ?? '') === normalizeStreet(b.street ?? ''),
  streetNo: (a, b) => sameStreet(a, b) || normalizeText(a.streetNo ?? '') === normalizeText(b.streetNo ?? ''),
  addressExtra: text('addressExtra', normalizeText),
  zip: text('zip', normalizeZip),
  city: text('city', normalizeText),
  province: text('province', normalizeText),
  country: text('country', normalizeCountry),
  lat: coordinate('lat'),
  lng: coordinate('lng'),
  addressDisplay: (a, b) => a.addressDisplay === b.addressDisplay,
  phone: (a, b) =>
    normalizePhone(a.phone ?? '', a.country ?? b.country) === normalizePhone(b.phone ?? '', b.country ?? a.country),
  website: text('website', normalizeUrl),
  email: text('email', (email) => email.trim().toLowerCase()),
  descriptionShort: text('descriptionShort', normalizeProse),
  descriptionLong: text('descriptionLong', normalizeProse),
  categories: (a, b) => matchesCategories(a.categories ?? [], b.categories ?? []),
  openingHours: (a, b) => normalizeHours(a.openingHours ?? []) === normalizeHours(b.openingHours ?? []),
  specialOpeningHours: (a, b, today) =>
    normalizeSpecialHours(a.specialOpeningHours ?? [], today) ===
    normalizeSpecialHours(b.specialOpeningHours ?? [], today),
  photos: (a, b) => {
    const shown = new Set((b.photos ?? []).map(normalizeUrl));
    return (a.photos ?? []).every((photo) => shown.has(normalizeUrl(photo)));
  },
  temporarilyClosed: (a, b) => (a.temporarilyClosed ?? false) === (b.temporarilyClosed ?? false),
};

/** Directories may show fewer categories, but the main category is required and other categories are an error. */
function matchesCategories(expected: readonly string[], shown: readonly string[]): boolean {
  const expectedNames = new Set(expected.map(normalizeText));
  const shownNames = shown.map(normalizeText);
  return shownNames.includes(normalizeText(expected[0] ?? '')) && shownNames.every((name) => expectedNames.has(name));
}

export const comparedFieldNames = Object.keys(comparators) as readonly Field[];

const isField = (name: string): name is Field => Object.hasOwn(comparators, name);

/** Whether one profile has the house number in the street: then an empty streetNo is not missing. */
function isPartOfStreet(name: string, expected: ListingProfile, shown: ListingProfile): boolean {
  return name === 'streetNo' && !isEmpty(expected.street) && !isEmpty(shown.street) && sameStreet(expected, shown);
}

/** Hidden if addressDisplay is false. */
export const hideableFields = new Set<string>(['street', 'streetNo', 'addressExtra']);

/** Compares the expected profile with the profile that a directory shows (undefined if there is no listing). */
export function compareProfiles(
  fields: readonly string[],
  expected: ListingProfile,
  shown: ListingProfile | undefined,
  { today }: { today: string },
): ComparedFields {
  return Object.fromEntries(
    fields.filter(isField).map((name) => [name, compareField(name, expected, shown ?? { name: '' }, today)]),
  );
}

function compareField(name: Field, expected: ListingProfile, shown: ListingProfile, today: string): ComparedField {
  const isHidden = expected.addressDisplay === false && hideableFields.has(name);
  const expectedValue = isHidden ? undefined : fieldValue(name, expected, today);
  const shownValue = fieldValue(name, shown, today);
  const values = {
    ...(!isEmpty(expectedValue) && { expected: expectedValue }),
    ...(!isEmpty(shownValue) && { shown: shownValue }),
  };
  const status = (): FieldStatus => {
    if (!isHidden && Object.keys(values).length > 0 && isPartOfStreet(name, expected, shown)) return 'MATCH';
    if (!('expected' in values)) {
      if (!('shown' in values)) return 'NOT_APPLICABLE';
      // Showing an address that must be hidden is an error, not an additional value.
      return isHidden ? 'MISMATCH' : 'PRESENT';
    }
    // A listing without temporarilyClosed is open, so false is not missing.
    if (!('shown' in values))
      return name === 'temporarilyClosed' && expectedValue === false ? 'NOT_APPLICABLE' : 'MISSING';
    return comparators[name](expected, shown, today) ? 'MATCH' : 'MISMATCH';
  };
  return { status: status(), ...values };
}

const fieldValue = (name: Field, profile: ListingProfile, today: string): unknown =>
  name === 'specialOpeningHours' ? profile[name]?.filter(({ date }) => date >= today) : profile[name];

/** Whether two values of a field are equivalent. */
export function sameValue(name: string, a: unknown, b: unknown, country: string | undefined, today: string): boolean {
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (!isField(name)) return false;
  const profile = (value: unknown) => ({ name: '', ...(country && { country }), [name]: value }) as ListingProfile;
  return comparators[name](profile(a), profile(b), today);
}

/** Counts for the visibility index. `comparable` excludes PRESENT and NOT_APPLICABLE. */
export function countFields(fields: ComparedFields): { matching: number; comparable: number } {
  const statuses = Object.values(fields).map(({ status }) => status);
  const count = (...wanted: FieldStatus[]) => statuses.filter((status) => wanted.includes(status)).length;
  return { matching: count('MATCH'), comparable: count('MATCH', 'MISMATCH', 'MISSING') };
}

export const isInSync = (fields: ComparedFields): boolean => {
  const { matching, comparable } = countFields(fields);
  return matching === comparable;
};
