import { categoryName, currentCategory } from '../../catalog/index.ts';
import {
  type Directory,
  type DirectoryFault,
  type DirectoryListing,
  isFault,
  type ListingProfile,
  type OpeningHours,
} from '../../directories/index.ts';
import { chooseListing, compareProfiles, countFields, normalizeText } from '../../listings/index.ts';
import type { Business, ReportField, Result } from './report.ts';

/** Public fields that visitors can enter. */
const comparedFields: readonly (keyof ListingProfile)[] = [
  'name',
  'street',
  'zip',
  'city',
  'country',
  'phone',
  'website',
  'categories',
  'openingHours',
];

export function expectedProfile(business: Business): ListingProfile {
  const category = currentCategory(business.categoryId);
  return {
    name: business.name,
    street: business.streetAndNo,
    ...(business.zip !== null && { zip: business.zip }),
    city: business.city,
    country: business.country,
    ...(business.phone !== null && { phone: business.phone }),
    ...(business.website !== null && { website: business.website }),
    ...(category && { categories: [categoryName(category, 'en')] }),
  };
}

export const canBeLookedAt = ({ supports }: Directory): boolean => supports.onlineListing;

/** The result of a directory that could not be queried, with a message for the visitor. */
export const noResult = (directoryType: string, message: string): Result => ({
  directoryType,
  status: 'ERROR',
  listingUrl: null,
  claim: null,
  duplicates: 0,
  fields: [],
  matchingFields: 0,
  comparableFields: 0,
  message,
});

/** Evaluates the search result of a directory. */
export function judgeDirectory(
  directory: Directory,
  expected: ListingProfile,
  result: readonly DirectoryListing[] | DirectoryFault,
  today: string,
): Result {
  if (isFault(result)) return noResult(directory.type, messageOf(directory, result));
  const { match: page, duplicates } = chooseListing(expected, undefined, result, { held: false });
  const names = directory.supports.linkOnly ? [] : comparedFields.filter((name) => directory.fields.includes(name));
  const fields = compareProfiles(names, expected, page && withRequestedCategory(expected, page.profile), { today });
  const { matching, comparable } = countFields(fields);
  return {
    directoryType: directory.type,
    status: page ? 'FOUND' : 'NOT_FOUND',
    listingUrl: page?.url ?? null,
    claim: page?.claim ?? null,
    duplicates: duplicates.length,
    fields: page ? names.map((name) => reportField(name, expected, page.profile, fields[name]?.status)) : [],
    matchingFields: matching,
    comparableFields: comparable,
    message: null,
  };
}

/** Visitors select one category; additional categories on the listing are not errors. */
function withRequestedCategory(
  { categories: [requested = ''] = [] }: ListingProfile,
  actual: ListingProfile,
): ListingProfile {
  const found = (actual.categories ?? []).find((category) => normalizeText(category) === normalizeText(requested));
  return found === undefined ? actual : { ...actual, categories: [found] };
}

/** Visitors enter street and number as one field; directories may have two. */
function reportField(
  name: keyof ListingProfile,
  expected: ListingProfile,
  actual: ListingProfile,
  status: ReportField['status'] = 'NOT_APPLICABLE',
): ReportField {
  const isStreet = name === 'street';
  const expectedText = shownText(expected[name]);
  const foundText = shownText(
    isStreet && actual.street ? [actual.street, actual.streetNo].filter(Boolean).join(' ') : actual[name],
  );
  return {
    field: isStreet ? 'streetAndNo' : name,
    ...(expectedText !== undefined && { expected: expectedText }),
    ...(foundText !== undefined && { found: foundText }),
    status,
  };
}

/** Fault details are for the operator, not for visitors. */
function messageOf({ name }: Directory, fault: DirectoryFault): string {
  return fault.fault === 'refused' ? `${name} rejected the search.` : `${name} did not respond. Check again later.`;
}

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const maxLength = 500;

/** A listing value as one line of text; undefined if empty. */
function shownText(value: unknown): string | undefined {
  const text = plainText(value);
  if (text === undefined || text.trim() === '') return undefined;
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > maxLength ? `${[...line.slice(0, maxLength)].slice(0, -1).join('')}…` : line;
}

function plainText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) return String(value);
  if (value.every((entry) => typeof entry === 'string')) return value.join(', ');
  return value.map((entry) => dayText(entry as OpeningHours)).join('; ');
}

function dayText({ dayOfWeek, closed, from1, to1, from2, to2 }: OpeningHours): string {
  const periods = [
    [from1, to1],
    [from2, to2],
  ].flatMap(([from, to]) => (from && to ? [`${from}–${to}`] : []));
  const hours = closed || periods.length === 0 ? 'closed' : periods.join(', ');
  return `${days[dayOfWeek - 1] ?? dayOfWeek} ${hours}`;
}
