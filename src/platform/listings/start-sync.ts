import { enqueueJob } from '../../database/job-queue.ts';
import type { Transaction } from '../../database/transaction.ts';
import { Problem } from '../../problems.ts';
import { type Actor, systemActor } from '../actor.ts';
import { directoryList } from '../directories/directory-list.ts';
import type { Location } from '../locations/location.ts';
import { markSynced } from '../locations/location-figures.ts';
import { coveredDirectories } from './coverage.ts';
import type { Listing } from './listing.ts';
import { ensureListings } from './listing-store.ts';
import { type CheckOptions, listingTasks } from './listing-work.ts';
import { endingOf } from './status-moves.ts';

type Synced = Pick<Location, 'id' | 'businessId' | 'status'>;

const withdrawJob = (transaction: Transaction, key: string) =>
  transaction.query({ name: 'withdraw-job', text: 'select graphile_worker.remove_job($1)', values: [key] });

/** Why a location cannot be synced, in a sentence; nothing when it can. */
export function syncRefusal({ id, status }: Pick<Location, 'id' | 'status'>): string | undefined {
  if (!endingOf(status)) return undefined;
  return `Location ${id} is ${status} and is not synced. Only locations that are CREATED, ACTIVE, NEEDS_REVIEW or CANCELLED are.`;
}

/**
 * Has the listings of a location checked, and made where they are missing. With the first sync a location becomes
 * active. Answers the listings that are checked.
 */
export async function startSync(
  transaction: Transaction,
  { partner }: Actor,
  location: Synced,
  options: CheckOptions & { taskId?: number } = {},
): Promise<Listing[]> {
  const refusal = syncRefusal(location);
  if (refusal) throw new Problem('INACTIVE', { message: refusal });
  const covered = await coveredDirectories(transaction, partner.id, location.businessId, directoryList);
  const types = new Set(covered.map(({ type }) => type));
  const listings = await ensureListings(transaction, partner.id, location.id, [...types]);
  await markSynced(transaction, systemActor(partner), location.id);
  // Becoming active by its first sync asks for a check of its own; the one below is that check.
  if (location.status === 'CREATED') await withdrawJob(transaction, `${listingTasks.locationChanged}-${location.id}`);
  // A task counts its locations: its checks are its own.
  const key = `${listingTasks.checkLocation}-${location.id}${options.taskId ? `-${options.taskId}` : ''}`;
  await enqueueJob(transaction, listingTasks.checkLocation, { locationId: location.id, ...options }, { key });
  return listings.filter((listing) => listing.duplicateOf === null && types.has(listing.directoryType));
}
