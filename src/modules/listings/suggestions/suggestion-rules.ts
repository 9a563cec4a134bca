import type { ListingProfile } from '../../directories/index.ts';
import type { ComparedFields } from '../field-comparison.ts';

/** What a directory shows in the place of what the location has. */
export interface FieldSuggestion {
  field: string;
  /** Null when the location has nothing there. */
  currentValue: unknown;
  suggestedValue: unknown;
}

/** Fields that can be taken over as they are. Directories have categories and photos of their own. */
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

/** `byDirectory` are the fields that differ and that the directory, not we, made differ. */
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
