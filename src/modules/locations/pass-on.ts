import { enqueueJobs } from '../../database/job-queue.ts';
import type { Transaction } from '../../database/transaction.ts';
import { cleansingTask } from './cleansing.ts';
import type { LocationStatus } from './location.ts';
import type { PreparedChange } from './prepare-changes.ts';

/** Listings look at the location again, and send what has changed. */
const listingsTask = 'listings.location-changed';

/** Nothing goes to directories before the first sync, nor after the end. */
const syncedStatuses: ReadonlySet<LocationStatus> = new Set(['ACTIVE', 'NEEDS_REVIEW', 'CANCELLED']);

/** Fields that no directory shows. */
const internalFields: ReadonlySet<string> = new Set(['identifier', 'businessId', 'labels', 'customFields']);

/** Has what follows from changes done once they are committed. */
export async function passOn(transaction: Transaction, changes: readonly PreparedChange[]): Promise<void> {
  const cleansed = changes.filter(
    ({ before, row }) => row.cleansingStatus === 'PENDING' && before.cleansingStatus !== 'PENDING',
  );
  const shown = changes.filter(
    ({ before, row, fields }) =>
      row.autoSync && syncedStatuses.has(before.status) && fields.some((field) => !internalFields.has(field)),
  );
  await Promise.all([
    // Many are found by a single job that looks for whatever is pending.
    enqueueJobs(
      transaction,
      cleansingTask,
      cleansed.slice(0, 1).map(({ row }) => ({ payload: cleansed.length > 1 ? {} : { locationId: row.id } })),
    ),
    tellListings(
      transaction,
      shown.map(({ row }) => row.id),
    ),
  ]);
}

export const tellListings = (transaction: Transaction, locationIds: readonly number[]): Promise<void> =>
  enqueueJobs(
    transaction,
    listingsTask,
    locationIds.map((locationId) => ({ payload: { locationId }, key: `${listingsTask}-${locationId}` })),
  );
