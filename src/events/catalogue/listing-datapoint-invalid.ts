import { vanishedDatapoints, vanishedRules } from './datapoint-findings.ts';
import { defineEventType } from './define-event-type.ts';
import { directoryType, listingReference } from './field-shapes.ts';

export const listingDatapointInvalid = defineEventType({
  type: 'LISTING_DATAPOINT_INVALID',
  summary:
    'Datapoints or replies of a listing were removed from the directory and are no longer valid on the platform.',
  fields: { ...listingReference, directoryType, ...vanishedDatapoints },
  rules: vanishedRules,
  example: {
    business: 4120,
    listing: 771034,
    location: 70418,
    directoryType: 'TRIP_ADVISOR',
    invalidDataPointIds: [7655120],
    deletedDataPointIds: [7655121],
  },
});
