import Type from 'typebox';
import type { ConsistencyRule } from './define-event-type.ts';
import { ids } from './field-shapes.ts';

/** What a look at a listing or a brand page found: new, edited and vanished datapoints. */

const count = (what: string) => Type.Integer({ minimum: 0, description: `How many new ${what} were found.` });

export const newDatapointCounts = {
  newPhotosFound: count('photos'),
  newReviewsFound: count('reviews'),
  newCheckinsFound: count('check-ins'),
  newConversationsFound: count('conversations'),
  newCommentsFound: count('comments'),
  newQuestionsFound: count('questions'),
};

export const newDatapoints = {
  newDatapointsFound: Type.Boolean({ description: 'Whether anything new was found.' }),
  newDataPointIds: ids('New datapoints, which can be read from now on; empty when only existing ones changed.'),
};

const edited = 'Existing datapoints that changed, such as an edited review';

/** Absent rather than empty on a listing's check, which is where the specification says that it may be absent. */
export const editedDatapointsIfAny = {
  updatedDataPointIds: Type.Optional(ids(`${edited}; absent when none did.`, { minItems: 1 })),
};

/** Always there on a brand page's check: its field list has no "may be absent". */
export const editedDatapoints = {
  updatedDataPointIds: ids(`${edited}; empty when none did.`),
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
    message:
      'newDataPointIds or updatedDataPointIds must name a datapoint: a check that found nothing is not an event.',
    holds: (found) => found.newDataPointIds.length + (found.updatedDataPointIds?.length ?? 0) > 0,
  },
];

export const vanishedDatapoints = {
  invalidDataPointIds: ids('Datapoints that are gone from the directory, such as customer reviews.'),
  deletedDataPointIds: ids('Replies that are gone from the directory, such as the answers of the owner.'),
};

type Vanished = Type.Static<Type.TObject<typeof vanishedDatapoints>>;

export const vanishedRules: ConsistencyRule<Vanished>[] = [
  {
    field: 'invalidDataPointIds',
    rule: 'something-vanished',
    message: 'invalidDataPointIds or deletedDataPointIds must name a datapoint.',
    holds: (vanished) => vanished.invalidDataPointIds.length + vanished.deletedDataPointIds.length > 0,
  },
];
