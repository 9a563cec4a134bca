// Generated from the event catalogue by receivers/generate.ts. Do not edit.
package waypost.receiver;

import waypost.receiver.WaypostEvent.*;

final class EventFactory {
    private EventFactory() {}

    /** Returns null if the type is unknown. */
    static WaypostEvent create(String type, Fields fields) {
        return switch (type) {
            case "LISTING_SYNC_CHECK" -> new ListingSyncCheckEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.integer("business"),
                    fields.integer("listing"),
                    fields.integer("location"),
                    fields.text("directoryType"),
                    fields.bool("googleStatusChanged"),
                    fields.bool("claimStatusChanged"),
                    fields.bool("flowStatusChanged"),
                    fields.bool("syncStatusChanged"),
                    fields.text("fromListingClaimStatus"),
                    fields.text("toListingClaimStatus"),
                    fields.text("fromListingFlowStatus"),
                    fields.text("toListingFlowStatus"),
                    fields.text("fromListingSyncStatus"),
                    fields.text("toListingSyncStatus"),
                    fields.raw());
            case "LISTING_STATUS_CHANGE" -> new ListingStatusChangeEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.integer("business"),
                    fields.integer("listing"),
                    fields.integer("location"),
                    fields.text("directoryType"),
                    fields.bool("claimStatusChanged"),
                    fields.bool("flowStatusChanged"),
                    fields.bool("syncStatusChanged"),
                    fields.text("fromListingClaimStatus"),
                    fields.text("toListingClaimStatus"),
                    fields.text("fromListingFlowStatus"),
                    fields.text("toListingFlowStatus"),
                    fields.text("fromListingSyncStatus"),
                    fields.text("toListingSyncStatus"),
                    fields.text("user"),
                    fields.raw());
            case "LISTING_LINK_CHANGE" -> new ListingLinkChangeEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.integer("business"),
                    fields.integer("listing"),
                    fields.integer("location"),
                    fields.text("comment"),
                    fields.text("fromListingUrl"),
                    fields.text("fromListingId"),
                    fields.text("toListingUrl"),
                    fields.text("toListingId"),
                    fields.raw());
            case "LISTING_UPDATE" -> new ListingUpdateEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.integer("business"),
                    fields.integer("listing"),
                    fields.integer("location"),
                    fields.text("directoryType"),
                    fields.texts("messages"),
                    fields.text("updateResult"),
                    fields.optionalText("updateStatus"),
                    fields.raw());
            case "LISTING_DATAPOINT_CHECK" -> new ListingDatapointCheckEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.integer("business"),
                    fields.integer("listing"),
                    fields.integer("location"),
                    fields.text("directoryType"),
                    fields.integer("newPhotosFound"),
                    fields.integer("newReviewsFound"),
                    fields.integer("newCheckinsFound"),
                    fields.integer("newConversationsFound"),
                    fields.integer("newCommentsFound"),
                    fields.integer("newQuestionsFound"),
                    fields.bool("newDatapointsFound"),
                    fields.integers("newDataPointIds"),
                    fields.optionalIntegers("updatedDataPointIds"),
                    fields.raw());
            case "LISTING_DATAPOINT_INVALID" -> new ListingDatapointInvalidEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.integer("business"),
                    fields.integer("listing"),
                    fields.integer("location"),
                    fields.text("directoryType"),
                    fields.integers("invalidDataPointIds"),
                    fields.integers("deletedDataPointIds"),
                    fields.raw());
            case "DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK" -> new DirectoryBusinessPageDataPointCheckEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.integer("business"),
                    fields.text("directoryType"),
                    fields.integer("directoryBusinessPage"),
                    fields.bool("newDatapointsFound"),
                    fields.integers("newDataPointIds"),
                    fields.integers("updatedDataPointIds"),
                    fields.raw());
            case "BRAND_DATAPOINT_CHECK" -> new BrandDatapointCheckEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.integer("business"),
                    fields.text("directoryType"),
                    fields.integer("directoryBusinessPage"),
                    fields.integer("newPhotosFound"),
                    fields.integer("newReviewsFound"),
                    fields.integer("newCheckinsFound"),
                    fields.integer("newConversationsFound"),
                    fields.integer("newCommentsFound"),
                    fields.integer("newQuestionsFound"),
                    fields.bool("newDatapointsFound"),
                    fields.integers("newDataPointIds"),
                    fields.integers("updatedDataPointIds"),
                    fields.raw());
            case "DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID" -> new DirectoryBusinessPageDataPointInvalidEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.integer("business"),
                    fields.text("directoryType"),
                    fields.integer("directoryBusinessPage"),
                    fields.integers("invalidDataPointIds"),
                    fields.integers("deletedDataPointIds"),
                    fields.raw());
            case "LOCATION_CREATED" -> new LocationCreatedEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.text("comment"),
                    fields.integer("location"),
                    fields.text("source"),
                    fields.raw());
            case "LOCATION_STATUS_CHANGED" -> new LocationStatusChangedEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.text("comment"),
                    fields.integer("location"),
                    fields.text("from"),
                    fields.text("to"),
                    fields.optionalText("user"),
                    fields.raw());
            case "LOCATION_PROFILE_CHANGED" -> new LocationProfileChangedEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.text("comment"),
                    fields.integer("location"),
                    fields.text("user"),
                    fields.raw());
            case "LOCATION_DATA_SUGGESTION" -> new LocationDataSuggestionEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.integer("business"),
                    fields.integer("location"),
                    fields.text("directoryType"),
                    fields.integers("suggestionIds"),
                    fields.texts("fields"),
                    fields.raw());
            case "BUSINESS_CREATED" -> new BusinessCreatedEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.integer("business"),
                    fields.text("comment"),
                    fields.text("changedBy"),
                    fields.raw());
            case "BUSINESS_PRODUCT_PLAN_CHANGED" -> new BusinessProductPlanChangedEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.integer("business"),
                    fields.text("comment"),
                    fields.integer("newProductPlanId"),
                    fields.text("newProductPlanName"),
                    fields.integer("newProductPlanPrice"),
                    fields.integer("oldProductPlanId"),
                    fields.text("oldProductPlanName"),
                    fields.integer("oldProductPlanPrice"),
                    fields.text("changedBy"),
                    fields.raw());
            case "WEBHOOK_FAILING" -> new WebhookFailingEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.integer("webhook"),
                    fields.text("webhookType"),
                    fields.text("comment"),
                    fields.text("since"),
                    fields.text("cause"),
                    fields.optionalText("disablesAt"),
                    fields.raw());
            case "WEBHOOK_RECOVERED" -> new WebhookRecoveredEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.integer("webhook"),
                    fields.text("webhookType"),
                    fields.text("comment"),
                    fields.text("since"),
                    fields.raw());
            case "WEBHOOK_DISABLED" -> new WebhookDisabledEvent(
                    fields.integer("id"),
                    fields.text("time"),
                    fields.text("type"),
                    fields.text("salesPartnerIdentifier"),
                    fields.integer("webhook"),
                    fields.text("webhookType"),
                    fields.text("comment"),
                    fields.text("since"),
                    fields.raw());
            default -> null;
        };
    }
}
