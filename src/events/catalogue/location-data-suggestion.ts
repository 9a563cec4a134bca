import Type from 'typebox';
import { defineEventType } from './define-event-type.ts';
import { business, directoryType, ids, location } from './field-shapes.ts';

export const locationDataSuggestion = defineEventType({
  type: 'LOCATION_DATA_SUGGESTION',
  summary: 'A directory suggests different data for a location. The suggestions can be accepted or declined.',
  fields: {
    business,
    location,
    directoryType,
    suggestionIds: ids('Ids of the pending suggestions.', { minItems: 1 }),
    fields: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      description: 'Names of the suggested location fields.',
    }),
  },
  example: {
    business: 3310,
    location: 60233,
    directoryType: 'GOOGLE',
    suggestionIds: [30551, 30552],
    fields: ['phone', 'openingHours'],
  },
});
