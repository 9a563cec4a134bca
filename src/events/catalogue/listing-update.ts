import Type from 'typebox';
import { defineEventType } from './define-event-type.ts';
import { directoryType, listingReference } from './field-shapes.ts';
import { updateResult, updateStatusOrNull } from './status-values.ts';

export const listingUpdate = defineEventType({
  type: 'LISTING_UPDATE',
  summary: 'Result of submitting the data of a location to a directory.',
  fields: {
    ...listingReference,
    directoryType,
    messages: Type.Array(Type.String(), { description: 'Explanations, including messages of the directory.' }),
    updateResult: updateResult(
      'SUCCESS: updated. FAILURE: rejected by the directory. UNDEFINED: not submitted; updateStatus has the reason.',
    ),
    updateStatus: updateStatusOrNull(
      'Why the listing was not updated; null only if updateResult is SUCCESS. DUPLICATED should not be shown as a failure.',
    ),
  },
  rules: [
    {
      // The specification allows null only for SUCCESS. A rejection by the directory has the closest of the 13 values;
      // `messages` has the directory's own text.
      field: 'updateStatus',
      rule: 'null-on-success-only',
      message:
        'updateStatus must be null if updateResult is SUCCESS, and must have a value if it is FAILURE or UNDEFINED.',
      holds: (update) => (update.updateStatus === null) === (update.updateResult === 'SUCCESS'),
    },
  ],
  example: {
    business: 3310,
    listing: 640015,
    location: 60233,
    directoryType: 'FOURSQUARE',
    messages: ['Opening hours are required by this directory'],
    updateResult: 'UNDEFINED',
    updateStatus: 'MANDATORY_FIELD_MISSING',
  },
});
