import type { Directory, SubmissionReview } from '../directories/index.ts';
import { type ComparedFields, isInSync } from './field-comparison.ts';
import type { ClaimStatus, FlowStatus, Listing, ListingStatuses, SyncStatus } from './listing.ts';

/** What a look at a directory came to, as far as statuses go. */
export type Sight =
  | {
      kind: 'found';
      claim: ClaimStatus;
      /** Something was submitted and is not shown yet. */
      pending: boolean;
      fields: ComparedFields;
      /** The directory changed something by itself. */
      drifted: boolean;
      /** A duplicate that is ours to take away. */
      removable?: boolean;
    }
  | { kind: 'not-found' }
  /** The page of the location belongs to another listing. */
  | { kind: 'taken' }
  | { kind: 'unreachable' }
  /** There is nothing to look at, or no account to look with. */
  | { kind: 'not-looked' };

export interface Situation {
  directory: Directory;
  location: { status: string; revision: number };
  /** Whether the plan of the location's business includes the directory. */
  covered: boolean;
  /** What the directory's review of the last submission came to, when that was awaited. */
  review?: SubmissionReview['state'];
  now: Date;
}

type Before = Pick<
  Listing,
  | keyof ListingStatuses
  | 'externalId'
  | 'connectStatus'
  | 'duplicateOf'
  | 'suppressedAt'
  | 'flowHeld'
  | 'triedRevision'
  | 'submittedRevision'
  | 'lastSuccessfulUpdate'
  | 'matchingFields'
>;

/** Where a listing's statuses move by what its directory answered. */
export function nextStatuses(listing: Before, sight: Sight, situation: Situation): ListingStatuses {
  return {
    claimStatus: nextClaim(listing, sight, situation.directory),
    syncStatus: nextSync(listing, sight, situation.directory),
    flowStatus: listing.flowHeld ? heldFlow(listing, sight, situation) : nextFlow(listing, sight, situation),
  };
}

function nextClaim(listing: Before, sight: Sight, { supports }: Directory): ClaimStatus {
  switch (sight.kind) {
    case 'found':
      return sight.claim;
    case 'taken':
      return 'CLAIMED_BY_ANOTHER_US';
    case 'not-found':
      return 'UNKNOWN';
    default:
      // Where no page can be looked at, the only page is the one that we created.
      return !supports.onlineListing && listing.externalId !== null ? 'CLAIMED_BY_US' : listing.claimStatus;
  }
}

function nextSync(listing: Before, sight: Sight, { supports }: Directory): SyncStatus {
  if (!supports.onlineListing) return 'NO_ONLINE_LISTING';
  switch (sight.kind) {
    case 'unreachable':
      return 'TECHNICAL_PROBLEMS';
    case 'not-looked':
      return listing.syncStatus;
    case 'not-found':
    case 'taken':
      return 'NOT_FOUND';
    case 'found':
      if (supports.linkOnly) return 'LINK_ONLY';
      return isInSync(sight.fields) ? 'IN_SYNC' : 'NOT_IN_SYNC';
  }
}

const ending = {
  INACTIVE: ['CANCELLATION_NEEDED', 'CANCELLATION_SUBMITTED', 'INACTIVE'],
  CLOSED: ['REMOVAL_NEEDED', 'REMOVAL_SUBMITTED', 'REMOVED'],
  DELETED: ['REMOVAL_NEEDED', 'REMOVAL_SUBMITTED', 'REMOVED'],
} as const satisfies Record<string, readonly [FlowStatus, FlowStatus, FlowStatus]>;

/** What becomes of the listings of a location that is no longer served; nothing for the others. */
export const endingOf = (locationStatus: string): readonly [FlowStatus, FlowStatus, FlowStatus] | undefined =>
  Object.hasOwn(ending, locationStatus) ? ending[locationStatus as keyof typeof ending] : undefined;

/** The steps of giving a page up that a flow status is one of. */
export const wayOut = (flow: FlowStatus): readonly [FlowStatus, FlowStatus, FlowStatus] | undefined =>
  [ending.CLOSED, ending.INACTIVE].find((steps) => (steps as readonly FlowStatus[]).includes(flow));

/** What a person set stays; a page that they want to be gone is followed until it is. */
function heldFlow(listing: Before, sight: Sight, { directory }: Situation): FlowStatus {
  const steps = wayOut(listing.flowStatus);
  return steps ? endFlow(listing, sight, steps, directory) : listing.flowStatus;
}

/** Where a listing stands that is given up, or was. */
const ended: readonly FlowStatus[] = [...ending.INACTIVE, ...ending.CLOSED];

function nextFlow(listing: Before, sight: Sight, situation: Situation): FlowStatus {
  const { directory, location, covered } = situation;
  if (listing.duplicateOf !== null) return duplicateFlow(listing, sight);
  const end = endingOf(location.status);
  if (end) return endFlow(listing, sight, end, directory);
  if (!covered) return 'INACTIVE';
  if (!directory.supports.submission || directory.supports.linkOnly) return 'NOT_SUPPORTED';
  if (directory.needsConnection && listing.connectStatus !== 'CONNECTED') return 'WAITING_USER_ACTION';
  return servedFlow(listing, sight, situation);
}

/** A duplicate is to go away: by us when it is ours, otherwise somebody has to look at it. */
function duplicateFlow(listing: Before, sight: Sight): FlowStatus {
  if (sight.kind === 'not-found') return 'REMOVED';
  if (listing.suppressedAt) return 'REMOVAL_SUBMITTED';
  if (sight.kind !== 'found') return listing.flowStatus;
  return sight.removable ? 'REMOVAL_NEEDED' : 'NEEDS_REVIEW';
}

function endFlow(
  listing: Before,
  sight: Sight,
  [needed, submitted, done]: readonly [FlowStatus, FlowStatus, FlowStatus],
  directory: Directory,
): FlowStatus {
  const { flowStatus } = listing;
  const asked = flowStatus === needed || flowStatus === submitted || flowStatus === done;
  if (sight.kind === 'not-found' || listing.externalId === null) return asked ? done : 'INACTIVE';
  // Only a page that we manage is ours to remove.
  const isOurs = nextClaim(listing, sight, directory) === 'CLAIMED_BY_US';
  if (!isOurs || !directory.supports.submission) return 'INACTIVE';
  return asked ? flowStatus : needed;
}

/** A directory that has everything and does not show it is given it again after this. */
const patienceMs = 7 * 24 * 3600 * 1000;

function servedFlow(listing: Before, sight: Sight, { location, review, now }: Situation): FlowStatus {
  const back = ended.includes(listing.flowStatus) || listing.flowStatus === 'NOT_SUPPORTED';
  const submitted = !back && listing.submittedRevision === location.revision;
  const patient = now.getTime() - (listing.lastSuccessfulUpdate?.getTime() ?? 0) < patienceMs;
  // Refused as it is: trying the same again would be refused again.
  const rejected = review === 'REJECTED' && submitted;
  const refused = rejected || (listing.flowStatus === 'NEEDS_REVIEW' && listing.triedRevision === location.revision);
  switch (sight.kind) {
    case 'unreachable':
      return back ? 'SUBMISSION_NEEDED' : listing.flowStatus;
    case 'taken':
      return 'WAITING_USER_ACTION';
    case 'not-looked':
      if (refused) return 'NEEDS_REVIEW';
      if (!submitted) return 'SUBMISSION_NEEDED';
      return review === 'PENDING' ? 'WAITING_DIRECTORY_ACTION' : 'ALL_INFORMATION_SUBMITTED';
    case 'not-found':
      if (refused) return 'NEEDS_REVIEW';
      if (!submitted || !patient || !waiting.includes(listing.flowStatus)) return 'SUBMISSION_NEEDED';
      // It was under review, and the review took it away.
      if (wasSeen(listing) && listing.flowStatus === 'WAITING_DIRECTORY_ACTION') return 'NEEDS_REVIEW';
      return wasSeen(listing) ? 'SUBMISSION_NEEDED' : listing.flowStatus;
    case 'found':
      break;
  }
  const inSync = isInSync(sight.fields);
  if (sight.claim !== 'CLAIMED_BY_US') {
    if (sight.claim === 'CLAIMING_IN_PROGRESS') return 'WAITING_DIRECTORY_ACTION';
    if (sight.claim === 'CLAIMABLE') return refused ? 'NEEDS_REVIEW' : 'SUBMISSION_NEEDED';
    return inSync ? 'NO_ACTION_NEEDED' : 'WAITING_USER_ACTION';
  }
  if (inSync && !rejected) return 'NO_ACTION_NEEDED';
  if (refused) return 'NEEDS_REVIEW';
  if (!submitted || sight.drifted || listing.flowStatus === 'SUBMISSION_NEEDED') return 'SUBMISSION_NEEDED';
  if (sight.pending) return 'WAITING_DIRECTORY_ACTION';
  // Its review has ended, and it still shows something else.
  if (listing.flowStatus === 'WAITING_DIRECTORY_ACTION') return 'NEEDS_REVIEW';
  return patient ? 'ALL_INFORMATION_SUBMITTED' : 'SUBMISSION_NEEDED';
}

const waiting: readonly FlowStatus[] = ['WAITING_DIRECTORY_ACTION', 'ALL_INFORMATION_SUBMITTED'];

/** Whether the last look that reached the directory found a page. */
export const wasSeen = ({ matchingFields }: Pick<Listing, 'matchingFields'>): boolean => matchingFields > 0;

/**
 * Whether what Google itself says of a page changed: whom it belongs to, whether it is there and shows our data. Not
 * whether Google could be reached, nor what we make of it.
 */
export function googleStatusChanged(directoryType: string, from: ListingStatuses, to: ListingStatuses): boolean {
  if (directoryType !== 'GOOGLE') return false;
  const unreachable = from.syncStatus === 'TECHNICAL_PROBLEMS' || to.syncStatus === 'TECHNICAL_PROBLEMS';
  return from.claimStatus !== to.claimStatus || (from.syncStatus !== to.syncStatus && !unreachable);
}
