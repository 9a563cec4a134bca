import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Suggestions } from '../../../database/schema.ts';
import { recordResponse } from '../../../http/record-response.ts';
import type { ListingProfile } from '../../directories/index.ts';
import { type ComparedFields, comparedFieldNames, hideableFields } from '../field-comparison.ts';

export const suggestionStatuses = ['PENDING', 'ACCEPTED', 'DECLINED', 'HIDDEN'] as const;
export type SuggestionStatus = (typeof suggestionStatuses)[number];

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

/** A different value that a directory shows for a field of a location, to be accepted or declined by a user. */
export type Suggestion = Omit<Selectable<Suggestions>, 'partnerId' | 'status'> & { status: SuggestionStatus };

export const suggestionResponse = (suggestion: Suggestion): Static<typeof SuggestionResponse> => ({
  ...recordResponse(SuggestionResponse, suggestion),
  currentValue: suggestion.currentValue,
  suggestedValue: suggestion.suggestedValue,
});

/** A value that a directory shows instead of the location's value. */
export interface FieldSuggestion {
  field: string;
  /** Null when the location has no value. */
  currentValue: unknown;
  suggestedValue: unknown;
}

/** Fields whose values can be applied unchanged. Categories and photos are specific to each directory. */
const suggestibleFields = comparedFieldNames.filter(
  (field) => !['addressDisplay', 'categories', 'photos'].includes(field),
);

/** `byDirectory`: fields that the directory itself changed. */
export function suggestionsFrom(
  fields: ComparedFields,
  byDirectory: readonly string[],
  profile: ListingProfile,
): FieldSuggestion[] {
  return suggestibleFields
    .filter((field) => byDirectory.includes(field))
    .filter((field) => profile.addressDisplay !== false || !hideableFields.has(field))
    .flatMap((field) => {
      const { expected = null, shown } = fields[field] ?? {};
      return shown === undefined ? [] : [{ field, currentValue: expected, suggestedValue: shown }];
    });
}
