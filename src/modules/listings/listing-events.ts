import type { Transaction } from '../../database/transaction.ts';
import { recordEvent } from '../../events/outbox/record-event.ts';
import type { Actor } from '../accounts/index.ts';
import type { Listing, ListingStatuses } from './listing.ts';
import { insertSubmission, type SubmissionResult } from './listing-store.ts';
import { googleStatusChanged } from './status-transitions.ts';

type Known = Pick<Listing, 'id' | 'locationId' | 'directoryType'>;

const about = ({ id, locationId }: Known, businessId: number) => ({
  business: businessId,
  listing: id,
  location: locationId,
});

const moves = (from: ListingStatuses, to: ListingStatuses) => ({
  claimStatusChanged: from.claimStatus !== to.claimStatus,
  flowStatusChanged: from.flowStatus !== to.flowStatus,
  syncStatusChanged: from.syncStatus !== to.syncStatus,
  fromListingClaimStatus: from.claimStatus,
  toListingClaimStatus: to.claimStatus,
  fromListingFlowStatus: from.flowStatus,
  toListingFlowStatus: to.flowStatus,
  fromListingSyncStatus: from.syncStatus,
  toListingSyncStatus: to.syncStatus,
});

export async function recordSyncCheck(
  transaction: Transaction,
  { partner }: Actor,
  businessId: number,
  listing: Known & ListingStatuses,
  to: ListingStatuses,
): Promise<void> {
  await recordEvent(transaction, {
    partner,
    type: 'LISTING_SYNC_CHECK',
    fields: {
      ...about(listing, businessId),
      directoryType: listing.directoryType,
      googleStatusChanged: googleStatusChanged(listing.directoryType, listing, to),
      ...moves(listing, to),
    },
  });
}

export async function recordStatusChange(
  transaction: Transaction,
  { partner, by }: Actor,
  businessId: number,
  listing: Known & ListingStatuses,
  to: ListingStatuses,
): Promise<void> {
  await recordEvent(transaction, {
    partner,
    type: 'LISTING_STATUS_CHANGE',
    fields: {
      ...about(listing, businessId),
      directoryType: listing.directoryType,
      ...moves(listing, to),
      user: by,
    },
  });
}

/** The directory listing that a listing is linked to. */
export interface ListingLink {
  externalId: string | null;
  url: string | null;
}

export const unlinked: ListingLink = { externalId: null, url: null };

export async function recordLinkChange(
  transaction: Transaction,
  { partner }: Actor,
  businessId: number,
  listing: Known & ListingLink,
  to: ListingLink,
  comment: string,
): Promise<void> {
  await recordEvent(transaction, {
    partner,
    type: 'LISTING_LINK_CHANGE',
    fields: {
      ...about(listing, businessId),
      comment,
      fromListingUrl: listing.url ?? '',
      fromListingId: listing.externalId ?? '',
      toListingUrl: to.url ?? '',
      toListingId: to.externalId ?? '',
    },
  });
}

/** Records a submission attempt in the history and as an event. */
export async function recordUpdate(
  transaction: Transaction,
  { partner }: Actor,
  businessId: number,
  listing: Known,
  update: SubmissionResult,
): Promise<void> {
  const inserted = insertSubmission(transaction, listing.id, update);
  const recorded = recordEvent(transaction, {
    partner,
    type: 'LISTING_UPDATE',
    fields: {
      ...about(listing, businessId),
      directoryType: listing.directoryType,
      messages: update.messages,
      updateResult: update.result,
      updateStatus: update.updateStatus,
    },
  });
  await Promise.all([inserted, recorded]);
}
