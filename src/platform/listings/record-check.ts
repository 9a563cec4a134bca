import type { Sql } from '../../database/connection.ts';
import { enqueueJob } from '../../database/job-queue.ts';
import type { Transaction } from '../../database/transaction.ts';
import { findDirectory } from '../directories/directory-list.ts';
import { setListingFigures } from '../locations/location-figures.ts';
import { raiseSuggestions } from '../suggestions/raise-suggestions.ts';
import type { Verdict, Visit } from './judge-check.ts';
import { type Listing, listingStatusOf } from './listing.ts';
import { recordLinkChange, recordSyncCheck } from './listing-events.ts';
import { changeListing, listingsOfLocation } from './listing-store.ts';
import {
  type CheckOptions,
  enqueueCheck,
  enqueueSubmission,
  type Surroundings,
  submissionState,
} from './listing-work.ts';
import { afterOutage, whileUnderReview } from './next-look.ts';
import { freePage, recordDuplicates } from './record-duplicates.ts';
import { isRemovalDue, isSubmissionDue } from './submission-due.ts';
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
    status: listingStatusOf(flowStatus),
    ...(link && { externalId: link.externalId, url: link.url }),
    failedChecks,
    notBefore: visit.kind === 'fault' ? afterOutage(failedChecks, now, Math.random()) : null,
  };
  await changeListing(transaction, listing.id, {
    ...statuses,
    status: after.status,
    fields: verdict.fields,
    matchingFields: verdict.matchingFields,
    comparableFields: verdict.comparableFields,
    failedChecks,
    notBefore: after.notBefore,
    lastChecked: now,
    ...(visit.kind !== 'fault' && { checkedRevision: location.revision }),
    ...(link && { externalId: link.externalId, url: link.url, linkHeld: listing.linkHeld && link.externalId !== null }),
  });
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
  await enqueueCheck(sql, listingId, options, until);
}

const underWay = new Set(['WAITING_DIRECTORY_ACTION', 'REMOVAL_SUBMITTED', 'CANCELLATION_SUBMITTED']);

async function followUp(transaction: Transaction, checked: Checked, after: Listing, maySubmit: boolean): Promise<void> {
  const { surroundings, visit, verdict, options, now } = checked;
  const { location, directory } = surroundings;
  const { id } = after;
  const lookAgain = (at: Date) => enqueueCheck(transaction, id, options, at);
  if (verdict.found && directory.dataPointTypes.length > 0) {
    await enqueueJob(transaction, 'datapoints.check-listing', { listingId: id }, { key: `datapoints-listing-${id}` });
  }
  if (visit.kind === 'fault' && after.notBefore) await lookAgain(after.notBefore);
  else if (underWay.has(after.flowStatus)) await lookAgain(whileUnderReview(after.lastSuccessfulUpdate, now));
  const revisions = { triedRevision: after.triedRevision, revision: location.revision };
  const isDue = isRemovalDue(after) || isSubmissionDue(submissionState(after, surroundings, now), revisions);
  if (maySubmit && isDue) await enqueueSubmission(transaction, id);
}
