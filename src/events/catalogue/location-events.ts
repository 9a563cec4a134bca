import Type from 'typebox';
import { business, comment, defineEventType, directoryType, ids, location, person } from './event-type.ts';
import { locationSource, locationStatus } from './status-values.ts';

const locationCreated = defineEventType({
  type: 'LOCATION_CREATED',
  summary: 'A location was created.',
  fields: {
    comment,
    location,
    source: locationSource('How the location was created.'),
  },
  example: {
    comment: 'Bäckerei Lindner, Venloer Straße 310, 50823 Köln',
    location: 51877,
    source: 'CSV_UPLOAD',
  },
});

const locationStatusChanged = defineEventType({
  type: 'LOCATION_STATUS_CHANGED',
  summary: 'The status of a location changed, by a user or automatically.',
  fields: {
    comment,
    location,
    from: locationStatus('Previous status.'),
    to: locationStatus('New status.'),
    user: Type.Optional(person('User who changed the status; absent if it changed automatically.')),
  },
  rules: [
    {
      field: 'to',
      rule: 'moved',
      message: 'to must differ from from: an unchanged status is not an event.',
      holds: (move) => move.from !== move.to,
    },
  ],
  example: {
    comment: 'Cancelled at the end of the lease',
    location: 60233,
    from: 'ACTIVE',
    to: 'CANCELLED',
    user: 'emma.clarke@harbourandvine.example',
  },
});

const locationProfileChanged = defineEventType({
  type: 'LOCATION_PROFILE_CHANGED',
  summary: 'A user changed the data of a location. The comment lists the changed fields.',
  fields: {
    comment,
    location,
    user: person('User who changed the data.'),
  },
  example: {
    comment: 'Changed: openingHours, phone',
    location: 51877,
    user: 'jonas.lindner@baeckerei-lindner.example',
  },
});

const locationDataSuggestion = defineEventType({
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

export const locationEvents = [
  locationCreated,
  locationStatusChanged,
  locationProfileChanged,
  locationDataSuggestion,
] as const;
