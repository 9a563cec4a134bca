// Generated from the event catalogue by receivers/generate.ts. Do not edit.

export type ListingClaimStatus =
  | 'CLAIMABLE'
  | 'NOT_CLAIMABLE'
  | 'CLAIMED_BY_US'
  | 'CLAIMED_BY_OTHERS'
  | 'CLAIMED_BY_ANOTHER_US'
  | 'CLAIMING_IN_PROGRESS'
  | 'UNKNOWN';

export type FlowStatus =
  | 'SUBMISSION_NEEDED'
  | 'WAITING_USER_ACTION'
  | 'WAITING_DIRECTORY_ACTION'
  | 'ALL_INFORMATION_SUBMITTED'
  | 'NO_ACTION_NEEDED'
  | 'NEEDS_REVIEW'
  | 'NOT_SUPPORTED'
  | 'INACTIVE'
  | 'MANUALLY_DEACTIVATED'
  | 'MANUALLY_CREATED'
  | 'REMOVAL_NEEDED'
  | 'REMOVAL_SUBMITTED'
  | 'REMOVED'
  | 'CANCELLATION_NEEDED'
  | 'CANCELLATION_SUBMITTED';

export type SyncStatus =
  | 'IN_SYNC'
  | 'NOT_IN_SYNC'
  | 'NOT_FOUND'
  | 'TECHNICAL_PROBLEMS'
  | 'NOT_SUPPORTED'
  | 'NO_ONLINE_LISTING'
  | 'LINK_ONLY';

export type UpdateResult = 'SUCCESS' | 'FAILURE' | 'UNDEFINED';

export type UpdateStatus =
  | 'MANDATORY_FIELD_MISSING'
  | 'NOT_SUPPORTED'
  | 'INVALID_CLAIM_STATUS'
  | 'INVALID_FLOW_STATUS'
  | 'INVALID_SYNC_STATUS'
  | 'INVALID_LOCATION_STATUS'
  | 'LOCATION_NOT_NORMALIZED'
  | 'DUPLICATED'
  | 'LIMIT_REACHED'
  | 'ADDRESS_DISPLAY_NOT_SUPPORTED'
  | 'LOCATION_NOT_SYNCED'
  | 'LOCATION_NOT_CLEANSED'
  | 'DELAYED';

export type LocationSource = 'API' | 'CHECKOUT' | 'CSV_UPLOAD' | 'DEMO_JOB' | 'LOCATION_DATA_DOWNLOAD';

export type LocationStatus = 'CREATED' | 'ACTIVE' | 'NEEDS_REVIEW' | 'CANCELLED' | 'INACTIVE' | 'CLOSED' | 'DELETED';

export type WebhookFailingCause = 'FAILING' | 'PAUSED' | 'DISABLED_SOON';

/** Fields of every event. */
interface EventFrame {
  /** Unique across all partners and increasing. A delivery may arrive twice; use the id to detect duplicates. */
  id: number;
  /** Time of the event in UTC with milliseconds: 2026-11-15T01:02:03.456+00:00. */
  time: string;
  /** Partner account of the event. */
  salesPartnerIdentifier: string;
}

/** A listing was compared with its directory, whether or not a status changed. */
export interface ListingSyncCheckEvent extends EventFrame {
  type: 'LISTING_SYNC_CHECK';
  /** Id of the business. */
  business: number;
  /** Id of the listing. */
  listing: number;
  /** Id of the location. Read the location to get its current data. */
  location: number;
  /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Whether the listing's status on Google changed. */
  googleStatusChanged: boolean;
  /** Whether the claim status changed. */
  claimStatusChanged: boolean;
  /** Whether the flow status changed. */
  flowStatusChanged: boolean;
  /** Whether the sync status changed. */
  syncStatusChanged: boolean;
  /** Previous claim status. */
  fromListingClaimStatus: ListingClaimStatus;
  /** New claim status; equal to the previous one if it did not change. */
  toListingClaimStatus: ListingClaimStatus;
  /** Previous flow status. */
  fromListingFlowStatus: FlowStatus;
  /** New flow status; equal to the previous one if it did not change. */
  toListingFlowStatus: FlowStatus;
  /** Previous sync status. */
  fromListingSyncStatus: SyncStatus;
  /** New sync status; equal to the previous one if it did not change. */
  toListingSyncStatus: SyncStatus;
}

/** A user changed a status of a listing manually, usually an operator after a review. */
export interface ListingStatusChangeEvent extends EventFrame {
  type: 'LISTING_STATUS_CHANGE';
  /** Id of the business. */
  business: number;
  /** Id of the listing. */
  listing: number;
  /** Id of the location. Read the location to get its current data. */
  location: number;
  /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Whether the claim status changed. */
  claimStatusChanged: boolean;
  /** Whether the flow status changed. */
  flowStatusChanged: boolean;
  /** Whether the sync status changed. */
  syncStatusChanged: boolean;
  /** Previous claim status. */
  fromListingClaimStatus: ListingClaimStatus;
  /** New claim status; equal to the previous one if it did not change. */
  toListingClaimStatus: ListingClaimStatus;
  /** Previous flow status. */
  fromListingFlowStatus: FlowStatus;
  /** New flow status; equal to the previous one if it did not change. */
  toListingFlowStatus: FlowStatus;
  /** Previous sync status. */
  fromListingSyncStatus: SyncStatus;
  /** New sync status; equal to the previous one if it did not change. */
  toListingSyncStatus: SyncStatus;
  /** User who changed the status. */
  user: string;
}

/** The URL of a listing on its directory changed or was removed, by a user or because a better match was found. The first URL that was found or created automatically is not a change. */
export interface ListingLinkChangeEvent extends EventFrame {
  type: 'LISTING_LINK_CHANGE';
  /** Id of the business. */
  business: number;
  /** Id of the listing. */
  listing: number;
  /** Id of the location. Read the location to get its current data. */
  location: number;
  /** Human-readable description. */
  comment: string;
  /** Previous URL of the listing; empty if there was none. */
  fromListingUrl: string;
  /** Previous id of the listing on the directory; empty if there was none. */
  fromListingId: string;
  /** New URL of the listing; empty if it was removed. */
  toListingUrl: string;
  /** New id of the listing on the directory; empty if there is none. */
  toListingId: string;
}

/** Result of submitting the data of a location to a directory. */
export interface ListingUpdateEvent extends EventFrame {
  type: 'LISTING_UPDATE';
  /** Id of the business. */
  business: number;
  /** Id of the listing. */
  listing: number;
  /** Id of the location. Read the location to get its current data. */
  location: number;
  /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Explanations, including messages of the directory. */
  messages: string[];
  /** SUCCESS: updated. FAILURE: rejected by the directory. UNDEFINED: not submitted; updateStatus has the reason. */
  updateResult: UpdateResult;
  /** Why the listing was not updated; null only if updateResult is SUCCESS. DUPLICATED should not be shown as a failure. */
  updateStatus: UpdateStatus | null;
}

/** A check of a listing found new or changed reviews, photos or other datapoints. */
export interface ListingDatapointCheckEvent extends EventFrame {
  type: 'LISTING_DATAPOINT_CHECK';
  /** Id of the business. */
  business: number;
  /** Id of the listing. */
  listing: number;
  /** Id of the location. Read the location to get its current data. */
  location: number;
  /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Number of new photos. */
  newPhotosFound: number;
  /** Number of new reviews. */
  newReviewsFound: number;
  /** Number of new check-ins. */
  newCheckinsFound: number;
  /** Number of new conversations. */
  newConversationsFound: number;
  /** Number of new comments. */
  newCommentsFound: number;
  /** Number of new questions. */
  newQuestionsFound: number;
  /** Whether new datapoints were found. */
  newDatapointsFound: boolean;
  /** Ids of new datapoints; empty when only existing ones changed. */
  newDataPointIds: number[];
  /** Ids of existing datapoints that changed, such as an edited review; absent if none changed. */
  updatedDataPointIds?: number[];
}

/** Datapoints or replies of a listing were removed from the directory, or the listing was unlinked or its location deleted. They are no longer valid on the platform. */
export interface ListingDatapointInvalidEvent extends EventFrame {
  type: 'LISTING_DATAPOINT_INVALID';
  /** Id of the business. */
  business: number;
  /** Id of the listing. */
  listing: number;
  /** Id of the location. Read the location to get its current data. */
  location: number;
  /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Ids of datapoints that are no longer valid, such as customer reviews. */
  invalidDataPointIds: number[];
  /** Ids of replies that are no longer valid, such as replies of the owner. */
  deletedDataPointIds: number[];
}

/** A check of a brand page found new or changed datapoints. */
export interface DirectoryBusinessPageDataPointCheckEvent extends EventFrame {
  type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK';
  /** Id of the business. */
  business: number;
  /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Id of the brand page of the datapoints. */
  directoryBusinessPage: number;
  /** Whether new datapoints were found. */
  newDatapointsFound: boolean;
  /** Ids of new datapoints; empty when only existing ones changed. */
  newDataPointIds: number[];
  /** Ids of existing datapoints that changed, such as an edited review; empty if none changed. */
  updatedDataPointIds: number[];
}

/** Recorded together with DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK, as a separate event with counts per type of datapoint. */
export interface BrandDatapointCheckEvent extends EventFrame {
  type: 'BRAND_DATAPOINT_CHECK';
  /** Id of the business. */
  business: number;
  /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Id of the brand page of the datapoints. */
  directoryBusinessPage: number;
  /** Number of new photos. */
  newPhotosFound: number;
  /** Number of new reviews. */
  newReviewsFound: number;
  /** Number of new check-ins. */
  newCheckinsFound: number;
  /** Number of new conversations. */
  newConversationsFound: number;
  /** Number of new comments. */
  newCommentsFound: number;
  /** Number of new questions. */
  newQuestionsFound: number;
  /** Whether new datapoints were found. */
  newDatapointsFound: boolean;
  /** Ids of new datapoints; empty when only existing ones changed. */
  newDataPointIds: number[];
  /** Ids of existing datapoints that changed, such as an edited review; empty if none changed. */
  updatedDataPointIds: number[];
}

/** Datapoints or replies of a brand page were removed from the directory, or the page no longer belongs to the business. They are no longer valid on the platform. */
export interface DirectoryBusinessPageDataPointInvalidEvent extends EventFrame {
  type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID';
  /** Id of the business. */
  business: number;
  /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Id of the brand page of the datapoints. */
  directoryBusinessPage: number;
  /** Ids of datapoints that are no longer valid, such as customer reviews. */
  invalidDataPointIds: number[];
  /** Ids of replies that are no longer valid, such as replies of the owner. */
  deletedDataPointIds: number[];
}

/** A location was created. */
export interface LocationCreatedEvent extends EventFrame {
  type: 'LOCATION_CREATED';
  /** Human-readable description. */
  comment: string;
  /** Id of the location. Read the location to get its current data. */
  location: number;
  /** How the location was created. */
  source: LocationSource;
}

/** The status of a location changed, by a user or automatically. */
export interface LocationStatusChangedEvent extends EventFrame {
  type: 'LOCATION_STATUS_CHANGED';
  /** Human-readable description. */
  comment: string;
  /** Id of the location. Read the location to get its current data. */
  location: number;
  /** Previous status. */
  from: LocationStatus;
  /** New status. */
  to: LocationStatus;
  /** User who changed the status; absent if it changed automatically. */
  user?: string;
}

/** A user changed the data of a location. The comment lists the changed fields. */
export interface LocationProfileChangedEvent extends EventFrame {
  type: 'LOCATION_PROFILE_CHANGED';
  /** Human-readable description. */
  comment: string;
  /** Id of the location. Read the location to get its current data. */
  location: number;
  /** User who changed the data. */
  user: string;
}

/** A directory suggests different data for a location. The suggestions can be accepted or declined. */
export interface LocationDataSuggestionEvent extends EventFrame {
  type: 'LOCATION_DATA_SUGGESTION';
  /** Id of the business. */
  business: number;
  /** Id of the location. Read the location to get its current data. */
  location: number;
  /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Ids of the pending suggestions. */
  suggestionIds: number[];
  /** Names of the suggested location fields. */
  fields: string[];
}

/** A business was created in the partner account. */
export interface BusinessCreatedEvent extends EventFrame {
  type: 'BUSINESS_CREATED';
  /** Id of the business. */
  business: number;
  /** Human-readable description. */
  comment: string;
  /** Author of the change: the user's e-mail address, PRIVATE_TOKEN (an API client with a private key) or SYSTEM (the platform). */
  changedBy: string;
}

/** A business and its locations changed to another product plan. */
export interface BusinessProductPlanChangedEvent extends EventFrame {
  type: 'BUSINESS_PRODUCT_PLAN_CHANGED';
  /** Id of the business. */
  business: number;
  /** Human-readable description. */
  comment: string;
  /** Id of the new plan. */
  newProductPlanId: number;
  /** Name of the new plan. */
  newProductPlanName: string;
  /** Price of the new plan in cents. */
  newProductPlanPrice: number;
  /** Id of the previous plan. */
  oldProductPlanId: number;
  /** Name of the previous plan. */
  oldProductPlanName: string;
  /** Price of the previous plan in cents. */
  oldProductPlanPrice: number;
  /** Author of the change: the user's e-mail address, PRIVATE_TOKEN (an API client with a private key) or SYSTEM (the platform). */
  changedBy: string;
}

/** Deliveries of a webhook are failing or paused, or it will be disabled soon. */
export interface WebhookFailingEvent extends EventFrame {
  type: 'WEBHOOK_FAILING';
  /** Id of the webhook. */
  webhook: number;
  /** Event type that the webhook is subscribed to. */
  webhookType: string;
  /** What happened, with the last error or the reason. */
  comment: string;
  /** When the problem began, in the format of time. */
  since: string;
  /** At most one event per webhook, cause and hour is recorded. */
  cause: WebhookFailingCause;
  /** When the webhook is disabled if all deliveries keep failing. Absent if that is never. */
  disablesAt?: string;
}

/** A failing or disabled webhook delivers again, or a user enabled, resumed or changed it. */
export interface WebhookRecoveredEvent extends EventFrame {
  type: 'WEBHOOK_RECOVERED';
  /** Id of the webhook. */
  webhook: number;
  /** Event type that the webhook is subscribed to. */
  webhookType: string;
  /** What happened, with the last error or the reason. */
  comment: string;
  /** When the problem began, in the format of time. */
  since: string;
}

/** A webhook was disabled because its receiver responded with 410 or all deliveries failed for days. */
export interface WebhookDisabledEvent extends EventFrame {
  type: 'WEBHOOK_DISABLED';
  /** Id of the webhook. */
  webhook: number;
  /** Event type that the webhook is subscribed to. */
  webhookType: string;
  /** What happened, with the last error or the reason. */
  comment: string;
  /** When the problem began, in the format of time. */
  since: string;
}

/** Any event, discriminated by `type`. Types may be added, so handle unknown ones. */
export type WaypostEvent =
  | ListingSyncCheckEvent
  | ListingStatusChangeEvent
  | ListingLinkChangeEvent
  | ListingUpdateEvent
  | ListingDatapointCheckEvent
  | ListingDatapointInvalidEvent
  | DirectoryBusinessPageDataPointCheckEvent
  | BrandDatapointCheckEvent
  | DirectoryBusinessPageDataPointInvalidEvent
  | LocationCreatedEvent
  | LocationStatusChangedEvent
  | LocationProfileChangedEvent
  | LocationDataSuggestionEvent
  | BusinessCreatedEvent
  | BusinessProductPlanChangedEvent
  | WebhookFailingEvent
  | WebhookRecoveredEvent
  | WebhookDisabledEvent;

export type WaypostEventType = WaypostEvent['type'];
