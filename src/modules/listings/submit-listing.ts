import type { Sql } from '../../database/connection.ts';
import { databaseNow } from '../../database/database-clock.ts';
import type { JobContext } from '../../jobs/job.ts';
import { type DirectoryConnector, type DirectoryFault, isFault, type ListingProfile } from '../directories/index.ts';
import { listingProfileOf } from '../locations/index.ts';
import type { ClaimStatus, Listing } from './listing.ts';
import { holdLeased, type Lease, leaseListing, releaseListing } from './listing-lease.ts';
import { findListingById, lockListingsOf } from './listing-store.ts';
import { enqueueCheck, type Surroundings, submissionState, submitListingJob, surroundingsOf } from './listing-work.ts';
import { recordSubmission } from './record-submission.ts';
import { asIfClaimed, isDue, isRemovalDue } from './submission-due.ts';
import { firstObstacle, type Obstacle } from './submission-obstacles.ts';

/** What came of a try to submit. */
export type Attempt =
  /** Something stood in its way before anything was sent. */
  | { kind: 'prevented'; obstacle: Obstacle; claim?: ClaimStatus }
  | { kind: 'fault'; fault: DirectoryFault; claim?: ClaimStatus }
  | {
      kind: 'submitted';
      externalId: string;
      url: string | undefined;
      state: 'ACCEPTED' | 'PENDING';
      messages: string[];
      profile: ListingProfile;
      claim?: ClaimStatus;
    }
  | { kind: 'removed' };

export type SubmitOutcome = 'tried' | 'busy' | 'none';

/** Submits a location's data to a directory, or has its page taken away there, and writes down what came of it. */
export async function submitListing(context: JobContext, listingId: number): Promise<SubmitOutcome> {
  const { database, directories, log } = context;
  const lease = await leaseListing(database.pool, listingId);
  if (!lease) return (await findListingById(database.pool, listingId)) ? 'busy' : 'none';
  const began = Date.now();
  try {
    const surroundings = await surroundingsOf(database.pool, directories, lease.listing);
    const now = await databaseNow(database.pool);
    // Another job may have submitted it since this one was enqueued.
    if (!surroundings || !isDue(lease.listing, surroundings, now)) {
      await releaseListing(database.pool, lease);
      await postponeSubmission(database.pool, lease.listing, now);
      return 'none';
    }
    if (isUnseen(lease.listing)) {
      await releaseListing(database.pool, lease);
      await enqueueCheck(database.pool, listingId, { submit: true });
      return 'none';
    }
    const attempt = await tryIt(context, lease.listing, surroundings, now);
    const outcome = await write(context, lease, surroundings, attempt);
    const { directoryType, locationId } = lease.listing;
    const tookMs = Date.now() - began;
    log.debug({ event: 'listing.submitted', listingId, locationId, directoryType, outcome: attempt.kind, tookMs });
    return outcome;
  } catch (error) {
    await releaseListing(database.pool, lease).catch(() => {});
    throw error;
  }
}

/** Whose a page is that was linked or created since the last check is not known yet. */
const isUnseen = ({ externalId, checkedRevision }: Listing) => externalId !== null && checkedRevision === null;

/** A directory that allows no calls yet is submitted to when it does. */
async function postponeSubmission(sql: Sql, { id, notBefore }: Listing, now: Date): Promise<void> {
  if (notBefore && notBefore > now) await submitListingJob.enqueue(sql, { listingId: id }, { runAt: notBefore });
}

async function tryIt(context: JobContext, listing: Listing, surroundings: Surroundings, now: Date): Promise<Attempt> {
  const { directory, location } = surroundings;
  const state = submissionState(listing, surroundings, now);
  const connector = context.directories.connector(directory.type);
  const obstacle = obstacleNow(listing, surroundings, now);
  if (obstacle) return { kind: 'prevented', obstacle };
  if (isToBeRemoved(listing)) return remove(connector, listing);
  const claimed = await claim(connector, listing, directory.supports.claim);
  if (isFault(claimed)) return { kind: 'fault', fault: claimed };
  const unclaimed = firstObstacle({ ...state, listing: { ...listing, ...(claimed && { claimStatus: claimed }) } });
  if (unclaimed) return { kind: 'prevented', obstacle: unclaimed, ...(claimed && { claim: claimed }) };
  const profile = listingProfileOf(location);
  const submission = await connector.submit(profile, listing.externalId ?? undefined, {
    key: submissionKey(listing, location.revision),
  });
  const claimNews = claimed ? { claim: claimed } : {};
  if (isFault(submission)) return { kind: 'fault', fault: submission, ...claimNews };
  return { kind: 'submitted', ...submission, profile, ...claimNews };
}

/** The same for every attempt to send the same content to the same page, whatever was recorded meanwhile. */
const submissionKey = ({ id, externalId, submissionRound }: Listing, revision: number) =>
  `listing-${id}-${externalId ?? 'new'}-${revision}-${submissionRound}`;

const isToBeRemoved = (listing: Listing) => isRemovalDue(listing) && listing.externalId !== null;

/** What stands in the way before anything is sent. */
function obstacleNow(listing: Listing, surroundings: Surroundings, now: Date): Obstacle | undefined {
  if (!isToBeRemoved(listing)) return firstObstacle(asIfClaimed(submissionState(listing, surroundings, now)));
  return removalObstacle(listing, now);
}

/** A duplicate was judged to be removable when it was found. */
function removalObstacle({ claimStatus, duplicateOf, notBefore }: Listing, now: Date): Obstacle | undefined {
  if (claimStatus !== 'CLAIMED_BY_US' && duplicateOf === null) {
    const message = `The page is ${claimStatus}; only a page that is CLAIMED_BY_US can be removed.`;
    return { status: 'INVALID_CLAIM_STATUS', message };
  }
  if (!notBefore || notBefore <= now) return undefined;
  return { status: 'DELAYED', message: `The directory is asked again after ${notBefore.toISOString()}.` };
}

async function remove(connector: DirectoryConnector, listing: Listing): Promise<Attempt> {
  const removal = await connector.remove(listing.externalId as string);
  // A page that is not there any more is as removed as it can be.
  return isFault(removal) ? { kind: 'fault', fault: removal } : { kind: 'removed' };
}

async function claim(
  connector: DirectoryConnector,
  { claimStatus, externalId }: Listing,
  canClaim: boolean,
): Promise<ClaimStatus | undefined | DirectoryFault> {
  if (!canClaim || claimStatus !== 'CLAIMABLE' || externalId === null) return undefined;
  const answer = await connector.claim(externalId);
  return isFault(answer) ? answer : answer.claim;
}

async function write(
  { database, directories }: JobContext,
  lease: Lease,
  submitted: Surroundings,
  attempt: Attempt,
): Promise<SubmitOutcome> {
  return database.transaction(async (transaction) => {
    await lockListingsOf(transaction, lease.listing.locationId);
    const current = await holdLeased(transaction, lease);
    if (!current) return 'busy';
    await releaseListing(transaction, lease);
    const surroundings = await surroundingsOf(transaction, directories, current);
    if (!surroundings) return 'none';
    const now = await databaseNow(transaction);
    const tried = { listing: current, surroundings, externalId: lease.listing.externalId, now };
    if (attempt.kind !== 'prevented' || attempt.claim !== undefined) {
      await recordSubmission(transaction, { ...tried, attempt, revision: submitted.location.revision });
      return 'tried';
    }
    // Nothing was sent: what counts is what stands in the way now, after whatever was changed and told meanwhile.
    const obstacle = obstacleNow(current, surroundings, now);
    if (!obstacle) {
      await submitListingJob.enqueue(transaction, { listingId: current.id });
      return 'none';
    }
    const { revision } = surroundings.location;
    await recordSubmission(transaction, { ...tried, attempt: { kind: 'prevented', obstacle }, revision });
    return 'tried';
  });
}
