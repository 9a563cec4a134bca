import Type, { type Static } from 'typebox';
import {
  flowStatus,
  listingClaimStatus,
  syncStatus,
  type updateResult,
  type updateStatusOrNull,
} from '../../events/catalogue/status-values.ts';
import { findDirectory, type ListingProfile } from '../directories/index.ts';
import { type ComparedFields, fieldStatuses } from './field-comparison.ts';

export type ClaimStatus = Static<ReturnType<typeof listingClaimStatus>>;
export type FlowStatus = Static<ReturnType<typeof flowStatus>>;
export type SyncStatus = Static<ReturnType<typeof syncStatus>>;
export type UpdateResult = Static<ReturnType<typeof updateResult>>;
export type UpdateStatus = NonNullable<Static<ReturnType<typeof updateStatusOrNull>>>;

export const connectStatuses = ['NOT_CONNECTED', 'CONNECTED', 'NOT_NEEDED'] as const;
type ConnectStatus = (typeof connectStatuses)[number];

/** The three that directories and people move. */
export interface ListingStatuses {
  claimStatus: ClaimStatus;
  flowStatus: FlowStatus;
  syncStatus: SyncStatus;
}

/** A location on a directory: the page there, how it stands with it, and what is to be done. */
export interface Listing extends ListingStatuses {
  id: number;
  partnerId: number;
  locationId: number;
  directoryType: string;
  /** The directory's own id and address of the page; none while there is no page. */
  externalId: string | null;
  url: string | null;
  /** Whether it was ever linked to a page. */
  hadPage: boolean;
  status: 'ACTIVE' | 'INACTIVE';
  connectStatus: ConnectStatus;
  /** How the page compared when it was last seen. */
  fields: ComparedFields;
  matchingFields: number;
  comparableFields: number;
  /** The listing whose page this one repeats. */
  duplicateOf: number | null;
  suppressedAt: Date | null;
  /** A directory that is down or limits us is not asked again before this. */
  notBefore: Date | null;
  /** The state of the location that was last compared, last tried to submit, and last submitted. */
  checkedRevision: number | null;
  triedRevision: number | null;
  submittedRevision: number | null;
  /** What was last submitted: a directory that shows it changed nothing by itself. */
  submitted: ListingProfile | null;
  /** A client asked for a submission: it is sent even when nothing differs. */
  submissionRequested: boolean;
  /** Counts the needs to submit. */
  submissionRound: number;
  /** The directory reviews the last submission, and its decision is not known yet. */
  underReview: boolean;
  /** A person set the flow status, or the link: checks leave it alone. */
  flowHeld: boolean;
  linkHeld: boolean;
  /** Checks in a row that did not reach the directory. */
  failedChecks: number;
  lastChecked: Date | null;
  lastSuccessfulUpdate: Date | null;
  dateCreated: Date;
}

/** Flow statuses in which nothing is done for a listing any more. */
const atRest: readonly FlowStatus[] = ['INACTIVE', 'MANUALLY_DEACTIVATED', 'REMOVED', 'CANCELLATION_SUBMITTED'];

export const listingStatusOf = (flow: FlowStatus): Listing['status'] => (atRest.includes(flow) ? 'INACTIVE' : 'ACTIVE');

const ComparedFieldAnswer = Type.Object({
  field: Type.String(),
  status: Type.Enum([...fieldStatuses]),
  locationValue: Type.Optional(Type.Unknown({ description: 'What the location had when it was compared' })),
  directoryValue: Type.Optional(Type.Unknown({ description: 'What the directory showed' })),
});

export const ListingAnswer = Type.Object({
  id: Type.Integer(),
  locationId: Type.Integer(),
  type: Type.String({ description: 'The directory, such as GOOGLE' }),
  typeName: Type.String({ description: 'What people call the directory' }),
  listingUrl: Type.Optional(Type.String({ description: 'The page on the directory; absent while there is none' })),
  listingId: Type.Optional(Type.String({ description: "The page's id at the directory" })),
  claimStatus: listingClaimStatus('Whom the page belongs to.'),
  flowStatus: flowStatus('What is to be done, and by whom.'),
  syncStatus: syncStatus('Whether the directory shows what the location has.'),
  status: Type.Enum(['ACTIVE', 'INACTIVE']),
  connectStatus: Type.Enum([...connectStatuses]),
  fields: Type.Array(ComparedFieldAnswer, { description: 'Side by side, as of lastChecked' }),
  mandatoryFields: Type.Array(Type.String(), {
    description: 'Fields without which the directory takes no submission',
  }),
  lastChecked: Type.Optional(Type.String()),
  lastSuccessfulUpdate: Type.Optional(Type.String()),
  duplicateOf: Type.Optional(Type.Integer({ description: 'The listing whose page this one repeats' })),
  suppressedAt: Type.Optional(Type.String({ description: 'When the directory was asked to take the duplicate away' })),
  nextTry: Type.Optional(Type.String({ description: 'Before this the directory is not asked again' })),
  dateCreated: Type.String(),
});

export function listingAnswer(listing: Listing): Static<typeof ListingAnswer> {
  const directory = findDirectory(listing.directoryType);
  return {
    id: listing.id,
    locationId: listing.locationId,
    type: listing.directoryType,
    typeName: directory?.name ?? listing.directoryType,
    ...(listing.url !== null && { listingUrl: listing.url }),
    ...(listing.externalId !== null && { listingId: listing.externalId }),
    claimStatus: listing.claimStatus,
    flowStatus: listing.flowStatus,
    syncStatus: listing.syncStatus,
    status: listing.status,
    connectStatus: listing.connectStatus,
    fields: Object.entries(listing.fields).map(([field, { status, expected, shown }]) => ({
      field,
      status,
      ...(expected !== undefined && { locationValue: expected }),
      ...(shown !== undefined && { directoryValue: shown }),
    })),
    mandatoryFields: [...(directory?.mandatoryFields ?? [])],
    ...(listing.lastChecked && { lastChecked: listing.lastChecked.toISOString() }),
    ...(listing.lastSuccessfulUpdate && { lastSuccessfulUpdate: listing.lastSuccessfulUpdate.toISOString() }),
    ...(listing.duplicateOf !== null && { duplicateOf: listing.duplicateOf }),
    ...(listing.suppressedAt && { suppressedAt: listing.suppressedAt.toISOString() }),
    ...(listing.notBefore && { nextTry: listing.notBefore.toISOString() }),
    dateCreated: listing.dateCreated.toISOString(),
  };
}
