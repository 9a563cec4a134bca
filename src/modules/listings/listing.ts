import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Listings } from '../../database/schema.ts';
import {
  flowStatus,
  listingClaimStatus,
  syncStatus,
  type updateResult,
  type updateStatusOrNull,
} from '../../events/catalogue/status-values.ts';
import { recordResponse } from '../../http/record-response.ts';
import { findDirectory, type ListingProfile } from '../directories/index.ts';
import { type ComparedFields, fieldStatuses } from './field-comparison.ts';

export type ClaimStatus = Static<ReturnType<typeof listingClaimStatus>>;
export type FlowStatus = Static<ReturnType<typeof flowStatus>>;
export type SyncStatus = Static<ReturnType<typeof syncStatus>>;
export type UpdateResult = Static<ReturnType<typeof updateResult>>;
export type UpdateStatus = NonNullable<Static<ReturnType<typeof updateStatusOrNull>>>;

export const connectStatuses = ['NOT_CONNECTED', 'CONNECTED', 'NOT_NEEDED'] as const;

/** Statuses that checks, submissions and users change. */
export interface ListingStatuses {
  claimStatus: ClaimStatus;
  flowStatus: FlowStatus;
  syncStatus: SyncStatus;
}

/** The columns that are named like their properties. */
export const sameColumns = {
  id: 'int8',
  partnerId: 'int8',
  locationId: 'int8',
  directoryType: 'text',
  /** Id and URL at the directory; null while the listing is not linked. */
  externalId: 'text',
  url: 'text',
  claimStatus: 'text',
  flowStatus: 'text',
  syncStatus: 'text',
  status: 'text',
  connectStatus: 'text',
  matchingFields: 'int2',
  comparableFields: 'int2',
  /** Id of the original listing when this one is a duplicate. */
  duplicateOf: 'int8',
  suppressedAt: 'timestamptz',
  /** No calls to the directory before this time, after an outage, a rate limit or the loss of the listing. */
  notBefore: 'timestamptz',
  /** Location revisions at the last comparison and at the last successful submission. */
  checkedRevision: 'int4',
  submittedRevision: 'int4',
  /** A client requested a submission: it is sent even without differences. */
  submissionRequested: 'bool',
  /** Incremented with each new reason to submit; part of the idempotency key. */
  submissionRound: 'int4',
  /** The directory is reviewing the last submission. */
  underReview: 'bool',
  /** Set by a user: checks do not change the flow status or the link. */
  flowHeld: 'bool',
  linkHeld: 'bool',
  /** External ids that a user unlinked: checks do not link them again. */
  unlinkedPages: 'text[]',
  /** Consecutive checks that did not reach the directory. */
  failedChecks: 'int2',
  lastChecked: 'timestamptz',
  lastSuccessfulUpdate: 'timestamptz',
  dateCreated: 'timestamptz',
} as const;

/** The columns with a fixed set of values. */
export interface ListingEnums extends ListingStatuses {
  status: 'ACTIVE' | 'INACTIVE';
  connectStatus: (typeof connectStatuses)[number];
}

/** A location on a directory. */
export interface Listing
  extends Omit<Pick<Selectable<Listings>, keyof typeof sameColumns>, keyof ListingEnums>,
    ListingEnums {
  /** Whether the listing was ever linked. */
  wasLinked: boolean;
  /** Location revision at the last submission attempt. */
  attemptedRevision: number | null;
  /** Result of the last comparison with the directory. */
  fields: ComparedFields;
  /** Last submitted profile. Differences from it were made by the directory. */
  submitted: ListingProfile | null;
}

/** For a listing that is linked to another directory listing: nothing was submitted to that one. */
export const unsubmitted = {
  submitted: null,
  submittedRevision: null,
  attemptedRevision: null,
  underReview: false,
} as const;

/** Flow statuses in which the platform stops updating the listing. */
const inactiveFlows: readonly FlowStatus[] = ['INACTIVE', 'MANUALLY_DEACTIVATED', 'REMOVED', 'CANCELLATION_SUBMITTED'];

/** Flow statuses in which a listing is not counted: outside the plan, or removed. Also in counts_for_visibility(). */
export const uncountedFlows: readonly FlowStatus[] = ['INACTIVE', 'REMOVED'];

/** Flow statuses that require an action of a user. */
export const actionRequiredFlows: readonly FlowStatus[] = ['WAITING_USER_ACTION', 'NEEDS_REVIEW'];

export const listingStatusOf = (flow: FlowStatus): Listing['status'] =>
  inactiveFlows.includes(flow) ? 'INACTIVE' : 'ACTIVE';

const ComparedFieldResponse = Type.Object({
  field: Type.String(),
  status: Type.Enum([...fieldStatuses]),
  locationValue: Type.Optional(Type.Unknown({ description: 'Value of the location at the time of the comparison' })),
  directoryValue: Type.Optional(Type.Unknown({ description: 'Value shown by the directory' })),
});

export const ListingResponse = Type.Object({
  id: Type.Integer(),
  locationId: Type.Integer(),
  type: Type.String({ description: 'Directory type, such as GOOGLE' }),
  typeName: Type.String({ description: 'Display name of the directory' }),
  listingUrl: Type.Optional(Type.String({ description: 'URL on the directory; absent while not linked' })),
  listingId: Type.Optional(Type.String({ description: 'Id at the directory; absent while not linked' })),
  claimStatus: listingClaimStatus('Owner of the listing at the directory.'),
  flowStatus: flowStatus('Next step, and who has to take it.'),
  syncStatus: syncStatus('Whether the directory shows the data of the location.'),
  status: Type.Enum(['ACTIVE', 'INACTIVE']),
  connectStatus: Type.Enum([...connectStatuses]),
  fields: Type.Array(ComparedFieldResponse, { description: 'Field comparison at lastChecked' }),
  mandatoryFields: Type.Array(Type.String(), {
    description: 'Fields that the directory requires for a submission',
  }),
  lastChecked: Type.Optional(Type.String()),
  lastSuccessfulUpdate: Type.Optional(Type.String()),
  duplicateOf: Type.Optional(Type.Integer({ description: 'Id of the original listing, for a duplicate' })),
  suppressedAt: Type.Optional(Type.String({ description: 'When removal of the duplicate was requested' })),
  nextTry: Type.Optional(
    Type.String({
      description:
        'No scheduled calls to the directory before this time: after an outage, a rate limit, or a check that did not find the listing',
    }),
  ),
  dateCreated: Type.String(),
});

export function listingResponse(listing: Listing): Static<typeof ListingResponse> {
  const directory = findDirectory(listing.directoryType);
  return recordResponse(ListingResponse, {
    ...listing,
    type: listing.directoryType,
    typeName: directory?.name ?? listing.directoryType,
    listingUrl: listing.url,
    listingId: listing.externalId,
    fields: Object.entries(listing.fields).map(([field, { status, expected, shown }]) => ({
      field,
      status,
      ...(expected !== undefined && { locationValue: expected }),
      ...(shown !== undefined && { directoryValue: shown }),
    })),
    mandatoryFields: [...(directory?.mandatoryFields ?? [])],
    nextTry: listing.notBefore,
  });
}

export type CountedListing = Pick<Listing, 'directoryType' | 'syncStatus' | 'matchingFields' | 'comparableFields'>;

interface ListingFigures {
  listingsCount: number;
  listingsInSync: number;
  /** 0 to 100; null before the first comparison. */
  visibilityIndex: number | null;
}

/** Listings are weighted by their directory. */
export function listingFigures(
  listings: readonly CountedListing[],
  weightOf: (directoryType: string) => number,
): ListingFigures {
  let matching = 0;
  let comparable = 0;
  for (const listing of listings) {
    const weight = weightOf(listing.directoryType);
    matching += listing.matchingFields * weight;
    comparable += listing.comparableFields * weight;
  }
  return {
    listingsCount: listings.length,
    listingsInSync: listings.filter(({ syncStatus }) => syncStatus === 'IN_SYNC').length,
    visibilityIndex: comparable === 0 ? null : Math.round((100 * matching) / comparable),
  };
}

/** Whether `notBefore` was set by a rate limit. After an outage the directory may be called at any time. */
export const isRateLimited = ({ notBefore, failedChecks }: Pick<Listing, 'notBefore' | 'failedChecks'>): boolean =>
  notBefore !== null && failedChecks === 0;

type LinkState = Pick<Listing, 'externalId' | 'checkedRevision' | 'claimStatus' | 'syncStatus'>;
type DoubtState = LinkState & Pick<Listing, 'notBefore'>;

/** Whether a check has found the listing that is linked. A confirmed loss removes the link and the owner. */
export const isFoundLink = ({ externalId, checkedRevision, claimStatus }: Omit<LinkState, 'syncStatus'>): boolean =>
  externalId !== null && checkedRevision !== null && claimStatus !== 'UNKNOWN';

/**
 * Whether the last check did not find the linked listing, and no later check has confirmed this. Nothing is submitted: it
 * would create a duplicate if the directory shows the listing again.
 */
export const isLossDoubted = (listing: LinkState): boolean =>
  isFoundLink(listing) && listing.syncStatus === 'NOT_FOUND';

/** Whether a check will confirm or disprove the loss. None follows if the directory can no longer be read. */
export const awaitsRecheck = (listing: DoubtState): boolean => isLossDoubted(listing) && listing.notBefore !== null;

const minute = 60_000;
const hour = 60 * minute;

/** Exponential backoff from 2 minutes to 4 hours, with 20 % jitter. `random` is from 0 to 1. */
export function recheckAfterOutage(failedChecks: number, now: Date, random: number): Date {
  const wait = Math.min(2 * minute * 2 ** Math.max(0, failedChecks - 1), 4 * hour);
  return new Date(now.getTime() + wait * (0.8 + 0.4 * random));
}

export const recheckAfterLimit = (retryAfterSeconds: number, now: Date, random: number): Date =>
  new Date(now.getTime() + 1000 * Math.max(1, retryAfterSeconds) * (1 + 0.2 * random));

/** When a check can confirm that the listing is lost: 2 minutes after the first one that did not find it. */
export const recheckAfterLoss = (listing: DoubtState, now: Date): Date =>
  isLossDoubted(listing) && listing.notBefore && listing.notBefore > now
    ? listing.notBefore
    : new Date(now.getTime() + 2 * minute);

/** Reviews take minutes or days, so the interval grows with the time elapsed, from 1 minute to 6 hours. */
export function recheckDuringReview(since: Date | null, now: Date): Date {
  const elapsed = now.getTime() - (since ?? now).getTime();
  return new Date(now.getTime() + Math.min(Math.max(elapsed, minute), 6 * hour));
}
