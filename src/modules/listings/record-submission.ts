import type { Transaction } from '../../database/transaction.ts';
import type { DirectoryFault } from '../directories/index.ts';
import type { FlowStatus, Listing, UpdateResult, UpdateStatus } from './listing.ts';
import { listingStatusOf } from './listing.ts';
import { recordLinkChange, recordUpdate } from './listing-events.ts';
import { changeListing, type ListingChange, lockPages, pagesHeldElsewhere } from './listing-store.ts';
import { enqueueCheck, type Surroundings, submissionState, submitListingJob } from './listing-work.ts';
import { afterLimit, afterOutage, whileUnderReview } from './next-look.ts';
import { freePage } from './record-duplicates.ts';
import { endingOf, wayOut } from './status-moves.ts';
import { isRemovalDue } from './submission-due.ts';
import { firstObstacle, refusalStatus } from './submission-obstacles.ts';
import type { Attempt } from './submit-listing.ts';

interface Tried {
  /** The listing and what is around it, as they are now. */
  listing: Listing;
  surroundings: Surroundings;
  attempt: Attempt;
  /** Of the location, as it was submitted, and the page that it was submitted to. */
  revision: number;
  externalId: string | null;
  now: Date;
}

interface Update {
  result: UpdateResult;
  updateStatus: UpdateStatus | null;
  messages: string[];
}

/** Writes down what came of a try to submit, with its event, and has done what follows from it. */
export async function recordSubmission(transaction: Transaction, tried: Tried): Promise<void> {
  const { listing, surroundings, attempt, revision, now } = tried;
  const { actor, location } = surroundings;
  const change = (await isHeldElsewhere(transaction, tried)) ? changeOfOther(now) : changeBy(tried);
  if (change.externalId !== undefined && change.externalId !== listing.externalId) {
    const to = { externalId: change.externalId, url: change.url ?? null };
    await freePage(transaction, actor, location.businessId, listing, to.externalId);
    await recordLinkChange(
      transaction,
      actor,
      location.businessId,
      listing,
      to,
      'The page was created by a submission',
    );
  }
  await changeListing(transaction, listing.id, {
    ...change,
    triedRevision: revision,
    submissionRequested: listing.submissionRequested && isRepeated(tried, change),
    ...(change.flowStatus && { status: listingStatusOf(change.flowStatus) }),
  });
  await recordUpdate(transaction, actor, location.businessId, listing, updateOf(tried));
  if (change.notBefore)
    await submitListingJob.enqueue(transaction, { listingId: listing.id }, { runAt: change.notBefore });
  else if (attempt.kind === 'prevented' && attempt.obstacle.status === 'DELAYED' && listing.notBefore) {
    await submitListingJob.enqueue(transaction, { listingId: listing.id }, { runAt: listing.notBefore });
  }
  const isNews = attempt.kind === 'submitted' || attempt.kind === 'removed' || 'claim' in attempt;
  if (!isNews) return;
  const waits = attempt.kind === 'submitted' && attempt.state === 'PENDING';
  // What the directory shows now is looked at, not taken for granted; what changed meanwhile goes out with that.
  await enqueueCheck(transaction, listing.id, {}, waits ? { runAt: whileUnderReview(null, now) } : {});
}

/** Whether it is sent again: the directory was not reached or allowed no calls, or the location changed meanwhile. */
const isRepeated = ({ attempt, surroundings, revision }: Tried, { notBefore }: ListingChange) =>
  (notBefore ?? null) !== null ||
  (attempt.kind === 'prevented' && attempt.obstacle.status === 'DELAYED') ||
  (attempt.kind === 'submitted' && surroundings.location.revision !== revision);

/** Whether the directory put it on a page that belongs to another listing. The check behind it finds its own. */
async function isHeldElsewhere(transaction: Transaction, { listing, attempt }: Tried): Promise<boolean> {
  if (attempt.kind !== 'submitted' || attempt.externalId === listing.externalId) return false;
  await lockPages(transaction, listing.directoryType, [attempt.externalId]);
  return (await pagesHeldElsewhere(transaction, listing, [attempt.externalId])).has(attempt.externalId);
}

/** It went to a page that is not the listing's. */
const changeOfOther = (now: Date): ListingChange => ({ lastSuccessfulUpdate: now, notBefore: null });

/** What a directory says of a claim is not among it: the check that follows sees it, and tells of it. */
function changeBy({ listing, surroundings, attempt, revision, externalId, now }: Tried): ListingChange {
  switch (attempt.kind) {
    case 'prevented':
      return attempt.claim === undefined || listing.flowHeld ? {} : { flowStatus: unclaimedFlow(attempt.claim) };
    case 'fault':
      return changeByFault(attempt.fault, listing, now);
    case 'removed':
      return {
        flowStatus: removedFlow(listing, surroundings),
        lastSuccessfulUpdate: now,
        notBefore: null,
        ...(listing.duplicateOf !== null && { suppressedAt: now }),
      };
    case 'submitted':
      // Somebody changed the link meanwhile: this was another page's.
      if (listing.externalId !== externalId) return changeOfOther(now);
      return {
        externalId: attempt.externalId,
        url: attempt.url ?? null,
        // A person may have put it aside meanwhile.
        ...(!listing.flowHeld && { flowStatus: submittedFlow(attempt.state, surroundings, revision) }),
        // A page that was just created is checked before anything else is sent to it.
        ...(attempt.externalId !== listing.externalId && { checkedRevision: null }),
        submitted: attempt.profile,
        submittedRevision: revision,
        underReview: attempt.state === 'PENDING',
        lastSuccessfulUpdate: now,
        notBefore: null,
        failedChecks: 0,
      };
  }
}

const unclaimedFlow = (claim: Listing['claimStatus']): FlowStatus =>
  claim === 'CLAIMING_IN_PROGRESS' ? 'WAITING_DIRECTORY_ACTION' : 'WAITING_USER_ACTION';

function changeByFault(fault: DirectoryFault, listing: Listing, now: Date): ListingChange {
  switch (fault.fault) {
    case 'refused':
      return listing.flowHeld ? {} : { flowStatus: 'NEEDS_REVIEW' };
    case 'limited':
      return { notBefore: afterLimit(fault.retryAfterSeconds, now, Math.random()) };
    case 'unavailable':
      return {
        notBefore: afterOutage(listing.failedChecks + 1, now, Math.random()),
        failedChecks: listing.failedChecks + 1,
      };
  }
}

function submittedFlow(state: 'ACCEPTED' | 'PENDING', { location }: Surroundings, revision: number): FlowStatus {
  const end = endingOf(location.status);
  if (end) return end[0];
  if (location.revision !== revision) return 'SUBMISSION_NEEDED';
  return state === 'PENDING' ? 'WAITING_DIRECTORY_ACTION' : 'ALL_INFORMATION_SUBMITTED';
}

/** Where nothing can be looked at, the directory's word is all there is. */
function removedFlow(listing: Listing, { directory }: Surroundings): FlowStatus {
  const [, submitted, done] =
    wayOut(listing.flowStatus) ?? (['REMOVAL_NEEDED', 'REMOVAL_SUBMITTED', 'REMOVED'] as const);
  if (listing.duplicateOf !== null) return 'REMOVAL_SUBMITTED';
  return directory.supports.onlineListing ? submitted : done;
}

function updateOf({ listing, surroundings, attempt, now }: Tried): Update {
  switch (attempt.kind) {
    case 'prevented':
      return { result: 'UNDEFINED', updateStatus: attempt.obstacle.status, messages: [attempt.obstacle.message] };
    case 'removed':
      return { result: 'SUCCESS', updateStatus: null, messages: ['The removal of the page was submitted.'] };
    case 'submitted':
      return { result: 'SUCCESS', updateStatus: null, messages: attempt.messages };
    case 'fault':
      return updateByFault(attempt.fault, listing, surroundings, now);
  }
}

function updateByFault(fault: DirectoryFault, listing: Listing, surroundings: Surroundings, now: Date): Update {
  switch (fault.fault) {
    case 'refused':
      return { result: 'FAILURE', updateStatus: refusalStatus(fault.messages), messages: fault.messages };
    case 'unavailable':
      return { result: 'UNDEFINED', updateStatus: 'DELAYED', messages: [fault.detail] };
    case 'limited': {
      // A removal has no preconditions of the location.
      if (isRemovalDue(listing))
        return { result: 'UNDEFINED', updateStatus: 'LIMIT_REACHED', messages: [fault.detail] };
      const obstacle = firstObstacle(submissionState(listing, surroundings, now, true));
      const updateStatus = obstacle?.status ?? 'LIMIT_REACHED';
      return { result: 'UNDEFINED', updateStatus, messages: [obstacle?.message ?? '', fault.detail].filter(Boolean) };
    }
  }
}
