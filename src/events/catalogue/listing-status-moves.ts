import Type from 'typebox';
import type { ConsistencyRule } from './define-event-type.ts';
import { flowStatus, listingClaimStatus, syncStatus } from './status-values.ts';

/** The three statuses of a listing before and after, as LISTING_SYNC_CHECK and LISTING_STATUS_CHANGE both tell them. */
export const listingStatusMoves = {
  claimStatusChanged: Type.Boolean({ description: 'Whether the claim status changed.' }),
  flowStatusChanged: Type.Boolean({ description: 'Whether the flow status changed.' }),
  syncStatusChanged: Type.Boolean({ description: 'Whether the sync status changed.' }),
  fromListingClaimStatus: listingClaimStatus('Claim status before.'),
  toListingClaimStatus: listingClaimStatus('Claim status now; equal to the one before when it did not change.'),
  fromListingFlowStatus: flowStatus('Flow status before.'),
  toListingFlowStatus: flowStatus('Flow status now; equal to the one before when it did not change.'),
  fromListingSyncStatus: syncStatus('Sync status before.'),
  toListingSyncStatus: syncStatus('Sync status now; equal to the one before when it did not change.'),
};

type Moves = Type.Static<Type.TObject<typeof listingStatusMoves>>;

function tellsTheMove(
  changed: 'claimStatusChanged' | 'flowStatusChanged' | 'syncStatusChanged',
  from: keyof Moves,
  to: keyof Moves,
): ConsistencyRule<Moves> {
  return {
    field: changed,
    rule: 'tells-the-move',
    message: `${changed} must be true exactly when ${from} and ${to} differ.`,
    holds: (moves) => moves[changed] === (moves[from] !== moves[to]),
  };
}

export const listingStatusMoveRules = [
  tellsTheMove('claimStatusChanged', 'fromListingClaimStatus', 'toListingClaimStatus'),
  tellsTheMove('flowStatusChanged', 'fromListingFlowStatus', 'toListingFlowStatus'),
  tellsTheMove('syncStatusChanged', 'fromListingSyncStatus', 'toListingSyncStatus'),
];
