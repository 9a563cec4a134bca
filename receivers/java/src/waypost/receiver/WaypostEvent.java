// Generated from the event catalogue by receivers/generate.ts. Do not edit.
package waypost.receiver;

import java.util.List;
import java.util.Map;

/** An event. Types may be added, so handle unknown ones. */
public sealed interface WaypostEvent {
    /** Unique across all partners and increasing. A delivery may arrive twice; use the id to detect duplicates. */
    long id();

    /** Time of the event in UTC with milliseconds: 2026-11-15T01:02:03.456+00:00. */
    String time();

    /** Event type, such as LOCATION_CREATED. */
    String type();

    /** Partner account of the event. */
    String salesPartnerIdentifier();

    /** All fields, including fields that are newer than this package. Integers are Long or BigInteger. */
    Map<String, Object> raw();

    /**
     * An event whose type is newer than this package, or whose fields differ. Fields of every event that differ are 0 or
     * null.
     */
    record UnknownEvent(long id, String time, String type, String salesPartnerIdentifier, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * A listing was compared with its directory, whether or not a status changed.
     *
     * @param business Id of the business.
     * @param listing Id of the listing.
     * @param location Id of the location. Read the location to get its current data.
     * @param directoryType Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
     * @param googleStatusChanged Whether the listing's status on Google changed.
     * @param claimStatusChanged Whether the claim status changed.
     * @param flowStatusChanged Whether the flow status changed.
     * @param syncStatusChanged Whether the sync status changed.
     * @param fromListingClaimStatus Previous claim status. See {@link ListingClaimStatus}.
     * @param toListingClaimStatus New claim status; equal to the previous one if it did not change. See {@link ListingClaimStatus}.
     * @param fromListingFlowStatus Previous flow status. See {@link FlowStatus}.
     * @param toListingFlowStatus New flow status; equal to the previous one if it did not change. See {@link FlowStatus}.
     * @param fromListingSyncStatus Previous sync status. See {@link SyncStatus}.
     * @param toListingSyncStatus New sync status; equal to the previous one if it did not change. See {@link SyncStatus}.
     */
    record ListingSyncCheckEvent(long id, String time, String type, String salesPartnerIdentifier, long business, long listing, long location, String directoryType, boolean googleStatusChanged, boolean claimStatusChanged, boolean flowStatusChanged, boolean syncStatusChanged, String fromListingClaimStatus, String toListingClaimStatus, String fromListingFlowStatus, String toListingFlowStatus, String fromListingSyncStatus, String toListingSyncStatus, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * A user changed a status of a listing manually, usually an operator after a review.
     *
     * @param business Id of the business.
     * @param listing Id of the listing.
     * @param location Id of the location. Read the location to get its current data.
     * @param directoryType Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
     * @param claimStatusChanged Whether the claim status changed.
     * @param flowStatusChanged Whether the flow status changed.
     * @param syncStatusChanged Whether the sync status changed.
     * @param fromListingClaimStatus Previous claim status. See {@link ListingClaimStatus}.
     * @param toListingClaimStatus New claim status; equal to the previous one if it did not change. See {@link ListingClaimStatus}.
     * @param fromListingFlowStatus Previous flow status. See {@link FlowStatus}.
     * @param toListingFlowStatus New flow status; equal to the previous one if it did not change. See {@link FlowStatus}.
     * @param fromListingSyncStatus Previous sync status. See {@link SyncStatus}.
     * @param toListingSyncStatus New sync status; equal to the previous one if it did not change. See {@link SyncStatus}.
     * @param user User who changed the status.
     */
    record ListingStatusChangeEvent(long id, String time, String type, String salesPartnerIdentifier, long business, long listing, long location, String directoryType, boolean claimStatusChanged, boolean flowStatusChanged, boolean syncStatusChanged, String fromListingClaimStatus, String toListingClaimStatus, String fromListingFlowStatus, String toListingFlowStatus, String fromListingSyncStatus, String toListingSyncStatus, String user, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * The URL of a listing on its directory changed or was removed, by a user or because a better match was found. The first URL that was found or created automatically is not a change.
     *
     * @param business Id of the business.
     * @param listing Id of the listing.
     * @param location Id of the location. Read the location to get its current data.
     * @param comment Human-readable description.
     * @param fromListingUrl Previous URL of the listing; empty if there was none.
     * @param fromListingId Previous id of the listing on the directory; empty if there was none.
     * @param toListingUrl New URL of the listing; empty if it was removed.
     * @param toListingId New id of the listing on the directory; empty if there is none.
     */
    record ListingLinkChangeEvent(long id, String time, String type, String salesPartnerIdentifier, long business, long listing, long location, String comment, String fromListingUrl, String fromListingId, String toListingUrl, String toListingId, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * Result of submitting the data of a location to a directory.
     *
     * @param business Id of the business.
     * @param listing Id of the listing.
     * @param location Id of the location. Read the location to get its current data.
     * @param directoryType Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
     * @param messages Explanations, including messages of the directory.
     * @param updateResult SUCCESS: updated. FAILURE: rejected by the directory. UNDEFINED: not submitted; updateStatus has the reason. See {@link UpdateResult}.
     * @param updateStatus Why the listing was not updated; null only if updateResult is SUCCESS. DUPLICATED should not be shown as a failure. See {@link UpdateStatus}. May be null.
     */
    record ListingUpdateEvent(long id, String time, String type, String salesPartnerIdentifier, long business, long listing, long location, String directoryType, List<String> messages, String updateResult, String updateStatus, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * A check of a listing found new or changed reviews, photos or other datapoints.
     *
     * @param business Id of the business.
     * @param listing Id of the listing.
     * @param location Id of the location. Read the location to get its current data.
     * @param directoryType Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
     * @param newPhotosFound Number of new photos.
     * @param newReviewsFound Number of new reviews.
     * @param newCheckinsFound Number of new check-ins.
     * @param newConversationsFound Number of new conversations.
     * @param newCommentsFound Number of new comments.
     * @param newQuestionsFound Number of new questions.
     * @param newDatapointsFound Whether new datapoints were found.
     * @param newDataPointIds Ids of new datapoints; empty when only existing ones changed.
     * @param updatedDataPointIds Ids of existing datapoints that changed, such as an edited review; absent if none changed. May be null.
     */
    record ListingDatapointCheckEvent(long id, String time, String type, String salesPartnerIdentifier, long business, long listing, long location, String directoryType, long newPhotosFound, long newReviewsFound, long newCheckinsFound, long newConversationsFound, long newCommentsFound, long newQuestionsFound, boolean newDatapointsFound, List<Long> newDataPointIds, List<Long> updatedDataPointIds, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * Datapoints or replies of a listing were removed from the directory, or the listing was unlinked or its location deleted. They are no longer valid on the platform.
     *
     * @param business Id of the business.
     * @param listing Id of the listing.
     * @param location Id of the location. Read the location to get its current data.
     * @param directoryType Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
     * @param invalidDataPointIds Ids of datapoints that are no longer valid, such as customer reviews.
     * @param deletedDataPointIds Ids of replies that are no longer valid, such as replies of the owner.
     */
    record ListingDatapointInvalidEvent(long id, String time, String type, String salesPartnerIdentifier, long business, long listing, long location, String directoryType, List<Long> invalidDataPointIds, List<Long> deletedDataPointIds, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * A check of a brand page found new or changed datapoints.
     *
     * @param business Id of the business.
     * @param directoryType Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
     * @param directoryBusinessPage Id of the brand page of the datapoints.
     * @param newDatapointsFound Whether new datapoints were found.
     * @param newDataPointIds Ids of new datapoints; empty when only existing ones changed.
     * @param updatedDataPointIds Ids of existing datapoints that changed, such as an edited review; empty if none changed.
     */
    record DirectoryBusinessPageDataPointCheckEvent(long id, String time, String type, String salesPartnerIdentifier, long business, String directoryType, long directoryBusinessPage, boolean newDatapointsFound, List<Long> newDataPointIds, List<Long> updatedDataPointIds, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * Recorded together with DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK, as a separate event with counts per type of datapoint.
     *
     * @param business Id of the business.
     * @param directoryType Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
     * @param directoryBusinessPage Id of the brand page of the datapoints.
     * @param newPhotosFound Number of new photos.
     * @param newReviewsFound Number of new reviews.
     * @param newCheckinsFound Number of new check-ins.
     * @param newConversationsFound Number of new conversations.
     * @param newCommentsFound Number of new comments.
     * @param newQuestionsFound Number of new questions.
     * @param newDatapointsFound Whether new datapoints were found.
     * @param newDataPointIds Ids of new datapoints; empty when only existing ones changed.
     * @param updatedDataPointIds Ids of existing datapoints that changed, such as an edited review; empty if none changed.
     */
    record BrandDatapointCheckEvent(long id, String time, String type, String salesPartnerIdentifier, long business, String directoryType, long directoryBusinessPage, long newPhotosFound, long newReviewsFound, long newCheckinsFound, long newConversationsFound, long newCommentsFound, long newQuestionsFound, boolean newDatapointsFound, List<Long> newDataPointIds, List<Long> updatedDataPointIds, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * Datapoints or replies of a brand page were removed from the directory, or the page no longer belongs to the business. They are no longer valid on the platform.
     *
     * @param business Id of the business.
     * @param directoryType Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
     * @param directoryBusinessPage Id of the brand page of the datapoints.
     * @param invalidDataPointIds Ids of datapoints that are no longer valid, such as customer reviews.
     * @param deletedDataPointIds Ids of replies that are no longer valid, such as replies of the owner.
     */
    record DirectoryBusinessPageDataPointInvalidEvent(long id, String time, String type, String salesPartnerIdentifier, long business, String directoryType, long directoryBusinessPage, List<Long> invalidDataPointIds, List<Long> deletedDataPointIds, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * A location was created.
     *
     * @param comment Human-readable description.
     * @param location Id of the location. Read the location to get its current data.
     * @param source How the location was created. See {@link LocationSource}.
     */
    record LocationCreatedEvent(long id, String time, String type, String salesPartnerIdentifier, String comment, long location, String source, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * The status of a location changed, by a user or automatically.
     *
     * @param comment Human-readable description.
     * @param location Id of the location. Read the location to get its current data.
     * @param from Previous status. See {@link LocationStatus}.
     * @param to New status. See {@link LocationStatus}.
     * @param user User who changed the status; absent if it changed automatically. May be null.
     */
    record LocationStatusChangedEvent(long id, String time, String type, String salesPartnerIdentifier, String comment, long location, String from, String to, String user, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * A user changed the data of a location. The comment lists the changed fields.
     *
     * @param comment Human-readable description.
     * @param location Id of the location. Read the location to get its current data.
     * @param user User who changed the data.
     */
    record LocationProfileChangedEvent(long id, String time, String type, String salesPartnerIdentifier, String comment, long location, String user, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * A directory suggests different data for a location. The suggestions can be accepted or declined.
     *
     * @param business Id of the business.
     * @param location Id of the location. Read the location to get its current data.
     * @param directoryType Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.
     * @param suggestionIds Ids of the pending suggestions.
     * @param fields Names of the suggested location fields.
     */
    record LocationDataSuggestionEvent(long id, String time, String type, String salesPartnerIdentifier, long business, long location, String directoryType, List<Long> suggestionIds, List<String> fields, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * A business was created in the partner account.
     *
     * @param business Id of the business.
     * @param comment Human-readable description.
     * @param changedBy Author of the change: the user's e-mail address, PRIVATE_TOKEN (an API client with a private key) or SYSTEM (the platform).
     */
    record BusinessCreatedEvent(long id, String time, String type, String salesPartnerIdentifier, long business, String comment, String changedBy, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * A business and its locations changed to another product plan.
     *
     * @param business Id of the business.
     * @param comment Human-readable description.
     * @param newProductPlanId Id of the new plan.
     * @param newProductPlanName Name of the new plan.
     * @param newProductPlanPrice Price of the new plan in cents.
     * @param oldProductPlanId Id of the previous plan.
     * @param oldProductPlanName Name of the previous plan.
     * @param oldProductPlanPrice Price of the previous plan in cents.
     * @param changedBy Author of the change: the user's e-mail address, PRIVATE_TOKEN (an API client with a private key) or SYSTEM (the platform).
     */
    record BusinessProductPlanChangedEvent(long id, String time, String type, String salesPartnerIdentifier, long business, String comment, long newProductPlanId, String newProductPlanName, long newProductPlanPrice, long oldProductPlanId, String oldProductPlanName, long oldProductPlanPrice, String changedBy, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * Deliveries of a webhook are failing or paused, or it will be disabled soon.
     *
     * @param webhook Id of the webhook.
     * @param webhookType Event type that the webhook is subscribed to.
     * @param comment What happened, with the last error or the reason.
     * @param since When the problem began, in the format of time.
     * @param cause At most one event per webhook, cause and hour is recorded. See {@link WebhookFailingCause}.
     * @param disablesAt When the webhook is disabled if all deliveries keep failing. Absent if that is never. May be null.
     */
    record WebhookFailingEvent(long id, String time, String type, String salesPartnerIdentifier, long webhook, String webhookType, String comment, String since, String cause, String disablesAt, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * A failing or disabled webhook delivers again, or a user enabled, resumed or changed it.
     *
     * @param webhook Id of the webhook.
     * @param webhookType Event type that the webhook is subscribed to.
     * @param comment What happened, with the last error or the reason.
     * @param since When the problem began, in the format of time.
     */
    record WebhookRecoveredEvent(long id, String time, String type, String salesPartnerIdentifier, long webhook, String webhookType, String comment, String since, Map<String, Object> raw) implements WaypostEvent {}

    /**
     * A webhook was disabled because its receiver responded with 410 or all deliveries failed for days.
     *
     * @param webhook Id of the webhook.
     * @param webhookType Event type that the webhook is subscribed to.
     * @param comment What happened, with the last error or the reason.
     * @param since When the problem began, in the format of time.
     */
    record WebhookDisabledEvent(long id, String time, String type, String salesPartnerIdentifier, long webhook, String webhookType, String comment, String since, Map<String, Object> raw) implements WaypostEvent {}

    /** Known values. Values may be added. */
    final class ListingClaimStatus {
        private ListingClaimStatus() {}

        public static final String CLAIMABLE = "CLAIMABLE";
        public static final String NOT_CLAIMABLE = "NOT_CLAIMABLE";
        public static final String CLAIMED_BY_US = "CLAIMED_BY_US";
        public static final String CLAIMED_BY_OTHERS = "CLAIMED_BY_OTHERS";
        public static final String CLAIMED_BY_ANOTHER_US = "CLAIMED_BY_ANOTHER_US";
        public static final String CLAIMING_IN_PROGRESS = "CLAIMING_IN_PROGRESS";
        public static final String UNKNOWN = "UNKNOWN";
    }

    /** Known values. Values may be added. */
    final class FlowStatus {
        private FlowStatus() {}

        public static final String SUBMISSION_NEEDED = "SUBMISSION_NEEDED";
        public static final String WAITING_USER_ACTION = "WAITING_USER_ACTION";
        public static final String WAITING_DIRECTORY_ACTION = "WAITING_DIRECTORY_ACTION";
        public static final String ALL_INFORMATION_SUBMITTED = "ALL_INFORMATION_SUBMITTED";
        public static final String NO_ACTION_NEEDED = "NO_ACTION_NEEDED";
        public static final String NEEDS_REVIEW = "NEEDS_REVIEW";
        public static final String NOT_SUPPORTED = "NOT_SUPPORTED";
        public static final String INACTIVE = "INACTIVE";
        public static final String MANUALLY_DEACTIVATED = "MANUALLY_DEACTIVATED";
        public static final String MANUALLY_CREATED = "MANUALLY_CREATED";
        public static final String REMOVAL_NEEDED = "REMOVAL_NEEDED";
        public static final String REMOVAL_SUBMITTED = "REMOVAL_SUBMITTED";
        public static final String REMOVED = "REMOVED";
        public static final String CANCELLATION_NEEDED = "CANCELLATION_NEEDED";
        public static final String CANCELLATION_SUBMITTED = "CANCELLATION_SUBMITTED";
    }

    /** Known values. Values may be added. */
    final class SyncStatus {
        private SyncStatus() {}

        public static final String IN_SYNC = "IN_SYNC";
        public static final String NOT_IN_SYNC = "NOT_IN_SYNC";
        public static final String NOT_FOUND = "NOT_FOUND";
        public static final String TECHNICAL_PROBLEMS = "TECHNICAL_PROBLEMS";
        public static final String NOT_SUPPORTED = "NOT_SUPPORTED";
        public static final String NO_ONLINE_LISTING = "NO_ONLINE_LISTING";
        public static final String LINK_ONLY = "LINK_ONLY";
    }

    /** Known values. Values may be added. */
    final class UpdateResult {
        private UpdateResult() {}

        public static final String SUCCESS = "SUCCESS";
        public static final String FAILURE = "FAILURE";
        public static final String UNDEFINED = "UNDEFINED";
    }

    /** Known values. Values may be added. */
    final class UpdateStatus {
        private UpdateStatus() {}

        public static final String MANDATORY_FIELD_MISSING = "MANDATORY_FIELD_MISSING";
        public static final String NOT_SUPPORTED = "NOT_SUPPORTED";
        public static final String INVALID_CLAIM_STATUS = "INVALID_CLAIM_STATUS";
        public static final String INVALID_FLOW_STATUS = "INVALID_FLOW_STATUS";
        public static final String INVALID_SYNC_STATUS = "INVALID_SYNC_STATUS";
        public static final String INVALID_LOCATION_STATUS = "INVALID_LOCATION_STATUS";
        public static final String LOCATION_NOT_NORMALIZED = "LOCATION_NOT_NORMALIZED";
        public static final String DUPLICATED = "DUPLICATED";
        public static final String LIMIT_REACHED = "LIMIT_REACHED";
        public static final String ADDRESS_DISPLAY_NOT_SUPPORTED = "ADDRESS_DISPLAY_NOT_SUPPORTED";
        public static final String LOCATION_NOT_SYNCED = "LOCATION_NOT_SYNCED";
        public static final String LOCATION_NOT_CLEANSED = "LOCATION_NOT_CLEANSED";
        public static final String DELAYED = "DELAYED";
    }

    /** Known values. Values may be added. */
    final class LocationSource {
        private LocationSource() {}

        public static final String API = "API";
        public static final String CHECKOUT = "CHECKOUT";
        public static final String CSV_UPLOAD = "CSV_UPLOAD";
        public static final String DEMO_JOB = "DEMO_JOB";
        public static final String LOCATION_DATA_DOWNLOAD = "LOCATION_DATA_DOWNLOAD";
    }

    /** Known values. Values may be added. */
    final class LocationStatus {
        private LocationStatus() {}

        public static final String CREATED = "CREATED";
        public static final String ACTIVE = "ACTIVE";
        public static final String NEEDS_REVIEW = "NEEDS_REVIEW";
        public static final String CANCELLED = "CANCELLED";
        public static final String INACTIVE = "INACTIVE";
        public static final String CLOSED = "CLOSED";
        public static final String DELETED = "DELETED";
    }

    /** Known values. Values may be added. */
    final class WebhookFailingCause {
        private WebhookFailingCause() {}

        public static final String FAILING = "FAILING";
        public static final String PAUSED = "PAUSED";
        public static final String DISABLED_SOON = "DISABLED_SOON";
    }

}
