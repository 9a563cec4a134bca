import { defineEventType } from './define-event-type.ts';
import { comment, location } from './field-shapes.ts';
import { locationSource } from './status-values.ts';

export const locationCreated = defineEventType({
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
