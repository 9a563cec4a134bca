import type { Transaction } from '../../database/transaction.ts';
import type { JobContext } from '../../jobs/job.ts';
import {
  type DirectoryConnector,
  type DirectoryListing,
  type DirectoryResult,
  isFault,
  type SubmissionReview,
} from '../directories/index.ts';
import { listingProfileOf } from '../locations/index.ts';
import { type DirectoryReading, judgeCheck } from './judge-check.ts';
import { isRateLimited, type Listing, recheckAfterLimit } from './listing.ts';
import { duplicatesOf, lockLinksElsewhere, otherCountedListings } from './listing-store.ts';
import {
  type CheckOptions,
  endLease,
  enqueueCheck,
  isUncovered,
  type Lease,
  type ListingContext,
  loadListingContext,
  releaseListing,
  withLease,
} from './listing-work.ts';
import { findOtherLocations } from './other-locations.ts';
import { postponeCheck, recordCheck } from './record-check.ts';
import { isConnected, isInRemoval, removalSteps } from './status-transitions.ts';
import { findActiveSuggestions } from './suggestions/suggestion-store.ts';

/** `busy`: another job holds the lease. `postponed`: the directory is rate limited, or the link changed. */
type CheckOutcome = 'checked' | 'unreachable' | 'postponed' | 'busy' | 'none';

/** Compares a listing with its directory and records the result and its event. */
export async function checkListing(
  context: JobContext,
  listingId: number,
  options: CheckOptions = {},
): Promise<CheckOutcome> {
  const { database, log } = context;
  const began = Date.now();
  return withLease(database.pool, listingId, async (lease) => {
    const { directoryType, locationId, duplicateOf } = lease.listing;
    if (duplicateOf !== null) {
      await releaseListing(database.pool, lease);
      return checkListing(context, duplicateOf, options);
    }
    const outcome = await checkLeased(context, lease, options);
    const tookMs = Date.now() - began;
    log.debug({ event: 'listing.checked', listingId, locationId, directoryType, outcome, tookMs });
    return outcome;
  });
}

async function checkLeased(context: JobContext, lease: Lease, options: CheckOptions): Promise<CheckOutcome> {
  const { database, directories } = context;
  const { listing } = lease;
  const [listingContext, duplicates] = await Promise.all([
    loadListingContext(database.autocommit, directories, listing),
    duplicatesOf(database.autocommit, listing.id),
  ]);
  if (!listingContext || isUncovered(listing, listingContext)) {
    await releaseListing(database.pool, lease);
    return 'none';
  }
  const { requested = false } = options;
  // A requested check goes before scheduled ones, and the client policy respects Retry-After of the directory.
  if (!requested && listing.notBefore && listing.notBefore > listing.now && isRateLimited(listing)) {
    await enqueueCheck(database.pool, listing.id, options, { runAt: listing.notBefore });
    await releaseListing(database.pool, lease);
    return 'postponed';
  }
  const reading = await readDirectory({
    ...listingContext,
    connector: directories.connector(listing.directoryType, { partnerId: listing.partnerId, requested }),
    listing,
    duplicates: duplicates.filter(({ flowStatus }) => flowStatus !== 'REMOVED'),
  });
  return database.transaction(async (transaction) => {
    if (reading.kind !== 'fault' || reading.fault.fault !== 'limited') {
      return saveCheck(transaction, context, { reading, lease, options });
    }
    const current = await endLease(transaction, lease);
    if (!current) return 'busy';
    const until = recheckAfterLimit(reading.fault.retryAfterSeconds, current.now, Math.random());
    await postponeCheck(transaction, current, until, options);
    return 'postponed';
  });
}

interface CheckInput {
  reading: DirectoryReading;
  /** With the listing as it was when the directory was read. */
  lease: Lease;
  options: CheckOptions;
}

async function saveCheck(transaction: Transaction, context: JobContext, input: CheckInput): Promise<CheckOutcome> {
  const { reading, lease, options } = input;
  const listingWhenRead = lease.listing;
  const candidates = reading.kind === 'read' ? (reading.candidates ?? []) : [];
  const pages = candidates.map(({ externalId }) => externalId);
  // In one round trip, in this order: data that is read after the locks is current.
  const [current, listingContext, linkedElsewhere, ...related] = await Promise.all([
    endLease(transaction, lease),
    // The location may have changed since the directory was read: compare with its current data.
    loadListingContext(transaction, context.directories, listingWhenRead),
    lockLinksElsewhere(transaction, listingWhenRead, pages),
    reading.kind === 'fault' ? [] : duplicatesOf(transaction, listingWhenRead.id),
    reading.kind === 'read' ? findActiveSuggestions(transaction, listingWhenRead.id) : [],
    otherCountedListings(transaction, listingWhenRead),
  ]);
  if (!current) return 'busy';
  if (!listingContext) return 'none';
  if (current.externalId !== listingWhenRead.externalId || current.connectStatus !== listingWhenRead.connectStatus) {
    // The link changed since the directory was read: the reading is of another directory listing.
    await enqueueCheck(transaction, current.id, options);
    return 'postponed';
  }
  const { now } = current;
  const profile = listingProfileOf(listingContext.location);
  const isOpen = ({ externalId }: DirectoryListing) =>
    externalId !== current.externalId && !linkedElsewhere.has(externalId);
  const shown = candidates.filter(isOpen).map((candidate) => candidate.profile);
  const otherLocations = shown.length > 0 ? await findOtherLocations(transaction, current, [profile, ...shown]) : [];
  const verdict = judgeCheck(reading, {
    ...listingContext,
    listing: current,
    profile,
    linkedElsewhere,
    otherLocations,
    now,
  });
  const [duplicates, activeSuggestions, otherListings] = related;
  const checked = { listing: current, listingContext, reading, verdict, options, now };
  await recordCheck(transaction, { ...checked, duplicates, activeSuggestions, otherListings });
  return reading.kind === 'fault' ? 'unreachable' : 'checked';
}

interface DirectoryQuery extends ListingContext {
  connector: DirectoryConnector;
  listing: Listing;
  /** Known duplicates that have not been removed. */
  duplicates: readonly Listing[];
}

/** Reads the linked listing and other candidates for the location from the directory. */
async function readDirectory(query: DirectoryQuery): Promise<DirectoryReading> {
  const { directory, connector, listing, location } = query;
  if (!mayRead(query)) return { kind: 'skipped' };
  const review = await reviewOf(query);
  if (isFault(review)) return { kind: 'fault', fault: review };
  if (!directory.supports.onlineListing) return { kind: 'skipped', ...(review && { review }) };
  const candidates = new Map<string, DirectoryListing>();
  const isRemoved = removalSteps(location.status) !== undefined;
  if (!isRemoved) {
    const found = await connector.search(listingProfileOf(location));
    if (isFault(found)) return { kind: 'fault', fault: found };
    for (const one of found) if (!candidates.has(one.externalId)) candidates.set(one.externalId, one);
  }
  for (const { externalId } of [listing, ...query.duplicates]) {
    if (externalId === null || candidates.has(externalId)) continue;
    const found = await connector.read(externalId);
    if (isFault(found)) return { kind: 'fault', fault: found };
    if (found) candidates.set(externalId, found);
  }
  const linked = listing.externalId === null ? undefined : candidates.get(listing.externalId);
  return { kind: 'read', linked, candidates: [...candidates.values()], ...(review && { review }) };
}

/** Undefined when no review is pending, or when the directory does not report reviews. */
async function reviewOf({ connector, listing }: DirectoryQuery): DirectoryResult<SubmissionReview | undefined> {
  if (!listing.underReview || listing.externalId === null) return undefined;
  const review = await connector.readReview(listing.externalId);
  return isFault(review) && review.fault === 'refused' ? undefined : review;
}

function mayRead({ directory, listing, location, covered }: DirectoryQuery): boolean {
  if (!isConnected(listing, directory)) return false;
  return covered || isInRemoval(listing.flowStatus) || removalSteps(location.status) !== undefined;
}
