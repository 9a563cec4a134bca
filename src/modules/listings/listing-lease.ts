import { randomUUID } from 'node:crypto';
import { processId } from '../../database/client.ts';
import type { Sql } from '../../database/connection.ts';
import { anyOf, db, raw } from '../../database/query-builder.ts';
import { defineStatement, run } from '../../database/statement.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { Listing } from './listing.ts';
import { listingColumns, listingSelection, lockListingsOf } from './listing-store.ts';

/**
 * Held while calling the directory about a listing, so that only one process does, without an open transaction.
 * Leases of a crashed process are released with its jobs.
 */
export interface Lease {
  listing: ReadListing;
  token: string;
}

export interface ReadListing extends Listing {
  /** When the listing was read, by the clock of the database. */
  now: Date;
}

const readColumns = { ...listingColumns, now: 'timestamptz' } as const;
const readSelection = `${listingSelection}, clock_timestamp() as now`;

/** Longer than the time limits of all directory calls of a check. */
const leaseSeconds = 180;

/** Undefined when the listing is leased or does not exist. */
export async function leaseListing(sql: Sql, id: number): Promise<Lease | undefined> {
  const token = randomUUID();
  const [listing] = await run(sql, lease, [id, token, processId]);
  return listing && { listing, token };
}

const lease = defineStatement<ReadListing>({
  name: 'lease-listing',
  text: `update listings set lease_until = now() + make_interval(secs => ${leaseSeconds}), lease_token = $2,
           lease_process = $3
         where id = $1 and (lease_until is null or lease_until < now())
         returning ${readSelection}`,
  columns: readColumns,
});

/**
 * Locks the listings of the location and ends the lease. Returns the current row; undefined when the lease was lost, and
 * then the caller must not write.
 */
export async function endLease(transaction: Transaction, { listing, token }: Lease): Promise<ReadListing | undefined> {
  const [, [current]] = await Promise.all([
    lockListingsOf(transaction, listing.locationId),
    run(transaction, end, [listing.id, token]),
  ]);
  return current;
}

const end = defineStatement<ReadListing>({
  name: 'end-lease',
  text: `update listings set lease_until = null, lease_token = null where id = $1 and lease_token = $2
         returning ${readSelection}`,
  columns: readColumns,
});

export async function releaseListing(sql: Sql, { listing, token }: Lease): Promise<void> {
  await run(sql, release, [listing.id, token]);
}

const release = defineStatement({
  name: 'release-listing',
  text: 'update listings set lease_until = null, lease_token = null where id = $1 and lease_token = $2',
});

/** Releases the leases of crashed processes. */
export async function releaseListingLeases(sql: Sql, processIds: readonly number[]): Promise<void> {
  await db(sql)
    .updateTable('listings')
    .set({ leaseUntil: null, leaseToken: null })
    .where('leaseProcess', '=', anyOf(processIds, 'bigint'))
    .where('leaseUntil', '>', raw<Date>`now()`)
    .execute();
}
