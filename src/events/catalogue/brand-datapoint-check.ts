import { editedDatapoints, findingRules, newDatapointCounts, newDatapoints } from './datapoint-findings.ts';
import { defineEventType } from './define-event-type.ts';
import { businessPageReference } from './field-shapes.ts';

export const brandDatapointCheck = defineEventType({
  type: 'BRAND_DATAPOINT_CHECK',
  summary:
    'Recorded together with DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK, as a separate event with counts per type of datapoint.',
  fields: { ...businessPageReference, ...newDatapointCounts, ...newDatapoints, ...editedDatapoints },
  rules: findingRules,
  example: {
    business: 2204,
    directoryType: 'INSTAGRAM',
    directoryBusinessPage: 881,
    newPhotosFound: 0,
    newReviewsFound: 0,
    newCheckinsFound: 0,
    newConversationsFound: 1,
    newCommentsFound: 1,
    newQuestionsFound: 0,
    newDatapointsFound: true,
    newDataPointIds: [7720012, 7720013],
    updatedDataPointIds: [7719870],
  },
});
