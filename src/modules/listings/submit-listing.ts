import type { Sql } from '../../database/connection.ts';
import type { JobContext } from '../../jobs/job.ts';
import { type DirectoryConnector, type DirectoryFault, isFault } from '../directories/index.ts';
import { listingProfileOf } from '../locations/index.ts';
import { awaitsRecheck, type ClaimStatus, isRateLimited, type Listing, recheckAfterLoss } from './listing.ts';
import { findListingById } from './listing-store.ts';
import {
  endLease,
  enqueueCheck,
  isUncovered,
  type Lease,
  type ListingContext,
  loadListingContext,
  releaseListing,
  type Submission,
  submitListingJob,
  withLease,
} from './listing-work.ts';
import { type Attempt, recordSubmission } from './record-submission.ts';
import { isConnected } from './status-transitions.ts';
import {
  assumeClaimed,
  type Blocker,
  findBlocker,
  isReactivated,
  isRemovalDue,
  isWriteDue,
  submissionState,
} from './submission-preconditions.ts';

type SubmitOutcome = 'attempted' | 'busy' | 'none';

/** Submits the location's data to the directory, or requests removal of the listing, and records the result. */
export async function submitListing(context: JobContext, submission: Submission): Promise<SubmitOutcome> {
  const { listingId } = submission;
  const { database, directories, log } = context;
  const began = Date.now();
  return withLease(database.pool, listingId, async (lease) => {
    const { listing } = lease;
    const { now, directoryType, locationId } = listing;
    const listingContext = await loadListingContext(database.autocommit, directories, listing);
    const requested = submission.requested || listing.submissionRequested;
    // Another job may have submitted it since this one was enqueued.
    if (!listingContext || !isWriteDue(listing, listingContext, now)) {
      await releaseListing(database.pool, lease);
      await postponeSubmission(database.pool, listing, submission, now);
      return 'none';
    }
    const original = await doubtedOriginal(database.pool, listing, listingContext);
    if (original) {
      await releaseListing(database.pool, lease);
      await submitListingJob.enqueue(database.pool, submission, { runAt: recheckAfterLoss(original, now) });
      return 'none';
    }
    if (needsCheck(listing, listingContext) && !isUncovered(listing, listingContext)) {
      await releaseListing(database.pool, lease);
      await checkFirst(database.pool, listing, requested);
      return 'none';
    }
    const attempt = await attemptSubmission(context, listing, listingContext, { requested, now });
    const outcome = await saveAttempt(context, lease, listingContext, attempt, requested);
    const tookMs = Date.now() - began;
    log.debug({ event: 'listing.submitted', listingId, locationId, directoryType, outcome: attempt.kind, tookMs });
    return outcome;
  });
}

/** The directory may have replaced the original by the duplicate that is to be removed. */
async function doubtedOriginal(
  sql: Sql,
  listing: Listing,
  listingContext: ListingContext,
): Promise<Listing | undefined> {
  if (listing.duplicateOf === null || !isRemovalDue(listing, listingContext)) return undefined;
  const original = await findListingById(sql, listing.duplicateOf);
  return original && awaitsRecheck(original) ? original : undefined;
}

/**
 * The owner of a listing that was linked or created since the last check is not known yet. A check replaces the flow
 * status of a removal after the location was reactivated, which would block a requested submission.
 */
const needsCheck = (listing: Listing, listingContext: ListingContext) =>
  (listing.externalId !== null && listing.checkedRevision === null) ||
  (listing.submissionRequested && isReactivated(listing, listingContext));

/** The check submits the listing. During an outage it runs at its next time: otherwise they would repeat each other. */
async function checkFirst(sql: Sql, listing: Listing, requested: boolean): Promise<void> {
  const { id, partnerId, failedChecks, notBefore } = listing;
  const when = failedChecks > 0 && notBefore ? { runAt: notBefore } : {};
  await enqueueCheck(sql, id, { submit: true, requested, partnerId }, when);
}

async function postponeSubmission(sql: Sql, { notBefore }: Listing, submission: Submission, now: Date): Promise<void> {
  if (notBefore && notBefore > now) await submitListingJob.enqueue(sql, submission, { runAt: notBefore });
}

async function attemptSubmission(
  context: JobContext,
  leased: Listing,
  listingContext: ListingContext,
  { requested, now }: { requested: boolean; now: Date },
): Promise<Attempt> {
  const { directory, location } = listingContext;
  const listing = requested ? withoutRateLimit(leased) : leased;
  const state = submissionState(listing, listingContext, now);
  const connector = context.directories.connector(directory.type, { partnerId: listing.partnerId, requested });
  const blocker = currentBlocker(listing, listingContext, now);
  if (blocker) return { kind: 'blocked', blocker };
  if (isToBeRemoved(listing, listingContext)) return remove(connector, listing);
  const claimed = await claim(connector, listing, directory.supports.claim);
  if (isFault(claimed)) return { kind: 'fault', fault: claimed };
  const unclaimed = findBlocker({ ...state, listing: { ...listing, ...(claimed && { claimStatus: claimed }) } });
  if (unclaimed) return { kind: 'blocked', blocker: unclaimed, ...(claimed && { claim: claimed }) };
  const profile = listingProfileOf(location);
  const submission = await connector.submit(profile, listing.externalId ?? undefined, {
    key: submissionKey(listing, location.revision),
  });
  const claimChange = claimed ? { claim: claimed } : {};
  if (isFault(submission)) return { kind: 'fault', fault: submission, ...claimChange };
  const { externalId, url, state: reviewState, messages } = submission;
  return { kind: 'submitted', externalId, url, state: reviewState, messages, profile, ...claimChange };
}

/** A requested submission goes before scheduled ones, and the client policy respects Retry-After of the directory. */
const withoutRateLimit = (listing: Listing): Listing =>
  isRateLimited(listing) ? { ...listing, notBefore: null } : listing;

/** Idempotency key: the same for every attempt to send the same content to the same directory listing. */
const submissionKey = ({ id, externalId, submissionRound }: Listing, revision: number) =>
  `listing-${id}-${externalId ?? 'new'}-${revision}-${submissionRound}`;

const isToBeRemoved = (listing: Listing, listingContext: ListingContext) =>
  isRemovalDue(listing, listingContext) && listing.externalId !== null;

function currentBlocker(listing: Listing, listingContext: ListingContext, now: Date): Blocker | undefined {
  if (!isToBeRemoved(listing, listingContext))
    return findBlocker(assumeClaimed(submissionState(listing, listingContext, now)));
  return removalBlocker(listing, listingContext, now);
}

/** A duplicate may be unclaimed: its check has already found it removable. */
function removalBlocker(listing: Listing, { directory }: ListingContext, now: Date): Blocker | undefined {
  const { claimStatus, duplicateOf, notBefore } = listing;
  if (claimStatus !== 'CLAIMED_BY_US' && duplicateOf === null) {
    const message = `The listing cannot be removed: its claimStatus is ${claimStatus}, and CLAIMED_BY_US is required.`;
    return { status: 'INVALID_CLAIM_STATUS', message };
  }
  if (!isConnected(listing, directory)) {
    const message = `${directory.name} requires a connected account. Connect one and sync again.`;
    return { status: 'INVALID_FLOW_STATUS', message };
  }
  if (!notBefore || notBefore <= now) return undefined;
  return { status: 'DELAYED', message: `The submission is delayed until ${notBefore.toISOString()}.` };
}

async function remove(connector: DirectoryConnector, listing: Listing): Promise<Attempt> {
  const removal = await connector.remove(listing.externalId as string);
  return isFault(removal) ? { kind: 'fault', fault: removal } : { kind: 'removed' };
}

async function claim(
  connector: DirectoryConnector,
  { claimStatus, externalId }: Listing,
  canClaim: boolean,
): Promise<ClaimStatus | undefined | DirectoryFault> {
  if (!canClaim || claimStatus !== 'CLAIMABLE' || externalId === null) return undefined;
  const response = await connector.claim(externalId);
  return isFault(response) ? response : response.claim;
}

async function saveAttempt(
  { database, directories }: JobContext,
  lease: Lease,
  submitted: ListingContext,
  attempt: Attempt,
  requested: boolean,
): Promise<SubmitOutcome> {
  return database.transaction(async (transaction) => {
    const [current, listingContext] = await Promise.all([
      endLease(transaction, lease),
      loadListingContext(transaction, directories, lease.listing),
    ]);
    if (!current) return 'busy';
    if (!listingContext) return 'none';
    const { now } = current;
    const completed = { listing: current, listingContext, externalId: lease.listing.externalId, requested, now };
    if (attempt.kind !== 'blocked' || attempt.claim !== undefined) {
      await recordSubmission(transaction, { ...completed, attempt, revision: submitted.location.revision });
      return 'attempted';
    }
    // Nothing was sent. The state may have changed since, so the preconditions are evaluated again.
    const blocker = currentBlocker(current, listingContext, now);
    if (!blocker) {
      const { id, partnerId } = current;
      await submitListingJob.enqueue(transaction, { listingId: id, requested, partnerId });
      return 'none';
    }
    const { revision } = listingContext.location;
    await recordSubmission(transaction, { ...completed, attempt: { kind: 'blocked', blocker }, revision });
    return 'attempted';
  });
}
