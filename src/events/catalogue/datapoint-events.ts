import Type from 'typebox';
import {
  businessPageReference,
  type ConsistencyRule,
  defineEventType,
  directoryType,
  ids,
  listingReference,
} from './event-type.ts';

/** Fields for new, edited and removed datapoints found by a check of a listing or a brand page. */

const count = (noun: string) => Type.Integer({ minimum: 0, description: `Number of new ${noun}.` });

export const newDatapointCounts = {
  newPhotosFound: count('photos'),
  newReviewsFound: count('reviews'),
  newCheckinsFound: count('check-ins'),
  newConversationsFound: count('conversations'),
  newCommentsFound: count('comments'),
  newQuestionsFound: count('questions'),
};

const newDatapoints = {
  newDatapointsFound: Type.Boolean({ description: 'Whether new datapoints were found.' }),
  newDataPointIds: ids('Ids of new datapoints; empty when only existing ones changed.'),
};

const edited = 'Ids of existing datapoints that changed, such as an edited review';

/** For listing checks: the specification says that the field may be absent. */
const editedDatapointsIfAny = {
  updatedDataPointIds: Type.Optional(ids(`${edited}; absent if none changed.`, { minItems: 1 })),
};

/** For brand page checks: the specification requires the field. */
const editedDatapoints = {
  updatedDataPointIds: ids(`${edited}; empty if none changed.`),
};

type Findings = Type.Static<Type.TObject<typeof newDatapoints & typeof editedDatapointsIfAny>>;

const findingRules: ConsistencyRule<Findings>[] = [
  {
    field: 'newDatapointsFound',
    rule: 'tells-new-datapoints',
    message: 'newDatapointsFound must be true exactly when newDataPointIds is not empty.',
    holds: (found) => found.newDatapointsFound === found.newDataPointIds.length > 0,
  },
  {
    field: 'newDataPointIds',
    rule: 'something-found',
    message: 'newDataPointIds or updatedDataPointIds must not be empty: a check without findings is not an event.',
    holds: (found) => found.newDataPointIds.length + (found.updatedDataPointIds?.length ?? 0) > 0,
  },
];

const vanishedDatapoints = {
  invalidDataPointIds: ids('Ids of datapoints that are no longer valid, such as customer reviews.'),
  deletedDataPointIds: ids('Ids of replies that are no longer valid, such as replies of the owner.'),
};

type Vanished = Type.Static<Type.TObject<typeof vanishedDatapoints>>;

const vanishedRules: ConsistencyRule<Vanished>[] = [
  {
    field: 'invalidDataPointIds',
    rule: 'something-vanished',
    message: 'invalidDataPointIds or deletedDataPointIds must not be empty.',
    holds: (vanished) => vanished.invalidDataPointIds.length + vanished.deletedDataPointIds.length > 0,
  },
];

const listingDatapointCheck = defineEventType({
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

const listingDatapointInvalid = defineEventType({
  type: 'LISTING_DATAPOINT_INVALID',
  summary:
    'Datapoints or replies of a listing were removed from the directory, or the listing was unlinked or its location deleted. They are no longer valid on the platform.',
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

const directoryBusinessPageDataPointCheck = defineEventType({
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

const brandDatapointCheck = defineEventType({
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

const directoryBusinessPageDataPointInvalid = defineEventType({
  type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID',
  summary:
    'Datapoints or replies of a brand page were removed from the directory, or the page no longer belongs to the business. They are no longer valid on the platform.',
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

export const datapointEvents = [
  listingDatapointCheck,
  listingDatapointInvalid,
  directoryBusinessPageDataPointCheck,
  brandDatapointCheck,
  directoryBusinessPageDataPointInvalid,
] as const;
