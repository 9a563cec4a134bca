import { editedDatapoints, findingRules, newDatapoints } from './datapoint-findings.ts';
import { defineEventType } from './define-event-type.ts';
import { businessPageReference } from './field-shapes.ts';

export const directoryBusinessPageDataPointCheck = defineEventType({
  type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK',
  summary: 'A check of a brand page found new or changed datapoints.',
  fields: { ...businessPageReference, ...newDatapoints, ...editedDatapoints },
  rules: findingRules,
  example: {
    business: 2204,
    directoryType: 'FACEBOOK',
    directoryBusinessPage: 880,
    newDatapointsFound: true,
    newDataPointIds: [7720010, 7720011],
    updatedDataPointIds: [],
  },
});
