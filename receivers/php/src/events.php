<?php

// Generated from the event catalogue by receivers/generate.ts. Do not edit.

declare(strict_types=1);

namespace Waypost;

/** Known values. Values may be added. */
final class ListingClaimStatus
{
    public const CLAIMABLE = 'CLAIMABLE';
    public const NOT_CLAIMABLE = 'NOT_CLAIMABLE';
    public const CLAIMED_BY_US = 'CLAIMED_BY_US';
    public const CLAIMED_BY_OTHERS = 'CLAIMED_BY_OTHERS';
    public const CLAIMED_BY_ANOTHER_US = 'CLAIMED_BY_ANOTHER_US';
    public const CLAIMING_IN_PROGRESS = 'CLAIMING_IN_PROGRESS';
    public const UNKNOWN = 'UNKNOWN';
}

/** Known values. Values may be added. */
final class FlowStatus
{
    public const SUBMISSION_NEEDED = 'SUBMISSION_NEEDED';
    public const WAITING_USER_ACTION = 'WAITING_USER_ACTION';
    public const WAITING_DIRECTORY_ACTION = 'WAITING_DIRECTORY_ACTION';
    public const ALL_INFORMATION_SUBMITTED = 'ALL_INFORMATION_SUBMITTED';
    public const NO_ACTION_NEEDED = 'NO_ACTION_NEEDED';
    public const NEEDS_REVIEW = 'NEEDS_REVIEW';
    public const NOT_SUPPORTED = 'NOT_SUPPORTED';
    public const INACTIVE = 'INACTIVE';
    public const MANUALLY_DEACTIVATED = 'MANUALLY_DEACTIVATED';
    public const MANUALLY_CREATED = 'MANUALLY_CREATED';
    public const REMOVAL_NEEDED = 'REMOVAL_NEEDED';
    public const REMOVAL_SUBMITTED = 'REMOVAL_SUBMITTED';
    public const REMOVED = 'REMOVED';
    public const CANCELLATION_NEEDED = 'CANCELLATION_NEEDED';
    public const CANCELLATION_SUBMITTED = 'CANCELLATION_SUBMITTED';
}

/** Known values. Values may be added. */
final class SyncStatus
{
    public const IN_SYNC = 'IN_SYNC';
    public const NOT_IN_SYNC = 'NOT_IN_SYNC';
    public const NOT_FOUND = 'NOT_FOUND';
    public const TECHNICAL_PROBLEMS = 'TECHNICAL_PROBLEMS';
    public const NOT_SUPPORTED = 'NOT_SUPPORTED';
    public const NO_ONLINE_LISTING = 'NO_ONLINE_LISTING';
    public const LINK_ONLY = 'LINK_ONLY';
}

/** Known values. Values may be added. */
final class UpdateResult
{
    public const SUCCESS = 'SUCCESS';
    public const FAILURE = 'FAILURE';
    public const UNDEFINED = 'UNDEFINED';
}

/** Known values. Values may be added. */
final class UpdateStatus
{
    public const MANDATORY_FIELD_MISSING = 'MANDATORY_FIELD_MISSING';
    public const NOT_SUPPORTED = 'NOT_SUPPORTED';
    public const INVALID_CLAIM_STATUS = 'INVALID_CLAIM_STATUS';
    public const INVALID_FLOW_STATUS = 'INVALID_FLOW_STATUS';
    public const INVALID_SYNC_STATUS = 'INVALID_SYNC_STATUS';
    public const INVALID_LOCATION_STATUS = 'INVALID_LOCATION_STATUS';
    public const LOCATION_NOT_NORMALIZED = 'LOCATION_NOT_NORMALIZED';
    public const DUPLICATED = 'DUPLICATED';
    public const LIMIT_REACHED = 'LIMIT_REACHED';
    public const ADDRESS_DISPLAY_NOT_SUPPORTED = 'ADDRESS_DISPLAY_NOT_SUPPORTED';
    public const LOCATION_NOT_SYNCED = 'LOCATION_NOT_SYNCED';
    public const LOCATION_NOT_CLEANSED = 'LOCATION_NOT_CLEANSED';
    public const DELAYED = 'DELAYED';
}

/** Known values. Values may be added. */
final class LocationSource
{
    public const API = 'API';
    public const CHECKOUT = 'CHECKOUT';
    public const CSV_UPLOAD = 'CSV_UPLOAD';
    public const DEMO_JOB = 'DEMO_JOB';
    public const LOCATION_DATA_DOWNLOAD = 'LOCATION_DATA_DOWNLOAD';
}

/** Known values. Values may be added. */
final class LocationStatus
{
    public const CREATED = 'CREATED';
    public const ACTIVE = 'ACTIVE';
    public const NEEDS_REVIEW = 'NEEDS_REVIEW';
    public const CANCELLED = 'CANCELLED';
    public const INACTIVE = 'INACTIVE';
    public const CLOSED = 'CLOSED';
    public const DELETED = 'DELETED';
}

/** Known values. Values may be added. */
final class WebhookFailingCause
{
    public const FAILING = 'FAILING';
    public const PAUSED = 'PAUSED';
    public const DISABLED_SOON = 'DISABLED_SOON';
}

/** Fields of every event. */
abstract class Event
{
    /** Unique across all partners and increasing. A delivery may arrive twice; use the id to detect duplicates. */
    public readonly int $id;
    /** Time of the event in UTC with milliseconds: 2026-11-15T01:02:03.456+00:00. */
    public readonly string $time;
    /** Event type, such as LOCATION_CREATED. */
    public readonly string $type;
    /** Partner account of the event. */
    public readonly string $salesPartnerIdentifier;

    /** @param array<string, mixed> $raw All fields, including fields that are newer than this package. */
    public function __construct(public readonly array $raw)
    {
        $this->id = $raw['id'] ?? null;
        $this->time = $raw['time'] ?? null;
        $this->type = $raw['type'] ?? null;
        $this->salesPartnerIdentifier = $raw['salesPartnerIdentifier'] ?? null;
    }
}

/** A listing was compared with its directory, whether or not a status changed. */
final class ListingSyncCheckEvent extends Event
{
    /** Id of the business. */
    public readonly int $business;
    /** Id of the listing. */
    public readonly int $listing;
    /** Id of the location. Read the location to get its current data. */
    public readonly int $location;
    /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
    public readonly string $directoryType;
    /** Whether the listing's status on Google changed. */
    public readonly bool $googleStatusChanged;
    /** Whether the claim status changed. */
    public readonly bool $claimStatusChanged;
    /** Whether the flow status changed. */
    public readonly bool $flowStatusChanged;
    /** Whether the sync status changed. */
    public readonly bool $syncStatusChanged;
    /** @var ListingClaimStatus::*|string Previous claim status. */
    public readonly string $fromListingClaimStatus;
    /** @var ListingClaimStatus::*|string New claim status; equal to the previous one if it did not change. */
    public readonly string $toListingClaimStatus;
    /** @var FlowStatus::*|string Previous flow status. */
    public readonly string $fromListingFlowStatus;
    /** @var FlowStatus::*|string New flow status; equal to the previous one if it did not change. */
    public readonly string $toListingFlowStatus;
    /** @var SyncStatus::*|string Previous sync status. */
    public readonly string $fromListingSyncStatus;
    /** @var SyncStatus::*|string New sync status; equal to the previous one if it did not change. */
    public readonly string $toListingSyncStatus;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->business = $raw['business'] ?? null;
        $this->listing = $raw['listing'] ?? null;
        $this->location = $raw['location'] ?? null;
        $this->directoryType = $raw['directoryType'] ?? null;
        $this->googleStatusChanged = $raw['googleStatusChanged'] ?? null;
        $this->claimStatusChanged = $raw['claimStatusChanged'] ?? null;
        $this->flowStatusChanged = $raw['flowStatusChanged'] ?? null;
        $this->syncStatusChanged = $raw['syncStatusChanged'] ?? null;
        $this->fromListingClaimStatus = $raw['fromListingClaimStatus'] ?? null;
        $this->toListingClaimStatus = $raw['toListingClaimStatus'] ?? null;
        $this->fromListingFlowStatus = $raw['fromListingFlowStatus'] ?? null;
        $this->toListingFlowStatus = $raw['toListingFlowStatus'] ?? null;
        $this->fromListingSyncStatus = $raw['fromListingSyncStatus'] ?? null;
        $this->toListingSyncStatus = $raw['toListingSyncStatus'] ?? null;
    }
}

/** A user changed a status of a listing manually, usually an operator after a review. */
final class ListingStatusChangeEvent extends Event
{
    /** Id of the business. */
    public readonly int $business;
    /** Id of the listing. */
    public readonly int $listing;
    /** Id of the location. Read the location to get its current data. */
    public readonly int $location;
    /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
    public readonly string $directoryType;
    /** Whether the claim status changed. */
    public readonly bool $claimStatusChanged;
    /** Whether the flow status changed. */
    public readonly bool $flowStatusChanged;
    /** Whether the sync status changed. */
    public readonly bool $syncStatusChanged;
    /** @var ListingClaimStatus::*|string Previous claim status. */
    public readonly string $fromListingClaimStatus;
    /** @var ListingClaimStatus::*|string New claim status; equal to the previous one if it did not change. */
    public readonly string $toListingClaimStatus;
    /** @var FlowStatus::*|string Previous flow status. */
    public readonly string $fromListingFlowStatus;
    /** @var FlowStatus::*|string New flow status; equal to the previous one if it did not change. */
    public readonly string $toListingFlowStatus;
    /** @var SyncStatus::*|string Previous sync status. */
    public readonly string $fromListingSyncStatus;
    /** @var SyncStatus::*|string New sync status; equal to the previous one if it did not change. */
    public readonly string $toListingSyncStatus;
    /** User who changed the status. */
    public readonly string $user;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->business = $raw['business'] ?? null;
        $this->listing = $raw['listing'] ?? null;
        $this->location = $raw['location'] ?? null;
        $this->directoryType = $raw['directoryType'] ?? null;
        $this->claimStatusChanged = $raw['claimStatusChanged'] ?? null;
        $this->flowStatusChanged = $raw['flowStatusChanged'] ?? null;
        $this->syncStatusChanged = $raw['syncStatusChanged'] ?? null;
        $this->fromListingClaimStatus = $raw['fromListingClaimStatus'] ?? null;
        $this->toListingClaimStatus = $raw['toListingClaimStatus'] ?? null;
        $this->fromListingFlowStatus = $raw['fromListingFlowStatus'] ?? null;
        $this->toListingFlowStatus = $raw['toListingFlowStatus'] ?? null;
        $this->fromListingSyncStatus = $raw['fromListingSyncStatus'] ?? null;
        $this->toListingSyncStatus = $raw['toListingSyncStatus'] ?? null;
        $this->user = $raw['user'] ?? null;
    }
}

/** The URL of a listing on its directory changed or was removed, by a user or because a better match was found. The first URL that was found or created automatically is not a change. */
final class ListingLinkChangeEvent extends Event
{
    /** Id of the business. */
    public readonly int $business;
    /** Id of the listing. */
    public readonly int $listing;
    /** Id of the location. Read the location to get its current data. */
    public readonly int $location;
    /** Human-readable description. */
    public readonly string $comment;
    /** Previous URL of the listing; empty if there was none. */
    public readonly string $fromListingUrl;
    /** Previous id of the listing on the directory; empty if there was none. */
    public readonly string $fromListingId;
    /** New URL of the listing; empty if it was removed. */
    public readonly string $toListingUrl;
    /** New id of the listing on the directory; empty if there is none. */
    public readonly string $toListingId;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->business = $raw['business'] ?? null;
        $this->listing = $raw['listing'] ?? null;
        $this->location = $raw['location'] ?? null;
        $this->comment = $raw['comment'] ?? null;
        $this->fromListingUrl = $raw['fromListingUrl'] ?? null;
        $this->fromListingId = $raw['fromListingId'] ?? null;
        $this->toListingUrl = $raw['toListingUrl'] ?? null;
        $this->toListingId = $raw['toListingId'] ?? null;
    }
}

/** Result of submitting the data of a location to a directory. */
final class ListingUpdateEvent extends Event
{
    /** Id of the business. */
    public readonly int $business;
    /** Id of the listing. */
    public readonly int $listing;
    /** Id of the location. Read the location to get its current data. */
    public readonly int $location;
    /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
    public readonly string $directoryType;
    /** @var list<string> Explanations, including messages of the directory. */
    public readonly array $messages;
    /** @var UpdateResult::*|string SUCCESS: updated. FAILURE: rejected by the directory. UNDEFINED: not submitted; updateStatus has the reason. */
    public readonly string $updateResult;
    /** @var UpdateStatus::*|string|null Why the listing was not updated; null only if updateResult is SUCCESS. DUPLICATED should not be shown as a failure. */
    public readonly ?string $updateStatus;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->business = $raw['business'] ?? null;
        $this->listing = $raw['listing'] ?? null;
        $this->location = $raw['location'] ?? null;
        $this->directoryType = $raw['directoryType'] ?? null;
        $this->messages = $raw['messages'] ?? null;
        $this->updateResult = $raw['updateResult'] ?? null;
        $this->updateStatus = $raw['updateStatus'] ?? null;
    }
}

/** A check of a listing found new or changed reviews, photos or other datapoints. */
final class ListingDatapointCheckEvent extends Event
{
    /** Id of the business. */
    public readonly int $business;
    /** Id of the listing. */
    public readonly int $listing;
    /** Id of the location. Read the location to get its current data. */
    public readonly int $location;
    /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
    public readonly string $directoryType;
    /** Number of new photos. */
    public readonly int $newPhotosFound;
    /** Number of new reviews. */
    public readonly int $newReviewsFound;
    /** Number of new check-ins. */
    public readonly int $newCheckinsFound;
    /** Number of new conversations. */
    public readonly int $newConversationsFound;
    /** Number of new comments. */
    public readonly int $newCommentsFound;
    /** Number of new questions. */
    public readonly int $newQuestionsFound;
    /** Whether new datapoints were found. */
    public readonly bool $newDatapointsFound;
    /** @var list<int> Ids of new datapoints; empty when only existing ones changed. */
    public readonly array $newDataPointIds;
    /** @var list<int>|null Ids of existing datapoints that changed, such as an edited review; absent if none changed. */
    public readonly ?array $updatedDataPointIds;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->business = $raw['business'] ?? null;
        $this->listing = $raw['listing'] ?? null;
        $this->location = $raw['location'] ?? null;
        $this->directoryType = $raw['directoryType'] ?? null;
        $this->newPhotosFound = $raw['newPhotosFound'] ?? null;
        $this->newReviewsFound = $raw['newReviewsFound'] ?? null;
        $this->newCheckinsFound = $raw['newCheckinsFound'] ?? null;
        $this->newConversationsFound = $raw['newConversationsFound'] ?? null;
        $this->newCommentsFound = $raw['newCommentsFound'] ?? null;
        $this->newQuestionsFound = $raw['newQuestionsFound'] ?? null;
        $this->newDatapointsFound = $raw['newDatapointsFound'] ?? null;
        $this->newDataPointIds = $raw['newDataPointIds'] ?? null;
        $this->updatedDataPointIds = $raw['updatedDataPointIds'] ?? null;
    }
}

/** Datapoints or replies of a listing were removed from the directory, or the listing was unlinked or its location deleted. They are no longer valid on the platform. */
final class ListingDatapointInvalidEvent extends Event
{
    /** Id of the business. */
    public readonly int $business;
    /** Id of the listing. */
    public readonly int $listing;
    /** Id of the location. Read the location to get its current data. */
    public readonly int $location;
    /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
    public readonly string $directoryType;
    /** @var list<int> Ids of datapoints that are no longer valid, such as customer reviews. */
    public readonly array $invalidDataPointIds;
    /** @var list<int> Ids of replies that are no longer valid, such as replies of the owner. */
    public readonly array $deletedDataPointIds;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->business = $raw['business'] ?? null;
        $this->listing = $raw['listing'] ?? null;
        $this->location = $raw['location'] ?? null;
        $this->directoryType = $raw['directoryType'] ?? null;
        $this->invalidDataPointIds = $raw['invalidDataPointIds'] ?? null;
        $this->deletedDataPointIds = $raw['deletedDataPointIds'] ?? null;
    }
}

/** A check of a brand page found new or changed datapoints. */
final class DirectoryBusinessPageDataPointCheckEvent extends Event
{
    /** Id of the business. */
    public readonly int $business;
    /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
    public readonly string $directoryType;
    /** Id of the brand page of the datapoints. */
    public readonly int $directoryBusinessPage;
    /** Whether new datapoints were found. */
    public readonly bool $newDatapointsFound;
    /** @var list<int> Ids of new datapoints; empty when only existing ones changed. */
    public readonly array $newDataPointIds;
    /** @var list<int> Ids of existing datapoints that changed, such as an edited review; empty if none changed. */
    public readonly array $updatedDataPointIds;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->business = $raw['business'] ?? null;
        $this->directoryType = $raw['directoryType'] ?? null;
        $this->directoryBusinessPage = $raw['directoryBusinessPage'] ?? null;
        $this->newDatapointsFound = $raw['newDatapointsFound'] ?? null;
        $this->newDataPointIds = $raw['newDataPointIds'] ?? null;
        $this->updatedDataPointIds = $raw['updatedDataPointIds'] ?? null;
    }
}

/** Recorded together with DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK, as a separate event with counts per type of datapoint. */
final class BrandDatapointCheckEvent extends Event
{
    /** Id of the business. */
    public readonly int $business;
    /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
    public readonly string $directoryType;
    /** Id of the brand page of the datapoints. */
    public readonly int $directoryBusinessPage;
    /** Number of new photos. */
    public readonly int $newPhotosFound;
    /** Number of new reviews. */
    public readonly int $newReviewsFound;
    /** Number of new check-ins. */
    public readonly int $newCheckinsFound;
    /** Number of new conversations. */
    public readonly int $newConversationsFound;
    /** Number of new comments. */
    public readonly int $newCommentsFound;
    /** Number of new questions. */
    public readonly int $newQuestionsFound;
    /** Whether new datapoints were found. */
    public readonly bool $newDatapointsFound;
    /** @var list<int> Ids of new datapoints; empty when only existing ones changed. */
    public readonly array $newDataPointIds;
    /** @var list<int> Ids of existing datapoints that changed, such as an edited review; empty if none changed. */
    public readonly array $updatedDataPointIds;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->business = $raw['business'] ?? null;
        $this->directoryType = $raw['directoryType'] ?? null;
        $this->directoryBusinessPage = $raw['directoryBusinessPage'] ?? null;
        $this->newPhotosFound = $raw['newPhotosFound'] ?? null;
        $this->newReviewsFound = $raw['newReviewsFound'] ?? null;
        $this->newCheckinsFound = $raw['newCheckinsFound'] ?? null;
        $this->newConversationsFound = $raw['newConversationsFound'] ?? null;
        $this->newCommentsFound = $raw['newCommentsFound'] ?? null;
        $this->newQuestionsFound = $raw['newQuestionsFound'] ?? null;
        $this->newDatapointsFound = $raw['newDatapointsFound'] ?? null;
        $this->newDataPointIds = $raw['newDataPointIds'] ?? null;
        $this->updatedDataPointIds = $raw['updatedDataPointIds'] ?? null;
    }
}

/** Datapoints or replies of a brand page were removed from the directory, or the page no longer belongs to the business. They are no longer valid on the platform. */
final class DirectoryBusinessPageDataPointInvalidEvent extends Event
{
    /** Id of the business. */
    public readonly int $business;
    /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
    public readonly string $directoryType;
    /** Id of the brand page of the datapoints. */
    public readonly int $directoryBusinessPage;
    /** @var list<int> Ids of datapoints that are no longer valid, such as customer reviews. */
    public readonly array $invalidDataPointIds;
    /** @var list<int> Ids of replies that are no longer valid, such as replies of the owner. */
    public readonly array $deletedDataPointIds;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->business = $raw['business'] ?? null;
        $this->directoryType = $raw['directoryType'] ?? null;
        $this->directoryBusinessPage = $raw['directoryBusinessPage'] ?? null;
        $this->invalidDataPointIds = $raw['invalidDataPointIds'] ?? null;
        $this->deletedDataPointIds = $raw['deletedDataPointIds'] ?? null;
    }
}

/** A location was created. */
final class LocationCreatedEvent extends Event
{
    /** Human-readable description. */
    public readonly string $comment;
    /** Id of the location. Read the location to get its current data. */
    public readonly int $location;
    /** @var LocationSource::*|string How the location was created. */
    public readonly string $source;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->comment = $raw['comment'] ?? null;
        $this->location = $raw['location'] ?? null;
        $this->source = $raw['source'] ?? null;
    }
}

/** The status of a location changed, by a user or automatically. */
final class LocationStatusChangedEvent extends Event
{
    /** Human-readable description. */
    public readonly string $comment;
    /** Id of the location. Read the location to get its current data. */
    public readonly int $location;
    /** @var LocationStatus::*|string Previous status. */
    public readonly string $from;
    /** @var LocationStatus::*|string New status. */
    public readonly string $to;
    /** User who changed the status; absent if it changed automatically. */
    public readonly ?string $user;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->comment = $raw['comment'] ?? null;
        $this->location = $raw['location'] ?? null;
        $this->from = $raw['from'] ?? null;
        $this->to = $raw['to'] ?? null;
        $this->user = $raw['user'] ?? null;
    }
}

/** A user changed the data of a location. The comment lists the changed fields. */
final class LocationProfileChangedEvent extends Event
{
    /** Human-readable description. */
    public readonly string $comment;
    /** Id of the location. Read the location to get its current data. */
    public readonly int $location;
    /** User who changed the data. */
    public readonly string $user;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->comment = $raw['comment'] ?? null;
        $this->location = $raw['location'] ?? null;
        $this->user = $raw['user'] ?? null;
    }
}

/** A directory suggests different data for a location. The suggestions can be accepted or declined. */
final class LocationDataSuggestionEvent extends Event
{
    /** Id of the business. */
    public readonly int $business;
    /** Id of the location. Read the location to get its current data. */
    public readonly int $location;
    /** Name of the directory in upper case, such as GOOGLE or APPLE_MAPS. */
    public readonly string $directoryType;
    /** @var list<int> Ids of the pending suggestions. */
    public readonly array $suggestionIds;
    /** @var list<string> Names of the suggested location fields. */
    public readonly array $fields;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->business = $raw['business'] ?? null;
        $this->location = $raw['location'] ?? null;
        $this->directoryType = $raw['directoryType'] ?? null;
        $this->suggestionIds = $raw['suggestionIds'] ?? null;
        $this->fields = $raw['fields'] ?? null;
    }
}

/** A business was created in the partner account. */
final class BusinessCreatedEvent extends Event
{
    /** Id of the business. */
    public readonly int $business;
    /** Human-readable description. */
    public readonly string $comment;
    /** Author of the change: the user's e-mail address, PRIVATE_TOKEN (an API client with a private key) or SYSTEM (the platform). */
    public readonly string $changedBy;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->business = $raw['business'] ?? null;
        $this->comment = $raw['comment'] ?? null;
        $this->changedBy = $raw['changedBy'] ?? null;
    }
}

/** A business and its locations changed to another product plan. */
final class BusinessProductPlanChangedEvent extends Event
{
    /** Id of the business. */
    public readonly int $business;
    /** Human-readable description. */
    public readonly string $comment;
    /** Id of the new plan. */
    public readonly int $newProductPlanId;
    /** Name of the new plan. */
    public readonly string $newProductPlanName;
    /** Price of the new plan in cents. */
    public readonly int $newProductPlanPrice;
    /** Id of the previous plan. */
    public readonly int $oldProductPlanId;
    /** Name of the previous plan. */
    public readonly string $oldProductPlanName;
    /** Price of the previous plan in cents. */
    public readonly int $oldProductPlanPrice;
    /** Author of the change: the user's e-mail address, PRIVATE_TOKEN (an API client with a private key) or SYSTEM (the platform). */
    public readonly string $changedBy;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->business = $raw['business'] ?? null;
        $this->comment = $raw['comment'] ?? null;
        $this->newProductPlanId = $raw['newProductPlanId'] ?? null;
        $this->newProductPlanName = $raw['newProductPlanName'] ?? null;
        $this->newProductPlanPrice = $raw['newProductPlanPrice'] ?? null;
        $this->oldProductPlanId = $raw['oldProductPlanId'] ?? null;
        $this->oldProductPlanName = $raw['oldProductPlanName'] ?? null;
        $this->oldProductPlanPrice = $raw['oldProductPlanPrice'] ?? null;
        $this->changedBy = $raw['changedBy'] ?? null;
    }
}

/** Deliveries of a webhook are failing or paused, or it will be disabled soon. */
final class WebhookFailingEvent extends Event
{
    /** Id of the webhook. */
    public readonly int $webhook;
    /** Event type that the webhook is subscribed to. */
    public readonly string $webhookType;
    /** What happened, with the last error or the reason. */
    public readonly string $comment;
    /** When the problem began, in the format of time. */
    public readonly string $since;
    /** @var WebhookFailingCause::*|string At most one event per webhook, cause and hour is recorded. */
    public readonly string $cause;
    /** When the webhook is disabled if all deliveries keep failing. Absent if that is never. */
    public readonly ?string $disablesAt;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->webhook = $raw['webhook'] ?? null;
        $this->webhookType = $raw['webhookType'] ?? null;
        $this->comment = $raw['comment'] ?? null;
        $this->since = $raw['since'] ?? null;
        $this->cause = $raw['cause'] ?? null;
        $this->disablesAt = $raw['disablesAt'] ?? null;
    }
}

/** A failing or disabled webhook delivers again, or a user enabled, resumed or changed it. */
final class WebhookRecoveredEvent extends Event
{
    /** Id of the webhook. */
    public readonly int $webhook;
    /** Event type that the webhook is subscribed to. */
    public readonly string $webhookType;
    /** What happened, with the last error or the reason. */
    public readonly string $comment;
    /** When the problem began, in the format of time. */
    public readonly string $since;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->webhook = $raw['webhook'] ?? null;
        $this->webhookType = $raw['webhookType'] ?? null;
        $this->comment = $raw['comment'] ?? null;
        $this->since = $raw['since'] ?? null;
    }
}

/** A webhook was disabled because its receiver responded with 410 or all deliveries failed for days. */
final class WebhookDisabledEvent extends Event
{
    /** Id of the webhook. */
    public readonly int $webhook;
    /** Event type that the webhook is subscribed to. */
    public readonly string $webhookType;
    /** What happened, with the last error or the reason. */
    public readonly string $comment;
    /** When the problem began, in the format of time. */
    public readonly string $since;

    /** @param array<string, mixed> $raw */
    public function __construct(array $raw)
    {
        parent::__construct($raw);
        $this->webhook = $raw['webhook'] ?? null;
        $this->webhookType = $raw['webhookType'] ?? null;
        $this->comment = $raw['comment'] ?? null;
        $this->since = $raw['since'] ?? null;
    }
}

/** @internal */
final class EventClasses
{
    /** @var array<string, class-string<Event>> */
    public const BY_TYPE = [
        'LISTING_SYNC_CHECK' => ListingSyncCheckEvent::class,
        'LISTING_STATUS_CHANGE' => ListingStatusChangeEvent::class,
        'LISTING_LINK_CHANGE' => ListingLinkChangeEvent::class,
        'LISTING_UPDATE' => ListingUpdateEvent::class,
        'LISTING_DATAPOINT_CHECK' => ListingDatapointCheckEvent::class,
        'LISTING_DATAPOINT_INVALID' => ListingDatapointInvalidEvent::class,
        'DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK' => DirectoryBusinessPageDataPointCheckEvent::class,
        'BRAND_DATAPOINT_CHECK' => BrandDatapointCheckEvent::class,
        'DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID' => DirectoryBusinessPageDataPointInvalidEvent::class,
        'LOCATION_CREATED' => LocationCreatedEvent::class,
        'LOCATION_STATUS_CHANGED' => LocationStatusChangedEvent::class,
        'LOCATION_PROFILE_CHANGED' => LocationProfileChangedEvent::class,
        'LOCATION_DATA_SUGGESTION' => LocationDataSuggestionEvent::class,
        'BUSINESS_CREATED' => BusinessCreatedEvent::class,
        'BUSINESS_PRODUCT_PLAN_CHANGED' => BusinessProductPlanChangedEvent::class,
        'WEBHOOK_FAILING' => WebhookFailingEvent::class,
        'WEBHOOK_RECOVERED' => WebhookRecoveredEvent::class,
        'WEBHOOK_DISABLED' => WebhookDisabledEvent::class,
    ];
}
