import { randomUUID } from 'node:crypto';
import { processId } from '../../database/client.ts';
import type { Sql } from '../../database/connection.ts';
import { anyOf, db, raw } from '../../database/query-builder.ts';
import { defineStatement, run } from '../../database/statement.ts';
import type { Transaction } from '../../database/transaction.ts';
import { defineJob, type JobOptions, type JobOrigin } from '../../jobs/job.ts';
import { type Actor, systemActor } from '../accounts/index.ts';
import { directoriesOfPlan } from '../catalog/index.ts';
import type { Directories, Directory } from '../directories/index.ts';
import { findPlannedLocation, type Location } from '../locations/index.ts';
import type { Listing } from './listing.ts';
import { findListingById, listingColumns, listingSelection, lockListingsOf } from './listing-store.ts';
import { removalSteps } from './status-transitions.ts';

export interface CheckOptions extends JobOrigin {
  /** Whether differences are submitted. Default: autoSync of the location. */
  submit?: boolean;
}

export interface LocationCheck extends CheckOptions {
  locationId: number;
  /** The bulk sync task that the check reports to. */
  taskId?: number;
}

/** Part of a key: a scheduled job with a later time does not replace a requested one. */
const requestedSuffix = (requested: boolean | undefined) => (requested ? '-requested' : '');

/** A check that only compares, or that autoSync decides about, does not replace one that submits. */
const checkSuffix = ({ submit, requested }: CheckOptions) =>
  `${submit === undefined ? '' : submit ? '-submit' : '-compare'}${requestedSuffix(requested)}`;

export const checkLocationJob = defineJob<LocationCheck>('listings.check-location', {
  // A task counts its checks, so they must not be merged with others.
  key: ({ locationId, taskId, ...options }) =>
    `listings.check-location-${locationId}${taskId ? `-${taskId}` : checkSuffix(options)}`,
});

export const checkListingJob = defineJob<{ listingId: number } & CheckOptions>('listings.check', {
  key: ({ listingId, ...options }) => `listings.check-${listingId}${checkSuffix(options)}`,
});

export type Submission = { listingId: number } & JobOrigin;

export const submitListingJob = defineJob<Submission>('listings.submit', {
  key: ({ listingId, requested }) => `listings.submit-${listingId}${requestedSuffix(requested)}`,
});

/** Reads new datapoints of a listing. Implemented by the feedback module. */
export const checkListingDatapoints = defineJob<{ listingId: number; confirmsReply?: boolean } & JobOrigin>(
  'datapoints.check-listing',
  {
    // An earlier check does not replace the one that runs a while after a reply failed.
    key: ({ listingId, requested, confirmsReply }) =>
      `datapoints-listing-${listingId}${confirmsReply ? '-confirm' : requestedSuffix(requested)}`,
  },
);

export const enqueueCheck = (sql: Sql, listingId: number, check: CheckOptions, when?: JobOptions): Promise<void> =>
  checkListingJob.enqueue(sql, { listingId, ...check }, when);

/** Current state that a check or submission of a listing depends on. */
export interface ListingContext {
  actor: Actor;
  location: Location;
  directory: Directory;
  /** Whether the plan of the business includes the directory. */
  covered: boolean;
}

/** A listing outside the plan is reported once and then not checked, until it has to be removed. */
export const isUncovered = ({ flowStatus }: Listing, { covered, location }: ListingContext): boolean =>
  !covered && flowStatus === 'INACTIVE' && removalSteps(location.status) === undefined;

/** Undefined when the directory is no longer configured, or the location does not exist. */
export async function loadListingContext(
  sql: Sql,
  directories: Directories,
  listing: Listing,
): Promise<ListingContext | undefined> {
  const directory = directories.list.find(({ type }) => type === listing.directoryType);
  const { partnerId, locationId } = listing;
  const location = await findPlannedLocation(sql, partnerId, locationId);
  if (!directory || !location) return undefined;
  const actor = systemActor({ id: partnerId, identifier: location.partnerIdentifier });
  const covered = directoriesOfPlan(location.planDirectories, [directory]).length > 0;
  return { actor, location, directory, covered };
}

/**
 * Held while calling the directory about a listing, so that only one process does, without an open transaction.
 * Leases of a crashed process are released with its jobs.
 */
export interface Lease {
  listing: ReadListing;
  token: string;
}

interface ReadListing extends Listing {
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
  const [listing] = await run(sql, leaseStatement, [id, token, processId]);
  return listing && { listing, token };
}

const leaseStatement = defineStatement<ReadListing>({
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
    run(transaction, endStatement, [listing.id, token]),
  ]);
  return current;
}

const endStatement = defineStatement<ReadListing>({
  name: 'end-lease',
  text: `update listings set lease_until = null, lease_token = null where id = $1 and lease_token = $2
         returning ${readSelection}`,
  columns: readColumns,
});

export async function releaseListing(sql: Sql, { listing, token }: Lease): Promise<void> {
  await run(sql, endStatement, [listing.id, token]);
}

/** Leases a listing for the work. `busy`: another job holds the lease; `none`: the listing does not exist. */
export async function withLease<T>(
  sql: Sql,
  id: number,
  work: (lease: Lease) => Promise<T>,
): Promise<T | 'busy' | 'none'> {
  const lease = await leaseListing(sql, id);
  if (!lease) return (await findListingById(sql, id)) ? 'busy' : 'none';
  try {
    return await work(lease);
  } catch (error) {
    // The job is retried and must not wait for the lease to expire.
    await releaseListing(sql, lease).catch(() => {});
    throw error;
  }
}

/** Releases the leases of crashed processes. */
export async function releaseListingLeases(sql: Sql, processIds: readonly number[]): Promise<void> {
  await db(sql)
    .updateTable('listings')
    .set({ leaseUntil: null, leaseToken: null })
    .where('leaseProcess', '=', anyOf(processIds, 'bigint'))
    .where('leaseUntil', '>', raw<Date>`now()`)
    .execute();
}
