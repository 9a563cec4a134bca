import Type from 'typebox';
import {
  type ConsistencyRule,
  comment,
  defineEventType,
  directoryType,
  listingReference,
  person,
} from './event-type.ts';
import { flowStatus, listingClaimStatus, syncStatus, updateResult, updateStatusOrNull } from './status-values.ts';

/** Previous and new values of the three statuses, for LISTING_SYNC_CHECK and LISTING_STATUS_CHANGE. */
export const listingStatusMoves = {
  claimStatusChanged: Type.Boolean({ description: 'Whether the claim status changed.' }),
  flowStatusChanged: Type.Boolean({ description: 'Whether the flow status changed.' }),
  syncStatusChanged: Type.Boolean({ description: 'Whether the sync status changed.' }),
  fromListingClaimStatus: listingClaimStatus('Previous claim status.'),
  toListingClaimStatus: listingClaimStatus('New claim status; equal to the previous one if it did not change.'),
  fromListingFlowStatus: flowStatus('Previous flow status.'),
  toListingFlowStatus: flowStatus('New flow status; equal to the previous one if it did not change.'),
  fromListingSyncStatus: syncStatus('Previous sync status.'),
  toListingSyncStatus: syncStatus('New sync status; equal to the previous one if it did not change.'),
};

type StatusChanges = Type.Static<Type.TObject<typeof listingStatusMoves>>;

function changedFlagRule(
  changed: 'claimStatusChanged' | 'flowStatusChanged' | 'syncStatusChanged',
  from: keyof StatusChanges,
  to: keyof StatusChanges,
): ConsistencyRule<StatusChanges> {
  return {
    field: changed,
    rule: 'tells-the-move',
    message: `${changed} must be true if ${from} and ${to} differ, and false otherwise.`,
    holds: (moves) => moves[changed] === (moves[from] !== moves[to]),
  };
}

const listingStatusMoveRules = [
  changedFlagRule('claimStatusChanged', 'fromListingClaimStatus', 'toListingClaimStatus'),
  changedFlagRule('flowStatusChanged', 'fromListingFlowStatus', 'toListingFlowStatus'),
  changedFlagRule('syncStatusChanged', 'fromListingSyncStatus', 'toListingSyncStatus'),
];

const listingSyncCheck = defineEventType({
  type: 'LISTING_SYNC_CHECK',
  summary: 'A listing was compared with its directory, whether or not a status changed.',
  fields: {
    ...listingReference,
    directoryType,
    googleStatusChanged: Type.Boolean({ description: "Whether the listing's status on Google changed." }),
    ...listingStatusMoves,
  },
  rules: listingStatusMoveRules,
  example: {
    business: 2204,
    listing: 918273,
    location: 51877,
    directoryType: 'GOOGLE',
    googleStatusChanged: false,
    claimStatusChanged: false,
    flowStatusChanged: true,
    syncStatusChanged: true,
    fromListingClaimStatus: 'CLAIMED_BY_US',
    toListingClaimStatus: 'CLAIMED_BY_US',
    fromListingFlowStatus: 'ALL_INFORMATION_SUBMITTED',
    toListingFlowStatus: 'NO_ACTION_NEEDED',
    fromListingSyncStatus: 'NOT_IN_SYNC',
    toListingSyncStatus: 'IN_SYNC',
  },
});

const listingStatusChange = defineEventType({
  type: 'LISTING_STATUS_CHANGE',
  summary: 'A user changed a status of a listing manually, usually an operator after a review.',
  fields: {
    ...listingReference,
    directoryType,
    ...listingStatusMoves,
    user: person('User who changed the status.'),
  },
  rules: listingStatusMoveRules,
  example: {
    business: 3310,
    listing: 640012,
    location: 60233,
    directoryType: 'APPLE_MAPS',
    claimStatusChanged: true,
    flowStatusChanged: true,
    syncStatusChanged: false,
    fromListingClaimStatus: 'CLAIMING_IN_PROGRESS',
    toListingClaimStatus: 'CLAIMED_BY_US',
    fromListingFlowStatus: 'NEEDS_REVIEW',
    toListingFlowStatus: 'SUBMISSION_NEEDED',
    fromListingSyncStatus: 'NOT_IN_SYNC',
    toListingSyncStatus: 'NOT_IN_SYNC',
    user: 'operations@hansekontor.example',
  },
});

const listingLinkChange = defineEventType({
  type: 'LISTING_LINK_CHANGE',
  summary:
    'The URL of a listing on its directory changed or was removed, by a user or because a better match was found. The first URL that was found or created automatically is not a change.',
  fields: {
    ...listingReference,
    comment,
    fromListingUrl: Type.String({ description: 'Previous URL of the listing; empty if there was none.' }),
    fromListingId: Type.String({
      description: 'Previous id of the listing on the directory; empty if there was none.',
    }),
    toListingUrl: Type.String({ description: 'New URL of the listing; empty if it was removed.' }),
    toListingId: Type.String({ description: 'New id of the listing on the directory; empty if there is none.' }),
  },
  example: {
    business: 2204,
    listing: 918280,
    location: 51877,
    comment: 'A page with the same phone number and address was found',
    fromListingUrl: 'https://yelp.example/biz/baeckerei-lindner-koeln-2',
    fromListingId: 'baeckerei-lindner-koeln-2',
    toListingUrl: 'https://yelp.example/biz/baeckerei-lindner-koeln-ehrenfeld',
    toListingId: 'baeckerei-lindner-koeln-ehrenfeld',
  },
});

const listingUpdate = defineEventType({
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

export const listingEvents = [listingSyncCheck, listingStatusChange, listingLinkChange, listingUpdate] as const;
