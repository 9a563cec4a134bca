import type { Transaction } from '../../database/transaction.ts';
import type { Actor } from '../accounts/index.ts';
import type { DirectoryListing } from '../directories/index.ts';
import { countFields } from './field-comparison.ts';
import type { Verdict, Visit } from './judge-check.ts';
import { type Listing, type ListingStatuses, listingStatusOf } from './listing.ts';
import { recordLinkChange, recordSyncCheck } from './listing-events.ts';
import { changeListing, duplicatesOf, ensureDuplicate } from './listing-store.ts';
import { type Surroundings, submitListingJob } from './listing-work.ts';
import { nextStatuses, type Sight } from './status-moves.ts';
import { isRemovalDue } from './submission-due.ts';

interface Sighting {
  surroundings: Surroundings;
  /** The listing whose page they repeat, as it is after the check. */
  original: Listing;
  verdict: Verdict;
  visit: Visit & { kind: 'looked' };
  /** Whether anything may be sent to the directory. */
  maySubmit: boolean;
  now: Date;
}

/** Other pages about the same location: each is a listing of its own that names the original, and is to go away. */
export async function recordDuplicates(
  transaction: Transaction,
  { surroundings, original, verdict, visit, maySubmit, now }: Sighting,
): Promise<void> {
  const { actor, location, directory, covered } = surroundings;
  const write = async (duplicate: Listing, sight: Sight, change: Partial<Listing> = {}) => {
    const to = nextStatuses(duplicate, sight, { directory, location, covered, now });
    await changeListing(transaction, duplicate.id, {
      ...to,
      ...change,
      status: listingStatusOf(to.flowStatus),
      lastChecked: now,
      checkedRevision: location.revision,
    });
    await recordSyncCheck(transaction, actor, location.businessId, duplicate, to);
    if (maySubmit && isRemovalDue(to)) await submitListingJob.enqueue(transaction, { listingId: duplicate.id });
  };
  for (const { page, fields } of verdict.duplicates) {
    const duplicate = await ensureDuplicate(transaction, original, { ...page, url: page.url ?? null });
    const { matching, comparable } = countFields(fields);
    const sight = { kind: 'found', claim: page.claim, pending: false, fields, drifted: false } as const;
    await write(
      duplicate,
      { ...sight, removable: isOurs(page, original) },
      { fields, matchingFields: matching, comparableFields: comparable, url: page.url ?? null },
    );
  }
  const seen = new Set((visit.candidates ?? []).map(({ externalId }) => externalId));
  for (const known of await duplicatesOf(transaction, original.id)) {
    if (known.flowStatus === 'REMOVED' || (known.externalId !== null && seen.has(known.externalId))) continue;
    await write(known, { kind: 'not-found' });
  }
}

/** Ours, or nobody's and the directory itself takes it for a copy of a page that is ours. */
function isOurs(page: DirectoryListing, original: ListingStatuses & Pick<Listing, 'externalId'>): boolean {
  if (page.claim === 'CLAIMED_BY_US') return true;
  const isFree = page.claim === 'CLAIMABLE' || page.claim === 'NOT_CLAIMABLE';
  return isFree && page.duplicateOf === original.externalId && original.claimStatus === 'CLAIMED_BY_US';
}

/** A page that was a duplicate becomes the one that is linked: the two listings change places. */
export async function freePage(
  transaction: Transaction,
  actor: Actor,
  businessId: number,
  original: Listing,
  externalId: string | null,
): Promise<void> {
  if (externalId === null) return;
  const duplicate = (await duplicatesOf(transaction, original.id)).find((known) => known.externalId === externalId);
  if (!duplicate) return;
  const nowhere = { externalId: null, url: null };
  await changeListing(transaction, duplicate.id, nowhere);
  const comment = `The page is that of listing ${original.id} now`;
  await recordLinkChange(transaction, actor, businessId, duplicate, nowhere, comment);
}
