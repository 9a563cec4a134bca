import { databaseNow } from '../../database/database-clock.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { JobContext } from '../../jobs/job.ts';
import { listingProfileOf } from '../locations/index.ts';
import { judgeCheck, type Visit } from './judge-check.ts';
import type { Listing } from './listing.ts';
import { holdLeased, type Lease, leaseListing, releaseListing } from './listing-lease.ts';
import { duplicatesOf, findListingById, lockListingsOf, lockPages, pagesHeldElsewhere } from './listing-store.ts';
import { type CheckOptions, enqueueCheck, type Surroundings, surroundingsOf } from './listing-work.ts';
import { afterLimit } from './next-look.ts';
import { postpone, recordCheck } from './record-check.ts';
import { visitDirectory } from './visit-directory.ts';

/** `busy`: somebody else is at it. `postponed`: the directory takes no more calls for now. */
export type CheckOutcome = 'checked' | 'unreachable' | 'postponed' | 'busy' | 'none';

/** Compares a listing with what its directory shows and writes down what that means, with its event. */
export async function checkListing(
  context: JobContext,
  listingId: number,
  options: CheckOptions = {},
): Promise<CheckOutcome> {
  const { database, log } = context;
  const lease = await leaseListing(database.pool, listingId);
  if (!lease) return (await findListingById(database.pool, listingId)) ? 'busy' : 'none';
  if (lease.listing.duplicateOf !== null) {
    await releaseListing(database.pool, lease);
    return checkListing(context, lease.listing.duplicateOf, options);
  }
  const began = Date.now();
  try {
    const outcome = await checkLeased(context, lease, options);
    const { directoryType, locationId } = lease.listing;
    const tookMs = Date.now() - began;
    log.debug({ event: 'listing.checked', listingId, locationId, directoryType, outcome, tookMs });
    return outcome;
  } catch (error) {
    // The job is tried again; whoever does that must not wait for the lease to run out.
    await releaseListing(database.pool, lease).catch(() => {});
    throw error;
  }
}

async function checkLeased(context: JobContext, lease: Lease, options: CheckOptions): Promise<CheckOutcome> {
  const { database, directories } = context;
  const { listing } = lease;
  const surroundings = await surroundingsOf(database.pool, directories, listing);
  if (!surroundings || isAtRest(listing, surroundings)) {
    await releaseListing(database.pool, lease);
    return 'none';
  }
  const visit = await lookAt(context, listing, surroundings);
  return database.transaction(async (transaction) => {
    await lockListingsOf(transaction, listing.locationId);
    const current = await holdLeased(transaction, lease);
    if (!current) return 'busy';
    await releaseListing(transaction, lease);
    if (visit.kind === 'fault' && visit.fault.fault === 'limited') {
      const until = afterLimit(visit.fault.retryAfterSeconds, await databaseNow(transaction), Math.random());
      await postpone(transaction, listing.id, until, options);
      return 'postponed';
    }
    return write(transaction, context, { visit, current, visited: listing, options });
  });
}

/** Nothing is said of a listing that the plan does not include, once that has been said. */
const isAtRest = (listing: Listing, { covered }: Surroundings) => !covered && listing.flowStatus === 'INACTIVE';

async function lookAt(
  context: JobContext,
  listing: Listing,
  { location, directory, covered }: Surroundings,
): Promise<Visit> {
  const { database, directories } = context;
  const limitedSeconds = secondsLimited(listing, await databaseNow(database.pool));
  if (limitedSeconds > 0) {
    return { kind: 'fault', fault: { fault: 'limited', retryAfterSeconds: limitedSeconds, detail: 'It was limited' } };
  }
  const duplicates = await duplicatesOf(database.pool, listing.id);
  return visitDirectory({
    directory,
    connector: directories.connector(directory.type),
    listing,
    duplicates: duplicates.filter(({ flowStatus }) => flowStatus !== 'REMOVED'),
    location,
    profile: listingProfileOf(location),
    covered,
  });
}

/** A limit is kept; an outage may have ended at any time. */
const secondsLimited = ({ notBefore, failedChecks }: Listing, now: Date) =>
  notBefore !== null && failedChecks === 0 ? (notBefore.getTime() - now.getTime()) / 1000 : 0;

interface Finding {
  visit: Visit;
  /** The listing as it is now, and as it was when its directory was visited. */
  current: Listing;
  visited: Listing;
  options: CheckOptions;
}

async function write(transaction: Transaction, context: JobContext, finding: Finding): Promise<CheckOutcome> {
  const { visit, current, visited, options } = finding;
  const now = await databaseNow(transaction);
  // The location may have changed meanwhile: what counts is how the page compares with what it has now.
  const surroundings = await surroundingsOf(transaction, context.directories, current);
  if (!surroundings) return 'none';
  if (current.externalId !== visited.externalId || current.connectStatus !== visited.connectStatus) {
    // Somebody changed the link meanwhile: this was a look at another page.
    await enqueueCheck(transaction, current.id, options);
    return 'postponed';
  }
  const pages = visit.kind === 'looked' ? (visit.candidates ?? []).map(({ externalId }) => externalId) : [];
  await lockPages(transaction, current.directoryType, pages);
  const verdict = judgeCheck(visit, {
    listing: current,
    location: surroundings.location,
    profile: listingProfileOf(surroundings.location),
    directory: surroundings.directory,
    covered: surroundings.covered,
    heldElsewhere: await pagesHeldElsewhere(transaction, current, pages),
    now,
  });
  await recordCheck(transaction, { listing: current, surroundings, visit, verdict, options, now });
  return visit.kind === 'fault' ? 'unreachable' : 'checked';
}
