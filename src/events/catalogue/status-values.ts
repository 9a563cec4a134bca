import Type from 'typebox';

/** The title becomes the name of the type in the receiver package, such as `SyncStatus`. */
const valueSet =
  <Values extends string[]>(title: string, values: readonly [...Values]) =>
  (description: string) =>
    Type.Enum(values, { title, description });

export const claimStatuses = [
  'CLAIMABLE',
  'NOT_CLAIMABLE',
  'CLAIMED_BY_US',
  'CLAIMED_BY_OTHERS',
  'CLAIMED_BY_ANOTHER_US',
  'CLAIMING_IN_PROGRESS',
  'UNKNOWN',
] as const;
export const listingClaimStatus = valueSet('ListingClaimStatus', claimStatuses);

export const flowStatuses = [
  'SUBMISSION_NEEDED',
  'WAITING_USER_ACTION',
  'WAITING_DIRECTORY_ACTION',
  'ALL_INFORMATION_SUBMITTED',
  'NO_ACTION_NEEDED',
  'NEEDS_REVIEW',
  'NOT_SUPPORTED',
  'INACTIVE',
  'MANUALLY_DEACTIVATED',
  'MANUALLY_CREATED',
  'REMOVAL_NEEDED',
  'REMOVAL_SUBMITTED',
  'REMOVED',
  'CANCELLATION_NEEDED',
  'CANCELLATION_SUBMITTED',
] as const;
export const flowStatus = valueSet('FlowStatus', flowStatuses);

export const syncStatus = valueSet('SyncStatus', [
  'IN_SYNC',
  'NOT_IN_SYNC',
  'NOT_FOUND',
  'TECHNICAL_PROBLEMS',
  'NOT_SUPPORTED',
  'NO_ONLINE_LISTING',
  'LINK_ONLY',
]);

export const locationStatuses = [
  'CREATED',
  'ACTIVE',
  'NEEDS_REVIEW',
  'CANCELLED',
  'INACTIVE',
  'CLOSED',
  'DELETED',
] as const;
export const locationStatus = valueSet('LocationStatus', locationStatuses);

export const locationSource = valueSet('LocationSource', [
  'API',
  'CHECKOUT',
  'CSV_UPLOAD',
  'DEMO_JOB',
  'LOCATION_DATA_DOWNLOAD',
]);

export const updateResult = valueSet('UpdateResult', ['SUCCESS', 'FAILURE', 'UNDEFINED']);

const updateStatuses = [
  'MANDATORY_FIELD_MISSING',
  'NOT_SUPPORTED',
  'INVALID_CLAIM_STATUS',
  'INVALID_FLOW_STATUS',
  'INVALID_SYNC_STATUS',
  'INVALID_LOCATION_STATUS',
  'LOCATION_NOT_NORMALIZED',
  'DUPLICATED',
  'LIMIT_REACHED',
  'ADDRESS_DISPLAY_NOT_SUPPORTED',
  'LOCATION_NOT_SYNCED',
  'LOCATION_NOT_CLEANSED',
  'DELAYED',
] as const;

/** An enum with null: a union of enum and null would report three errors for one wrong value. */
export const updateStatusOrNull = (description: string) =>
  Type.Unsafe<(typeof updateStatuses)[number] | null>({
    enum: [...updateStatuses, null],
    title: 'UpdateStatus',
    description,
  });
