import type { ListingProfile } from '../directories/index.ts';
import {
  plainCountry,
  plainHours,
  plainPhone,
  plainProse,
  plainSpecialHours,
  plainStreet,
  plainText,
  plainUrl,
  plainZip,
} from './spelling.ts';

export const fieldStatuses = ['MATCH', 'MISMATCH', 'PRESENT', 'MISSING', 'NOT_APPLICABLE'] as const;
/**
 * MATCH and MISMATCH: both have it, equal or not. MISSING: the directory does not show what the location has. PRESENT:
 * it shows what the location has not. NOT_APPLICABLE: neither has it.
 */
type FieldStatus = (typeof fieldStatuses)[number];

interface ComparedField {
  status: FieldStatus;
  /** What the location has, and what the directory shows, where there is something. */
  expected?: unknown;
  shown?: unknown;
}

export type ComparedFields = Record<string, ComparedField>;

type Field = keyof ListingProfile;
type Same = (expected: ListingProfile, shown: ListingProfile, today: string) => boolean;

const text = (field: Field, plain: (value: string) => string): Same => {
  return (a, b) => plain(String(a[field])) === plain(String(b[field]));
};

/** About 50 m. */
const sameDegree = 0.0005;
const near =
  (field: 'lat' | 'lng'): Same =>
  (a, b) =>
    Math.abs((a[field] ?? 0) - (b[field] ?? 0)) <= sameDegree;

const addressOf = ({ street = '', streetNo = '' }: ListingProfile) => plainStreet(`${street} ${streetNo}`);
const sameStreet: Same = (a, b) => addressOf(a) === addressOf(b);

const sameness: Record<Field, Same> = {
  name: text('name', plainText),
  street: (a, b) => sameStreet(a, b, '') || plainStreet(a.street ?? '') === plainStreet(b.street ?? ''),
  streetNo: (a, b) => sameStreet(a, b, '') || plainText(a.streetNo ?? '') === plainText(b.streetNo ?? ''),
  addressExtra: text('addressExtra', plainText),
  zip: text('zip', plainZip),
  city: text('city', plainText),
  province: text('province', plainText),
  country: text('country', plainCountry),
  lat: near('lat'),
  lng: near('lng'),
  addressDisplay: (a, b) => a.addressDisplay === b.addressDisplay,
  phone: (a, b) =>
    plainPhone(a.phone ?? '', a.country ?? b.country) === plainPhone(b.phone ?? '', b.country ?? a.country),
  website: text('website', plainUrl),
  email: text('email', (email) => email.trim().toLowerCase()),
  descriptionShort: text('descriptionShort', plainProse),
  descriptionLong: text('descriptionLong', plainProse),
  categories: (a, b) => coversCategories(a.categories ?? [], b.categories ?? []),
  openingHours: (a, b) => plainHours(a.openingHours ?? []) === plainHours(b.openingHours ?? []),
  specialOpeningHours: (a, b, today) =>
    plainSpecialHours(a.specialOpeningHours ?? [], today) === plainSpecialHours(b.specialOpeningHours ?? [], today),
  photos: (a, b) => {
    const shown = new Set((b.photos ?? []).map(plainUrl));
    return (a.photos ?? []).every((photo) => shown.has(plainUrl(photo)));
  },
  temporarilyClosed: (a, b) => (a.temporarilyClosed ?? false) === (b.temporarilyClosed ?? false),
};

/** Directories take fewer categories than we have; the main one counts, and none that is not ours. */
function coversCategories(ours: readonly string[], shown: readonly string[]): boolean {
  const known = new Set(ours.map(plainText));
  const seen = shown.map(plainText);
  return seen.includes(plainText(ours[0] ?? '')) && seen.every((category) => known.has(category));
}

const isField = (name: string): name is Field => Object.hasOwn(sameness, name);

const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** A house number may stand in the street: then the field of its own is empty on either side without anything missing. */
function isPartOfStreet(name: string, expected: ListingProfile, shown: ListingProfile): boolean {
  return name === 'streetNo' && !isEmpty(expected.street) && !isEmpty(shown.street) && sameStreet(expected, shown, '');
}

const hidden = new Set<string>(['street', 'streetNo', 'addressExtra']);

/** Holds what a directory shows (nothing when it has no page) against what it should show. */
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
  const isSecret = expected.addressDisplay === false && hidden.has(name);
  const ours = isSecret ? undefined : fieldValue(name, expected, today);
  const theirs = fieldValue(name, shown, today);
  const values = { ...(!isEmpty(ours) && { expected: ours }), ...(!isEmpty(theirs) && { shown: theirs }) };
  const status = (): FieldStatus => {
    if (!isSecret && Object.keys(values).length > 0 && isPartOfStreet(name, expected, shown)) return 'MATCH';
    if (!('expected' in values)) {
      if (!('shown' in values)) return 'NOT_APPLICABLE';
      // An address that is to stay hidden and does not is worse than one field too many.
      return isSecret ? 'MISMATCH' : 'PRESENT';
    }
    // Nothing said is open as usual.
    if (!('shown' in values)) return name === 'temporarilyClosed' && ours === false ? 'NOT_APPLICABLE' : 'MISSING';
    return sameness[name](expected, shown, today) ? 'MATCH' : 'MISMATCH';
  };
  return { status: status(), ...values };
}

const fieldValue = (name: Field, profile: ListingProfile, today: string): unknown =>
  name === 'specialOpeningHours' ? profile[name]?.filter(({ date }) => date >= today) : profile[name];

/** Whether two values of a field say the same. */
export function sameValue(name: string, a: unknown, b: unknown, country: string | undefined, today: string): boolean {
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (!isField(name)) return false;
  const profile = (value: unknown) => ({ name: '', ...(country && { country }), [name]: value }) as ListingProfile;
  return sameness[name](profile(a), profile(b), today);
}

/** What counts in the visibility index: fields that the location has, and those of them that are right. */
export function countFields(fields: ComparedFields): { matching: number; comparable: number } {
  const statuses = Object.values(fields).map(({ status }) => status);
  const count = (...wanted: FieldStatus[]) => statuses.filter((status) => wanted.includes(status)).length;
  return { matching: count('MATCH'), comparable: count('MATCH', 'MISMATCH', 'MISSING') };
}

export const isInSync = (fields: ComparedFields): boolean => {
  const { matching, comparable } = countFields(fields);
  return matching === comparable;
};
