import type { Transaction } from '../../database/transaction.ts';
import type { Actor } from '../accounts/index.ts';
import { countFields } from './field-comparison.ts';
import type { DirectoryReading, Verdict } from './judge-check.ts';
import { type Listing, listingStatusOf, recheckDuringReview } from './listing.ts';
import { recordLinkChange, recordSyncCheck, unlinked } from './listing-events.ts';
import { changeListing, duplicatesOf, ensureDuplicate } from './listing-store.ts';
import { enqueueCheck, type ListingContext, submitListingJob } from './listing-work.ts';
import { isInRemoval, nextStatuses, type Observation, removalSteps } from './status-transitions.ts';
import { isRemovalNeeded } from './submission-preconditions.ts';

interface DuplicateCheck {
  listingContext: ListingContext;
  /** The original listing, as it is after the check. */
  original: Listing;
  verdict: Verdict;
  reading: Exclude<DirectoryReading, { kind: 'fault' }>;
  /** The duplicates that were known before the check. */
  known: readonly Listing[];
  /** Whether removals may be submitted. */
  maySubmit: boolean;
  now: Date;
}

/** Records other directory listings of the same location as duplicates of the original. Duplicates are to be removed. */
export async function recordDuplicates(
  transaction: Transaction,
  { listingContext, original, verdict, reading, known: knownBefore, maySubmit, now }: DuplicateCheck,
): Promise<void> {
  const { actor, location, directory, covered } = listingContext;
  const isEnded = removalSteps(location.status) !== undefined;
  const write = async (duplicate: Listing, observation: Observation, change: Partial<Listing> = {}) => {
    const to = nextStatuses(duplicate, observation, { directory, location, covered, now });
    await changeListing(transaction, duplicate.id, {
      ...to,
      ...change,
      status: listingStatusOf(to.flowStatus),
      lastChecked: now,
      checkedRevision: location.revision,
    });
    await recordSyncCheck(transaction, actor, location.businessId, duplicate, to);
    const { id: listingId, partnerId } = duplicate;
    if (maySubmit && isRemovalNeeded(to)) await submitListingJob.enqueue(transaction, { listingId, partnerId });
    // Scheduled checks end with the location.
    const until = recheckDuringReview(duplicate.lastSuccessfulUpdate, now);
    if (isEnded && to.flowStatus === 'REMOVAL_SUBMITTED')
      await enqueueCheck(transaction, listingId, { partnerId }, { runAt: until });
  };
  const release = async (duplicate: Listing, observation: Observation, comment: string) => {
    await write(duplicate, observation, unlinked);
    if (duplicate.externalId !== null)
      await recordLinkChange(transaction, actor, location.businessId, duplicate, unlinked, comment);
  };
  for (const { directoryListing, fields } of verdict.duplicates) {
    const { claim, url = null } = directoryListing;
    const duplicate = await ensureDuplicate(transaction, original, { ...directoryListing, url });
    const { matching, comparable } = countFields(fields);
    const { removable } = directoryListing;
    const change = { fields, matchingFields: matching, comparableFields: comparable, url };
    await write(duplicate, { kind: 'found', claim, pending: false, fields, drifted: false, removable }, change);
  }
  if (reading.kind === 'skipped' && !isEnded) return;
  const candidates = reading.kind === 'read' ? (reading.candidates ?? []) : [];
  for (const known of knownBefore) {
    const { externalId, flowStatus, fields } = known;
    if (flowStatus === 'REMOVED' || (isEnded && externalId === null)) continue;
    const page = candidates.find((candidate) => candidate.externalId === externalId);
    if (!page && reading.kind === 'read') await write(known, { kind: 'not-found' });
    else if (isEnded && page?.claim === known.claimStatus && isInRemoval(flowStatus))
      await write(known, { kind: 'found', claim: page.claim, pending: false, fields, drifted: false, removable: true });
    else if (isEnded) await release(known, { kind: 'skipped' }, 'The location is no longer served');
    else if (externalId !== null && verdict.elsewhere.has(externalId))
      await release(known, { kind: 'not-found' }, 'It belongs to another location');
  }
}

/**
 * Unlinks the duplicate that has this external id, before the original is linked to it. Returns the duplicates of the
 * original, which are read unless they are given.
 */
export async function unlinkDuplicate(
  transaction: Transaction,
  actor: Actor,
  businessId: number,
  original: Listing,
  externalId: string,
  known?: readonly Listing[],
): Promise<readonly Listing[]> {
  const duplicates = known ?? (await duplicatesOf(transaction, original.id));
  const duplicate = duplicates.find((one) => one.externalId === externalId);
  if (!duplicate) return duplicates;
  await changeListing(transaction, duplicate.id, unlinked);
  const comment = `Now linked to listing ${original.id}`;
  await recordLinkChange(transaction, actor, businessId, duplicate, unlinked, comment);
  return duplicates.map((one) => (one === duplicate ? { ...one, ...unlinked } : one));
}
