import Type from 'typebox';
import { defineEventType } from './define-event-type.ts';
import { comment, location, person } from './field-shapes.ts';
import { locationStatus } from './status-values.ts';

export const locationStatusChanged = defineEventType({
  type: 'LOCATION_STATUS_CHANGED',
  summary: 'The status of a location moved, by a person or by itself.',
  fields: {
    comment,
    location,
    from: locationStatus('Status before.'),
    to: locationStatus('Status now.'),
    user: Type.Optional(person('Who changed the status; absent when it moved by itself.')),
  },
  rules: [
    {
      field: 'to',
      rule: 'moved',
      message: 'to must differ from from: a status that stays is not an event.',
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
