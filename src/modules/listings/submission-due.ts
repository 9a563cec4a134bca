import type { FlowStatus, Listing } from './listing.ts';
import { type Surroundings, submissionState } from './listing-work.ts';
import { endingOf } from './status-moves.ts';
import { firstObstacle, type SubmissionState } from './submission-obstacles.ts';

const goingAway: readonly FlowStatus[] = ['REMOVAL_NEEDED', 'CANCELLATION_NEEDED'];

/** Whether the directory is to be asked to take the page away. */
export const isRemovalDue = ({ flowStatus }: Pick<Listing, 'flowStatus'>): boolean => goingAway.includes(flowStatus);

const settled: readonly FlowStatus[] = [
  'NO_ACTION_NEEDED',
  'ALL_INFORMATION_SUBMITTED',
  'INACTIVE',
  'MANUALLY_DEACTIVATED',
  'MANUALLY_CREATED',
];

/** A page that can be claimed is claimed on the way. */
export const asIfClaimed = (state: SubmissionState): SubmissionState =>
  state.listing.claimStatus === 'CLAIMABLE' && state.directory.supports.claim
    ? { ...state, listing: { ...state.listing, claimStatus: 'CLAIMED_BY_US' } }
    : state;

/** Whether something is to be sent to the directory: a removal, a submission that was asked for, or one that is due. */
export function isDue(listing: Listing, surroundings: Surroundings, now: Date): boolean {
  if (isRemovalDue(listing) || listing.submissionRequested) return true;
  const revisions = { triedRevision: listing.triedRevision, revision: surroundings.location.revision };
  return isSubmissionDue(submissionState(listing, surroundings, now), revisions);
}

/**
 * Whether a submission is tried after a check. Each state of a location is tried once, also when something stands in
 * the way, so that its owner learns what; and again only when nothing does.
 */
function isSubmissionDue(
  state: SubmissionState,
  { triedRevision, revision }: { triedRevision: number | null; revision: number },
): boolean {
  const { listing, location } = state;
  if (listing.duplicateOf !== null || endingOf(location.status)) return false;
  const isNew = triedRevision !== revision;
  if (!isNew && firstObstacle(asIfClaimed(state))) return false;
  return listing.flowStatus === 'SUBMISSION_NEEDED' || (isNew && !settled.includes(listing.flowStatus));
}
