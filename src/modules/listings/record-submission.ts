import type { Transaction } from '../../database/transaction.ts';
import { enqueueJobs, type NewJob } from '../../jobs/job.ts';
import type { DirectoryFault, ListingProfile } from '../directories/index.ts';
import {
  type ClaimStatus,
  type FlowStatus,
  type Listing,
  listingStatusOf,
  recheckAfterLimit,
  recheckAfterOutage,
  recheckDuringReview,
} from './listing.ts';
import { recordLinkChange, recordUpdate } from './listing-events.ts';
import { changeListing, type ListingChange, lockLinksElsewhere, type SubmissionResult } from './listing-store.ts';
import { checkListingJob, type ListingContext, submitListingJob } from './listing-work.ts';
import { unlinkDuplicate } from './record-duplicates.ts';
import { removal, removalSteps, removalStepsWith } from './status-transitions.ts';
import {
  type Blocker,
  findBlocker,
  isRemovalNeeded,
  refusalStatus,
  submissionState,
} from './submission-preconditions.ts';

export type Attempt =
  /** A precondition was not met; nothing was sent. */
  | { kind: 'blocked'; blocker: Blocker; claim?: ClaimStatus }
  | { kind: 'fault'; fault: DirectoryFault; claim?: ClaimStatus }
  | {
      kind: 'submitted';
      externalId: string;
      url?: string | undefined;
      state: 'ACCEPTED' | 'PENDING';
      messages: string[];
      profile: ListingProfile;
      claim?: ClaimStatus;
    }
  | { kind: 'removed' };

interface CompletedAttempt {
  /** Current state. */
  listing: Listing;
  listingContext: ListingContext;
  attempt: Attempt;
  /** Submitted revision of the location, and the link that it was submitted to. */
  revision: number;
  externalId: string | null;
  requested: boolean;
  now: Date;
}

/** Records the result of an attempt with its event and enqueues follow-ups. */
export async function recordSubmission(transaction: Transaction, completed: CompletedAttempt): Promise<void> {
  const { listing, listingContext, revision, now } = completed;
  const { actor, location } = listingContext;
  const change = (await isLinkedElsewhere(transaction, completed))
    ? otherListingChange(now)
    : changeForAttempt(completed);
  if (change.externalId !== undefined && change.externalId !== listing.externalId) {
    const to = { externalId: change.externalId, url: change.url ?? null };
    if (to.externalId !== null) await unlinkDuplicate(transaction, actor, location.businessId, listing, to.externalId);
    // The first link of a listing is not a change.
    if (listing.wasLinked)
      await recordLinkChange(transaction, actor, location.businessId, listing, to, 'Created by a submission');
  }
  const listingChange = {
    ...change,
    ...(!isRelinked(completed) && { attemptedRevision: revision }),
    submissionRequested: listing.submissionRequested && willRetry(completed, change),
    ...(change.flowStatus && { status: listingStatusOf(change.flowStatus) }),
  };
  // In one round trip.
  await Promise.all([
    changeListing(transaction, listing.id, listingChange),
    recordUpdate(transaction, actor, location.businessId, listing, updateOf(completed)),
    enqueueJobs(transaction, followUps(completed, change)),
  ]);
}

function followUps({ listing, attempt, requested, now }: CompletedAttempt, { notBefore }: ListingChange): NewJob[] {
  const jobs: NewJob[] = [];
  const { id: listingId, partnerId } = listing;
  const submitAt = (runAt: Date) => jobs.push(submitListingJob.with({ listingId, requested, partnerId }, { runAt }));
  if (notBefore) submitAt(notBefore);
  else if (attempt.kind === 'blocked' && attempt.blocker.status === 'DELAYED' && listing.notBefore) {
    submitAt(listing.notBefore);
  }
  const changedDirectory = attempt.kind === 'submitted' || attempt.kind === 'removed' || 'claim' in attempt;
  if (!changedDirectory) return jobs;
  const waits = attempt.kind === 'submitted' && attempt.state === 'PENDING';
  // The check verifies the result and submits changes made in the meantime.
  const check = waits
    ? checkListingJob.with({ listingId, partnerId }, { runAt: recheckDuringReview(null, now) })
    : checkListingJob.with({ listingId, requested, partnerId, ...(isClaimPending(attempt) && { submit: true }) });
  return [...jobs, check];
}

/** The submission follows when the directory has accepted the claim. */
const isClaimPending = (attempt: Attempt) => attempt.kind === 'blocked' && attempt.claim === 'CLAIMING_IN_PROGRESS';

/** After an outage, a rate limit, or a change of the link or the location during the attempt. */
const willRetry = (completed: CompletedAttempt, { notBefore }: ListingChange) => {
  const { attempt, listingContext, revision } = completed;
  return (
    (notBefore ?? null) !== null ||
    isRelinked(completed) ||
    (attempt.kind === 'blocked' && attempt.blocker.status === 'DELAYED') ||
    (attempt.kind === 'submitted' && listingContext.location.revision !== revision)
  );
};

/** Whether the directory returned an external id that is linked to another listing. The next check corrects the link. */
async function isLinkedElsewhere(transaction: Transaction, { listing, attempt }: CompletedAttempt): Promise<boolean> {
  if (attempt.kind !== 'submitted' || attempt.externalId === listing.externalId) return false;
  return (await lockLinksElsewhere(transaction, listing, [attempt.externalId])).has(attempt.externalId);
}

/** The submission changed another directory listing. */
const otherListingChange = (now: Date): ListingChange => ({ lastSuccessfulUpdate: now, notBefore: null });

/** Whether the listing was linked to another directory listing during the attempt. */
const isRelinked = ({ listing, externalId }: CompletedAttempt) => listing.externalId !== externalId;

/** Does not set the claim status: the following check reads and reports it. */
function changeForAttempt(completed: CompletedAttempt): ListingChange {
  const { listing, listingContext, attempt, revision, now } = completed;
  if (isRelinked(completed)) return changeAfterRelinking(attempt, listing, now);
  switch (attempt.kind) {
    case 'blocked':
      return attempt.claim === undefined || listing.flowHeld ? {} : { flowStatus: unclaimedFlow(attempt.claim) };
    case 'fault':
      return changeForFault(attempt.fault, listing, now);
    case 'removed':
      return {
        flowStatus: removedFlow(listing, listingContext),
        lastSuccessfulUpdate: now,
        notBefore: null,
        ...(listing.duplicateOf !== null && { suppressedAt: now }),
      };
    case 'submitted':
      return {
        ...(!listing.flowHeld && { flowStatus: submittedFlow(attempt.state, listingContext, revision) }),
        // A new listing is checked before the next submission. Checks report a new URL of the same listing.
        ...(attempt.externalId !== listing.externalId && {
          externalId: attempt.externalId,
          url: attempt.url ?? null,
          checkedRevision: null,
          // Checks of the others recognize the listings that a user unlinked.
          ...(!listingContext.directory.supports.onlineListing && { unlinkedPages: [] }),
        }),
        submitted: attempt.profile,
        submittedRevision: revision,
        underReview: attempt.state === 'PENDING',
        lastSuccessfulUpdate: now,
        notBefore: null,
        failedChecks: 0,
      };
  }
}

/** The result is of the previous link, but an outage or a rate limit is of the whole directory. */
function changeAfterRelinking(attempt: Attempt, listing: Listing, now: Date): ListingChange {
  if (attempt.kind === 'submitted' || attempt.kind === 'removed') return otherListingChange(now);
  const isPostponed = attempt.kind === 'fault' && attempt.fault.fault !== 'refused';
  return isPostponed ? changeForFault(attempt.fault, listing, now) : {};
}

const unclaimedFlow = (claim: Listing['claimStatus']): FlowStatus =>
  claim === 'CLAIMING_IN_PROGRESS' ? 'WAITING_DIRECTORY_ACTION' : 'WAITING_USER_ACTION';

function changeForFault(fault: DirectoryFault, listing: Listing, now: Date): ListingChange {
  switch (fault.fault) {
    case 'refused':
      return listing.flowHeld ? {} : { flowStatus: 'NEEDS_REVIEW' };
    case 'limited':
      return { notBefore: recheckAfterLimit(fault.retryAfterSeconds, now, Math.random()) };
    case 'unavailable':
      return {
        notBefore: recheckAfterOutage(listing.failedChecks + 1, now, Math.random()),
        failedChecks: listing.failedChecks + 1,
      };
  }
}

function submittedFlow(state: 'ACCEPTED' | 'PENDING', { location }: ListingContext, revision: number): FlowStatus {
  const end = removalSteps(location.status);
  if (end) return end[0];
  if (location.revision !== revision) return 'SUBMISSION_NEEDED';
  return state === 'PENDING' ? 'WAITING_DIRECTORY_ACTION' : 'ALL_INFORMATION_SUBMITTED';
}

/** Without online listings a removal cannot be verified and counts as done. */
function removedFlow(listing: Listing, { directory }: ListingContext): FlowStatus {
  const [, submitted, done] = removalStepsWith(listing.flowStatus) ?? removal;
  if (listing.duplicateOf !== null) return 'REMOVAL_SUBMITTED';
  return directory.supports.onlineListing ? submitted : done;
}

function updateOf({ listing, listingContext, attempt, now }: CompletedAttempt): SubmissionResult {
  switch (attempt.kind) {
    case 'blocked':
      return { result: 'UNDEFINED', updateStatus: attempt.blocker.status, messages: [attempt.blocker.message] };
    case 'removed':
      return { result: 'SUCCESS', updateStatus: null, messages: ['The removal of the listing was submitted.'] };
    case 'submitted':
      return { result: 'SUCCESS', updateStatus: null, messages: attempt.messages };
    case 'fault':
      return updateForFault(attempt.fault, listing, listingContext, now);
  }
}

function updateForFault(
  fault: DirectoryFault,
  listing: Listing,
  listingContext: ListingContext,
  now: Date,
): SubmissionResult {
  switch (fault.fault) {
    case 'refused':
      return { result: 'FAILURE', updateStatus: refusalStatus(fault.messages), messages: fault.messages };
    case 'unavailable':
      return { result: 'UNDEFINED', updateStatus: 'DELAYED', messages: [fault.detail] };
    case 'limited': {
      // The preconditions do not apply to removals.
      if (isRemovalNeeded(listing))
        return { result: 'UNDEFINED', updateStatus: 'LIMIT_REACHED', messages: [fault.detail] };
      const blocker = findBlocker(submissionState(listing, listingContext, now, true));
      const updateStatus = blocker?.status ?? 'LIMIT_REACHED';
      return { result: 'UNDEFINED', updateStatus, messages: [blocker?.message ?? '', fault.detail].filter(Boolean) };
    }
  }
}
