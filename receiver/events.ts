// Generated from the event catalogue by src/events/catalogue/generate-receiver-types.ts. Do not edit.

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

/** What every event carries. */
interface EventFrame {
  /** Unique over all partners and growing; a delivery may come twice, its id tells. */
  id: number;
  /** When it happened, in UTC with milliseconds: 2026-11-15T01:02:03.456+00:00. */
  time: string;
  /** Partner account whose event it is. */
  salesPartnerIdentifier: string;
}

/** A listing was compared with what its directory shows, whether or not a status changed by it. */
export interface ListingSyncCheckEvent extends EventFrame {
  type: 'LISTING_SYNC_CHECK';
  /** Business that the event is about. */
  business: number;
  /** Listing that the event is about. */
  listing: number;
  /** Location that the event is about; read it to get its data as it is now. */
  location: number;
  /** Directory by its upper-case name, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Whether the listing's status at Google changed. */
  googleStatusChanged: boolean;
  /** Whether the claim status changed. */
  claimStatusChanged: boolean;
  /** Whether the flow status changed. */
  flowStatusChanged: boolean;
  /** Whether the sync status changed. */
  syncStatusChanged: boolean;
  /** Claim status before. */
  fromListingClaimStatus: ListingClaimStatus;
  /** Claim status now; equal to the one before when it did not change. */
  toListingClaimStatus: ListingClaimStatus;
  /** Flow status before. */
  fromListingFlowStatus: FlowStatus;
  /** Flow status now; equal to the one before when it did not change. */
  toListingFlowStatus: FlowStatus;
  /** Sync status before. */
  fromListingSyncStatus: SyncStatus;
  /** Sync status now; equal to the one before when it did not change. */
  toListingSyncStatus: SyncStatus;
}

/** A person set a status of a listing by hand, usually an operator after looking at it. */
export interface ListingStatusChangeEvent extends EventFrame {
  type: 'LISTING_STATUS_CHANGE';
  /** Business that the event is about. */
  business: number;
  /** Listing that the event is about. */
  listing: number;
  /** Location that the event is about; read it to get its data as it is now. */
  location: number;
  /** Directory by its upper-case name, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Whether the claim status changed. */
  claimStatusChanged: boolean;
  /** Whether the flow status changed. */
  flowStatusChanged: boolean;
  /** Whether the sync status changed. */
  syncStatusChanged: boolean;
  /** Claim status before. */
  fromListingClaimStatus: ListingClaimStatus;
  /** Claim status now; equal to the one before when it did not change. */
  toListingClaimStatus: ListingClaimStatus;
  /** Flow status before. */
  fromListingFlowStatus: FlowStatus;
  /** Flow status now; equal to the one before when it did not change. */
  toListingFlowStatus: FlowStatus;
  /** Sync status before. */
  fromListingSyncStatus: SyncStatus;
  /** Sync status now; equal to the one before when it did not change. */
  toListingSyncStatus: SyncStatus;
  /** Who changed the status. */
  user: string;
}

/** A listing now points to a different page of its directory, chosen by a person or found as a better match, or its page is gone. The first page of a listing is no change. */
export interface ListingLinkChangeEvent extends EventFrame {
  type: 'LISTING_LINK_CHANGE';
  /** Business that the event is about. */
  business: number;
  /** Listing that the event is about. */
  listing: number;
  /** Location that the event is about; read it to get its data as it is now. */
  location: number;
  /** What happened, in words for people. */
  comment: string;
  /** Page it pointed to; empty when it pointed to none. */
  fromListingUrl: string;
  /** That page's id at the directory; empty when there was none. */
  fromListingId: string;
  /** Page it points to now; empty when the link was removed. */
  toListingUrl: string;
  /** That page's id at the directory; empty when there is none. */
  toListingId: string;
}

/** A location's data was to be submitted to a directory; the event says what came of it. */
export interface ListingUpdateEvent extends EventFrame {
  type: 'LISTING_UPDATE';
  /** Business that the event is about. */
  business: number;
  /** Listing that the event is about. */
  listing: number;
  /** Location that the event is about; read it to get its data as it is now. */
  location: number;
  /** Directory by its upper-case name, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Explanations, among them the directory's own words. */
  messages: string[];
  /** SUCCESS: updated. FAILURE: refused by the directory. UNDEFINED: not submitted, for the reason in updateStatus. */
  updateResult: UpdateResult;
  /** Why it was not updated; null exactly when updateResult is SUCCESS. DUPLICATED should not be shown as a failure. */
  updateStatus: UpdateStatus | null;
}

/** A look at a listing found new reviews, photos or other datapoints, or existing ones that changed. */
export interface ListingDatapointCheckEvent extends EventFrame {
  type: 'LISTING_DATAPOINT_CHECK';
  /** Business that the event is about. */
  business: number;
  /** Listing that the event is about. */
  listing: number;
  /** Location that the event is about; read it to get its data as it is now. */
  location: number;
  /** Directory by its upper-case name, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** How many new photos were found. */
  newPhotosFound: number;
  /** How many new reviews were found. */
  newReviewsFound: number;
  /** How many new check-ins were found. */
  newCheckinsFound: number;
  /** How many new conversations were found. */
  newConversationsFound: number;
  /** How many new comments were found. */
  newCommentsFound: number;
  /** How many new questions were found. */
  newQuestionsFound: number;
  /** Whether anything new was found. */
  newDatapointsFound: boolean;
  /** New datapoints, which can be read from now on; empty when only existing ones changed. */
  newDataPointIds: number[];
  /** Existing datapoints that changed, such as an edited review; absent when none did. */
  updatedDataPointIds?: number[];
}

/** Datapoints or replies of a listing vanished from the directory and no longer count on the platform. */
export interface ListingDatapointInvalidEvent extends EventFrame {
  type: 'LISTING_DATAPOINT_INVALID';
  /** Business that the event is about. */
  business: number;
  /** Listing that the event is about. */
  listing: number;
  /** Location that the event is about; read it to get its data as it is now. */
  location: number;
  /** Directory by its upper-case name, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Datapoints that are gone from the directory, such as customer reviews. */
  invalidDataPointIds: number[];
  /** Replies that are gone from the directory, such as the answers of the owner. */
  deletedDataPointIds: number[];
}

/** A look at a brand page found new datapoints, or existing ones that changed. */
export interface DirectoryBusinessPageDataPointCheckEvent extends EventFrame {
  type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK';
  /** Business that the event is about. */
  business: number;
  /** Directory by its upper-case name, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Brand page, on that directory, that the datapoints belong to. */
  directoryBusinessPage: number;
  /** Whether anything new was found. */
  newDatapointsFound: boolean;
  /** New datapoints, which can be read from now on; empty when only existing ones changed. */
  newDataPointIds: number[];
  /** Existing datapoints that changed, such as an edited review; empty when none did. */
  updatedDataPointIds: number[];
}

/** The same occasion as DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK, with the counts per kind, as an event with an id of its own. */
export interface BrandDatapointCheckEvent extends EventFrame {
  type: 'BRAND_DATAPOINT_CHECK';
  /** Business that the event is about. */
  business: number;
  /** Directory by its upper-case name, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Brand page, on that directory, that the datapoints belong to. */
  directoryBusinessPage: number;
  /** How many new photos were found. */
  newPhotosFound: number;
  /** How many new reviews were found. */
  newReviewsFound: number;
  /** How many new check-ins were found. */
  newCheckinsFound: number;
  /** How many new conversations were found. */
  newConversationsFound: number;
  /** How many new comments were found. */
  newCommentsFound: number;
  /** How many new questions were found. */
  newQuestionsFound: number;
  /** Whether anything new was found. */
  newDatapointsFound: boolean;
  /** New datapoints, which can be read from now on; empty when only existing ones changed. */
  newDataPointIds: number[];
  /** Existing datapoints that changed, such as an edited review; empty when none did. */
  updatedDataPointIds: number[];
}

/** Datapoints or replies of a brand page vanished from the directory and no longer count on the platform. */
export interface DirectoryBusinessPageDataPointInvalidEvent extends EventFrame {
  type: 'DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID';
  /** Business that the event is about. */
  business: number;
  /** Directory by its upper-case name, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Brand page, on that directory, that the datapoints belong to. */
  directoryBusinessPage: number;
  /** Datapoints that are gone from the directory, such as customer reviews. */
  invalidDataPointIds: number[];
  /** Replies that are gone from the directory, such as the answers of the owner. */
  deletedDataPointIds: number[];
}

/** A location was created. */
export interface LocationCreatedEvent extends EventFrame {
  type: 'LOCATION_CREATED';
  /** What happened, in words for people. */
  comment: string;
  /** Location that the event is about; read it to get its data as it is now. */
  location: number;
  /** The way by which it came in. */
  source: LocationSource;
}

/** The status of a location moved, by a person or by itself. */
export interface LocationStatusChangedEvent extends EventFrame {
  type: 'LOCATION_STATUS_CHANGED';
  /** What happened, in words for people. */
  comment: string;
  /** Location that the event is about; read it to get its data as it is now. */
  location: number;
  /** Status before. */
  from: LocationStatus;
  /** Status now. */
  to: LocationStatus;
  /** Who changed the status; absent when it moved by itself. */
  user?: string;
}

/** A user changed the data of a location; the comment names the changed fields. */
export interface LocationProfileChangedEvent extends EventFrame {
  type: 'LOCATION_PROFILE_CHANGED';
  /** What happened, in words for people. */
  comment: string;
  /** Location that the event is about; read it to get its data as it is now. */
  location: number;
  /** Who changed the data. */
  user: string;
}

/** A directory suggests other data for a location, which can be accepted or declined. */
export interface LocationDataSuggestionEvent extends EventFrame {
  type: 'LOCATION_DATA_SUGGESTION';
  /** Business that the event is about. */
  business: number;
  /** Location that the event is about; read it to get its data as it is now. */
  location: number;
  /** Directory by its upper-case name, such as GOOGLE or APPLE_MAPS. */
  directoryType: string;
  /** Suggestions that wait for an answer. */
  suggestionIds: number[];
  /** Names of the location fields that they are about. */
  fields: string[];
}

/** A business was created in the partner account. */
export interface BusinessCreatedEvent extends EventFrame {
  type: 'BUSINESS_CREATED';
  /** Business that the event is about. */
  business: number;
  /** What happened, in words for people. */
  comment: string;
  /** Who made the change: the user's e-mail address, PRIVATE_TOKEN (made with a private key) or SYSTEM (the platform itself). */
  changedBy: string;
}

/** A business, and with it its locations, moved to another product plan. */
export interface BusinessProductPlanChangedEvent extends EventFrame {
  type: 'BUSINESS_PRODUCT_PLAN_CHANGED';
  /** Business that the event is about. */
  business: number;
  /** What happened, in words for people. */
  comment: string;
  /** Plan that it has now. */
  newProductPlanId: number;
  /** The new plan's name. */
  newProductPlanName: string;
  /** The new plan's price in cents. */
  newProductPlanPrice: number;
  /** Plan that it had before. */
  oldProductPlanId: number;
  /** The old plan's name. */
  oldProductPlanName: string;
  /** The old plan's price in cents. */
  oldProductPlanPrice: number;
  /** Who made the change: the user's e-mail address, PRIVATE_TOKEN (made with a private key) or SYSTEM (the platform itself). */
  changedBy: string;
}

/** Any event. `type` tells which one; types may be added, so leave room for those that you do not know. */
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
  | BusinessProductPlanChangedEvent;

export type WaypostEventType = WaypostEvent['type'];
