import Type from 'typebox';
import { defineEventType } from './define-event-type.ts';
import { comment, location, person } from './field-shapes.ts';
import { locationStatus } from './status-values.ts';

export const locationStatusChanged = defineEventType({
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
