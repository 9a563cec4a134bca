# frozen_string_literal: true

# Generated from the event catalogue by receivers/generate.ts. Do not edit.

module Waypost

  # Known values. Values may be added.
  module ListingClaimStatus
    CLAIMABLE = "CLAIMABLE"
    NOT_CLAIMABLE = "NOT_CLAIMABLE"
    CLAIMED_BY_US = "CLAIMED_BY_US"
    CLAIMED_BY_OTHERS = "CLAIMED_BY_OTHERS"
    CLAIMED_BY_ANOTHER_US = "CLAIMED_BY_ANOTHER_US"
    CLAIMING_IN_PROGRESS = "CLAIMING_IN_PROGRESS"
    UNKNOWN = "UNKNOWN"
  end

  # Known values. Values may be added.
  module FlowStatus
    SUBMISSION_NEEDED = "SUBMISSION_NEEDED"
    WAITING_USER_ACTION = "WAITING_USER_ACTION"
    WAITING_DIRECTORY_ACTION = "WAITING_DIRECTORY_ACTION"
    ALL_INFORMATION_SUBMITTED = "ALL_INFORMATION_SUBMITTED"
    NO_ACTION_NEEDED = "NO_ACTION_NEEDED"
    NEEDS_REVIEW = "NEEDS_REVIEW"
    NOT_SUPPORTED = "NOT_SUPPORTED"
    INACTIVE = "INACTIVE"
    MANUALLY_DEACTIVATED = "MANUALLY_DEACTIVATED"
    MANUALLY_CREATED = "MANUALLY_CREATED"
    REMOVAL_NEEDED = "REMOVAL_NEEDED"
    REMOVAL_SUBMITTED = "REMOVAL_SUBMITTED"
    REMOVED = "REMOVED"
    CANCELLATION_NEEDED = "CANCELLATION_NEEDED"
    CANCELLATION_SUBMITTED = "CANCELLATION_SUBMITTED"
  end

  # Known values. Values may be added.
  module SyncStatus
    IN_SYNC = "IN_SYNC"
    NOT_IN_SYNC = "NOT_IN_SYNC"
    NOT_FOUND = "NOT_FOUND"
    TECHNICAL_PROBLEMS = "TECHNICAL_PROBLEMS"
    NOT_SUPPORTED = "NOT_SUPPORTED"
    NO_ONLINE_LISTING = "NO_ONLINE_LISTING"
    LINK_ONLY = "LINK_ONLY"
  end

  # Known values. Values may be added.
  module UpdateResult
    SUCCESS = "SUCCESS"
    FAILURE = "FAILURE"
    UNDEFINED = "UNDEFINED"
  end

  # Known values. Values may be added.
  module UpdateStatus
    MANDATORY_FIELD_MISSING = "MANDATORY_FIELD_MISSING"
    NOT_SUPPORTED = "NOT_SUPPORTED"
    INVALID_CLAIM_STATUS = "INVALID_CLAIM_STATUS"
    INVALID_FLOW_STATUS = "INVALID_FLOW_STATUS"
    INVALID_SYNC_STATUS = "INVALID_SYNC_STATUS"
    INVALID_LOCATION_STATUS = "INVALID_LOCATION_STATUS"
    LOCATION_NOT_NORMALIZED = "LOCATION_NOT_NORMALIZED"
    DUPLICATED = "DUPLICATED"
    LIMIT_REACHED = "LIMIT_REACHED"
    ADDRESS_DISPLAY_NOT_SUPPORTED = "ADDRESS_DISPLAY_NOT_SUPPORTED"
    LOCATION_NOT_SYNCED = "LOCATION_NOT_SYNCED"
    LOCATION_NOT_CLEANSED = "LOCATION_NOT_CLEANSED"
    DELAYED = "DELAYED"
  end

  # Known values. Values may be added.
  module LocationSource
    API = "API"
    CHECKOUT = "CHECKOUT"
    CSV_UPLOAD = "CSV_UPLOAD"
    DEMO_JOB = "DEMO_JOB"
    LOCATION_DATA_DOWNLOAD = "LOCATION_DATA_DOWNLOAD"
  end

  # Known values. Values may be added.
  module LocationStatus
    CREATED = "CREATED"
    ACTIVE = "ACTIVE"
    NEEDS_REVIEW = "NEEDS_REVIEW"
    CANCELLED = "CANCELLED"
    INACTIVE = "INACTIVE"
    CLOSED = "CLOSED"
    DELETED = "DELETED"
  end

  # Known values. Values may be added.
  module WebhookFailingCause
    FAILING = "FAILING"
    PAUSED = "PAUSED"
    DISABLED_SOON = "DISABLED_SOON"
  end

  # Fields of every event.
  class Event
    # @return [Integer] Unique across all partners and increasing. A delivery may arrive twice; use the id to detect duplicates.
    def id = raw["id"]

    # @return [String] Time of the event in UTC with milliseconds: 2026-11-15T01:02:03.456+00:00.
    def time = raw["time"]

    # @return [String] Event type, such as LOCATION_CREATED.
    def type = raw["type"]

    # @return [String] Partner account of the event.
    def sales_partner_identifier = raw["salesPartnerIdentifier"]
  end

  # An event whose type is newer than this package. `raw` has its fields.
  class UnknownEvent < Event
  end

  # A listing was compared with its directory, whether or not a status changed.
  class ListingSyncCheckEvent < Event
    # @return [Integer] Id of the business.
    def business = raw["business"]

    # @return [Integer] Id of the listing.
    def listing = raw["listing"]

    # @return [Integer] Id of the location. Read the location to get its current data.
    def location = raw["location"]

    # @return [String] Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
    def directory_type = raw["directoryType"]

    # @return [Boolean] Whether the listing's status on Google changed.
    def google_status_changed = raw["googleStatusChanged"]

    # @return [Boolean] Whether the claim status changed.
    def claim_status_changed = raw["claimStatusChanged"]

    # @return [Boolean] Whether the flow status changed.
    def flow_status_changed = raw["flowStatusChanged"]

    # @return [Boolean] Whether the sync status changed.
    def sync_status_changed = raw["syncStatusChanged"]

    # @return [String] Previous claim status. See ListingClaimStatus.
    def from_listing_claim_status = raw["fromListingClaimStatus"]

    # @return [String] New claim status; equal to the previous one if it did not change. See ListingClaimStatus.
    def to_listing_claim_status = raw["toListingClaimStatus"]

    # @return [String] Previous flow status. See FlowStatus.
    def from_listing_flow_status = raw["fromListingFlowStatus"]

    # @return [String] New flow status; equal to the previous one if it did not change. See FlowStatus.
    def to_listing_flow_status = raw["toListingFlowStatus"]

    # @return [String] Previous sync status. See SyncStatus.
    def from_listing_sync_status = raw["fromListingSyncStatus"]

    # @return [String] New sync status; equal to the previous one if it did not change. See SyncStatus.
    def to_listing_sync_status = raw["toListingSyncStatus"]
  end

  # A user changed a status of a listing manually, usually an operator after a review.
  class ListingStatusChangeEvent < Event
    # @return [Integer] Id of the business.
    def business = raw["business"]

    # @return [Integer] Id of the listing.
    def listing = raw["listing"]

    # @return [Integer] Id of the location. Read the location to get its current data.
    def location = raw["location"]

    # @return [String] Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
    def directory_type = raw["directoryType"]

    # @return [Boolean] Whether the claim status changed.
    def claim_status_changed = raw["claimStatusChanged"]

    # @return [Boolean] Whether the flow status changed.
    def flow_status_changed = raw["flowStatusChanged"]

    # @return [Boolean] Whether the sync status changed.
    def sync_status_changed = raw["syncStatusChanged"]

    # @return [String] Previous claim status. See ListingClaimStatus.
    def from_listing_claim_status = raw["fromListingClaimStatus"]

    # @return [String] New claim status; equal to the previous one if it did not change. See ListingClaimStatus.
    def to_listing_claim_status = raw["toListingClaimStatus"]

    # @return [String] Previous flow status. See FlowStatus.
    def from_listing_flow_status = raw["fromListingFlowStatus"]

    # @return [String] New flow status; equal to the previous one if it did not change. See FlowStatus.
    def to_listing_flow_status = raw["toListingFlowStatus"]

    # @return [String] Previous sync status. See SyncStatus.
    def from_listing_sync_status = raw["fromListingSyncStatus"]

    # @return [String] New sync status; equal to the previous one if it did not change. See SyncStatus.
    def to_listing_sync_status = raw["toListingSyncStatus"]

    # @return [String] User who changed the status.
    def user = raw["user"]
  end

  # The URL of a listing on its directory changed or was removed, by a user or because a better match was found. The first URL that was found or created automatically is not a change.
  class ListingLinkChangeEvent < Event
    # @return [Integer] Id of the business.
    def business = raw["business"]

    # @return [Integer] Id of the listing.
    def listing = raw["listing"]

    # @return [Integer] Id of the location. Read the location to get its current data.
    def location = raw["location"]

    # @return [String] Human-readable description.
    def comment = raw["comment"]

    # @return [String] Previous URL of the listing; empty if there was none.
    def from_listing_url = raw["fromListingUrl"]

    # @return [String] Previous id of the listing on the directory; empty if there was none.
    def from_listing_id = raw["fromListingId"]

    # @return [String] New URL of the listing; empty if it was removed.
    def to_listing_url = raw["toListingUrl"]

    # @return [String] New id of the listing on the directory; empty if there is none.
    def to_listing_id = raw["toListingId"]
  end

  # Result of submitting the data of a location to a directory.
  class ListingUpdateEvent < Event
    # @return [Integer] Id of the business.
    def business = raw["business"]

    # @return [Integer] Id of the listing.
    def listing = raw["listing"]

    # @return [Integer] Id of the location. Read the location to get its current data.
    def location = raw["location"]

    # @return [String] Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
    def directory_type = raw["directoryType"]

    # @return [Array<String>] Explanations, including messages of the directory.
    def messages = raw["messages"]

    # @return [String] SUCCESS: updated. FAILURE: rejected by the directory. UNDEFINED: not submitted; updateStatus has the reason. See UpdateResult.
    def update_result = raw["updateResult"]

    # @return [String, nil] Why the listing was not updated; null only if updateResult is SUCCESS. DUPLICATED should not be shown as a failure. See UpdateStatus.
    def update_status = raw["updateStatus"]
  end

  # A check of a listing found new or changed reviews, photos or other datapoints.
  class ListingDatapointCheckEvent < Event
    # @return [Integer] Id of the business.
    def business = raw["business"]

    # @return [Integer] Id of the listing.
    def listing = raw["listing"]

    # @return [Integer] Id of the location. Read the location to get its current data.
    def location = raw["location"]

    # @return [String] Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
    def directory_type = raw["directoryType"]

    # @return [Integer] Number of new photos.
    def new_photos_found = raw["newPhotosFound"]

    # @return [Integer] Number of new reviews.
    def new_reviews_found = raw["newReviewsFound"]

    # @return [Integer] Number of new check-ins.
    def new_checkins_found = raw["newCheckinsFound"]

    # @return [Integer] Number of new conversations.
    def new_conversations_found = raw["newConversationsFound"]

    # @return [Integer] Number of new comments.
    def new_comments_found = raw["newCommentsFound"]

    # @return [Integer] Number of new questions.
    def new_questions_found = raw["newQuestionsFound"]

    # @return [Boolean] Whether new datapoints were found.
    def new_datapoints_found = raw["newDatapointsFound"]

    # @return [Array<Integer>] Ids of new datapoints; empty when only existing ones changed.
    def new_data_point_ids = raw["newDataPointIds"]

    # @return [Array<Integer>, nil] Ids of existing datapoints that changed, such as an edited review; absent if none changed.
    def updated_data_point_ids = raw["updatedDataPointIds"]
  end

  # Datapoints or replies of a listing were removed from the directory, or the listing was unlinked or its location deleted. They are no longer valid on the platform.
  class ListingDatapointInvalidEvent < Event
    # @return [Integer] Id of the business.
    def business = raw["business"]

    # @return [Integer] Id of the listing.
    def listing = raw["listing"]

    # @return [Integer] Id of the location. Read the location to get its current data.
    def location = raw["location"]

    # @return [String] Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
    def directory_type = raw["directoryType"]

    # @return [Array<Integer>] Ids of datapoints that are no longer valid, such as customer reviews.
    def invalid_data_point_ids = raw["invalidDataPointIds"]

    # @return [Array<Integer>] Ids of replies that are no longer valid, such as replies of the owner.
    def deleted_data_point_ids = raw["deletedDataPointIds"]
  end

  # A check of a brand page found new or changed datapoints.
  class DirectoryBusinessPageDataPointCheckEvent < Event
    # @return [Integer] Id of the business.
    def business = raw["business"]

    # @return [String] Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
    def directory_type = raw["directoryType"]

    # @return [Integer] Id of the brand page of the datapoints.
    def directory_business_page = raw["directoryBusinessPage"]

    # @return [Boolean] Whether new datapoints were found.
    def new_datapoints_found = raw["newDatapointsFound"]

    # @return [Array<Integer>] Ids of new datapoints; empty when only existing ones changed.
    def new_data_point_ids = raw["newDataPointIds"]

    # @return [Array<Integer>] Ids of existing datapoints that changed, such as an edited review; empty if none changed.
    def updated_data_point_ids = raw["updatedDataPointIds"]
  end

  # Recorded together with DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK, as a separate event with counts per type of datapoint.
  class BrandDatapointCheckEvent < Event
    # @return [Integer] Id of the business.
    def business = raw["business"]

    # @return [String] Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
    def directory_type = raw["directoryType"]

    # @return [Integer] Id of the brand page of the datapoints.
    def directory_business_page = raw["directoryBusinessPage"]

    # @return [Integer] Number of new photos.
    def new_photos_found = raw["newPhotosFound"]

    # @return [Integer] Number of new reviews.
    def new_reviews_found = raw["newReviewsFound"]

    # @return [Integer] Number of new check-ins.
    def new_checkins_found = raw["newCheckinsFound"]

    # @return [Integer] Number of new conversations.
    def new_conversations_found = raw["newConversationsFound"]

    # @return [Integer] Number of new comments.
    def new_comments_found = raw["newCommentsFound"]

    # @return [Integer] Number of new questions.
    def new_questions_found = raw["newQuestionsFound"]

    # @return [Boolean] Whether new datapoints were found.
    def new_datapoints_found = raw["newDatapointsFound"]

    # @return [Array<Integer>] Ids of new datapoints; empty when only existing ones changed.
    def new_data_point_ids = raw["newDataPointIds"]

    # @return [Array<Integer>] Ids of existing datapoints that changed, such as an edited review; empty if none changed.
    def updated_data_point_ids = raw["updatedDataPointIds"]
  end

  # Datapoints or replies of a brand page were removed from the directory, or the page no longer belongs to the business. They are no longer valid on the platform.
  class DirectoryBusinessPageDataPointInvalidEvent < Event
    # @return [Integer] Id of the business.
    def business = raw["business"]

    # @return [String] Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
    def directory_type = raw["directoryType"]

    # @return [Integer] Id of the brand page of the datapoints.
    def directory_business_page = raw["directoryBusinessPage"]

    # @return [Array<Integer>] Ids of datapoints that are no longer valid, such as customer reviews.
    def invalid_data_point_ids = raw["invalidDataPointIds"]

    # @return [Array<Integer>] Ids of replies that are no longer valid, such as replies of the owner.
    def deleted_data_point_ids = raw["deletedDataPointIds"]
  end

  # A location was created.
  class LocationCreatedEvent < Event
    # @return [String] Human-readable description.
    def comment = raw["comment"]

    # @return [Integer] Id of the location. Read the location to get its current data.
    def location = raw["location"]

    # @return [String] How the location was created. See LocationSource.
    def source = raw["source"]
  end

  # The status of a location changed, by a user or automatically.
  class LocationStatusChangedEvent < Event
    # @return [String] Human-readable description.
    def comment = raw["comment"]

    # @return [Integer] Id of the location. Read the location to get its current data.
    def location = raw["location"]

    # @return [String] Previous status. See LocationStatus.
    def from = raw["from"]

    # @return [String] New status. See LocationStatus.
    def to = raw["to"]

    # @return [String, nil] User who changed the status; absent if it changed automatically.
    def user = raw["user"]
  end

  # A user changed the data of a location. The comment lists the changed fields.
  class LocationProfileChangedEvent < Event
    # @return [String] Human-readable description.
    def comment = raw["comment"]

    # @return [Integer] Id of the location. Read the location to get its current data.
    def location = raw["location"]

    # @return [String] User who changed the data.
    def user = raw["user"]
  end

  # A directory suggests different data for a location. The suggestions can be accepted or declined.
  class LocationDataSuggestionEvent < Event
    # @return [Integer] Id of the business.
    def business = raw["business"]

    # @return [Integer] Id of the location. Read the location to get its current data.
    def location = raw["location"]

    # @return [String] Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
    def directory_type = raw["directoryType"]

    # @return [Array<Integer>] Ids of the pending suggestions.
    def suggestion_ids = raw["suggestionIds"]

    # @return [Array<String>] Names of the suggested location fields.
    def fields = raw["fields"]
  end

  # A business was created in the partner account.
  class BusinessCreatedEvent < Event
    # @return [Integer] Id of the business.
    def business = raw["business"]

    # @return [String] Human-readable description.
    def comment = raw["comment"]

    # @return [String] Author of the change: the user's e-mail address, PRIVATE_TOKEN (an API client with a private key) or SYSTEM (the platform).
    def changed_by = raw["changedBy"]
  end

  # A business and its locations changed to another product plan.
  class BusinessProductPlanChangedEvent < Event
    # @return [Integer] Id of the business.
    def business = raw["business"]

    # @return [String] Human-readable description.
    def comment = raw["comment"]

    # @return [Integer] Id of the new plan.
    def new_product_plan_id = raw["newProductPlanId"]

    # @return [String] Name of the new plan.
    def new_product_plan_name = raw["newProductPlanName"]

    # @return [Integer] Price of the new plan in cents.
    def new_product_plan_price = raw["newProductPlanPrice"]

    # @return [Integer] Id of the previous plan.
    def old_product_plan_id = raw["oldProductPlanId"]

    # @return [String] Name of the previous plan.
    def old_product_plan_name = raw["oldProductPlanName"]

    # @return [Integer] Price of the previous plan in cents.
    def old_product_plan_price = raw["oldProductPlanPrice"]

    # @return [String] Author of the change: the user's e-mail address, PRIVATE_TOKEN (an API client with a private key) or SYSTEM (the platform).
    def changed_by = raw["changedBy"]
  end

  # Deliveries of a webhook are failing or paused, or it will be disabled soon.
  class WebhookFailingEvent < Event
    # @return [Integer] Id of the webhook.
    def webhook = raw["webhook"]

    # @return [String] Event type that the webhook is subscribed to.
    def webhook_type = raw["webhookType"]

    # @return [String] What happened, with the last error or the reason.
    def comment = raw["comment"]

    # @return [String] When the problem began, in the format of time.
    def since = raw["since"]

    # @return [String] At most one event per webhook, cause and hour is recorded. See WebhookFailingCause.
    def cause = raw["cause"]

    # @return [String, nil] When the webhook is disabled if all deliveries keep failing. Absent if that is never.
    def disables_at = raw["disablesAt"]
  end

  # A failing or disabled webhook delivers again, or a user enabled, resumed or changed it.
  class WebhookRecoveredEvent < Event
    # @return [Integer] Id of the webhook.
    def webhook = raw["webhook"]

    # @return [String] Event type that the webhook is subscribed to.
    def webhook_type = raw["webhookType"]

    # @return [String] What happened, with the last error or the reason.
    def comment = raw["comment"]

    # @return [String] When the problem began, in the format of time.
    def since = raw["since"]
  end

  # A webhook was disabled because its receiver responded with 410 or all deliveries failed for days.
  class WebhookDisabledEvent < Event
    # @return [Integer] Id of the webhook.
    def webhook = raw["webhook"]

    # @return [String] Event type that the webhook is subscribed to.
    def webhook_type = raw["webhookType"]

    # @return [String] What happened, with the last error or the reason.
    def comment = raw["comment"]

    # @return [String] When the problem began, in the format of time.
    def since = raw["since"]
  end

  EVENT_CLASSES = {
    "LISTING_SYNC_CHECK" => ListingSyncCheckEvent,
    "LISTING_STATUS_CHANGE" => ListingStatusChangeEvent,
    "LISTING_LINK_CHANGE" => ListingLinkChangeEvent,
    "LISTING_UPDATE" => ListingUpdateEvent,
    "LISTING_DATAPOINT_CHECK" => ListingDatapointCheckEvent,
    "LISTING_DATAPOINT_INVALID" => ListingDatapointInvalidEvent,
    "DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK" => DirectoryBusinessPageDataPointCheckEvent,
    "BRAND_DATAPOINT_CHECK" => BrandDatapointCheckEvent,
    "DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID" => DirectoryBusinessPageDataPointInvalidEvent,
    "LOCATION_CREATED" => LocationCreatedEvent,
    "LOCATION_STATUS_CHANGED" => LocationStatusChangedEvent,
    "LOCATION_PROFILE_CHANGED" => LocationProfileChangedEvent,
    "LOCATION_DATA_SUGGESTION" => LocationDataSuggestionEvent,
    "BUSINESS_CREATED" => BusinessCreatedEvent,
    "BUSINESS_PRODUCT_PLAN_CHANGED" => BusinessProductPlanChangedEvent,
    "WEBHOOK_FAILING" => WebhookFailingEvent,
    "WEBHOOK_RECOVERED" => WebhookRecoveredEvent,
    "WEBHOOK_DISABLED" => WebhookDisabledEvent,
  }.freeze

end
