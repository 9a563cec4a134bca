import Type, { type Static } from 'typebox';
import type { ListingProfile } from '../../directories/index.ts';
import type { ComparedFields } from '../field-comparison.ts';

export const suggestionStatuses = ['PENDING', 'ACCEPTED', 'DECLINED', 'HIDDEN'] as const;
export type SuggestionStatus = (typeof suggestionStatuses)[number];

/** A different value that a directory shows for a field of a location, to be accepted or declined by a user. */
export interface Suggestion {
  id: number;
  locationId: number;
  listingId: number;
  directoryType: string;
  field: string;
  currentValue: unknown;
  suggestedValue: unknown;
  status: SuggestionStatus;
  dateCreated: Date;
  lastUpdated: Date;
  decidedBy: string | null;
}

export const SuggestionResponse = Type.Object(
  {
    id: Type.Integer(),
    locationId: Type.Integer(),
    listingId: Type.Integer(),
    directoryType: Type.String(),
    field: Type.String({ description: 'Name of the location field' }),
    currentValue: Type.Unknown({ description: 'Value of the location when the suggestion was created; null if empty' }),
    suggestedValue: Type.Unknown({ description: 'Value shown by the directory' }),
    status: Type.Enum([...suggestionStatuses]),
    dateCreated: Type.String(),
    lastUpdated: Type.String(),
    decidedBy: Type.Optional(Type.String({ description: 'The user who accepted, declined or hid the suggestion' })),
  },
  { title: 'Suggestion', 'x-resource': 'Suggestion' },
);

export const suggestionResponse = (suggestion: Suggestion): Static<typeof SuggestionResponse> => ({
  id: suggestion.id,
  locationId: suggestion.locationId,
  listingId: suggestion.listingId,
  directoryType: suggestion.directoryType,
  field: suggestion.field,
  currentValue: suggestion.currentValue,
  suggestedValue: suggestion.suggestedValue,
  status: suggestion.status,
  dateCreated: suggestion.dateCreated.toISOString(),
  lastUpdated: suggestion.lastUpdated.toISOString(),
  ...(suggestion.decidedBy !== null && { decidedBy: suggestion.decidedBy }),
});

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
