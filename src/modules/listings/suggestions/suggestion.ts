import Type, { type Static } from 'typebox';

export const suggestionStatuses = ['PENDING', 'ACCEPTED', 'DECLINED', 'HIDDEN'] as const;
export type SuggestionStatus = (typeof suggestionStatuses)[number];

/** Other data that a directory shows for a field of a location, which somebody accepts or declines. */
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

export const SuggestionAnswer = Type.Object(
  {
    id: Type.Integer(),
    locationId: Type.Integer(),
    listingId: Type.Integer(),
    directoryType: Type.String(),
    field: Type.String({ description: 'The field of the location' }),
    currentValue: Type.Unknown({ description: 'What the location had when it was suggested; null for nothing' }),
    suggestedValue: Type.Unknown({ description: 'What the directory shows' }),
    status: Type.Enum([...suggestionStatuses]),
    dateCreated: Type.String(),
    lastUpdated: Type.String(),
    decidedBy: Type.Optional(Type.String({ description: 'Who accepted, declined or hid it' })),
  },
  { title: 'Suggestion', 'x-resource': 'Suggestion' },
);

export const suggestionAnswer = (suggestion: Suggestion): Static<typeof SuggestionAnswer> => ({
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
