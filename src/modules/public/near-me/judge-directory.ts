import { categoryName, currentCategory } from '../../catalog/index.ts';
import {
  type Directory,
  type DirectoryFault,
  type DirectoryListing,
  isFault,
  type ListingProfile,
} from '../../directories/index.ts';
import { choosePage, compareProfiles, countFields, plainText } from '../../listings/index.ts';
import type { Business, ReportField, Result } from './report.ts';
import { shownText } from './shown-text.ts';

/** What a visitor can say about a business, and what everybody sees of it. */
const compared: readonly (keyof ListingProfile)[] = [
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

/** What directories should show of a business. */
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

/** Directories that have pages to look for. */
export const canBeLookedAt = ({ supports }: Directory): boolean => supports.onlineListing;

/** Of a directory that could not be asked, and why in words for the visitor. */
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

/** What the answer of a directory to a search says about the business. */
export function judgeDirectory(
  directory: Directory,
  expected: ListingProfile,
  answer: readonly DirectoryListing[] | DirectoryFault,
  today: string,
): Result {
  if (isFault(answer)) return noResult(directory.type, messageOf(directory, answer));
  const { page, duplicates } = choosePage(expected, undefined, answer, { held: false });
  const names = directory.supports.linkOnly ? [] : compared.filter((name) => directory.fields.includes(name));
  const fields = compareProfiles(names, expected, page && asAsked(expected, page.profile), { today });
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

/** A visitor names one category. That the page has others as well is nothing to correct. */
function asAsked({ categories: [asked = ''] = [] }: ListingProfile, shown: ListingProfile): ListingProfile {
  const found = (shown.categories ?? []).find((category) => plainText(category) === plainText(asked));
  return found === undefined ? shown : { ...shown, categories: [found] };
}

/** Street and number are one thing to whoever asks; directories may have them apart. */
function reportField(
  name: keyof ListingProfile,
  expected: ListingProfile,
  shown: ListingProfile,
  status: ReportField['status'] = 'NOT_APPLICABLE',
): ReportField {
  const isStreet = name === 'street';
  const ours = shownText(expected[name]);
  const theirs = shownText(
    isStreet && shown.street ? [shown.street, shown.streetNo].filter(Boolean).join(' ') : shown[name],
  );
  return {
    field: isStreet ? 'streetAndNo' : name,
    ...(ours !== undefined && { expected: ours }),
    ...(theirs !== undefined && { found: theirs }),
    status,
  };
}

/** How a directory failed inside is the operator's business, not the visitor's. */
function messageOf({ name }: Directory, fault: DirectoryFault): string {
  return fault.fault === 'refused' ? `${name} refused the search.` : `${name} could not be asked. Check again later.`;
}
