import type { Transaction } from '../../database/transaction.ts';
import { Problem } from '../../problems.ts';
import { type Actor, systemActor } from '../accounts/index.ts';
import { coveredDirectories } from '../catalog/index.ts';
import { type Directory, directoryList, refusingDirectories } from '../directories/index.ts';
import { type Location, listingProfileOf, locationChanged, markSynced } from '../locations/index.ts';
import type { Listing } from './listing.ts';
import { ensureListings } from './listing-store.ts';
import { type CheckOptions, checkLocationJob } from './listing-work.ts';
import { removalSteps } from './status-transitions.ts';

/** Why a location cannot be synced to the directories of its plan; undefined when it can. */
export function syncProblem(location: Location, covered: readonly Directory[]): Problem | undefined {
  const { id, status, normalizationStatus } = location;
  if (removalSteps(status)) {
    const message = `Location ${id} is ${status} and cannot be synced. The status must be CREATED, ACTIVE, NEEDS_REVIEW or CANCELLED.`;
    return new Problem('INACTIVE', { message });
  }
  if (normalizationStatus !== 'NORMALIZED') {
    const message = `The address of location ${id} is incomplete: zip is required in ${location.country}. Add zip and sync again.`;
    return new Problem('NOT_SYNCABLE', { message });
  }
  const refusing = refusingDirectories(covered, listingProfileOf(location));
  if (refusing.length === 0) return undefined;
  const reasons = refusing.map(({ directory, missing }) => `${directory.name} requires ${missing.join(', ')}`);
  const message = `Location ${id} is incomplete for every directory of its plan: ${reasons.join('; ')}. Add the fields of at least one directory and sync again.`;
  return new Problem('NOT_SYNCABLE', { message });
}

/** Creates missing listings and enqueues their checks. The first sync activates the location. Returns the listings. */
export async function startSync(
  transaction: Transaction,
  { partner }: Actor,
  location: Location,
  options: CheckOptions & { taskId?: number } = {},
): Promise<Listing[]> {
  const covered = await coveredDirectories(transaction, partner.id, location.businessId, directoryList);
  const problem = syncProblem(location, covered);
  if (problem) throw problem;
  const types = new Set(covered.map(({ type }) => type));
  const listings = await ensureListings(transaction, partner.id, location.id, [...types]);
  await markSynced(transaction, systemActor(partner), location.id);
  const locationId = location.id;
  // The first sync activates the location, which enqueues another check; the one below replaces it.
  if (location.status === 'CREATED') await locationChanged.remove(transaction, { locationId });
  await checkLocationJob.enqueue(transaction, { locationId, ...options }, { requested: options.requested });
  return listings.filter((listing) => listing.duplicateOf === null && types.has(listing.directoryType));
}
