import type { ListingProfile } from '../../directories/index.ts';
import type { ComparedFields } from '../field-comparison.ts';

/** A value that a directory shows instead of the location's value. */
export interface FieldSuggestion {
  field: string;
  /** Null when the location has no value. */
  currentValue: unknown;
  suggestedValue: unknown;
}

/** Fields whose values can be applied unchanged. Categories and photos are specific to each directory. */
const suggestibleFields = [
  'name',
  'street',
  'streetNo',
  'addressExtra',
  'zip',
  'city',
  'province',
  'country',
  'lat',
  'lng',
  'phone',
  'website',
  'email',
  'descriptionShort',
  'descriptionLong',
  'openingHours',
  'specialOpeningHours',
  'temporarilyClosed',
] as const;

const address: readonly string[] = ['street', 'streetNo', 'addressExtra'];

/** `byDirectory`: fields that the directory itself changed. */
export function suggestionsFrom(
  fields: ComparedFields,
  byDirectory: readonly string[],
  profile: ListingProfile,
): FieldSuggestion[] {
  return suggestibleFields
    .filter((field) => byDirectory.includes(field))
    .filter((field) => profile.addressDisplay !== false || !address.includes(field))
    .flatMap((field) => {
      const { expected = null, shown } = fields[field] ?? {};
      return shown === undefined ? [] : [{ field, currentValue: expected, suggestedValue: shown }];
    });
}
