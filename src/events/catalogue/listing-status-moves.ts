import Type from 'typebox';
import type { ConsistencyRule } from './define-event-type.ts';
import { flowStatus, listingClaimStatus, syncStatus } from './status-values.ts';

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

export const listingStatusMoveRules = [
  changedFlagRule('claimStatusChanged', 'fromListingClaimStatus', 'toListingClaimStatus'),
  changedFlagRule('flowStatusChanged', 'fromListingFlowStatus', 'toListingFlowStatus'),
  changedFlagRule('syncStatusChanged', 'fromListingSyncStatus', 'toListingSyncStatus'),
];
