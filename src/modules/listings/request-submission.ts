import Type, { type Static } from 'typebox';
import type { Transaction } from '../../database/transaction.ts';
import { recordAudit } from '../../http/audit-trail.ts';
import type { Actor } from '../accounts/index.ts';
import { type Listing, ListingResponse, listingResponse } from './listing.ts';
import { changeListing } from './listing-store.ts';
import { submitListingJob } from './listing-work.ts';

export const RequestedSubmission = Type.Object({
  ...ListingResponse.properties,
  submission: Type.Enum(['QUEUED', 'ALREADY_QUEUED'], {
    description: 'ALREADY_QUEUED: an earlier request is still queued, and one LISTING_UPDATE reports both',
  }),
});

/** Enqueues a submission even without differences. Requests are merged while one is queued. */
export async function requestSubmission(
  transaction: Transaction,
  actor: Actor,
  listing: Listing,
): Promise<Static<typeof RequestedSubmission>> {
  if (listing.submissionRequested) return { ...listingResponse(listing), submission: 'ALREADY_QUEUED' };
  const isNeeded = listing.flowStatus === 'SUBMISSION_NEEDED';
  await changeListing(transaction, listing.id, {
    submissionRequested: true,
    submissionRound: listing.submissionRound + Number(!isNeeded),
  });
  await submitListingJob.enqueue(transaction, { listingId: listing.id }, { requested: true });
  await recordAudit(transaction, actor, { action: 'SUBMITTED', subject: 'LISTING', subjectId: listing.id });
  return { ...listingResponse(listing), submission: 'QUEUED' };
}
