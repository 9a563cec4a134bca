"""Generated from the event catalogue by receivers/generate.ts. Do not edit."""

from dataclasses import dataclass
from typing import Any, Literal


__all__ = [
    "ListingClaimStatus",
    "FlowStatus",
    "SyncStatus",
    "UpdateResult",
    "UpdateStatus",
    "LocationSource",
    "LocationStatus",
    "WebhookFailingCause",
    "Event",
    "UnknownEvent",
    "ListingSyncCheckEvent",
    "ListingStatusChangeEvent",
    "ListingLinkChangeEvent",
    "ListingUpdateEvent",
    "ListingDatapointCheckEvent",
    "ListingDatapointInvalidEvent",
    "DirectoryBusinessPageDataPointCheckEvent",
    "BrandDatapointCheckEvent",
    "DirectoryBusinessPageDataPointInvalidEvent",
    "LocationCreatedEvent",
    "LocationStatusChangedEvent",
    "LocationProfileChangedEvent",
    "LocationDataSuggestionEvent",
    "BusinessCreatedEvent",
    "BusinessProductPlanChangedEvent",
    "WebhookFailingEvent",
    "WebhookRecoveredEvent",
    "WebhookDisabledEvent",
]


ListingClaimStatus = Literal[
    "CLAIMABLE",
    "NOT_CLAIMABLE",
    "CLAIMED_BY_US",
    "CLAIMED_BY_OTHERS",
    "CLAIMED_BY_ANOTHER_US",
    "CLAIMING_IN_PROGRESS",
    "UNKNOWN",
]
FlowStatus = Literal[
    "SUBMISSION_NEEDED",
    "WAITING_USER_ACTION",
    "WAITING_DIRECTORY_ACTION",
    "ALL_INFORMATION_SUBMITTED",
    "NO_ACTION_NEEDED",
    "NEEDS_REVIEW",
    "NOT_SUPPORTED",
    "INACTIVE",
    "MANUALLY_DEACTIVATED",
    "MANUALLY_CREATED",
    "REMOVAL_NEEDED",
    "REMOVAL_SUBMITTED",
    "REMOVED",
    "CANCELLATION_NEEDED",
    "CANCELLATION_SUBMITTED",
]
SyncStatus = Literal[
    "IN_SYNC",
    "NOT_IN_SYNC",
    "NOT_FOUND",
    "TECHNICAL_PROBLEMS",
    "NOT_SUPPORTED",
    "NO_ONLINE_LISTING",
    "LINK_ONLY",
]
UpdateResult = Literal[
    "SUCCESS",
    "FAILURE",
    "UNDEFINED",
]
UpdateStatus = Literal[
    "MANDATORY_FIELD_MISSING",
    "NOT_SUPPORTED",
    "INVALID_CLAIM_STATUS",
    "INVALID_FLOW_STATUS",
    "INVALID_SYNC_STATUS",
    "INVALID_LOCATION_STATUS",
    "LOCATION_NOT_NORMALIZED",
    "DUPLICATED",
    "LIMIT_REACHED",
    "ADDRESS_DISPLAY_NOT_SUPPORTED",
    "LOCATION_NOT_SYNCED",
    "LOCATION_NOT_CLEANSED",
    "DELAYED",
]
LocationSource = Literal[
    "API",
    "CHECKOUT",
    "CSV_UPLOAD",
    "DEMO_JOB",
    "LOCATION_DATA_DOWNLOAD",
]
LocationStatus = Literal[
    "CREATED",
    "ACTIVE",
    "NEEDS_REVIEW",
    "CANCELLED",
    "INACTIVE",
    "CLOSED",
    "DELETED",
]
WebhookFailingCause = Literal[
    "FAILING",
    "PAUSED",
    "DISABLED_SOON",
]


@dataclass(frozen=True, kw_only=True)
class Event:
    """Fields of every event."""

    id: int
    """Unique across all partners and increasing. A delivery may arrive twice; use the id to detect duplicates."""
    time: str
    """Time of the event in UTC with milliseconds: 2026-11-15T01:02:03.456+00:00."""
    type: str
    """Event type, such as LOCATION_CREATED."""
    sales_partner_identifier: str
    """Partner account of the event."""
    raw: dict[str, Any]
    """All fields by their JSON names, including fields that are newer than this package."""


@dataclass(frozen=True, kw_only=True)
class UnknownEvent(Event):
    """An event whose type is newer than this package. `raw` has its fields."""


@dataclass(frozen=True, kw_only=True)
class ListingSyncCheckEvent(Event):
    """A listing was compared with its directory, whether or not a status changed."""

    type: Literal["LISTING_SYNC_CHECK"]
    business: int
    """Id of the business."""
    listing: int
    """Id of the listing."""
    location: int
    """Id of the location. Read the location to get its current data."""
    directory_type: str
    """Name of the directory in upper case, such as GOOGLE or APPLE_MAPS."""
    google_status_changed: bool
    """Whether the listing's status on Google changed."""
    claim_status_changed: bool
    """Whether the claim status changed."""
    flow_status_changed: bool
    """Whether the flow status changed."""
    sync_status_changed: bool
    """Whether the sync status changed."""
    from_listing_claim_status: ListingClaimStatus
    """Previous claim status."""
    to_listing_claim_status: ListingClaimStatus
    """New claim status; equal to the previous one if it did not change."""
    from_listing_flow_status: FlowStatus
    """Previous flow status."""
    to_listing_flow_status: FlowStatus
    """New flow status; equal to the previous one if it did not change."""
    from_listing_sync_status: SyncStatus
    """Previous sync status."""
    to_listing_sync_status: SyncStatus
    """New sync status; equal to the previous one if it did not change."""


@dataclass(frozen=True, kw_only=True)
class ListingStatusChangeEvent(Event):
    """A user changed a status of a listing manually, usually an operator after a review."""

    type: Literal["LISTING_STATUS_CHANGE"]
    business: int
    """Id of the business."""
    listing: int
    """Id of the listing."""
    location: int
    """Id of the location. Read the location to get its current data."""
    directory_type: str
    """Name of the directory in upper case, such as GOOGLE or APPLE_MAPS."""
    claim_status_changed: bool
    """Whether the claim status changed."""
    flow_status_changed: bool
    """Whether the flow status changed."""
    sync_status_changed: bool
    """Whether the sync status changed."""
    from_listing_claim_status: ListingClaimStatus
    """Previous claim status."""
    to_listing_claim_status: ListingClaimStatus
    """New claim status; equal to the previous one if it did not change."""
    from_listing_flow_status: FlowStatus
    """Previous flow status."""
    to_listing_flow_status: FlowStatus
    """New flow status; equal to the previous one if it did not change."""
    from_listing_sync_status: SyncStatus
    """Previous sync status."""
    to_listing_sync_status: SyncStatus
    """New sync status; equal to the previous one if it did not change."""
    user: str
    """User who changed the status."""


@dataclass(frozen=True, kw_only=True)
class ListingLinkChangeEvent(Event):
    """The URL of a listing on its directory changed or was removed, by a user or because a better match was found. The first URL that was found or created automatically is not a change."""

    type: Literal["LISTING_LINK_CHANGE"]
    business: int
    """Id of the business."""
    listing: int
    """Id of the listing."""
    location: int
    """Id of the location. Read the location to get its current data."""
    comment: str
    """Human-readable description."""
    from_listing_url: str
    """Previous URL of the listing; empty if there was none."""
    from_listing_id: str
    """Previous id of the listing on the directory; empty if there was none."""
    to_listing_url: str
    """New URL of the listing; empty if it was removed."""
    to_listing_id: str
    """New id of the listing on the directory; empty if there is none."""


@dataclass(frozen=True, kw_only=True)
class ListingUpdateEvent(Event):
    """Result of submitting the data of a location to a directory."""

    type: Literal["LISTING_UPDATE"]
    business: int
    """Id of the business."""
    listing: int
    """Id of the listing."""
    location: int
    """Id of the location. Read the location to get its current data."""
    directory_type: str
    """Name of the directory in upper case, such as GOOGLE or APPLE_MAPS."""
    messages: list[str]
    """Explanations, including messages of the directory."""
    update_result: UpdateResult
    """SUCCESS: updated. FAILURE: rejected by the directory. UNDEFINED: not submitted; updateStatus has the reason."""
    update_status: UpdateStatus | None
    """Why the listing was not updated; null only if updateResult is SUCCESS. DUPLICATED should not be shown as a failure."""


@dataclass(frozen=True, kw_only=True)
class ListingDatapointCheckEvent(Event):
    """A check of a listing found new or changed reviews, photos or other datapoints."""

    type: Literal["LISTING_DATAPOINT_CHECK"]
    business: int
    """Id of the business."""
    listing: int
    """Id of the listing."""
    location: int
    """Id of the location. Read the location to get its current data."""
    directory_type: str
    """Name of the directory in upper case, such as GOOGLE or APPLE_MAPS."""
    new_photos_found: int
    """Number of new photos."""
    new_reviews_found: int
    """Number of new reviews."""
    new_checkins_found: int
    """Number of new check-ins."""
    new_conversations_found: int
    """Number of new conversations."""
    new_comments_found: int
    """Number of new comments."""
    new_questions_found: int
    """Number of new questions."""
    new_datapoints_found: bool
    """Whether new datapoints were found."""
    new_data_point_ids: list[int]
    """Ids of new datapoints; empty when only existing ones changed."""
    updated_data_point_ids: list[int] | None = None
    """Ids of existing datapoints that changed, such as an edited review; absent if none changed."""


@dataclass(frozen=True, kw_only=True)
class ListingDatapointInvalidEvent(Event):
    """Datapoints or replies of a listing were removed from the directory, or the listing was unlinked or its location deleted. They are no longer valid on the platform."""

    type: Literal["LISTING_DATAPOINT_INVALID"]
    business: int
    """Id of the business."""
    listing: int
    """Id of the listing."""
    location: int
    """Id of the location. Read the location to get its current data."""
    directory_type: str
    """Name of the directory in upper case, such as GOOGLE or APPLE_MAPS."""
    invalid_data_point_ids: list[int]
    """Ids of datapoints that are no longer valid, such as customer reviews."""
    deleted_data_point_ids: list[int]
    """Ids of replies that are no longer valid, such as replies of the owner."""


@dataclass(frozen=True, kw_only=True)
class DirectoryBusinessPageDataPointCheckEvent(Event):
    """A check of a brand page found new or changed datapoints."""

    type: Literal["DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK"]
    business: int
    """Id of the business."""
    directory_type: str
    """Name of the directory in upper case, such as GOOGLE or APPLE_MAPS."""
    directory_business_page: int
    """Id of the brand page of the datapoints."""
    new_datapoints_found: bool
    """Whether new datapoints were found."""
    new_data_point_ids: list[int]
    """Ids of new datapoints; empty when only existing ones changed."""
    updated_data_point_ids: list[int]
    """Ids of existing datapoints that changed, such as an edited review; empty if none changed."""


@dataclass(frozen=True, kw_only=True)
class BrandDatapointCheckEvent(Event):
    """Recorded together with DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK, as a separate event with counts per type of datapoint."""

    type: Literal["BRAND_DATAPOINT_CHECK"]
    business: int
    """Id of the business."""
    directory_type: str
    """Name of the directory in upper case, such as GOOGLE or APPLE_MAPS."""
    directory_business_page: int
    """Id of the brand page of the datapoints."""
    new_photos_found: int
    """Number of new photos."""
    new_reviews_found: int
    """Number of new reviews."""
    new_checkins_found: int
    """Number of new check-ins."""
    new_conversations_found: int
    """Number of new conversations."""
    new_comments_found: int
    """Number of new comments."""
    new_questions_found: int
    """Number of new questions."""
    new_datapoints_found: bool
    """Whether new datapoints were found."""
    new_data_point_ids: list[int]
    """Ids of new datapoints; empty when only existing ones changed."""
    updated_data_point_ids: list[int]
    """Ids of existing datapoints that changed, such as an edited review; empty if none changed."""


@dataclass(frozen=True, kw_only=True)
class DirectoryBusinessPageDataPointInvalidEvent(Event):
    """Datapoints or replies of a brand page were removed from the directory, or the page no longer belongs to the business. They are no longer valid on the platform."""

    type: Literal["DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID"]
    business: int
    """Id of the business."""
    directory_type: str
    """Name of the directory in upper case, such as GOOGLE or APPLE_MAPS."""
    directory_business_page: int
    """Id of the brand page of the datapoints."""
    invalid_data_point_ids: list[int]
    """Ids of datapoints that are no longer valid, such as customer reviews."""
    deleted_data_point_ids: list[int]
    """Ids of replies that are no longer valid, such as replies of the owner."""


@dataclass(frozen=True, kw_only=True)
class LocationCreatedEvent(Event):
    """A location was created."""

    type: Literal["LOCATION_CREATED"]
    comment: str
    """Human-readable description."""
    location: int
    """Id of the location. Read the location to get its current data."""
    source: LocationSource
    """How the location was created."""


@dataclass(frozen=True, kw_only=True)
class LocationStatusChangedEvent(Event):
    """The status of a location changed, by a user or automatically."""

    type: Literal["LOCATION_STATUS_CHANGED"]
    comment: str
    """Human-readable description."""
    location: int
    """Id of the location. Read the location to get its current data."""
    from_: LocationStatus
    """Previous status."""
    to: LocationStatus
    """New status."""
    user: str | None = None
    """User who changed the status; absent if it changed automatically."""


@dataclass(frozen=True, kw_only=True)
class LocationProfileChangedEvent(Event):
    """A user changed the data of a location. The comment lists the changed fields."""

    type: Literal["LOCATION_PROFILE_CHANGED"]
    comment: str
    """Human-readable description."""
    location: int
    """Id of the location. Read the location to get its current data."""
    user: str
    """User who changed the data."""


@dataclass(frozen=True, kw_only=True)
class LocationDataSuggestionEvent(Event):
    """A directory suggests different data for a location. The suggestions can be accepted or declined."""

    type: Literal["LOCATION_DATA_SUGGESTION"]
    business: int
    """Id of the business."""
    location: int
    """Id of the location. Read the location to get its current data."""
    directory_type: str
    """Name of the directory in upper case, such as GOOGLE or APPLE_MAPS."""
    suggestion_ids: list[int]
    """Ids of the pending suggestions."""
    fields: list[str]
    """Names of the suggested location fields."""


@dataclass(frozen=True, kw_only=True)
class BusinessCreatedEvent(Event):
    """A business was created in the partner account."""

    type: Literal["BUSINESS_CREATED"]
    business: int
    """Id of the business."""
    comment: str
    """Human-readable description."""
    changed_by: str
    """Author of the change: the user's e-mail address, PRIVATE_TOKEN (an API client with a private key) or SYSTEM (the platform)."""


@dataclass(frozen=True, kw_only=True)
class BusinessProductPlanChangedEvent(Event):
    """A business and its locations changed to another product plan."""

    type: Literal["BUSINESS_PRODUCT_PLAN_CHANGED"]
    business: int
    """Id of the business."""
    comment: str
    """Human-readable description."""
    new_product_plan_id: int
    """Id of the new plan."""
    new_product_plan_name: str
    """Name of the new plan."""
    new_product_plan_price: int
    """Price of the new plan in cents."""
    old_product_plan_id: int
    """Id of the previous plan."""
    old_product_plan_name: str
    """Name of the previous plan."""
    old_product_plan_price: int
    """Price of the previous plan in cents."""
    changed_by: str
    """Author of the change: the user's e-mail address, PRIVATE_TOKEN (an API client with a private key) or SYSTEM (the platform)."""


@dataclass(frozen=True, kw_only=True)
class WebhookFailingEvent(Event):
    """Deliveries of a webhook are failing or paused, or it will be disabled soon."""

    type: Literal["WEBHOOK_FAILING"]
    webhook: int
    """Id of the webhook."""
    webhook_type: str
    """Event type that the webhook is subscribed to."""
    comment: str
    """What happened, with the last error or the reason."""
    since: str
    """When the problem began, in the format of time."""
    cause: WebhookFailingCause
    """At most one event per webhook, cause and hour is recorded."""
    disables_at: str | None = None
    """When the webhook is disabled if all deliveries keep failing. Absent if that is never."""


@dataclass(frozen=True, kw_only=True)
class WebhookRecoveredEvent(Event):
    """A failing or disabled webhook delivers again, or a user enabled, resumed or changed it."""

    type: Literal["WEBHOOK_RECOVERED"]
    webhook: int
    """Id of the webhook."""
    webhook_type: str
    """Event type that the webhook is subscribed to."""
    comment: str
    """What happened, with the last error or the reason."""
    since: str
    """When the problem began, in the format of time."""


@dataclass(frozen=True, kw_only=True)
class WebhookDisabledEvent(Event):
    """A webhook was disabled because its receiver responded with 410 or all deliveries failed for days."""

    type: Literal["WEBHOOK_DISABLED"]
    webhook: int
    """Id of the webhook."""
    webhook_type: str
    """Event type that the webhook is subscribed to."""
    comment: str
    """What happened, with the last error or the reason."""
    since: str
    """When the problem began, in the format of time."""


EVENT_CLASSES: dict[str, type[Event]] = {
    "LISTING_SYNC_CHECK": ListingSyncCheckEvent,
    "LISTING_STATUS_CHANGE": ListingStatusChangeEvent,
    "LISTING_LINK_CHANGE": ListingLinkChangeEvent,
    "LISTING_UPDATE": ListingUpdateEvent,
    "LISTING_DATAPOINT_CHECK": ListingDatapointCheckEvent,
    "LISTING_DATAPOINT_INVALID": ListingDatapointInvalidEvent,
    "DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK": DirectoryBusinessPageDataPointCheckEvent,
    "BRAND_DATAPOINT_CHECK": BrandDatapointCheckEvent,
    "DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID": DirectoryBusinessPageDataPointInvalidEvent,
    "LOCATION_CREATED": LocationCreatedEvent,
    "LOCATION_STATUS_CHANGED": LocationStatusChangedEvent,
    "LOCATION_PROFILE_CHANGED": LocationProfileChangedEvent,
    "LOCATION_DATA_SUGGESTION": LocationDataSuggestionEvent,
    "BUSINESS_CREATED": BusinessCreatedEvent,
    "BUSINESS_PRODUCT_PLAN_CHANGED": BusinessProductPlanChangedEvent,
    "WEBHOOK_FAILING": WebhookFailingEvent,
    "WEBHOOK_RECOVERED": WebhookRecoveredEvent,
    "WEBHOOK_DISABLED": WebhookDisabledEvent,
}
