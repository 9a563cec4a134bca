import Type from 'typebox';
import { defineEventType } from './define-event-type.ts';
import { directoryType, listingReference } from './field-shapes.ts';
import { updateResult, updateStatusOrNull } from './status-values.ts';

export const listingUpdate = defineEventType({
  type: 'LISTING_UPDATE',
  summary: "A location's data was to be submitted to a directory; the event says what came of it.",
  fields: {
    ...listingReference,
    directoryType,
    messages: Type.Array(Type.String(), { description: "Explanations, among them the directory's own words." }),
    updateResult: updateResult(
      'SUCCESS: updated. FAILURE: refused by the directory. UNDEFINED: not submitted, for the reason in updateStatus.',
    ),
    updateStatus: updateStatusOrNull(
      'Why it was not updated; null exactly when updateResult is SUCCESS. DUPLICATED should not be shown as a failure.',
    ),
  },
  rules: [
    {
      // The specification gives null to SUCCESS alone. So a directory's own refusal too carries the nearest of the
      // thirteen values; what the directory really said is in messages.
      field: 'updateStatus',
      rule: 'null-on-success-only',
      message:
        'updateStatus must be null when updateResult is SUCCESS, and name the reason when it is FAILURE or UNDEFINED.',
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
