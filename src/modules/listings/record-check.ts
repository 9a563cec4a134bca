import { isDeepStrictEqual } from 'node:util';
import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import { enqueueJobs, type NewJob } from '../../jobs/job.ts';
import { dayIn } from '../../values/calendar.ts';
import { findDirectory } from '../directories/index.ts';
import { setListingFigures } from '../locations/index.ts';
import { type DirectoryReading, replacesLink, type Verdict } from './judge-check.ts';
import {
  type CountedListing,
  type FlowStatus,
  isLossDoubted,
  type Listing,
  listingFigures,
  listingStatusOf,
  recheckAfterLoss,
  recheckAfterOutage,
  recheckDuringReview,
  uncountedFlows,
  unsubmitted,
} from './listing.ts';
import { recordLinkChange, recordSyncCheck, recordUpdate } from './listing-events.ts';
import { changeListing } from './listing-store.ts';
import {
  type CheckOptions,
  checkListingDatapoints,
  checkListingJob,
  enqueueCheck,
  type ListingContext,
  submitListingJob,
} from './listing-work.ts';
import { recordDuplicates, unlinkDuplicate } from './record-duplicates.ts';
import { removalSteps } from './status-transitions.ts';
import { isWriteDue, refusalStatus } from './submission-preconditions.ts';
import { type ActiveSuggestion, raiseSuggestions } from './suggestions/suggestion-store.ts';

interface Checked {
  listing: Listing;
  listingContext: ListingContext;
  reading: DirectoryReading;
  verdict: Verdict;
  options: CheckOptions;
  now: Date;
  /** Known duplicates and suggestions; empty if the directory was not read. */
  duplicates: readonly Listing[];
  activeSuggestions: readonly ActiveSuggestion[];
  /** The other listings that count towards the figures of the location. */
  otherListings: readonly CountedListing[];
}

/** Records the result of a check with its event and enqueues follow-ups. */
export async function recordCheck(transaction: Transaction, checked: Checked): Promise<void> {
  const { listing, listingContext, reading, verdict, now } = checked;
  const { actor, location } = listingContext;
  const { claimStatus, flowStatus, syncStatus, link } = verdict;
  const statuses = { claimStatus, flowStatus, syncStatus };
  // Removals do not depend on autoSync.
  const maySubmit = checked.options.submit ?? (location.autoSync || removalSteps(location.status) !== undefined);
  let { duplicates } = checked;
  if (link) {
    if (link.externalId !== null) {
      duplicates = await unlinkDuplicate(transaction, actor, location.businessId, listing, link.externalId, duplicates);
    }
    // The first link of a listing is not a change.
    if (listing.wasLinked) await recordLinkChange(transaction, actor, location.businessId, listing, link, link.comment);
  }
  const result = {
    ...statuses,
    submissionRound: nextSubmissionRound(listing, flowStatus),
    status: listingStatusOf(flowStatus),
    fields: verdict.fields,
    matchingFields: verdict.matchingFields,
    comparableFields: verdict.comparableFields,
    failedChecks: reading.kind === 'fault' ? listing.failedChecks + 1 : 0,
    lastChecked: now,
    underReview: listing.underReview && isUndecided(reading),
    ...(link && replacesLink(listing, link) && unsubmitted),
    checkedRevision: reading.kind === 'fault' ? listing.checkedRevision : location.revision,
    ...(link && { externalId: link.externalId, url: link.url, linkHeld: listing.linkHeld && link.externalId !== null }),
  };
  const change = { ...result, notBefore: nextCall(checked, { ...listing, ...result }) };
  const after: Listing = { ...listing, ...change };
  await recordRejection(transaction, checked);
  // In one round trip.
  await Promise.all([
    changeListing(transaction, listing.id, change),
    recordSyncCheck(transaction, actor, location.businessId, listing, statuses),
    updateFigures(transaction, checked),
    enqueueJobs(transaction, followUps(checked, after, maySubmit)),
  ]);
  if (reading.kind !== 'fault') {
    const known = duplicates;
    await recordDuplicates(transaction, { listingContext, original: after, verdict, reading, known, maySubmit, now });
  }
  if (reading.kind === 'read') {
    await raiseSuggestions(transaction, actor, {
      listing,
      isRelinked: listing.checkedRevision === null || after.externalId !== listing.externalId,
      businessId: location.businessId,
      country: location.country,
      fields: verdict.fields,
      suggestions: verdict.suggestions,
      active: checked.activeSuggestions,
      today: dayIn(location.timeZone, now),
    });
  }
}

/** No calls to the directory before this time. */
function nextCall({ listing, reading, now }: Checked, after: Listing): Date | null {
  if (reading.kind === 'fault') return recheckAfterOutage(after.failedChecks, now, Math.random());
  if (reading.kind === 'skipped' || !isLossDoubted(after)) return null;
  return recheckAfterLoss(listing, now);
}

/** A rejection after a review is reported like an immediate refusal. */
async function recordRejection(transaction: Transaction, { listing, listingContext, reading }: Checked): Promise<void> {
  const review = reading.kind === 'fault' ? undefined : reading.review;
  if (review?.state !== 'REJECTED') return;
  const { messages } = review;
  const update = { result: 'FAILURE', updateStatus: refusalStatus(messages), messages } as const;
  await recordUpdate(transaction, listingContext.actor, listingContext.location.businessId, listing, update);
}

/** Whether the review stays open: its result is unknown, or the directory was not read. */
const isUndecided = (reading: DirectoryReading) =>
  reading.kind === 'fault' || reading.review?.state === 'PENDING' || (reading.kind === 'skipped' && !reading.review);

/** A new need for submission gets a new idempotency key, even for the same revision of the location. */
const nextSubmissionRound = (listing: Listing, flow: FlowStatus): number =>
  listing.submissionRound + Number(flow === 'SUBMISSION_NEEDED' && listing.flowStatus !== flow);

async function updateFigures(transaction: Transaction, checked: Checked): Promise<void> {
  const { listing, listingContext, verdict, otherListings } = checked;
  const own = uncountedFlows.includes(verdict.flowStatus) ? [] : [{ ...verdict, directoryType: listing.directoryType }];
  const figures = listingFigures([...otherListings, ...own], (type) => findDirectory(type)?.weight ?? 0);
  const { listingsCount, listingsInSync, visibilityIndex } = listingContext.location;
  if (!isDeepStrictEqual(figures, { listingsCount, listingsInSync, visibilityIndex }))
    await setListingFigures(transaction, listing.locationId, figures);
}

/** The directory is rate limited: the check runs later, and no event is recorded. */
export async function postponeCheck(sql: Sql, listing: Listing, until: Date, options: CheckOptions): Promise<void> {
  const { id, notBefore } = listing;
  // A loss is not confirmed earlier than without the rate limit.
  const isLater = notBefore !== null && notBefore > until && isLossDoubted(listing);
  await changeListing(sql, id, { notBefore: isLater ? notBefore : until });
  await enqueueCheck(sql, id, options, { runAt: until });
}

const inProgressFlows = new Set(['WAITING_DIRECTORY_ACTION', 'REMOVAL_SUBMITTED', 'CANCELLATION_SUBMITTED']);

function followUps(checked: Checked, after: Listing, maySubmit: boolean): NewJob[] {
  const { listingContext, reading, verdict, options, now } = checked;
  const { directory, location } = listingContext;
  const { id: listingId, partnerId } = after;
  const jobs: NewJob[] = [];
  const recheck = (runAt: Date, check: CheckOptions) =>
    jobs.push(checkListingJob.with({ listingId, ...check }, { runAt }));
  const { requested, submit, ...origin } = options;
  // Otherwise autoSync decides, so that the recheck replaces a scheduled one.
  const explicit = submit !== undefined && submit !== location.autoSync ? { submit } : {};
  // Those of an unlinked listing or a deleted location become INVALID.
  const mayHaveDatapoints = verdict.found || verdict.link !== undefined || location.status === 'DELETED';
  if (mayHaveDatapoints && directory.dataPointTypes.length > 0)
    jobs.push(checkListingDatapoints.with({ listingId, requested, partnerId }));
  if (reading.kind === 'fault' && after.notBefore) recheck(after.notBefore, { ...origin, ...explicit, requested });
  else if (after.notBefore) recheck(after.notBefore, { ...origin, ...(submit && explicit) });
  // Reviews take days: a requested recheck would be queued in addition to the scheduled one.
  else if (inProgressFlows.has(after.flowStatus))
    recheck(recheckDuringReview(after.lastSuccessfulUpdate, now), { ...origin, ...(submit && explicit) });
  // After an outage, the next successful check submits.
  const wanted = maySubmit || (after.submissionRequested && reading.kind !== 'fault');
  if (wanted && isWriteDue(after, listingContext, now))
    jobs.push(submitListingJob.with({ listingId, requested, partnerId }));
  return jobs;
}
