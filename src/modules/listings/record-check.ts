import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import { findDirectory } from '../directories/index.ts';
import { setListingFigures } from '../locations/index.ts';
import type { DirectoryReading, Verdict } from './judge-check.ts';
import {
  type FlowStatus,
  type Listing,
  listingFigures,
  listingStatusOf,
  recheckAfterOutage,
  recheckDuringReview,
} from './listing.ts';
import { recordLinkChange, recordSyncCheck, recordUpdate } from './listing-events.ts';
import { changeListing, countedListings } from './listing-store.ts';
import {
  type CheckOptions,
  checkListingDatapoints,
  enqueueCheck,
  type ListingContext,
  submitListingJob,
} from './listing-work.ts';
import { recordDuplicates, unlinkDuplicate } from './record-duplicates.ts';
import { isWriteDue, refusalStatus } from './submission-preconditions.ts';
import { raiseSuggestions } from './suggestions/suggestion-store.ts';

interface Checked {
  listing: Listing;
  listingContext: ListingContext;
  reading: DirectoryReading;
  verdict: Verdict;
  options: CheckOptions;
  now: Date;
}

/** Records the result of a check with its event and enqueues follow-ups. */
export async function recordCheck(transaction: Transaction, checked: Checked): Promise<void> {
  const { listing, listingContext, reading, verdict, now } = checked;
  const { actor, location } = listingContext;
  const { claimStatus, flowStatus, syncStatus, link } = verdict;
  const statuses = { claimStatus, flowStatus, syncStatus };
  const maySubmit = checked.options.submit ?? location.autoSync;
  const failedChecks = reading.kind === 'fault' ? listing.failedChecks + 1 : 0;
  if (link) {
    await unlinkDuplicate(transaction, actor, location.businessId, listing, link.externalId);
    await recordLinkChange(transaction, actor, location.businessId, listing, link, link.comment);
  }
  const after: Listing = {
    ...listing,
    ...statuses,
    submissionRound: nextSubmissionRound(listing, flowStatus),
    status: listingStatusOf(flowStatus),
    ...(link && { externalId: link.externalId, url: link.url }),
    failedChecks,
    notBefore: reading.kind === 'fault' ? recheckAfterOutage(failedChecks, now, Math.random()) : null,
  };
  await changeListing(transaction, listing.id, {
    ...statuses,
    submissionRound: after.submissionRound,
    status: after.status,
    fields: verdict.fields,
    matchingFields: verdict.matchingFields,
    comparableFields: verdict.comparableFields,
    failedChecks,
    notBefore: after.notBefore,
    lastChecked: now,
    underReview: listing.underReview && isUndecided(reading),
    ...(reading.kind !== 'fault' && { checkedRevision: location.revision }),
    ...(link && { externalId: link.externalId, url: link.url, linkHeld: listing.linkHeld && link.externalId !== null }),
  });
  await recordRejection(transaction, checked);
  await recordSyncCheck(transaction, actor, location.businessId, listing, statuses);
  if (reading.kind === 'read') {
    await recordDuplicates(transaction, { listingContext, original: after, verdict, reading, maySubmit, now });
    await raiseSuggestions(transaction, actor, {
      listing,
      businessId: location.businessId,
      country: location.country,
      fields: verdict.fields,
      suggestions: verdict.suggestions,
      now,
    });
  }
  await updateFigures(transaction, listing.locationId);
  await enqueueFollowUps(transaction, checked, after, maySubmit);
}

/** A rejection after a review is reported like an immediate refusal. */
async function recordRejection(transaction: Transaction, { listing, listingContext, reading }: Checked): Promise<void> {
  const review = reading.kind === 'fault' ? undefined : reading.review;
  if (review?.state !== 'REJECTED') return;
  const { messages } = review;
  const update = { result: 'FAILURE', updateStatus: refusalStatus(messages), messages } as const;
  await recordUpdate(transaction, listingContext.actor, listingContext.location.businessId, listing, update);
}

/** Without a review in the reading, the review stays open. */
const isUndecided = (reading: DirectoryReading) =>
  reading.kind === 'fault' || reading.review?.state === 'PENDING' || (reading.kind === 'skipped' && !reading.review);

/** A new need for submission gets a new idempotency key, even for the same revision of the location. */
const nextSubmissionRound = (listing: Listing, flow: FlowStatus): number =>
  listing.submissionRound + Number(flow === 'SUBMISSION_NEEDED' && listing.flowStatus !== flow);

async function updateFigures(transaction: Transaction, locationId: number): Promise<void> {
  const listings = await countedListings(transaction, locationId);
  const figures = listingFigures(listings, (type) => findDirectory(type)?.weight ?? 0);
  await setListingFigures(transaction, locationId, figures);
}

/** The directory is rate limited: the check runs later, and no event is recorded. */
export async function postponeCheck(sql: Sql, listingId: number, until: Date, options: CheckOptions): Promise<void> {
  await changeListing(sql, listingId, { notBefore: until });
  await enqueueCheck(sql, listingId, options, { runAt: until });
}

const inProgressFlows = new Set(['WAITING_DIRECTORY_ACTION', 'REMOVAL_SUBMITTED', 'CANCELLATION_SUBMITTED']);

async function enqueueFollowUps(
  transaction: Transaction,
  checked: Checked,
  after: Listing,
  maySubmit: boolean,
): Promise<void> {
  const { listingContext, reading, verdict, options, now } = checked;
  const { directory } = listingContext;
  const { id } = after;
  const recheck = (runAt: Date) => enqueueCheck(transaction, id, options, { runAt });
  const { requested } = options;
  if (verdict.found && directory.dataPointTypes.length > 0)
    await checkListingDatapoints.enqueue(transaction, { listingId: id }, { requested });
  if (reading.kind === 'fault' && after.notBefore) await recheck(after.notBefore);
  else if (inProgressFlows.has(after.flowStatus)) await recheck(recheckDuringReview(after.lastSuccessfulUpdate, now));
  // After an outage, the next successful check submits.
  const wanted = maySubmit || (after.submissionRequested && reading.kind !== 'fault');
  if (wanted && isWriteDue(after, listingContext, now))
    await submitListingJob.enqueue(transaction, { listingId: id }, { requested });
}
