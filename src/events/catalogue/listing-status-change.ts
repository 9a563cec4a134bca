import { defineEventType } from './define-event-type.ts';
import { directoryType, listingReference, person } from './field-shapes.ts';
import { listingStatusMoveRules, listingStatusMoves } from './listing-status-moves.ts';

export const listingStatusChange = defineEventType({
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
