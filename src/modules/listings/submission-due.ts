import type { FlowStatus, Listing } from './listing.ts';
import { type ListingContext, submissionState } from './listing-work.ts';
import { removalSteps } from './status-transitions.ts';
import { findBlocker, type SubmissionState } from './submission-preconditions.ts';

const removalFlows: readonly FlowStatus[] = ['REMOVAL_NEEDED', 'CANCELLATION_NEEDED'];

export const isRemovalDue = ({ flowStatus }: Pick<Listing, 'flowStatus'>): boolean => removalFlows.includes(flowStatus);

const settledFlows: readonly FlowStatus[] = [
  'NO_ACTION_NEEDED',
  'ALL_INFORMATION_SUBMITTED',
  'INACTIVE',
  'MANUALLY_DEACTIVATED',
  'MANUALLY_CREATED',
];

/** A claimable listing is claimed as part of the submission. */
export const assumeClaimed = (state: SubmissionState): SubmissionState =>
  state.listing.claimStatus === 'CLAIMABLE' && state.directory.supports.claim
    ? { ...state, listing: { ...state.listing, claimStatus: 'CLAIMED_BY_US' } }
    : state;

/** Whether a removal, a requested submission or a due submission has to be sent to the directory. */
export function isWriteDue(listing: Listing, listingContext: ListingContext, now: Date): boolean {
  if (isRemovalDue(listing) || listing.submissionRequested) return true;
  const revisions = { attemptedRevision: listing.attemptedRevision, revision: listingContext.location.revision };
  return isSubmissionDue(submissionState(listing, listingContext, now), revisions);
}

/** Each revision is attempted once even when blocked, so that the blocker is reported; again only without a blocker. */
function isSubmissionDue(
  state: SubmissionState,
  { attemptedRevision, revision }: { attemptedRevision: number | null; revision: number },
): boolean {
  const { listing, location } = state;
  if (listing.duplicateOf !== null || removalSteps(location.status)) return false;
  const isNew = attemptedRevision !== revision;
  if (!isNew && findBlocker(assumeClaimed(state))) return false;
  return listing.flowStatus === 'SUBMISSION_NEEDED' || (isNew && !settledFlows.includes(listing.flowStatus));
}
