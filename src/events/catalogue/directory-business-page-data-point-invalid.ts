import { vanishedDatapoints, vanishedRules } from './datapoint-findings.ts';
import { defineEventType } from './define-event-type.ts';
import { businessPageReference } from './field-shapes.ts';

export const directoryBusinessPageDataPointInvalid = defineEventType({
  type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID',
  summary:
    'Datapoints or replies of a brand page were removed from the directory and are no longer valid on the platform.',
  fields: { ...businessPageReference, ...vanishedDatapoints },
  rules: vanishedRules,
  example: {
    business: 4120,
    directoryType: 'FACEBOOK',
    directoryBusinessPage: 912,
    invalidDataPointIds: [7702218, 7702219],
    deletedDataPointIds: [],
  },
});
