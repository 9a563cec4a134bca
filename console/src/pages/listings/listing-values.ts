import type { ResponseOf } from '../../api/call.ts';
import type { Tone } from '../../parts/status-badge.tsx';
import { keysOf } from '../../texts/t.ts';
import { listings } from './listings-texts.ts';

export type Listing = ResponseOf<'GET /api/listings/{id}'>;
type SyncStatus = Listing['syncStatus'];
export type FlowStatus = Listing['flowStatus'];

export const listingSorts = ['directoryType', 'syncStatus', 'flowStatus'] as const;

export const syncStatuses = keysOf<SyncStatus>(listings.sync);
export const flowStatuses = keysOf<FlowStatus>(listings.flow);
export const claimStatuses = keysOf<Listing['claimStatus']>(listings.claim);
export const connectStatuses = keysOf<Listing['connectStatus']>(listings.connect);

/** Statuses that a user can set; the others follow from directory responses. */
export const flowsByHand = [
  'SUBMISSION_NEEDED',
  'WAITING_USER_ACTION',
  'WAITING_DIRECTORY_ACTION',
  'ALL_INFORMATION_SUBMITTED',
  'NO_ACTION_NEEDED',
  'NEEDS_REVIEW',
  'INACTIVE',
  'MANUALLY_DEACTIVATED',
  'MANUALLY_CREATED',
  'REMOVAL_NEEDED',
  'CANCELLATION_NEEDED',
] as const satisfies readonly FlowStatus[];

const syncTones: Record<SyncStatus, Tone> = {
  IN_SYNC: 'good',
  NOT_IN_SYNC: 'warning',
  NOT_FOUND: 'bad',
  TECHNICAL_PROBLEMS: 'bad',
  NOT_SUPPORTED: 'neutral',
  NO_ONLINE_LISTING: 'neutral',
  LINK_ONLY: 'neutral',
};

type SyncState = Pick<Listing, 'syncStatus' | 'flowStatus'>;

/** A directory without submissions cannot be expected to have a listing. */
const isNotExpected = ({ syncStatus, flowStatus }: SyncState): boolean =>
  syncStatus === 'NOT_FOUND' && flowStatus === 'NOT_SUPPORTED';

export const syncToneOf = (listing: SyncState): Tone =>
  isNotExpected(listing) ? 'neutral' : syncTones[listing.syncStatus];

type Compared = SyncState & Pick<Listing, 'connectStatus' | 'lastChecked'>;

/** Why a listing has no compared fields. */
export function whyNotCompared(listing: Compared) {
  const status = isNotExpected(listing) ? 'NOT_SUPPORTED' : listing.syncStatus;
  if (listing.connectStatus === 'NOT_CONNECTED') return 'NOT_CONNECTED';
  if (status === 'IN_SYNC' || status === 'NOT_IN_SYNC') return 'NOT_CHECKED';
  return status === 'NOT_FOUND' && listing.lastChecked === undefined ? 'NOT_CHECKED' : status;
}

const uncountedFlows: readonly FlowStatus[] = ['INACTIVE', 'REMOVED'];

/** The flow statuses of listings that figures count; see `isCounted`. */
export const countedFlows = flowStatuses.filter((flow) => !uncountedFlows.includes(flow));

/** Figures of locations and directories do not count duplicates and listings that are inactive or removed. */
export const isCounted = ({ duplicateOf, flowStatus }: Pick<Listing, 'duplicateOf' | 'flowStatus'>): boolean =>
  duplicateOf === undefined && !uncountedFlows.includes(flowStatus);

export const differencesOf = ({ fields }: Pick<Listing, 'fields'>): number =>
  fields.filter(({ status }) => status === 'MISMATCH' || status === 'MISSING').length;
