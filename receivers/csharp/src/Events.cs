// Generated from the event catalogue by receivers/generate.ts. Do not edit.
#nullable enable

using System;
using System.Collections.Generic;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Waypost;

/// <summary>Fields of every event.</summary>
public abstract record WaypostEvent
{
    /// <summary>Unique across all partners and increasing. A delivery may arrive twice; use the id to detect duplicates.</summary>
    [JsonPropertyName("id")]
    public long Id { get; init; }

    /// <summary>Time of the event in UTC with milliseconds: 2026-11-15T01:02:03.456+00:00.</summary>
    [JsonPropertyName("time")]
    public string Time { get; init; } = "";

    /// <summary>Event type, such as LOCATION_CREATED.</summary>
    [JsonPropertyName("type")]
    public string Type { get; init; } = "";

    /// <summary>Partner account of the event.</summary>
    [JsonPropertyName("salesPartnerIdentifier")]
    public string SalesPartnerIdentifier { get; init; } = "";

    /// <summary>All fields, including fields that are newer than this package.</summary>
    [JsonIgnore]
    public JsonElement Raw { get; internal set; }
}

/// <summary>An event whose type is newer than this package, or whose fields have other types. Raw has its fields.</summary>
public sealed record UnknownEvent : WaypostEvent
{
}

/// <summary>A listing was compared with its directory, whether or not a status changed.</summary>
public sealed record ListingSyncCheckEvent : WaypostEvent
{
    /// <summary>Id of the business.</summary>
    [JsonPropertyName("business")]
    public long Business { get; init; }

    /// <summary>Id of the listing.</summary>
    [JsonPropertyName("listing")]
    public long Listing { get; init; }

    /// <summary>Id of the location. Read the location to get its current data.</summary>
    [JsonPropertyName("location")]
    public long Location { get; init; }

    /// <summary>Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.</summary>
    [JsonPropertyName("directoryType")]
    public string DirectoryType { get; init; } = "";

    /// <summary>Whether the listing's status on Google changed.</summary>
    [JsonPropertyName("googleStatusChanged")]
    public bool GoogleStatusChanged { get; init; }

    /// <summary>Whether the claim status changed.</summary>
    [JsonPropertyName("claimStatusChanged")]
    public bool ClaimStatusChanged { get; init; }

    /// <summary>Whether the flow status changed.</summary>
    [JsonPropertyName("flowStatusChanged")]
    public bool FlowStatusChanged { get; init; }

    /// <summary>Whether the sync status changed.</summary>
    [JsonPropertyName("syncStatusChanged")]
    public bool SyncStatusChanged { get; init; }

    /// <summary>Previous claim status. See <see cref="Waypost.ListingClaimStatus"/>.</summary>
    [JsonPropertyName("fromListingClaimStatus")]
    public string FromListingClaimStatus { get; init; } = "";

    /// <summary>New claim status; equal to the previous one if it did not change. See <see cref="Waypost.ListingClaimStatus"/>.</summary>
    [JsonPropertyName("toListingClaimStatus")]
    public string ToListingClaimStatus { get; init; } = "";

    /// <summary>Previous flow status. See <see cref="Waypost.FlowStatus"/>.</summary>
    [JsonPropertyName("fromListingFlowStatus")]
    public string FromListingFlowStatus { get; init; } = "";

    /// <summary>New flow status; equal to the previous one if it did not change. See <see cref="Waypost.FlowStatus"/>.</summary>
    [JsonPropertyName("toListingFlowStatus")]
    public string ToListingFlowStatus { get; init; } = "";

    /// <summary>Previous sync status. See <see cref="Waypost.SyncStatus"/>.</summary>
    [JsonPropertyName("fromListingSyncStatus")]
    public string FromListingSyncStatus { get; init; } = "";

    /// <summary>New sync status; equal to the previous one if it did not change. See <see cref="Waypost.SyncStatus"/>.</summary>
    [JsonPropertyName("toListingSyncStatus")]
    public string ToListingSyncStatus { get; init; } = "";
}

/// <summary>A user changed a status of a listing manually, usually an operator after a review.</summary>
public sealed record ListingStatusChangeEvent : WaypostEvent
{
    /// <summary>Id of the business.</summary>
    [JsonPropertyName("business")]
    public long Business { get; init; }

    /// <summary>Id of the listing.</summary>
    [JsonPropertyName("listing")]
    public long Listing { get; init; }

    /// <summary>Id of the location. Read the location to get its current data.</summary>
    [JsonPropertyName("location")]
    public long Location { get; init; }

    /// <summary>Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.</summary>
    [JsonPropertyName("directoryType")]
    public string DirectoryType { get; init; } = "";

    /// <summary>Whether the claim status changed.</summary>
    [JsonPropertyName("claimStatusChanged")]
    public bool ClaimStatusChanged { get; init; }

    /// <summary>Whether the flow status changed.</summary>
    [JsonPropertyName("flowStatusChanged")]
    public bool FlowStatusChanged { get; init; }

    /// <summary>Whether the sync status changed.</summary>
    [JsonPropertyName("syncStatusChanged")]
    public bool SyncStatusChanged { get; init; }

    /// <summary>Previous claim status. See <see cref="Waypost.ListingClaimStatus"/>.</summary>
    [JsonPropertyName("fromListingClaimStatus")]
    public string FromListingClaimStatus { get; init; } = "";

    /// <summary>New claim status; equal to the previous one if it did not change. See <see cref="Waypost.ListingClaimStatus"/>.</summary>
    [JsonPropertyName("toListingClaimStatus")]
    public string ToListingClaimStatus { get; init; } = "";

    /// <summary>Previous flow status. See <see cref="Waypost.FlowStatus"/>.</summary>
    [JsonPropertyName("fromListingFlowStatus")]
    public string FromListingFlowStatus { get; init; } = "";

    /// <summary>New flow status; equal to the previous one if it did not change. See <see cref="Waypost.FlowStatus"/>.</summary>
    [JsonPropertyName("toListingFlowStatus")]
    public string ToListingFlowStatus { get; init; } = "";

    /// <summary>Previous sync status. See <see cref="Waypost.SyncStatus"/>.</summary>
    [JsonPropertyName("fromListingSyncStatus")]
    public string FromListingSyncStatus { get; init; } = "";

    /// <summary>New sync status; equal to the previous one if it did not change. See <see cref="Waypost.SyncStatus"/>.</summary>
    [JsonPropertyName("toListingSyncStatus")]
    public string ToListingSyncStatus { get; init; } = "";

    /// <summary>User who changed the status.</summary>
    [JsonPropertyName("user")]
    public string User { get; init; } = "";
}

/// <summary>The URL of a listing on its directory changed or was removed, by a user or because a better match was found. The first URL that was found or created automatically is not a change.</summary>
public sealed record ListingLinkChangeEvent : WaypostEvent
{
    /// <summary>Id of the business.</summary>
    [JsonPropertyName("business")]
    public long Business { get; init; }

    /// <summary>Id of the listing.</summary>
    [JsonPropertyName("listing")]
    public long Listing { get; init; }

    /// <summary>Id of the location. Read the location to get its current data.</summary>
    [JsonPropertyName("location")]
    public long Location { get; init; }

    /// <summary>Human-readable description.</summary>
    [JsonPropertyName("comment")]
    public string Comment { get; init; } = "";

    /// <summary>Previous URL of the listing; empty if there was none.</summary>
    [JsonPropertyName("fromListingUrl")]
    public string FromListingUrl { get; init; } = "";

    /// <summary>Previous id of the listing on the directory; empty if there was none.</summary>
    [JsonPropertyName("fromListingId")]
    public string FromListingId { get; init; } = "";

    /// <summary>New URL of the listing; empty if it was removed.</summary>
    [JsonPropertyName("toListingUrl")]
    public string ToListingUrl { get; init; } = "";

    /// <summary>New id of the listing on the directory; empty if there is none.</summary>
    [JsonPropertyName("toListingId")]
    public string ToListingId { get; init; } = "";
}

/// <summary>Result of submitting the data of a location to a directory.</summary>
public sealed record ListingUpdateEvent : WaypostEvent
{
    /// <summary>Id of the business.</summary>
    [JsonPropertyName("business")]
    public long Business { get; init; }

    /// <summary>Id of the listing.</summary>
    [JsonPropertyName("listing")]
    public long Listing { get; init; }

    /// <summary>Id of the location. Read the location to get its current data.</summary>
    [JsonPropertyName("location")]
    public long Location { get; init; }

    /// <summary>Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.</summary>
    [JsonPropertyName("directoryType")]
    public string DirectoryType { get; init; } = "";

    /// <summary>Explanations, including messages of the directory.</summary>
    [JsonPropertyName("messages")]
    public IReadOnlyList<string> Messages { get; init; } = Array.Empty<string>();

    /// <summary>SUCCESS: updated. FAILURE: rejected by the directory. UNDEFINED: not submitted; updateStatus has the reason. See <see cref="Waypost.UpdateResult"/>.</summary>
    [JsonPropertyName("updateResult")]
    public string UpdateResult { get; init; } = "";

    /// <summary>Why the listing was not updated; null only if updateResult is SUCCESS. DUPLICATED should not be shown as a failure. See <see cref="Waypost.UpdateStatus"/>.</summary>
    [JsonPropertyName("updateStatus")]
    public string? UpdateStatus { get; init; }
}

/// <summary>A check of a listing found new or changed reviews, photos or other datapoints.</summary>
public sealed record ListingDatapointCheckEvent : WaypostEvent
{
    /// <summary>Id of the business.</summary>
    [JsonPropertyName("business")]
    public long Business { get; init; }

    /// <summary>Id of the listing.</summary>
    [JsonPropertyName("listing")]
    public long Listing { get; init; }

    /// <summary>Id of the location. Read the location to get its current data.</summary>
    [JsonPropertyName("location")]
    public long Location { get; init; }

    /// <summary>Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.</summary>
    [JsonPropertyName("directoryType")]
    public string DirectoryType { get; init; } = "";

    /// <summary>Number of new photos.</summary>
    [JsonPropertyName("newPhotosFound")]
    public long NewPhotosFound { get; init; }

    /// <summary>Number of new reviews.</summary>
    [JsonPropertyName("newReviewsFound")]
    public long NewReviewsFound { get; init; }

    /// <summary>Number of new check-ins.</summary>
    [JsonPropertyName("newCheckinsFound")]
    public long NewCheckinsFound { get; init; }

    /// <summary>Number of new conversations.</summary>
    [JsonPropertyName("newConversationsFound")]
    public long NewConversationsFound { get; init; }

    /// <summary>Number of new comments.</summary>
    [JsonPropertyName("newCommentsFound")]
    public long NewCommentsFound { get; init; }

    /// <summary>Number of new questions.</summary>
    [JsonPropertyName("newQuestionsFound")]
    public long NewQuestionsFound { get; init; }

    /// <summary>Whether new datapoints were found.</summary>
    [JsonPropertyName("newDatapointsFound")]
    public bool NewDatapointsFound { get; init; }

    /// <summary>Ids of new datapoints; empty when only existing ones changed.</summary>
    [JsonPropertyName("newDataPointIds")]
    public IReadOnlyList<long> NewDataPointIds { get; init; } = Array.Empty<long>();

    /// <summary>Ids of existing datapoints that changed, such as an edited review; absent if none changed.</summary>
    [JsonPropertyName("updatedDataPointIds")]
    public IReadOnlyList<long>? UpdatedDataPointIds { get; init; }
}

/// <summary>Datapoints or replies of a listing were removed from the directory, or the listing was unlinked or its location deleted. They are no longer valid on the platform.</summary>
public sealed record ListingDatapointInvalidEvent : WaypostEvent
{
    /// <summary>Id of the business.</summary>
    [JsonPropertyName("business")]
    public long Business { get; init; }

    /// <summary>Id of the listing.</summary>
    [JsonPropertyName("listing")]
    public long Listing { get; init; }

    /// <summary>Id of the location. Read the location to get its current data.</summary>
    [JsonPropertyName("location")]
    public long Location { get; init; }

    /// <summary>Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.</summary>
    [JsonPropertyName("directoryType")]
    public string DirectoryType { get; init; } = "";

    /// <summary>Ids of datapoints that are no longer valid, such as customer reviews.</summary>
    [JsonPropertyName("invalidDataPointIds")]
    public IReadOnlyList<long> InvalidDataPointIds { get; init; } = Array.Empty<long>();

    /// <summary>Ids of replies that are no longer valid, such as replies of the owner.</summary>
    [JsonPropertyName("deletedDataPointIds")]
    public IReadOnlyList<long> DeletedDataPointIds { get; init; } = Array.Empty<long>();
}

/// <summary>A check of a brand page found new or changed datapoints.</summary>
public sealed record DirectoryBusinessPageDataPointCheckEvent : WaypostEvent
{
    /// <summary>Id of the business.</summary>
    [JsonPropertyName("business")]
    public long Business { get; init; }

    /// <summary>Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.</summary>
    [JsonPropertyName("directoryType")]
    public string DirectoryType { get; init; } = "";

    /// <summary>Id of the brand page of the datapoints.</summary>
    [JsonPropertyName("directoryBusinessPage")]
    public long DirectoryBusinessPage { get; init; }

    /// <summary>Whether new datapoints were found.</summary>
    [JsonPropertyName("newDatapointsFound")]
    public bool NewDatapointsFound { get; init; }

    /// <summary>Ids of new datapoints; empty when only existing ones changed.</summary>
    [JsonPropertyName("newDataPointIds")]
    public IReadOnlyList<long> NewDataPointIds { get; init; } = Array.Empty<long>();

    /// <summary>Ids of existing datapoints that changed, such as an edited review; empty if none changed.</summary>
    [JsonPropertyName("updatedDataPointIds")]
    public IReadOnlyList<long> UpdatedDataPointIds { get; init; } = Array.Empty<long>();
}

/// <summary>Recorded together with DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK, as a separate event with counts per type of datapoint.</summary>
public sealed record BrandDatapointCheckEvent : WaypostEvent
{
    /// <summary>Id of the business.</summary>
    [JsonPropertyName("business")]
    public long Business { get; init; }

    /// <summary>Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.</summary>
    [JsonPropertyName("directoryType")]
    public string DirectoryType { get; init; } = "";

    /// <summary>Id of the brand page of the datapoints.</summary>
    [JsonPropertyName("directoryBusinessPage")]
    public long DirectoryBusinessPage { get; init; }

    /// <summary>Number of new photos.</summary>
    [JsonPropertyName("newPhotosFound")]
    public long NewPhotosFound { get; init; }

    /// <summary>Number of new reviews.</summary>
    [JsonPropertyName("newReviewsFound")]
    public long NewReviewsFound { get; init; }

    /// <summary>Number of new check-ins.</summary>
    [JsonPropertyName("newCheckinsFound")]
    public long NewCheckinsFound { get; init; }

    /// <summary>Number of new conversations.</summary>
    [JsonPropertyName("newConversationsFound")]
    public long NewConversationsFound { get; init; }

    /// <summary>Number of new comments.</summary>
    [JsonPropertyName("newCommentsFound")]
    public long NewCommentsFound { get; init; }

    /// <summary>Number of new questions.</summary>
    [JsonPropertyName("newQuestionsFound")]
    public long NewQuestionsFound { get; init; }

    /// <summary>Whether new datapoints were found.</summary>
    [JsonPropertyName("newDatapointsFound")]
    public bool NewDatapointsFound { get; init; }

    /// <summary>Ids of new datapoints; empty when only existing ones changed.</summary>
    [JsonPropertyName("newDataPointIds")]
    public IReadOnlyList<long> NewDataPointIds { get; init; } = Array.Empty<long>();

    /// <summary>Ids of existing datapoints that changed, such as an edited review; empty if none changed.</summary>
    [JsonPropertyName("updatedDataPointIds")]
    public IReadOnlyList<long> UpdatedDataPointIds { get; init; } = Array.Empty<long>();
}

/// <summary>Datapoints or replies of a brand page were removed from the directory, or the page no longer belongs to the business. They are no longer valid on the platform.</summary>
public sealed record DirectoryBusinessPageDataPointInvalidEvent : WaypostEvent
{
    /// <summary>Id of the business.</summary>
    [JsonPropertyName("business")]
    public long Business { get; init; }

    /// <summary>Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.</summary>
    [JsonPropertyName("directoryType")]
    public string DirectoryType { get; init; } = "";

    /// <summary>Id of the brand page of the datapoints.</summary>
    [JsonPropertyName("directoryBusinessPage")]
    public long DirectoryBusinessPage { get; init; }

    /// <summary>Ids of datapoints that are no longer valid, such as customer reviews.</summary>
    [JsonPropertyName("invalidDataPointIds")]
    public IReadOnlyList<long> InvalidDataPointIds { get; init; } = Array.Empty<long>();

    /// <summary>Ids of replies that are no longer valid, such as replies of the owner.</summary>
    [JsonPropertyName("deletedDataPointIds")]
    public IReadOnlyList<long> DeletedDataPointIds { get; init; } = Array.Empty<long>();
}

/// <summary>A location was created.</summary>
public sealed record LocationCreatedEvent : WaypostEvent
{
    /// <summary>Human-readable description.</summary>
    [JsonPropertyName("comment")]
    public string Comment { get; init; } = "";

    /// <summary>Id of the location. Read the location to get its current data.</summary>
    [JsonPropertyName("location")]
    public long Location { get; init; }

    /// <summary>How the location was created. See <see cref="Waypost.LocationSource"/>.</summary>
    [JsonPropertyName("source")]
    public string Source { get; init; } = "";
}

/// <summary>The status of a location changed, by a user or automatically.</summary>
public sealed record LocationStatusChangedEvent : WaypostEvent
{
    /// <summary>Human-readable description.</summary>
    [JsonPropertyName("comment")]
    public string Comment { get; init; } = "";

    /// <summary>Id of the location. Read the location to get its current data.</summary>
    [JsonPropertyName("location")]
    public long Location { get; init; }

    /// <summary>Previous status. See <see cref="Waypost.LocationStatus"/>.</summary>
    [JsonPropertyName("from")]
    public string From { get; init; } = "";

    /// <summary>New status. See <see cref="Waypost.LocationStatus"/>.</summary>
    [JsonPropertyName("to")]
    public string To { get; init; } = "";

    /// <summary>User who changed the status; absent if it changed automatically.</summary>
    [JsonPropertyName("user")]
    public string? User { get; init; }
}

/// <summary>A user changed the data of a location. The comment lists the changed fields.</summary>
public sealed record LocationProfileChangedEvent : WaypostEvent
{
    /// <summary>Human-readable description.</summary>
    [JsonPropertyName("comment")]
    public string Comment { get; init; } = "";

    /// <summary>Id of the location. Read the location to get its current data.</summary>
    [JsonPropertyName("location")]
    public long Location { get; init; }

    /// <summary>User who changed the data.</summary>
    [JsonPropertyName("user")]
    public string User { get; init; } = "";
}

/// <summary>A directory suggests different data for a location. The suggestions can be accepted or declined.</summary>
public sealed record LocationDataSuggestionEvent : WaypostEvent
{
    /// <summary>Id of the business.</summary>
    [JsonPropertyName("business")]
    public long Business { get; init; }

    /// <summary>Id of the location. Read the location to get its current data.</summary>
    [JsonPropertyName("location")]
    public long Location { get; init; }

    /// <summary>Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.</summary>
    [JsonPropertyName("directoryType")]
    public string DirectoryType { get; init; } = "";

    /// <summary>Ids of the pending suggestions.</summary>
    [JsonPropertyName("suggestionIds")]
    public IReadOnlyList<long> SuggestionIds { get; init; } = Array.Empty<long>();

    /// <summary>Names of the suggested location fields.</summary>
    [JsonPropertyName("fields")]
    public IReadOnlyList<string> Fields { get; init; } = Array.Empty<string>();
}

/// <summary>A business was created in the partner account.</summary>
public sealed record BusinessCreatedEvent : WaypostEvent
{
    /// <summary>Id of the business.</summary>
    [JsonPropertyName("business")]
    public long Business { get; init; }

    /// <summary>Human-readable description.</summary>
    [JsonPropertyName("comment")]
    public string Comment { get; init; } = "";

    /// <summary>Author of the change: the user's e-mail address, PRIVATE_TOKEN (an API client with a private key) or SYSTEM (the platform).</summary>
    [JsonPropertyName("changedBy")]
    public string ChangedBy { get; init; } = "";
}

/// <summary>A business and its locations changed to another product plan.</summary>
public sealed record BusinessProductPlanChangedEvent : WaypostEvent
{
    /// <summary>Id of the business.</summary>
    [JsonPropertyName("business")]
    public long Business { get; init; }

    /// <summary>Human-readable description.</summary>
    [JsonPropertyName("comment")]
    public string Comment { get; init; } = "";

    /// <summary>Id of the new plan.</summary>
    [JsonPropertyName("newProductPlanId")]
    public long NewProductPlanId { get; init; }

    /// <summary>Name of the new plan.</summary>
    [JsonPropertyName("newProductPlanName")]
    public string NewProductPlanName { get; init; } = "";

    /// <summary>Price of the new plan in cents.</summary>
    [JsonPropertyName("newProductPlanPrice")]
    public long NewProductPlanPrice { get; init; }

    /// <summary>Id of the previous plan.</summary>
    [JsonPropertyName("oldProductPlanId")]
    public long OldProductPlanId { get; init; }

    /// <summary>Name of the previous plan.</summary>
    [JsonPropertyName("oldProductPlanName")]
    public string OldProductPlanName { get; init; } = "";

    /// <summary>Price of the previous plan in cents.</summary>
    [JsonPropertyName("oldProductPlanPrice")]
    public long OldProductPlanPrice { get; init; }

    /// <summary>Author of the change: the user's e-mail address, PRIVATE_TOKEN (an API client with a private key) or SYSTEM (the platform).</summary>
    [JsonPropertyName("changedBy")]
    public string ChangedBy { get; init; } = "";
}

/// <summary>Deliveries of a webhook are failing or paused, or it will be disabled soon.</summary>
public sealed record WebhookFailingEvent : WaypostEvent
{
    /// <summary>Id of the webhook.</summary>
    [JsonPropertyName("webhook")]
    public long Webhook { get; init; }

    /// <summary>Event type that the webhook is subscribed to.</summary>
    [JsonPropertyName("webhookType")]
    public string WebhookType { get; init; } = "";

    /// <summary>What happened, with the last error or the reason.</summary>
    [JsonPropertyName("comment")]
    public string Comment { get; init; } = "";

    /// <summary>When the problem began, in the format of time.</summary>
    [JsonPropertyName("since")]
    public string Since { get; init; } = "";

    /// <summary>At most one event per webhook, cause and hour is recorded. See <see cref="Waypost.WebhookFailingCause"/>.</summary>
    [JsonPropertyName("cause")]
    public string Cause { get; init; } = "";

    /// <summary>When the webhook is disabled if all deliveries keep failing. Absent if that is never.</summary>
    [JsonPropertyName("disablesAt")]
    public string? DisablesAt { get; init; }
}

/// <summary>A failing or disabled webhook delivers again, or a user enabled, resumed or changed it.</summary>
public sealed record WebhookRecoveredEvent : WaypostEvent
{
    /// <summary>Id of the webhook.</summary>
    [JsonPropertyName("webhook")]
    public long Webhook { get; init; }

    /// <summary>Event type that the webhook is subscribed to.</summary>
    [JsonPropertyName("webhookType")]
    public string WebhookType { get; init; } = "";

    /// <summary>What happened, with the last error or the reason.</summary>
    [JsonPropertyName("comment")]
    public string Comment { get; init; } = "";

    /// <summary>When the problem began, in the format of time.</summary>
    [JsonPropertyName("since")]
    public string Since { get; init; } = "";
}

/// <summary>A webhook was disabled because its receiver responded with 410 or all deliveries failed for days.</summary>
public sealed record WebhookDisabledEvent : WaypostEvent
{
    /// <summary>Id of the webhook.</summary>
    [JsonPropertyName("webhook")]
    public long Webhook { get; init; }

    /// <summary>Event type that the webhook is subscribed to.</summary>
    [JsonPropertyName("webhookType")]
    public string WebhookType { get; init; } = "";

    /// <summary>What happened, with the last error or the reason.</summary>
    [JsonPropertyName("comment")]
    public string Comment { get; init; } = "";

    /// <summary>When the problem began, in the format of time.</summary>
    [JsonPropertyName("since")]
    public string Since { get; init; } = "";
}

/// <summary>Known values. Values may be added.</summary>
public static class ListingClaimStatus
{
    public const string Claimable = "CLAIMABLE";
    public const string NotClaimable = "NOT_CLAIMABLE";
    public const string ClaimedByUs = "CLAIMED_BY_US";
    public const string ClaimedByOthers = "CLAIMED_BY_OTHERS";
    public const string ClaimedByAnotherUs = "CLAIMED_BY_ANOTHER_US";
    public const string ClaimingInProgress = "CLAIMING_IN_PROGRESS";
    public const string Unknown = "UNKNOWN";
}

/// <summary>Known values. Values may be added.</summary>
public static class FlowStatus
{
    public const string SubmissionNeeded = "SUBMISSION_NEEDED";
    public const string WaitingUserAction = "WAITING_USER_ACTION";
    public const string WaitingDirectoryAction = "WAITING_DIRECTORY_ACTION";
    public const string AllInformationSubmitted = "ALL_INFORMATION_SUBMITTED";
    public const string NoActionNeeded = "NO_ACTION_NEEDED";
    public const string NeedsReview = "NEEDS_REVIEW";
    public const string NotSupported = "NOT_SUPPORTED";
    public const string Inactive = "INACTIVE";
    public const string ManuallyDeactivated = "MANUALLY_DEACTIVATED";
    public const string ManuallyCreated = "MANUALLY_CREATED";
    public const string RemovalNeeded = "REMOVAL_NEEDED";
    public const string RemovalSubmitted = "REMOVAL_SUBMITTED";
    public const string Removed = "REMOVED";
    public const string CancellationNeeded = "CANCELLATION_NEEDED";
    public const string CancellationSubmitted = "CANCELLATION_SUBMITTED";
}

/// <summary>Known values. Values may be added.</summary>
public static class SyncStatus
{
    public const string InSync = "IN_SYNC";
    public const string NotInSync = "NOT_IN_SYNC";
    public const string NotFound = "NOT_FOUND";
    public const string TechnicalProblems = "TECHNICAL_PROBLEMS";
    public const string NotSupported = "NOT_SUPPORTED";
    public const string NoOnlineListing = "NO_ONLINE_LISTING";
    public const string LinkOnly = "LINK_ONLY";
}

/// <summary>Known values. Values may be added.</summary>
public static class UpdateResult
{
    public const string Success = "SUCCESS";
    public const string Failure = "FAILURE";
    public const string Undefined = "UNDEFINED";
}

/// <summary>Known values. Values may be added.</summary>
public static class UpdateStatus
{
    public const string MandatoryFieldMissing = "MANDATORY_FIELD_MISSING";
    public const string NotSupported = "NOT_SUPPORTED";
    public const string InvalidClaimStatus = "INVALID_CLAIM_STATUS";
    public const string InvalidFlowStatus = "INVALID_FLOW_STATUS";
    public const string InvalidSyncStatus = "INVALID_SYNC_STATUS";
    public const string InvalidLocationStatus = "INVALID_LOCATION_STATUS";
    public const string LocationNotNormalized = "LOCATION_NOT_NORMALIZED";
    public const string Duplicated = "DUPLICATED";
    public const string LimitReached = "LIMIT_REACHED";
    public const string AddressDisplayNotSupported = "ADDRESS_DISPLAY_NOT_SUPPORTED";
    public const string LocationNotSynced = "LOCATION_NOT_SYNCED";
    public const string LocationNotCleansed = "LOCATION_NOT_CLEANSED";
    public const string Delayed = "DELAYED";
}

/// <summary>Known values. Values may be added.</summary>
public static class LocationSource
{
    public const string Api = "API";
    public const string Checkout = "CHECKOUT";
    public const string CsvUpload = "CSV_UPLOAD";
    public const string DemoJob = "DEMO_JOB";
    public const string LocationDataDownload = "LOCATION_DATA_DOWNLOAD";
}

/// <summary>Known values. Values may be added.</summary>
public static class LocationStatus
{
    public const string Created = "CREATED";
    public const string Active = "ACTIVE";
    public const string NeedsReview = "NEEDS_REVIEW";
    public const string Cancelled = "CANCELLED";
    public const string Inactive = "INACTIVE";
    public const string Closed = "CLOSED";
    public const string Deleted = "DELETED";
}

/// <summary>Known values. Values may be added.</summary>
public static class WebhookFailingCause
{
    public const string Failing = "FAILING";
    public const string Paused = "PAUSED";
    public const string DisabledSoon = "DISABLED_SOON";
}

internal static class EventRecords
{
    internal static readonly Dictionary<string, Type> ByType = new()
    {
        ["LISTING_SYNC_CHECK"] = typeof(ListingSyncCheckEvent),
        ["LISTING_STATUS_CHANGE"] = typeof(ListingStatusChangeEvent),
        ["LISTING_LINK_CHANGE"] = typeof(ListingLinkChangeEvent),
        ["LISTING_UPDATE"] = typeof(ListingUpdateEvent),
        ["LISTING_DATAPOINT_CHECK"] = typeof(ListingDatapointCheckEvent),
        ["LISTING_DATAPOINT_INVALID"] = typeof(ListingDatapointInvalidEvent),
        ["DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK"] = typeof(DirectoryBusinessPageDataPointCheckEvent),
        ["BRAND_DATAPOINT_CHECK"] = typeof(BrandDatapointCheckEvent),
        ["DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID"] = typeof(DirectoryBusinessPageDataPointInvalidEvent),
        ["LOCATION_CREATED"] = typeof(LocationCreatedEvent),
        ["LOCATION_STATUS_CHANGED"] = typeof(LocationStatusChangedEvent),
        ["LOCATION_PROFILE_CHANGED"] = typeof(LocationProfileChangedEvent),
        ["LOCATION_DATA_SUGGESTION"] = typeof(LocationDataSuggestionEvent),
        ["BUSINESS_CREATED"] = typeof(BusinessCreatedEvent),
        ["BUSINESS_PRODUCT_PLAN_CHANGED"] = typeof(BusinessProductPlanChangedEvent),
        ["WEBHOOK_FAILING"] = typeof(WebhookFailingEvent),
        ["WEBHOOK_RECOVERED"] = typeof(WebhookRecoveredEvent),
        ["WEBHOOK_DISABLED"] = typeof(WebhookDisabledEvent),
    };
}
