import { acceptsSubmissions, type Directory, type SubmissionReview } from '../directories/index.ts';
import type { LocationStatus, ServedStatus } from '../locations/index.ts';
import { type ComparedFields, isInSync } from './field-comparison.ts';
import {
  type ClaimStatus,
  type FlowStatus,
  isLossDoubted,
  type Listing,
  type ListingStatuses,
  type SyncStatus,
} from './listing.ts';

/** Result of reading a directory, as far as statuses depend on it. */
export type Observation =
  | {
      kind: 'found';
      claim: ClaimStatus;
      /** A submitted change is not shown yet. */
      pending: boolean;
      fields: ComparedFields;
      /** The directory changed the listing itself. */
      drifted: boolean;
      /** A duplicate that we may remove. */
      removable?: boolean;
    }
  /** `isUnlinked`: a user unlinked the matching directory listing. `isDoubted`: another check must confirm the loss. */
  | { kind: 'not-found'; isUnlinked?: boolean; isDoubted?: boolean }
  /** The matching directory listing is linked to another location. */
  | { kind: 'linked-elsewhere' }
  | { kind: 'unreachable' }
  /** The directory has no online listings, or no account is connected. */
  | { kind: 'skipped' };

export interface TransitionContext {
  directory: Directory;
  location: { status: string; revision: number };
  /** Whether the plan of the location's business includes the directory. */
  covered: boolean;
  /** State of the directory's review of the last submission, if one is pending. */
  review?: SubmissionReview['state'];
  now: Date;
}

type PreviousState = Pick<
  Listing,
  | keyof ListingStatuses
  | 'externalId'
  | 'checkedRevision'
  | 'connectStatus'
  | 'duplicateOf'
  | 'unlinkedPages'
  | 'flowHeld'
  | 'attemptedRevision'
  | 'submittedRevision'
  | 'lastSuccessfulUpdate'
  | 'matchingFields'
>;

export function nextStatuses(
  listing: PreviousState,
  observation: Observation,
  context: TransitionContext,
): ListingStatuses {
  return {
    claimStatus: nextClaim(listing, observation, context.directory),
    syncStatus: nextSync(listing, observation, context.directory),
    flowStatus: listing.flowHeld ? manualFlow(listing, observation, context) : nextFlow(listing, observation, context),
  };
}

function nextClaim(listing: PreviousState, observation: Observation, { supports }: Directory): ClaimStatus {
  switch (observation.kind) {
    case 'found':
      return observation.claim;
    case 'linked-elsewhere':
      return 'CLAIMED_BY_ANOTHER_US';
    case 'not-found':
      return observation.isDoubted ? listing.claimStatus : 'UNKNOWN';
    default:
      // Without online listings, the only listing is the one that we created.
      return !supports.onlineListing && listing.externalId !== null ? 'CLAIMED_BY_US' : listing.claimStatus;
  }
}

function nextSync(listing: PreviousState, observation: Observation, { supports }: Directory): SyncStatus {
  if (!supports.onlineListing) return 'NO_ONLINE_LISTING';
  switch (observation.kind) {
    case 'unreachable':
      return 'TECHNICAL_PROBLEMS';
    case 'skipped':
      return listing.syncStatus;
    case 'not-found':
    case 'linked-elsewhere':
      return 'NOT_FOUND';
    case 'found':
      if (supports.linkOnly) return 'LINK_ONLY';
      return isInSync(observation.fields) ? 'IN_SYNC' : 'NOT_IN_SYNC';
  }
}

/** Flow statuses: needed, submitted, done. */
type RemovalSteps = readonly [FlowStatus, FlowStatus, FlowStatus];

const cancellation: RemovalSteps = ['CANCELLATION_NEEDED', 'CANCELLATION_SUBMITTED', 'INACTIVE'];
export const removal: RemovalSteps = ['REMOVAL_NEEDED', 'REMOVAL_SUBMITTED', 'REMOVED'];

const stepsByLocationStatus: Readonly<Record<Exclude<LocationStatus, ServedStatus>, RemovalSteps>> = {
  INACTIVE: cancellation,
  CLOSED: removal,
  DELETED: removal,
};
const steps = new Map<string, RemovalSteps>(Object.entries(stepsByLocationStatus));

/** The steps of listings whose location is no longer served; otherwise undefined. */
export const removalSteps = (locationStatus: string): RemovalSteps | undefined => steps.get(locationStatus);

/** The removal steps that contain a flow status. */
export const removalStepsWith = (flow: FlowStatus): RemovalSteps | undefined =>
  [removal, cancellation].find((one) => one.includes(flow));

const unfinishedFlows = [...removal.slice(0, 2), ...cancellation.slice(0, 2)];

/** Whether a removal is not finished. */
export const isInRemoval = (flow: FlowStatus): boolean => unfinishedFlows.includes(flow);

/** A flow status set by a user is kept, except that a requested removal advances. */
function manualFlow(listing: PreviousState, observation: Observation, { directory }: TransitionContext): FlowStatus {
  const steps = removalStepsWith(listing.flowStatus);
  return steps ? removalFlow(listing, observation, steps, directory) : listing.flowStatus;
}

const removalFlows = [...cancellation, ...removal];

function nextFlow(listing: PreviousState, observation: Observation, context: TransitionContext): FlowStatus {
  const { directory, location, covered } = context;
  if (listing.duplicateOf !== null) return duplicateFlow(listing, observation, location);
  const end = removalSteps(location.status);
  if (end) {
    const flow = removalFlow(listing, observation, end, directory);
    return flow === end[0] && !isConnected(listing, directory) ? 'WAITING_USER_ACTION' : flow;
  }
  if (!covered) return 'INACTIVE';
  if (!acceptsSubmissions(directory)) return 'NOT_SUPPORTED';
  if (!isConnected(listing, directory)) return 'WAITING_USER_ACTION';
  return activeFlow(listing, observation, context);
}

/** Whether the account that the directory requires is connected. */
export const isConnected = (
  { connectStatus }: Pick<Listing, 'connectStatus'>,
  { needsConnection }: Directory,
): boolean => !needsConnection || connectStatus === 'CONNECTED';

/** A duplicate is removed by us if possible; otherwise a user has to review it. */
function duplicateFlow(
  listing: PreviousState,
  observation: Observation,
  location: TransitionContext['location'],
): FlowStatus {
  if (observation.kind === 'not-found') return 'REMOVED';
  if (observation.kind === 'skipped' && removalSteps(location.status)) return 'INACTIVE';
  if (listing.flowStatus === 'REMOVAL_SUBMITTED' || observation.kind !== 'found') return listing.flowStatus;
  const isRefused = listing.flowStatus === 'NEEDS_REVIEW' && listing.attemptedRevision === location.revision;
  if (isRefused && listing.claimStatus === observation.claim) return 'NEEDS_REVIEW';
  return observation.removable ? 'REMOVAL_NEEDED' : 'NEEDS_REVIEW';
}

function removalFlow(
  listing: PreviousState,
  observation: Observation,
  [needed, submitted, done]: RemovalSteps,
  directory: Directory,
): FlowStatus {
  const { flowStatus } = listing;
  // Outside the plan, INACTIVE does not mean that the claim was cancelled.
  const isDone = flowStatus === done && (listing.flowHeld || observation.kind !== 'found');
  const isRequested = flowStatus === needed || flowStatus === submitted || isDone;
  if (observation.kind === 'not-found' || listing.externalId === null) return isRequested ? done : 'INACTIVE';
  // A removal that cannot be verified counts as done.
  if (observation.kind === 'skipped' && flowStatus === submitted) return done;
  // Only a listing that we manage can be removed.
  const isOurs = nextClaim(listing, observation, directory) === 'CLAIMED_BY_US';
  if (!isOurs || !directory.supports.submission) return 'INACTIVE';
  return isRequested ? flowStatus : needed;
}

/** A submission that the directory accepted and does not show is repeated after this time. */
const resubmitAfterMs = 7 * 24 * 3600 * 1000;

function activeFlow(
  listing: PreviousState,
  observation: Observation,
  { location, review, now }: TransitionContext,
): FlowStatus {
  const isReactivated = removalFlows.includes(listing.flowStatus) || listing.flowStatus === 'NOT_SUPPORTED';
  const submitted = !isReactivated && listing.submittedRevision === location.revision;
  const isRecent = now.getTime() - (listing.lastSuccessfulUpdate?.getTime() ?? 0) < resubmitAfterMs;
  // Submitting the same revision again would be refused again.
  const rejected = review === 'REJECTED' && submitted;
  const refused =
    rejected || (listing.flowStatus === 'NEEDS_REVIEW' && listing.attemptedRevision === location.revision);
  switch (observation.kind) {
    case 'unreachable':
      return isReactivated ? 'SUBMISSION_NEEDED' : listing.flowStatus;
    case 'linked-elsewhere':
      return 'WAITING_USER_ACTION';
    case 'skipped':
      if (refused) return 'NEEDS_REVIEW';
      if (isUnlinkedByUser(listing)) return 'WAITING_USER_ACTION';
      if (!submitted) return 'SUBMISSION_NEEDED';
      return review === 'PENDING' ? 'WAITING_DIRECTORY_ACTION' : 'ALL_INFORMATION_SUBMITTED';
    case 'not-found':
      if (observation.isDoubted) return isReactivated ? 'SUBMISSION_NEEDED' : listing.flowStatus;
      if (refused) return 'NEEDS_REVIEW';
      if (observation.isUnlinked && !isNewListingNeeded(listing)) return 'WAITING_USER_ACTION';
      if (isUnlinkedByUser(listing) && !isReactivated) return 'WAITING_USER_ACTION';
      if (!submitted || !isRecent || !waitingFlows.includes(listing.flowStatus)) return 'SUBMISSION_NEEDED';
      // The review removed it.
      if (wasFound(listing) && listing.flowStatus === 'WAITING_DIRECTORY_ACTION') return 'NEEDS_REVIEW';
      return wasFound(listing) ? 'SUBMISSION_NEEDED' : listing.flowStatus;
    case 'found':
      break;
  }
  const inSync = isInSync(observation.fields);
  if (observation.claim !== 'CLAIMED_BY_US') {
    if (observation.claim === 'CLAIMING_IN_PROGRESS') return 'WAITING_DIRECTORY_ACTION';
    if (observation.claim === 'CLAIMABLE') return refused ? 'NEEDS_REVIEW' : 'SUBMISSION_NEEDED';
    return inSync ? 'NO_ACTION_NEEDED' : 'WAITING_USER_ACTION';
  }
  if (inSync && !rejected) return 'NO_ACTION_NEEDED';
  if (refused) return 'NEEDS_REVIEW';
  if (!submitted || observation.drifted || listing.flowStatus === 'SUBMISSION_NEEDED') return 'SUBMISSION_NEEDED';
  if (observation.pending) return 'WAITING_DIRECTORY_ACTION';
  // The review is finished and the data still differs.
  if (listing.flowStatus === 'WAITING_DIRECTORY_ACTION') return 'NEEDS_REVIEW';
  return isRecent ? 'ALL_INFORMATION_SUBMITTED' : 'SUBMISSION_NEEDED';
}

/** While a listing is linked, the submission is an update of it. Without a link, NEEDS_REVIEW follows a refused one. */
const isNewListingNeeded = ({ flowStatus, externalId }: PreviousState) =>
  externalId === null && (flowStatus === 'SUBMISSION_NEEDED' || flowStatus === 'NEEDS_REVIEW');

/**
 * A new listing would be a duplicate of the one that a user unlinked, also if that one is not visible, such as during its
 * review: only a user can request it.
 */
const isUnlinkedByUser = (listing: PreviousState) =>
  listing.externalId === null && listing.unlinkedPages.length > 0 && !isNewListingNeeded(listing);

const waitingFlows: readonly FlowStatus[] = ['WAITING_DIRECTORY_ACTION', 'ALL_INFORMATION_SUBMITTED'];

/** Whether the last check that reached the directory found the listing, or doubted its loss. */
export const wasFound = (listing: PreviousState): boolean => listing.matchingFields > 0 || isLossDoubted(listing);

/** Whether the claim or sync status at Google changed. Outages and flow status changes do not count. */
export function googleStatusChanged(directoryType: string, from: ListingStatuses, to: ListingStatuses): boolean {
  if (directoryType !== 'GOOGLE') return false;
  const unreachable = from.syncStatus === 'TECHNICAL_PROBLEMS' || to.syncStatus === 'TECHNICAL_PROBLEMS';
  return from.claimStatus !== to.claimStatus || (from.syncStatus !== to.syncStatus && !unreachable);
}
