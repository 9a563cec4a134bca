import Type from 'typebox';
import type { ConsistencyRule } from './define-event-type.ts';
import { ids } from './field-shapes.ts';

/** Fields for new, edited and removed datapoints found by a check of a listing or a brand page. */

const count = (what: string) => Type.Integer({ minimum: 0, description: `Number of new ${what}.` });

export const newDatapointCounts = {
  newPhotosFound: count('photos'),
  newReviewsFound: count('reviews'),
  newCheckinsFound: count('check-ins'),
  newConversationsFound: count('conversations'),
  newCommentsFound: count('comments'),
  newQuestionsFound: count('questions'),
};

export const newDatapoints = {
  newDatapointsFound: Type.Boolean({ description: 'Whether new datapoints were found.' }),
  newDataPointIds: ids('Ids of new datapoints; empty when only existing ones changed.'),
};

const edited = 'Ids of existing datapoints that changed, such as an edited review';

/** For listing checks: the specification says that the field may be absent. */
export const editedDatapointsIfAny = {
  updatedDataPointIds: Type.Optional(ids(`${edited}; absent if none changed.`, { minItems: 1 })),
};

/** For brand page checks: the specification requires the field. */
export const editedDatapoints = {
  updatedDataPointIds: ids(`${edited}; empty if none changed.`),
};

type Findings = Type.Static<Type.TObject<typeof newDatapoints & typeof editedDatapointsIfAny>>;

export const findingRules: ConsistencyRule<Findings>[] = [
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

export const vanishedDatapoints = {
  invalidDataPointIds: ids('Ids of datapoints that were removed from the directory, such as customer reviews.'),
  deletedDataPointIds: ids('Ids of replies that were removed from the directory, such as replies of the owner.'),
};

type Vanished = Type.Static<Type.TObject<typeof vanishedDatapoints>>;

export const vanishedRules: ConsistencyRule<Vanished>[] = [
  {
    field: 'invalidDataPointIds',
    rule: 'something-vanished',
    message: 'invalidDataPointIds or deletedDataPointIds must not be empty.',
    holds: (vanished) => vanished.invalidDataPointIds.length + vanished.deletedDataPointIds.length > 0,
  },
];
