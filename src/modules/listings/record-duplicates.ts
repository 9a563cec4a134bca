import type { Transaction } from '../../database/transaction.ts';
import type { Actor } from '../accounts/index.ts';
import type { DirectoryListing } from '../directories/index.ts';
import { countFields } from './field-comparison.ts';
import type { DirectoryReading, Verdict } from './judge-check.ts';
import { type Listing, type ListingStatuses, listingStatusOf } from './listing.ts';
import { recordLinkChange, recordSyncCheck } from './listing-events.ts';
import { changeListing, duplicatesOf, ensureDuplicate } from './listing-store.ts';
import { type ListingContext, submitListingJob } from './listing-work.ts';
import { nextStatuses, type Observation } from './status-transitions.ts';
import { isRemovalNeeded } from './submission-preconditions.ts';

interface DuplicateCheck {
  listingContext: ListingContext;
  /** The original listing, as it is after the check. */
  original: Listing;
  verdict: Verdict;
  reading: DirectoryReading & { kind: 'read' };
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
  };
  for (const { directoryListing, fields } of verdict.duplicates) {
    const { claim, url = null } = directoryListing;
    const duplicate = await ensureDuplicate(transaction, original, { ...directoryListing, url });
    const { matching, comparable } = countFields(fields);
    const removable = isOurs(directoryListing, original);
    const change = { fields, matchingFields: matching, comparableFields: comparable, url };
    await write(duplicate, { kind: 'found', claim, pending: false, fields, drifted: false, removable }, change);
  }
  const seen = new Set((reading.candidates ?? []).map(({ externalId }) => externalId));
  for (const known of knownBefore) {
    if (known.flowStatus === 'REMOVED' || (known.externalId !== null && seen.has(known.externalId))) continue;
    await write(known, { kind: 'not-found' });
  }
}

/** Claimed by us, or unclaimed and marked by the directory as a duplicate of a listing that is claimed by us. */
function isOurs(directoryListing: DirectoryListing, original: ListingStatuses & Pick<Listing, 'externalId'>): boolean {
  if (directoryListing.claim === 'CLAIMED_BY_US') return true;
  const isFree = directoryListing.claim === 'CLAIMABLE' || directoryListing.claim === 'NOT_CLAIMABLE';
  return isFree && directoryListing.duplicateOf === original.externalId && original.claimStatus === 'CLAIMED_BY_US';
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
  const unlinked = { externalId: null, url: null };
  await changeListing(transaction, duplicate.id, unlinked);
  const comment = `Now linked to listing ${original.id}`;
  await recordLinkChange(transaction, actor, businessId, duplicate, unlinked, comment);
  return duplicates.map((one) => (one === duplicate ? { ...one, ...unlinked } : one));
}
