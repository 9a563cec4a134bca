import { acceptsSubmissions, type Directory, type ListingProfile, missingFields } from '../directories/index.ts';
import { type Location, listingProfileOf, submittableStatuses } from '../locations/index.ts';
import {
  awaitsRecheck,
  type ClaimStatus,
  type FlowStatus,
  type Listing,
  type SyncStatus,
  type UpdateStatus,
} from './listing.ts';
import type { ListingContext } from './listing-work.ts';
import { isConnected, removalSteps, removalStepsWith } from './status-transitions.ts';

/** State that decides whether a location can be submitted to a directory. */
export interface SubmissionState {
  location: Pick<Location, 'status' | 'normalizationStatus' | 'cleansingStatus' | 'lastSyncStarted'>;
  directory: Directory;
  listing: Pick<
    Listing,
    'duplicateOf' | 'externalId' | 'connectStatus' | 'claimStatus' | 'flowStatus' | 'syncStatus' | 'notBefore'
  >;
  profile: ListingProfile;
  /** The directory has just responded with a rate limit. */
  limited: boolean;
  now: Date;
}

export const submissionState = (
  listing: SubmissionState['listing'],
  { location, directory }: ListingContext,
  now: Date,
  limited = false,
): SubmissionState => ({ location, directory, listing, profile: listingProfileOf(location), limited, now });

export interface Blocker {
  status: UpdateStatus;
  message: string;
}

const submittableFlows: readonly FlowStatus[] = [
  'SUBMISSION_NEEDED',
  'ALL_INFORMATION_SUBMITTED',
  'NO_ACTION_NEEDED',
  'WAITING_DIRECTORY_ACTION',
];
const flowHint = ({ flowStatus, externalId }: SubmissionState['listing']) => {
  if (flowStatus === 'NEEDS_REVIEW') return ' Change the location, or set flowStatus to SUBMISSION_NEEDED.';
  if (flowStatus !== 'WAITING_USER_ACTION' || externalId !== null) return '';
  return ' Link the listing, or set flowStatus to SUBMISSION_NEEDED to create a new one.';
};
const submittableSyncs: readonly SyncStatus[] = ['IN_SYNC', 'NOT_IN_SYNC', 'NOT_FOUND', 'NO_ONLINE_LISTING'];

/** Without a link a listing can be created, unless the matching one is linked to another location. */
const mayWrite = (claim: ClaimStatus, externalId: string | null) =>
  externalId === null ? claim !== 'CLAIMED_BY_ANOTHER_US' : claim === 'CLAIMED_BY_US';

interface Precondition {
  status: UpdateStatus;
  isUnmet(state: SubmissionState): boolean;
  message(state: SubmissionState): string;
}

/** In order of evaluation: the first unmet precondition is reported. */
export const preconditions: readonly Precondition[] = [
  // A CREATED location passes, and is blocked by LOCATION_NOT_SYNCED until its first sync.
  {
    status: 'INVALID_LOCATION_STATUS',
    isUnmet: ({ location }) => !submittableStatuses.includes(location.status),
    message: ({ location }) =>
      `The location is ${location.status} and cannot be submitted. The status must be ACTIVE or CANCELLED.`,
  },
  {
    status: 'LOCATION_NOT_NORMALIZED',
    isUnmet: ({ location }) => location.normalizationStatus !== 'NORMALIZED',
    message: () => 'The address of the location is incomplete. Add zip and sync again.',
  },
  {
    status: 'LOCATION_NOT_CLEANSED',
    isUnmet: ({ location, directory }) => directory.needsCleansing && location.cleansingStatus !== 'CLEANSED',
    message: ({ location, directory }) =>
      location.cleansingStatus === 'INVALID_DATA'
        ? `${directory.name} requires a cleansed address, and the address is invalid: cleansingStatus is INVALID_DATA. Correct street, city or coordinates.`
        : `${directory.name} requires a cleansed address; cleansingStatus is ${location.cleansingStatus}. Sync again when it is CLEANSED.`,
  },
  {
    status: 'LOCATION_NOT_SYNCED',
    isUnmet: ({ location }) => location.status === 'CREATED' || location.lastSyncStarted === null,
    message: () => 'The location has not been synced yet. Start its first sync.',
  },
  {
    status: 'NOT_SUPPORTED',
    isUnmet: ({ directory }) => !acceptsSubmissions(directory),
    message: ({ directory }) => `${directory.name} does not support submissions.`,
  },
  {
    status: 'DUPLICATED',
    isUnmet: ({ listing }) => listing.duplicateOf !== null,
    message: ({ listing }) => `The listing is a duplicate of listing ${listing.duplicateOf}, which is updated instead.`,
  },
  {
    status: 'INVALID_CLAIM_STATUS',
    isUnmet: ({ listing }) => !mayWrite(listing.claimStatus, listing.externalId),
    message: ({ listing, directory }) =>
      `The claimStatus on ${directory.name} is ${listing.claimStatus}. It must be CLAIMED_BY_US.`,
  },
  {
    status: 'INVALID_FLOW_STATUS',
    isUnmet: ({ listing }) => !submittableFlows.includes(listing.flowStatus),
    message: ({ listing, directory }) =>
      !isConnected(listing, directory) && listing.flowStatus === 'WAITING_USER_ACTION'
        ? `${directory.name} requires a connected account. Connect one and sync again.`
        : `The listing cannot be submitted while its flowStatus is ${listing.flowStatus}. It must be one of ${submittableFlows.join(', ')}.${flowHint(listing)}`,
  },
  {
    status: 'INVALID_SYNC_STATUS',
    isUnmet: ({ listing }) => !submittableSyncs.includes(listing.syncStatus),
    message: ({ listing }) =>
      `The listing cannot be submitted while its syncStatus is ${listing.syncStatus}. It must be one of ${submittableSyncs.join(', ')}. Sync again when the directory can be read.`,
  },
  {
    status: 'MANDATORY_FIELD_MISSING',
    isUnmet: ({ directory, profile }) => missingFields(directory, profile).length > 0,
    message: ({ directory, profile }) =>
      `${directory.name} requires ${missingFields(directory, profile).join(', ')}. Add the missing fields and sync again.`,
  },
  {
    status: 'ADDRESS_DISPLAY_NOT_SUPPORTED',
    isUnmet: ({ directory, profile }) => !directory.supports.addressDisplay && profile.addressDisplay !== false,
    message: ({ directory }) => `${directory.name} does not show addresses. Set addressDisplay to false.`,
  },
  {
    status: 'DELAYED',
    isUnmet: ({ listing, now }) => listing.notBefore !== null && listing.notBefore > now,
    message: ({ listing, directory }) =>
      `The submission to ${directory.name} is delayed until ${listing.notBefore?.toISOString()}.`,
  },
  {
    status: 'LIMIT_REACHED',
    isUnmet: ({ limited }) => limited,
    message: ({ directory }) =>
      `The rate limit of ${directory.name} is reached. The submission is retried automatically.`,
  },
];

export function findBlocker(state: SubmissionState): Blocker | undefined {
  const unmet = preconditions.find(({ isUnmet }) => isUnmet(state));
  return unmet && { status: unmet.status, message: unmet.message(state) };
}

const wordings: readonly (readonly [UpdateStatus, RegExp])[] = [
  ['DUPLICATED', /duplicat/i],
  ['LIMIT_REACHED', /\b(quota|too many|limit)\b/i],
  ['INVALID_CLAIM_STATUS', /\b(claim|owner|permission|belongs?|manages?\b)/i],
  ['ADDRESS_DISPLAY_NOT_SUPPORTED', /\b(shows?|displays?) no (street )?address|address (is )?hidden/i],
  ['MANDATORY_FIELD_MISSING', /\b(required|mandatory|missing|is needed|needs)\b/i],
  ['NOT_SUPPORTED', /\bnot (supported|available)\b|unsupported/i],
];

/** Maps a directory's refusal to the nearest status (decisions/0009). Without a match the listing needs review. */
export const refusalStatus = (messages: readonly string[]): UpdateStatus =>
  wordings.find(([, wording]) => messages.some((message) => wording.test(message)))?.[0] ?? 'INVALID_FLOW_STATUS';

const removalFlows: readonly FlowStatus[] = ['REMOVAL_NEEDED', 'CANCELLATION_NEEDED'];

export const isRemovalNeeded = ({ flowStatus }: Pick<Listing, 'flowStatus'>): boolean =>
  removalFlows.includes(flowStatus);

/** Whether the reason for the removal no longer applies: the location was reactivated since the last check. */
export const isReactivated = (listing: Listing, { location }: Pick<ListingContext, 'location'>): boolean =>
  removalStepsWith(listing.flowStatus) !== undefined &&
  listing.duplicateOf === null &&
  !listing.flowHeld &&
  removalSteps(location.status) === undefined;

export const isRemovalDue = (listing: Listing, listingContext: Pick<ListingContext, 'location'>): boolean =>
  isRemovalNeeded(listing) && !isReactivated(listing, listingContext);

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
  if (isRemovalDue(listing, listingContext)) return true;
  if (awaitsRecheck(listing)) return false;
  if (listing.submissionRequested) return true;
  const { location } = listingContext;
  if (listing.duplicateOf !== null || isRemovalNeeded(listing) || removalSteps(location.status)) return false;
  // Each revision is attempted once even when blocked, so that the blocker is reported; again only without a blocker.
  const isNew = listing.attemptedRevision !== location.revision;
  if (!isNew && findBlocker(assumeClaimed(submissionState(listing, listingContext, now)))) return false;
  return listing.flowStatus === 'SUBMISSION_NEEDED' || (isNew && !settledFlows.includes(listing.flowStatus));
}
