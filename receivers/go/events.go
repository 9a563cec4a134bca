// Code generated from the event catalogue by receivers/generate.ts. DO NOT EDIT.

package receiver

import "encoding/json"

// ListingClaimStatus has the known values below. Values may be added.
type ListingClaimStatus string

const (
	ListingClaimStatusClaimable          ListingClaimStatus = "CLAIMABLE"
	ListingClaimStatusNotClaimable       ListingClaimStatus = "NOT_CLAIMABLE"
	ListingClaimStatusClaimedByUs        ListingClaimStatus = "CLAIMED_BY_US"
	ListingClaimStatusClaimedByOthers    ListingClaimStatus = "CLAIMED_BY_OTHERS"
	ListingClaimStatusClaimedByAnotherUs ListingClaimStatus = "CLAIMED_BY_ANOTHER_US"
	ListingClaimStatusClaimingInProgress ListingClaimStatus = "CLAIMING_IN_PROGRESS"
	ListingClaimStatusUnknown            ListingClaimStatus = "UNKNOWN"
)

// FlowStatus has the known values below. Values may be added.
type FlowStatus string

const (
	FlowStatusSubmissionNeeded        FlowStatus = "SUBMISSION_NEEDED"
	FlowStatusWaitingUserAction       FlowStatus = "WAITING_USER_ACTION"
	FlowStatusWaitingDirectoryAction  FlowStatus = "WAITING_DIRECTORY_ACTION"
	FlowStatusAllInformationSubmitted FlowStatus = "ALL_INFORMATION_SUBMITTED"
	FlowStatusNoActionNeeded          FlowStatus = "NO_ACTION_NEEDED"
	FlowStatusNeedsReview             FlowStatus = "NEEDS_REVIEW"
	FlowStatusNotSupported            FlowStatus = "NOT_SUPPORTED"
	FlowStatusInactive                FlowStatus = "INACTIVE"
	FlowStatusManuallyDeactivated     FlowStatus = "MANUALLY_DEACTIVATED"
	FlowStatusManuallyCreated         FlowStatus = "MANUALLY_CREATED"
	FlowStatusRemovalNeeded           FlowStatus = "REMOVAL_NEEDED"
	FlowStatusRemovalSubmitted        FlowStatus = "REMOVAL_SUBMITTED"
	FlowStatusRemoved                 FlowStatus = "REMOVED"
	FlowStatusCancellationNeeded      FlowStatus = "CANCELLATION_NEEDED"
	FlowStatusCancellationSubmitted   FlowStatus = "CANCELLATION_SUBMITTED"
)

// SyncStatus has the known values below. Values may be added.
type SyncStatus string

const (
	SyncStatusInSync            SyncStatus = "IN_SYNC"
	SyncStatusNotInSync         SyncStatus = "NOT_IN_SYNC"
	SyncStatusNotFound          SyncStatus = "NOT_FOUND"
	SyncStatusTechnicalProblems SyncStatus = "TECHNICAL_PROBLEMS"
	SyncStatusNotSupported      SyncStatus = "NOT_SUPPORTED"
	SyncStatusNoOnlineListing   SyncStatus = "NO_ONLINE_LISTING"
	SyncStatusLinkOnly          SyncStatus = "LINK_ONLY"
)

// UpdateResult has the known values below. Values may be added.
type UpdateResult string

const (
	UpdateResultSuccess   UpdateResult = "SUCCESS"
	UpdateResultFailure   UpdateResult = "FAILURE"
	UpdateResultUndefined UpdateResult = "UNDEFINED"
)

// UpdateStatus has the known values below. Values may be added.
type UpdateStatus string

const (
	UpdateStatusMandatoryFieldMissing      UpdateStatus = "MANDATORY_FIELD_MISSING"
	UpdateStatusNotSupported               UpdateStatus = "NOT_SUPPORTED"
	UpdateStatusInvalidClaimStatus         UpdateStatus = "INVALID_CLAIM_STATUS"
	UpdateStatusInvalidFlowStatus          UpdateStatus = "INVALID_FLOW_STATUS"
	UpdateStatusInvalidSyncStatus          UpdateStatus = "INVALID_SYNC_STATUS"
	UpdateStatusInvalidLocationStatus      UpdateStatus = "INVALID_LOCATION_STATUS"
	UpdateStatusLocationNotNormalized      UpdateStatus = "LOCATION_NOT_NORMALIZED"
	UpdateStatusDuplicated                 UpdateStatus = "DUPLICATED"
	UpdateStatusLimitReached               UpdateStatus = "LIMIT_REACHED"
	UpdateStatusAddressDisplayNotSupported UpdateStatus = "ADDRESS_DISPLAY_NOT_SUPPORTED"
	UpdateStatusLocationNotSynced          UpdateStatus = "LOCATION_NOT_SYNCED"
	UpdateStatusLocationNotCleansed        UpdateStatus = "LOCATION_NOT_CLEANSED"
	UpdateStatusDelayed                    UpdateStatus = "DELAYED"
)

// LocationSource has the known values below. Values may be added.
type LocationSource string

const (
	LocationSourceAPI                  LocationSource = "API"
	LocationSourceCheckout             LocationSource = "CHECKOUT"
	LocationSourceCSVUpload            LocationSource = "CSV_UPLOAD"
	LocationSourceDemoJob              LocationSource = "DEMO_JOB"
	LocationSourceLocationDataDownload LocationSource = "LOCATION_DATA_DOWNLOAD"
)

// LocationStatus has the known values below. Values may be added.
type LocationStatus string

const (
	LocationStatusCreated     LocationStatus = "CREATED"
	LocationStatusActive      LocationStatus = "ACTIVE"
	LocationStatusNeedsReview LocationStatus = "NEEDS_REVIEW"
	LocationStatusCancelled   LocationStatus = "CANCELLED"
	LocationStatusInactive    LocationStatus = "INACTIVE"
	LocationStatusClosed      LocationStatus = "CLOSED"
	LocationStatusDeleted     LocationStatus = "DELETED"
)

// WebhookFailingCause has the known values below. Values may be added.
type WebhookFailingCause string

const (
	WebhookFailingCauseFailing      WebhookFailingCause = "FAILING"
	WebhookFailingCausePaused       WebhookFailingCause = "PAUSED"
	WebhookFailingCauseDisabledSoon WebhookFailingCause = "DISABLED_SOON"
)

// EventFrame has the fields of every event.
type EventFrame struct {
	// Unique across all partners and increasing. A delivery may arrive twice; use the id to detect duplicates.
	ID int64 `json:"id"`
	// Time of the event in UTC with milliseconds: 2026-11-15T01:02:03.456+00:00.
	Time string `json:"time"`
	// Event type, such as LOCATION_CREATED.
	Type string `json:"type"`
	// Partner account of the event.
	SalesPartnerIdentifier string `json:"salesPartnerIdentifier"`
	// Text of the event, including fields that are newer than this package.
	Raw json.RawMessage `json:"-"`
}

// ListingSyncCheckEvent: A listing was compared with its directory, whether or not a status changed.
type ListingSyncCheckEvent struct {
	EventFrame
	// Id of the business.
	Business int64 `json:"business"`
	// Id of the listing.
	Listing int64 `json:"listing"`
	// Id of the location. Read the location to get its current data.
	Location int64 `json:"location"`
	// Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
	DirectoryType string `json:"directoryType"`
	// Whether the listing's status on Google changed.
	GoogleStatusChanged bool `json:"googleStatusChanged"`
	// Whether the claim status changed.
	ClaimStatusChanged bool `json:"claimStatusChanged"`
	// Whether the flow status changed.
	FlowStatusChanged bool `json:"flowStatusChanged"`
	// Whether the sync status changed.
	SyncStatusChanged bool `json:"syncStatusChanged"`
	// Previous claim status.
	FromListingClaimStatus ListingClaimStatus `json:"fromListingClaimStatus"`
	// New claim status; equal to the previous one if it did not change.
	ToListingClaimStatus ListingClaimStatus `json:"toListingClaimStatus"`
	// Previous flow status.
	FromListingFlowStatus FlowStatus `json:"fromListingFlowStatus"`
	// New flow status; equal to the previous one if it did not change.
	ToListingFlowStatus FlowStatus `json:"toListingFlowStatus"`
	// Previous sync status.
	FromListingSyncStatus SyncStatus `json:"fromListingSyncStatus"`
	// New sync status; equal to the previous one if it did not change.
	ToListingSyncStatus SyncStatus `json:"toListingSyncStatus"`
}

// ListingStatusChangeEvent: A user changed a status of a listing manually, usually an operator after a review.
type ListingStatusChangeEvent struct {
	EventFrame
	// Id of the business.
	Business int64 `json:"business"`
	// Id of the listing.
	Listing int64 `json:"listing"`
	// Id of the location. Read the location to get its current data.
	Location int64 `json:"location"`
	// Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
	DirectoryType string `json:"directoryType"`
	// Whether the claim status changed.
	ClaimStatusChanged bool `json:"claimStatusChanged"`
	// Whether the flow status changed.
	FlowStatusChanged bool `json:"flowStatusChanged"`
	// Whether the sync status changed.
	SyncStatusChanged bool `json:"syncStatusChanged"`
	// Previous claim status.
	FromListingClaimStatus ListingClaimStatus `json:"fromListingClaimStatus"`
	// New claim status; equal to the previous one if it did not change.
	ToListingClaimStatus ListingClaimStatus `json:"toListingClaimStatus"`
	// Previous flow status.
	FromListingFlowStatus FlowStatus `json:"fromListingFlowStatus"`
	// New flow status; equal to the previous one if it did not change.
	ToListingFlowStatus FlowStatus `json:"toListingFlowStatus"`
	// Previous sync status.
	FromListingSyncStatus SyncStatus `json:"fromListingSyncStatus"`
	// New sync status; equal to the previous one if it did not change.
	ToListingSyncStatus SyncStatus `json:"toListingSyncStatus"`
	// User who changed the status.
	User string `json:"user"`
}

// ListingLinkChangeEvent: The URL of a listing on its directory changed or was removed, by a user or because a better match was found. The first URL that was found or created automatically is not a change.
type ListingLinkChangeEvent struct {
	EventFrame
	// Id of the business.
	Business int64 `json:"business"`
	// Id of the listing.
	Listing int64 `json:"listing"`
	// Id of the location. Read the location to get its current data.
	Location int64 `json:"location"`
	// Human-readable description.
	Comment string `json:"comment"`
	// Previous URL of the listing; empty if there was none.
	FromListingURL string `json:"fromListingUrl"`
	// Previous id of the listing on the directory; empty if there was none.
	FromListingID string `json:"fromListingId"`
	// New URL of the listing; empty if it was removed.
	ToListingURL string `json:"toListingUrl"`
	// New id of the listing on the directory; empty if there is none.
	ToListingID string `json:"toListingId"`
}

// ListingUpdateEvent: Result of submitting the data of a location to a directory.
type ListingUpdateEvent struct {
	EventFrame
	// Id of the business.
	Business int64 `json:"business"`
	// Id of the listing.
	Listing int64 `json:"listing"`
	// Id of the location. Read the location to get its current data.
	Location int64 `json:"location"`
	// Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
	DirectoryType string `json:"directoryType"`
	// Explanations, including messages of the directory.
	Messages []string `json:"messages"`
	// SUCCESS: updated. FAILURE: rejected by the directory. UNDEFINED: not submitted; updateStatus has the reason.
	UpdateResult UpdateResult `json:"updateResult"`
	// Why the listing was not updated; null only if updateResult is SUCCESS. DUPLICATED should not be shown as a failure. Empty instead of null.
	UpdateStatus UpdateStatus `json:"updateStatus"`
}

// ListingDatapointCheckEvent: A check of a listing found new or changed reviews, photos or other datapoints.
type ListingDatapointCheckEvent struct {
	EventFrame
	// Id of the business.
	Business int64 `json:"business"`
	// Id of the listing.
	Listing int64 `json:"listing"`
	// Id of the location. Read the location to get its current data.
	Location int64 `json:"location"`
	// Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
	DirectoryType string `json:"directoryType"`
	// Number of new photos.
	NewPhotosFound int64 `json:"newPhotosFound"`
	// Number of new reviews.
	NewReviewsFound int64 `json:"newReviewsFound"`
	// Number of new check-ins.
	NewCheckinsFound int64 `json:"newCheckinsFound"`
	// Number of new conversations.
	NewConversationsFound int64 `json:"newConversationsFound"`
	// Number of new comments.
	NewCommentsFound int64 `json:"newCommentsFound"`
	// Number of new questions.
	NewQuestionsFound int64 `json:"newQuestionsFound"`
	// Whether new datapoints were found.
	NewDatapointsFound bool `json:"newDatapointsFound"`
	// Ids of new datapoints; empty when only existing ones changed.
	NewDataPointIDs []int64 `json:"newDataPointIds"`
	// Ids of existing datapoints that changed, such as an edited review; absent if none changed.
	UpdatedDataPointIDs []int64 `json:"updatedDataPointIds"`
}

// ListingDatapointInvalidEvent: Datapoints or replies of a listing were removed from the directory, or the listing was unlinked or its location deleted. They are no longer valid on the platform.
type ListingDatapointInvalidEvent struct {
	EventFrame
	// Id of the business.
	Business int64 `json:"business"`
	// Id of the listing.
	Listing int64 `json:"listing"`
	// Id of the location. Read the location to get its current data.
	Location int64 `json:"location"`
	// Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
	DirectoryType string `json:"directoryType"`
	// Ids of datapoints that are no longer valid, such as customer reviews.
	InvalidDataPointIDs []int64 `json:"invalidDataPointIds"`
	// Ids of replies that are no longer valid, such as replies of the owner.
	DeletedDataPointIDs []int64 `json:"deletedDataPointIds"`
}

// DirectoryBusinessPageDataPointCheckEvent: A check of a brand page found new or changed datapoints.
type DirectoryBusinessPageDataPointCheckEvent struct {
	EventFrame
	// Id of the business.
	Business int64 `json:"business"`
	// Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
	DirectoryType string `json:"directoryType"`
	// Id of the brand page of the datapoints.
	DirectoryBusinessPage int64 `json:"directoryBusinessPage"`
	// Whether new datapoints were found.
	NewDatapointsFound bool `json:"newDatapointsFound"`
	// Ids of new datapoints; empty when only existing ones changed.
	NewDataPointIDs []int64 `json:"newDataPointIds"`
	// Ids of existing datapoints that changed, such as an edited review; empty if none changed.
	UpdatedDataPointIDs []int64 `json:"updatedDataPointIds"`
}

// BrandDatapointCheckEvent: Recorded together with DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK, as a separate event with counts per type of datapoint.
type BrandDatapointCheckEvent struct {
	EventFrame
	// Id of the business.
	Business int64 `json:"business"`
	// Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
	DirectoryType string `json:"directoryType"`
	// Id of the brand page of the datapoints.
	DirectoryBusinessPage int64 `json:"directoryBusinessPage"`
	// Number of new photos.
	NewPhotosFound int64 `json:"newPhotosFound"`
	// Number of new reviews.
	NewReviewsFound int64 `json:"newReviewsFound"`
	// Number of new check-ins.
	NewCheckinsFound int64 `json:"newCheckinsFound"`
	// Number of new conversations.
	NewConversationsFound int64 `json:"newConversationsFound"`
	// Number of new comments.
	NewCommentsFound int64 `json:"newCommentsFound"`
	// Number of new questions.
	NewQuestionsFound int64 `json:"newQuestionsFound"`
	// Whether new datapoints were found.
	NewDatapointsFound bool `json:"newDatapointsFound"`
	// Ids of new datapoints; empty when only existing ones changed.
	NewDataPointIDs []int64 `json:"newDataPointIds"`
	// Ids of existing datapoints that changed, such as an edited review; empty if none changed.
	UpdatedDataPointIDs []int64 `json:"updatedDataPointIds"`
}

// DirectoryBusinessPageDataPointInvalidEvent: Datapoints or replies of a brand page were removed from the directory, or the page no longer belongs to the business. They are no longer valid on the platform.
type DirectoryBusinessPageDataPointInvalidEvent struct {
	EventFrame
	// Id of the business.
	Business int64 `json:"business"`
	// Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
	DirectoryType string `json:"directoryType"`
	// Id of the brand page of the datapoints.
	DirectoryBusinessPage int64 `json:"directoryBusinessPage"`
	// Ids of datapoints that are no longer valid, such as customer reviews.
	InvalidDataPointIDs []int64 `json:"invalidDataPointIds"`
	// Ids of replies that are no longer valid, such as replies of the owner.
	DeletedDataPointIDs []int64 `json:"deletedDataPointIds"`
}

// LocationCreatedEvent: A location was created.
type LocationCreatedEvent struct {
	EventFrame
	// Human-readable description.
	Comment string `json:"comment"`
	// Id of the location. Read the location to get its current data.
	Location int64 `json:"location"`
	// How the location was created.
	Source LocationSource `json:"source"`
}

// LocationStatusChangedEvent: The status of a location changed, by a user or automatically.
type LocationStatusChangedEvent struct {
	EventFrame
	// Human-readable description.
	Comment string `json:"comment"`
	// Id of the location. Read the location to get its current data.
	Location int64 `json:"location"`
	// Previous status.
	From LocationStatus `json:"from"`
	// New status.
	To LocationStatus `json:"to"`
	// User who changed the status; absent if it changed automatically. Empty if absent.
	User string `json:"user"`
}

// LocationProfileChangedEvent: A user changed the data of a location. The comment lists the changed fields.
type LocationProfileChangedEvent struct {
	EventFrame
	// Human-readable description.
	Comment string `json:"comment"`
	// Id of the location. Read the location to get its current data.
	Location int64 `json:"location"`
	// User who changed the data.
	User string `json:"user"`
}

// LocationDataSuggestionEvent: A directory suggests different data for a location. The suggestions can be accepted or declined.
type LocationDataSuggestionEvent struct {
	EventFrame
	// Id of the business.
	Business int64 `json:"business"`
	// Id of the location. Read the location to get its current data.
	Location int64 `json:"location"`
	// Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
	DirectoryType string `json:"directoryType"`
	// Ids of the pending suggestions.
	SuggestionIDs []int64 `json:"suggestionIds"`
	// Names of the suggested location fields.
	Fields []string `json:"fields"`
}

// BusinessCreatedEvent: A business was created in the partner account.
type BusinessCreatedEvent struct {
	EventFrame
	// Id of the business.
	Business int64 `json:"business"`
	// Human-readable description.
	Comment string `json:"comment"`
	// Author of the change: the user's e-mail address, PRIVATE_TOKEN (an API client with a private key) or SYSTEM (the platform).
	ChangedBy string `json:"changedBy"`
}

// BusinessProductPlanChangedEvent: A business and its locations changed to another product plan.
type BusinessProductPlanChangedEvent struct {
	EventFrame
	// Id of the business.
	Business int64 `json:"business"`
	// Human-readable description.
	Comment string `json:"comment"`
	// Id of the new plan.
	NewProductPlanID int64 `json:"newProductPlanId"`
	// Name of the new plan.
	NewProductPlanName string `json:"newProductPlanName"`
	// Price of the new plan in cents.
	NewProductPlanPrice int64 `json:"newProductPlanPrice"`
	// Id of the previous plan.
	OldProductPlanID int64 `json:"oldProductPlanId"`
	// Name of the previous plan.
	OldProductPlanName string `json:"oldProductPlanName"`
	// Price of the previous plan in cents.
	OldProductPlanPrice int64 `json:"oldProductPlanPrice"`
	// Author of the change: the user's e-mail address, PRIVATE_TOKEN (an API client with a private key) or SYSTEM (the platform).
	ChangedBy string `json:"changedBy"`
}

// WebhookFailingEvent: Deliveries of a webhook are failing or paused, or it will be disabled soon.
type WebhookFailingEvent struct {
	EventFrame
	// Id of the webhook.
	Webhook int64 `json:"webhook"`
	// Event type that the webhook is subscribed to.
	WebhookType string `json:"webhookType"`
	// What happened, with the last error or the reason.
	Comment string `json:"comment"`
	// When the problem began, in the format of time.
	Since string `json:"since"`
	// At most one event per webhook, cause and hour is recorded.
	Cause WebhookFailingCause `json:"cause"`
	// When the webhook is disabled if all deliveries keep failing. Absent if that is never. Empty if absent.
	DisablesAt string `json:"disablesAt"`
}

// WebhookRecoveredEvent: A failing or disabled webhook delivers again, or a user enabled, resumed or changed it.
type WebhookRecoveredEvent struct {
	EventFrame
	// Id of the webhook.
	Webhook int64 `json:"webhook"`
	// Event type that the webhook is subscribed to.
	WebhookType string `json:"webhookType"`
	// What happened, with the last error or the reason.
	Comment string `json:"comment"`
	// When the problem began, in the format of time.
	Since string `json:"since"`
}

// WebhookDisabledEvent: A webhook was disabled because its receiver responded with 410 or all deliveries failed for days.
type WebhookDisabledEvent struct {
	EventFrame
	// Id of the webhook.
	Webhook int64 `json:"webhook"`
	// Event type that the webhook is subscribed to.
	WebhookType string `json:"webhookType"`
	// What happened, with the last error or the reason.
	Comment string `json:"comment"`
	// When the problem began, in the format of time.
	Since string `json:"since"`
}

// newEvent returns an empty event of the type, or nil if the type is unknown.
func newEvent(eventType string) Event {
	switch eventType {
	case "LISTING_SYNC_CHECK":
		return &ListingSyncCheckEvent{}
	case "LISTING_STATUS_CHANGE":
		return &ListingStatusChangeEvent{}
	case "LISTING_LINK_CHANGE":
		return &ListingLinkChangeEvent{}
	case "LISTING_UPDATE":
		return &ListingUpdateEvent{}
	case "LISTING_DATAPOINT_CHECK":
		return &ListingDatapointCheckEvent{}
	case "LISTING_DATAPOINT_INVALID":
		return &ListingDatapointInvalidEvent{}
	case "DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK":
		return &DirectoryBusinessPageDataPointCheckEvent{}
	case "BRAND_DATAPOINT_CHECK":
		return &BrandDatapointCheckEvent{}
	case "DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID":
		return &DirectoryBusinessPageDataPointInvalidEvent{}
	case "LOCATION_CREATED":
		return &LocationCreatedEvent{}
	case "LOCATION_STATUS_CHANGED":
		return &LocationStatusChangedEvent{}
	case "LOCATION_PROFILE_CHANGED":
		return &LocationProfileChangedEvent{}
	case "LOCATION_DATA_SUGGESTION":
		return &LocationDataSuggestionEvent{}
	case "BUSINESS_CREATED":
		return &BusinessCreatedEvent{}
	case "BUSINESS_PRODUCT_PLAN_CHANGED":
		return &BusinessProductPlanChangedEvent{}
	case "WEBHOOK_FAILING":
		return &WebhookFailingEvent{}
	case "WEBHOOK_RECOVERED":
		return &WebhookRecoveredEvent{}
	case "WEBHOOK_DISABLED":
		return &WebhookDisabledEvent{}
	}
	return nil
}
