import { defineEventType } from './define-event-type.ts';
import { comment, location, person } from './field-shapes.ts';

export const locationProfileChanged = defineEventType({
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
