import type { Transaction } from '../../database/transaction.ts';
import { Problem } from '../../problems.ts';
import { type Actor, systemActor } from '../accounts/index.ts';
import { coveredDirectories } from '../catalog/index.ts';
import { type Directory, directoryList, refusingDirectories } from '../directories/index.ts';
import { type Location, listingProfileOf, locationChanged, markSynced } from '../locations/index.ts';
import type { Listing } from './listing.ts';
import { ensureListings } from './listing-store.ts';
import { type CheckOptions, checkLocationJob } from './listing-work.ts';
import { endingOf } from './status-moves.ts';

/** Why a location cannot be synced to the directories of its plan; nothing when it can. */
export function syncRefusal(location: Location, covered: readonly Directory[]): Problem | undefined {
  const { id, status, normalizationStatus } = location;
  if (endingOf(status)) {
    const message = `Location ${id} is ${status} and is not synced. Only locations that are CREATED, ACTIVE, NEEDS_REVIEW or CANCELLED are.`;
    return new Problem('INACTIVE', { message });
  }
  if (normalizationStatus !== 'NORMALIZED') {
    const message = `The address of location ${id} is not complete: zip is required in ${location.country}. Add it and sync again.`;
    return new Problem('NOT_SYNCABLE', { message });
  }
  const refusing = refusingDirectories(covered, listingProfileOf(location));
  if (refusing.length === 0) return undefined;
  const reasons = refusing.map(({ directory, missing }) => `${directory.name} requires ${missing.join(', ')}`);
  const message = `Location ${id} is incomplete for every directory of its plan: ${reasons.join('; ')}. Complete it for one of them and sync again.`;
  return new Problem('NOT_SYNCABLE', { message });
}

/**
 * Has the listings of a location checked, and made where they are missing. With the first sync a location becomes
 * active. Answers the listings that are checked.
 */
export async function startSync(
  transaction: Transaction,
  { partner }: Actor,
  location: Location,
  options: CheckOptions & { taskId?: number } = {},
): Promise<Listing[]> {
  const covered = await coveredDirectories(transaction, partner.id, location.businessId, directoryList);
  const refusal = syncRefusal(location, covered);
  if (refusal) throw refusal;
  const types = new Set(covered.map(({ type }) => type));
  const listings = await ensureListings(transaction, partner.id, location.id, [...types]);
  await markSynced(transaction, systemActor(partner), location.id);
  const locationId = location.id;
  // The first sync makes the location active, which enqueues a check as well; the one below replaces it.
  if (location.status === 'CREATED') await locationChanged.remove(transaction, { locationId });
  await checkLocationJob.enqueue(transaction, { locationId, ...options }, { requested: options.requested });
  return listings.filter((listing) => listing.duplicateOf === null && types.has(listing.directoryType));
}
