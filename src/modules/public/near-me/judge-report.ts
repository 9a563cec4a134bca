import { listingFigures } from '../../listings/index.ts';
import type { Recommendation, Result } from './report.ts';

/**
 * 0 to 100, counted as the visibility index of a location is: matching fields over comparable ones, weighted by
 * directory. Where the business was not found, everything that was given is missing. Directories that could not be asked
 * count for nothing. Null when nothing could be compared.
 */
export function scoreOf(results: readonly Result[], weightOf: (directoryType: string) => number): number | null {
  const counted = results.filter(({ status }) => status !== 'ERROR');
  const listings = counted.map((result) => ({ ...result, ...fieldsOf(result), syncStatus: 'NOT_IN_SYNC' as const }));
  const score = listingFigures(listings, weightOf).visibilityIndex;
  const isComplete = listings.every(({ matchingFields, comparableFields }) => matchingFields === comparableFields);
  // 99.6 is not everything.
  return score === 100 && !isComplete ? 99 : score;
}

/** Where no field can be compared, there is still the page itself: it is there or missing. */
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

/** Whatever was given is worth having everywhere; of the rest, what people look for first. */
const worthHaving = new Set(['phone', 'website', 'openingHours']);

type NameOf = (directoryType: string) => string;

/** What to do about what was found, the most important first. */
export function recommendationsOf(results: readonly Result[], nameOf: NameOf): Recommendation[] {
  const found = results.filter(({ status }) => status === 'FOUND');
  const typesOf = (wanted: readonly Result[]) => wanted.map(({ directoryType }) => directoryType);
  const make = (
    type: Recommendation['type'],
    wanted: readonly Result[],
    say: (places: string) => string,
    field?: string,
  ): Recommendation[] => {
    if (wanted.length === 0) return [];
    const directoryTypes = typesOf(wanted);
    const message = say(new Intl.ListFormat('en').format(directoryTypes.map(nameOf)));
    return [{ type, ...(field && { field }), directoryTypes, message }];
  };
  const byField = (type: Recommendation['type'], isMeant: Meant, say: (label: string, places: string) => string) =>
    Object.keys(fieldNames).flatMap((field) => {
      const wanted = found.filter(({ fields }) => fields.some((entry) => entry.field === field && isMeant(entry)));
      return make(type, wanted, (places) => say(fieldLabel(field), places), field);
    });
  const advice = [
    ...byField(
      'CORRECT_FIELD',
      ({ status }) => status === 'MISMATCH',
      (label, places) => `The ${label} on ${places} is not the one that you gave. Correct it there.`,
    ),
    ...make(
      'CREATE_LISTING',
      results.filter(({ status }) => status === 'NOT_FOUND'),
      (places) => `The business was not found on ${places}. Add it there, so that customers find it.`,
    ),
    ...byField(
      'COMPLETE_FIELD',
      ({ field, status, found: shown }) => status === 'MISSING' || (shown === undefined && worthHaving.has(field)),
      (label, places) => `Missing on ${places}: the ${label}. Complete the page there.`,
    ),
    ...make(
      'CLAIM_LISTING',
      found.filter(({ claim }) => claim === 'CLAIMABLE'),
      (places) => `Nobody manages the page on ${places}. Claim it, so that nobody else does.`,
    ),
    ...make(
      'REMOVE_DUPLICATES',
      found.filter(({ duplicates }) => duplicates > 0),
      (places) => `There is more than one page about the business on ${places}. Have the others removed.`,
    ),
    ...make(
      'CHECK_AGAIN',
      results.filter(({ status }) => status === 'ERROR'),
      (places) => `No answer came from ${places}. Check again later.`,
    ),
  ];
  if (advice.length > 0 || results.length === 0) return advice;
  return [{ type: 'ALL_WELL', directoryTypes: [], message: 'Every directory shows the business as it is.' }];
}

type Meant = (entry: Result['fields'][number]) => boolean;
