import type { Transaction } from '../../database/transaction.ts';
import { defineJob } from '../../jobs/job.ts';
import type { LocationStatus } from './location.ts';
import type { PreparedChange } from './prepare-changes.ts';

/** Checks the listings of a location and submits its changes. Implemented by the listings module. */
export const locationChanged = defineJob<{ locationId: number }>('listings.location-changed', {
  key: ({ locationId }) => `listings.location-changed-${locationId}`,
});

/** Cleanses the address of one location, or all pending addresses. The schedule finds locations that were locked. */
export const cleanseJob = defineJob<{ locationId?: number }>('locations.cleanse', { schedule: '*/10 * * * *' });

/** Statuses between the first sync and deactivation. */
const syncedStatuses: ReadonlySet<LocationStatus> = new Set(['ACTIVE', 'NEEDS_REVIEW', 'CANCELLED']);

/** Fields that are not submitted to directories. */
const internalFields: ReadonlySet<string> = new Set(['identifier', 'businessId', 'labels', 'customFields']);

export async function enqueueFollowUps(transaction: Transaction, changes: readonly PreparedChange[]): Promise<void> {
  const cleansed = changes.filter(
    ({ before, row }) => row.cleansingStatus === 'PENDING' && before.cleansingStatus !== 'PENDING',
  );
  const shown = changes.filter(
    ({ before, row, fields }) =>
      row.autoSync && syncedStatuses.has(before.status) && fields.some((field) => !internalFields.has(field)),
  );
  await Promise.all([
    // One job for many locations: it finds all that are pending.
    cleanseJob.enqueueMany(
      transaction,
      cleansed.slice(0, 1).map(({ row }) => (cleansed.length > 1 ? {} : { locationId: row.id })),
    ),
    locationChanged.enqueueMany(
      transaction,
      shown.map(({ row }) => ({ locationId: row.id })),
    ),
  ]);
}
