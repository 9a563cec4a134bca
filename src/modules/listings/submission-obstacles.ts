import { acceptsSubmissions, type Directory, type ListingProfile, missingFields } from '../directories/index.ts';
import type { ClaimStatus, FlowStatus, Listing, SyncStatus, UpdateStatus } from './listing.ts';

/** Everything that decides whether a location's data can be submitted to a directory. */
export interface SubmissionState {
  location: {
    status: string;
    normalizationStatus: string;
    cleansingStatus: string;
    synced: boolean;
  };
  directory: Directory;
  listing: Pick<Listing, 'duplicateOf' | 'externalId' | 'claimStatus' | 'flowStatus' | 'syncStatus' | 'notBefore'>;
  profile: ListingProfile;
  /** The directory has just said that it takes no more for now. */
  limited: boolean;
  now: Date;
}

export interface Obstacle {
  status: UpdateStatus;
  message: string;
}

/** CREATED is not among them only until the first sync, which has an obstacle of its own. */
const submittableLocations = ['CREATED', 'ACTIVE', 'CANCELLED'];

const submittableFlows: readonly FlowStatus[] = [
  'SUBMISSION_NEEDED',
  'ALL_INFORMATION_SUBMITTED',
  'NO_ACTION_NEEDED',
  'WAITING_DIRECTORY_ACTION',
];
const submittableSyncs: readonly SyncStatus[] = ['IN_SYNC', 'NOT_IN_SYNC', 'NOT_FOUND', 'NO_ONLINE_LISTING'];

/** Where there is no page yet, one can be created, unless the location's page belongs to another listing. */
const mayWrite = (claim: ClaimStatus, externalId: string | null) =>
  externalId === null ? claim !== 'CLAIMED_BY_ANOTHER_US' : claim === 'CLAIMED_BY_US';

interface Precondition {
  status: UpdateStatus;
  /** Why it is not met; nothing when it is. */
  unmet(state: SubmissionState): string | undefined;
}

const precondition = (
  status: UpdateStatus,
  isUnmet: (state: SubmissionState) => boolean,
  message: (state: SubmissionState) => string,
): Precondition => ({ status, unmet: (state) => (isUnmet(state) ? message(state) : undefined) });

/** In the order in which they are checked; the first that is not met is reported. */
export const preconditions: readonly Precondition[] = [
  precondition(
    'INVALID_LOCATION_STATUS',
    ({ location }) => !submittableLocations.includes(location.status),
    ({ location }) => `The location is ${location.status}; only locations that are ACTIVE or CANCELLED are submitted.`,
  ),
  precondition(
    'LOCATION_NOT_NORMALIZED',
    ({ location }) => location.normalizationStatus !== 'NORMALIZED',
    () => 'The address of the location is not normalized yet.',
  ),
  precondition(
    'LOCATION_NOT_CLEANSED',
    ({ location, directory }) => directory.needsCleansing && location.cleansingStatus !== 'CLEANSED',
    ({ location, directory }) =>
      `${directory.name} takes cleansed locations only; this one is ${location.cleansingStatus}.`,
  ),
  precondition(
    'LOCATION_NOT_SYNCED',
    ({ location }) => !location.synced,
    () => 'The location has not been synced yet. Start its first sync.',
  ),
  precondition(
    'NOT_SUPPORTED',
    ({ directory }) => !acceptsSubmissions(directory),
    ({ directory }) => `${directory.name} takes no submissions.`,
  ),
  precondition(
    'DUPLICATED',
    ({ listing }) => listing.duplicateOf !== null,
    ({ listing }) => `The page repeats that of listing ${listing.duplicateOf}, which is kept up to date instead.`,
  ),
  precondition(
    'INVALID_CLAIM_STATUS',
    ({ listing }) => !mayWrite(listing.claimStatus, listing.externalId),
    ({ listing, directory }) => `The page on ${directory.name} is ${listing.claimStatus}, not CLAIMED_BY_US.`,
  ),
  precondition(
    'INVALID_FLOW_STATUS',
    ({ listing }) => !submittableFlows.includes(listing.flowStatus),
    ({ listing, directory }) =>
      directory.needsConnection && listing.flowStatus === 'WAITING_USER_ACTION'
        ? `Connect an account of ${directory.name} first.`
        : `The flow status ${listing.flowStatus} allows no submission.`,
  ),
  precondition(
    'INVALID_SYNC_STATUS',
    ({ listing }) => !submittableSyncs.includes(listing.syncStatus),
    ({ listing }) => `The sync status ${listing.syncStatus} allows no submission.`,
  ),
  precondition(
    'MANDATORY_FIELD_MISSING',
    ({ directory, profile }) => missingFields(directory, profile).length > 0,
    ({ directory, profile }) =>
      `${directory.name} requires ${missingFields(directory, profile).join(', ')}. Complete the location and sync again.`,
  ),
  precondition(
    'ADDRESS_DISPLAY_NOT_SUPPORTED',
    ({ directory, profile }) => !directory.supports.addressDisplay && profile.addressDisplay !== false,
    ({ directory }) => `${directory.name} shows no addresses, and the location is to show its address.`,
  ),
  precondition(
    'DELAYED',
    ({ listing, now }) => listing.notBefore !== null && listing.notBefore > now,
    ({ listing, directory }) => `${directory.name} is asked again after ${listing.notBefore?.toISOString()}.`,
  ),
  precondition(
    'LIMIT_REACHED',
    ({ limited }) => limited,
    ({ directory }) => `${directory.name} takes no more submissions for now.`,
  ),
];

export function firstObstacle(state: SubmissionState): Obstacle | undefined {
  for (const { status, unmet } of preconditions) {
    const message = unmet(state);
    if (message !== undefined) return { status, message };
  }
  return undefined;
}

const wordings: readonly (readonly [UpdateStatus, RegExp])[] = [
  ['DUPLICATED', /duplicat/i],
  ['LIMIT_REACHED', /\b(quota|too many|limit)\b/i],
  ['INVALID_CLAIM_STATUS', /\b(claim|owner|permission|belongs?|manages?\b)/i],
  ['ADDRESS_DISPLAY_NOT_SUPPORTED', /\b(shows?|displays?) no (street )?address|address (is )?hidden/i],
  ['MANDATORY_FIELD_MISSING', /\b(required|mandatory|missing|is needed|needs)\b/i],
  ['NOT_SUPPORTED', /\bnot (supported|available)\b|unsupported/i],
];

/**
 * The value nearest to what a directory said when it refused (see decisions/0009). What fits none of them is for
 * somebody to look at, which is what the listing's flow status then says.
 */
export const refusalStatus = (messages: readonly string[]): UpdateStatus =>
  wordings.find(([, wording]) => messages.some((message) => wording.test(message)))?.[0] ?? 'INVALID_FLOW_STATUS';
