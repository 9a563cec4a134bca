import { categoryName, currentCategory } from '../../catalog/index.ts';
import {
  type Directory,
  type DirectoryFault,
  type DirectoryListing,
  isFault,
  type ListingProfile,
  type OpeningHours,
} from '../../directories/index.ts';
import { chooseListing, compareProfiles, countFields, listingFigures, normalizeText } from '../../listings/index.ts';
import type { Business, Recommendation, ReportField, Result } from './report.ts';

/**
 * 0 to 100, computed like the visibility index of a location. Directories without the business count as missing, failed
 * directories are ignored. Null if nothing was compared.
 */
export function scoreOf(results: readonly Result[], weightOf: (directoryType: string) => number): number | null {
  const counted = results.filter(({ status }) => status !== 'ERROR');
  const listings = counted.map((result) => ({ ...result, ...fieldsOf(result), syncStatus: 'NOT_IN_SYNC' as const }));
  const score = listingFigures(listings, weightOf).visibilityIndex;
  const isComplete = listings.every(({ matchingFields, comparableFields }) => matchingFields === comparableFields);
  // 100 means complete: 99.6 is not rounded up.
  return score === 100 && !isComplete ? 99 : score;
}

/** Without comparable fields the listing itself counts as one field. */
const fieldsOf = ({ status, matchingFields, comparableFields }: Result) =>
  comparableFields > 0
    ? { matchingFields, comparableFields }
    : { matchingFields: status === 'FOUND' ? 1 : 0, comparableFields: 1 };

const fieldNames: Record<string, string> = {
  name: 'name',
  streetAndNo: 'address',
  zip: 'postal code',
  city: 'city',
  country: 'country',
  phone: 'phone number',
  website: 'website',
  categories: 'category',
  openingHours: 'opening hours',
};

export const fieldLabel = (field: string): string => fieldNames[field] ?? field;

/** Fields that are recommended even if the visitor did not enter them. */
const recommendedFields = new Set(['phone', 'website', 'openingHours']);

type NameOf = (directoryType: string) => string;

/** Recommendations, most important first. */
export function recommendationsOf(results: readonly Result[], nameOf: NameOf): Recommendation[] {
  const found = results.filter(({ status }) => status === 'FOUND');
  const recommend = (
    type: Recommendation['type'],
    affected: readonly Result[],
    messageFor: (directoryNames: string) => string,
    field?: string,
  ): Recommendation[] => {
    if (affected.length === 0) return [];
    const directoryTypes = affected.map(({ directoryType }) => directoryType);
    const message = messageFor(new Intl.ListFormat('en').format(directoryTypes.map(nameOf)));
    return [{ type, ...(field && { field }), directoryTypes, message }];
  };
  const byField = (
    type: Recommendation['type'],
    isAffected: FieldPredicate,
    messageFor: (label: string, directoryNames: string) => string,
  ) =>
    Object.keys(fieldNames).flatMap((field) => {
      const affected = found.filter(({ fields }) => fields.some((entry) => entry.field === field && isAffected(entry)));
      return recommend(type, affected, (directoryNames) => messageFor(fieldLabel(field), directoryNames), field);
    });
  const advice = [
    ...byField(
      'CORRECT_FIELD',
      ({ status }) => status === 'MISMATCH',
      (label, directoryNames) => `The ${label} on ${directoryNames} differs from your entry. Correct it there.`,
    ),
    ...recommend(
      'CREATE_LISTING',
      results.filter(({ status }) => status === 'NOT_FOUND'),
      (directoryNames) => `The business was not found on ${directoryNames}. Create a listing there.`,
    ),
    ...byField(
      'COMPLETE_FIELD',
      ({ field, status, found: shown }) =>
        status === 'MISSING' || (shown === undefined && recommendedFields.has(field)),
      (label, directoryNames) => `The ${label} is missing on ${directoryNames}. Add it there.`,
    ),
    ...recommend(
      'CLAIM_LISTING',
      found.filter(({ claim }) => claim === 'CLAIMABLE'),
      (directoryNames) => `The listing on ${directoryNames} is unclaimed. Claim it to prevent changes by others.`,
    ),
    ...recommend(
      'REMOVE_DUPLICATES',
      found.filter(({ duplicates }) => duplicates > 0),
      (directoryNames) => `The business has more than one listing on ${directoryNames}. Have the duplicates removed.`,
    ),
    ...recommend(
      'CHECK_AGAIN',
      results.filter(({ status }) => status === 'ERROR'),
      (directoryNames) => `${directoryNames} could not be checked. Check again later.`,
    ),
  ];
  if (advice.length > 0 || results.length === 0) return advice;
  return [{ type: 'ALL_WELL', directoryTypes: [], message: 'All directories show the business correctly.' }];
}

type FieldPredicate = (entry: Result['fields'][number]) => boolean;

/** Public fields that visitors can enter. */
const comparedFields = Object.keys(fieldNames).map((field) =>
  field === 'streetAndNo' ? 'street' : field,
) as readonly (keyof ListingProfile)[];

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
