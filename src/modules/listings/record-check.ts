import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import { findDirectory } from '../directories/index.ts';
import { setListingFigures } from '../locations/index.ts';
import type { Verdict, Visit } from './judge-check.ts';
import { type FlowStatus, type Listing, listingStatusOf } from './listing.ts';
import { recordLinkChange, recordSyncCheck, recordUpdate } from './listing-events.ts';
import { changeListing, listingsOfLocation } from './listing-store.ts';
import {
  type CheckOptions,
  checkListingDatapoints,
  enqueueCheck,
  type Surroundings,
  submitListingJob,
} from './listing-work.ts';
import { afterOutage, whileUnderReview } from './next-look.ts';
import { freePage, recordDuplicates } from './record-duplicates.ts';
import { isDue } from './submission-due.ts';
import { refusalStatus } from './submission-obstacles.ts';
import { raiseSuggestions } from './suggestions/raise-suggestions.ts';
import { listingFigures } from './visibility.ts';

export interface Checked {
  listing: Listing;
  surroundings: Surroundings;
  visit: Visit;
  verdict: Verdict;
  options: CheckOptions;
  now: Date;
}

/** Writes down what a check came to, and has done what follows from it. */
export async function recordCheck(transaction: Transaction, checked: Checked): Promise<void> {
  const { listing, surroundings, visit, verdict, now } = checked;
  const { actor, location } = surroundings;
  const { claimStatus, flowStatus, syncStatus, link } = verdict;
  const statuses = { claimStatus, flowStatus, syncStatus };
  const maySubmit = checked.options.submit ?? location.autoSync;
  const failedChecks = visit.kind === 'fault' ? listing.failedChecks + 1 : 0;
  if (link) {
    await freePage(transaction, actor, location.businessId, listing, link.externalId);
    await recordLinkChange(transaction, actor, location.businessId, listing, link, link.comment);
  }
  const after: Listing = {
    ...listing,
    ...statuses,
    submissionRound: roundAfter(listing, flowStatus),
    status: listingStatusOf(flowStatus),
    ...(link && { externalId: link.externalId, url: link.url }),
    failedChecks,
    notBefore: visit.kind === 'fault' ? afterOutage(failedChecks, now, Math.random()) : null,
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
    underReview: listing.underReview && isUndecided(visit),
    ...(visit.kind !== 'fault' && { checkedRevision: location.revision }),
    ...(link && { externalId: link.externalId, url: link.url, linkHeld: listing.linkHeld && link.externalId !== null }),
  });
  await recordRejection(transaction, checked);
  await recordSyncCheck(transaction, actor, location.businessId, listing, statuses);
  if (visit.kind === 'looked') {
    await recordDuplicates(transaction, { surroundings, original: after, verdict, visit, maySubmit, now });
    await raiseSuggestions(transaction, actor, {
      listing,
      businessId: location.businessId,
      country: location.country,
      fields: verdict.fields,
      suggestions: verdict.suggestions,
      now,
    });
  }
  await keepFigures(transaction, listing.locationId);
  await followUp(transaction, checked, after, maySubmit);
}

/** A directory that rejects a submission after its review has refused it, as if it had done so at once. */
async function recordRejection(transaction: Transaction, { listing, surroundings, visit }: Checked): Promise<void> {
  const review = visit.kind === 'fault' ? undefined : visit.review;
  if (review?.state !== 'REJECTED') return;
  const { messages } = review;
  const update = { result: 'FAILURE', updateStatus: refusalStatus(messages), messages } as const;
  await recordUpdate(transaction, surroundings.actor, surroundings.location.businessId, listing, update);
}

/** A visit that did not ask leaves a review open. */
const isUndecided = (visit: Visit) =>
  visit.kind === 'fault' || visit.review?.state === 'PENDING' || (visit.kind === 'not-looked' && !visit.review);

/** A listing that needs a submission anew is one more need, even when the location is the same as before. */
const roundAfter = (listing: Listing, flow: FlowStatus): number =>
  listing.submissionRound + Number(flow === 'SUBMISSION_NEEDED' && listing.flowStatus !== flow);

/** The figures that the location shows of its listings. */
async function keepFigures(transaction: Transaction, locationId: number): Promise<void> {
  const listings = await listingsOfLocation(transaction, locationId);
  const counted = listings.filter(({ duplicateOf, flowStatus }) => duplicateOf === null && flowStatus !== 'INACTIVE');
  const figures = listingFigures(counted, (type) => findDirectory(type)?.weight ?? 0);
  await setListingFigures(transaction, locationId, figures);
}

/** The directory takes no calls for now: the check is made later, and nothing is said of it until then. */
export async function postpone(sql: Sql, listingId: number, until: Date, options: CheckOptions): Promise<void> {
  await changeListing(sql, listingId, { notBefore: until });
  await enqueueCheck(sql, listingId, options, { runAt: until });
}

const underWay = new Set(['WAITING_DIRECTORY_ACTION', 'REMOVAL_SUBMITTED', 'CANCELLATION_SUBMITTED']);

async function followUp(transaction: Transaction, checked: Checked, after: Listing, maySubmit: boolean): Promise<void> {
  const { surroundings, visit, verdict, options, now } = checked;
  const { directory } = surroundings;
  const { id } = after;
  const lookAgain = (runAt: Date) => enqueueCheck(transaction, id, options, { runAt });
  const { requested } = options;
  if (verdict.found && directory.dataPointTypes.length > 0)
    await checkListingDatapoints.enqueue(transaction, { listingId: id }, { requested });
  if (visit.kind === 'fault' && after.notBefore) await lookAgain(after.notBefore);
  else if (underWay.has(after.flowStatus)) await lookAgain(whileUnderReview(after.lastSuccessfulUpdate, now));
  // A directory that is away is submitted to after the check that reaches it again.
  const wanted = maySubmit || (after.submissionRequested && visit.kind !== 'fault');
  if (wanted && isDue(after, surroundings, now))
    await submitListingJob.enqueue(transaction, { listingId: id }, { requested });
}
