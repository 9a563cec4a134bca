import Type from 'typebox';
import { defineEventType } from './define-event-type.ts';
import { directoryType, listingReference } from './field-shapes.ts';
import { listingStatusMoveRules, listingStatusMoves } from './listing-status-moves.ts';

export const listingSyncCheck = defineEventType({
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
