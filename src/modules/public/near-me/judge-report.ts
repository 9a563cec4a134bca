import { listingFigures } from '../../listings/index.ts';
import type { Recommendation, Result } from './report.ts';

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
  const typesOf = (affected: readonly Result[]) => affected.map(({ directoryType }) => directoryType);
  const recommend = (
    type: Recommendation['type'],
    affected: readonly Result[],
    messageFor: (directoryNames: string) => string,
    field?: string,
  ): Recommendation[] => {
    if (affected.length === 0) return [];
    const directoryTypes = typesOf(affected);
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
      (directoryNames) => `${directoryNames} did not respond. Check again later.`,
    ),
  ];
  if (advice.length > 0 || results.length === 0) return advice;
  return [{ type: 'ALL_WELL', directoryTypes: [], message: 'All directories show the business correctly.' }];
}

type FieldPredicate = (entry: Result['fields'][number]) => boolean;
