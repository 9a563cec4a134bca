import { editedDatapointsIfAny, findingRules, newDatapointCounts, newDatapoints } from './datapoint-findings.ts';
import { defineEventType } from './define-event-type.ts';
import { directoryType, listingReference } from './field-shapes.ts';

export const listingDatapointCheck = defineEventType({
  type: 'LISTING_DATAPOINT_CHECK',
  summary: 'A check of a listing found new or changed reviews, photos or other datapoints.',
  fields: {
    ...listingReference,
    directoryType,
    ...newDatapointCounts,
    ...newDatapoints,
    ...editedDatapointsIfAny,
  },
  rules: findingRules,
  example: {
    business: 2204,
    listing: 918273,
    location: 51877,
    directoryType: 'GOOGLE',
    newPhotosFound: 1,
    newReviewsFound: 2,
    newCheckinsFound: 0,
    newConversationsFound: 0,
    newCommentsFound: 0,
    newQuestionsFound: 0,
    newDatapointsFound: true,
    newDataPointIds: [7718201, 7718202, 7718203],
    updatedDataPointIds: [7690455],
  },
});
