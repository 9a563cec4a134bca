import type { Sql } from '../../database/connection.ts';
import { defineJob, type JobOptions } from '../../jobs/job.ts';
import { type Actor, findPartner, systemActor } from '../accounts/index.ts';
import { coveredDirectories } from '../catalog/index.ts';
import type { Directories, Directory } from '../directories/index.ts';
import { findLocation, type Location } from '../locations/index.ts';
import type { Listing } from './listing.ts';

export interface CheckOptions {
  /** Whether differences are submitted. Default: autoSync of the location. */
  submit?: boolean;
  /** Requested by a user: runs before scheduled work. */
  requested?: boolean;
}

export interface LocationCheck extends CheckOptions {
  locationId: number;
  /** The bulk sync task that the check reports to. */
  taskId?: number;
}

export const checkLocationJob = defineJob<LocationCheck>('listings.check-location', {
  // A task counts its checks, so they must not be merged with others.
  key: ({ locationId, taskId }) => `listings.check-location-${locationId}${taskId ? `-${taskId}` : ''}`,
});

// Requested jobs have their own key, so that a scheduled job with a later time does not replace them.
export const checkListingJob = defineJob<{ listingId: number } & CheckOptions>('listings.check', {
  key: ({ listingId }, { requested }) => `listings.check-${listingId}${requested ? '-requested' : ''}`,
});

export const submitListingJob = defineJob<{ listingId: number }>('listings.submit', {
  key: ({ listingId }, { requested }) => `listings.submit-${listingId}${requested ? '-requested' : ''}`,
});

/** Reads new datapoints of a listing. Implemented by the feedback module. */
export const checkListingDatapoints = defineJob<{ listingId: number }>('datapoints.check-listing', {
  key: ({ listingId }) => `datapoints-listing-${listingId}`,
});

export const enqueueCheck = (sql: Sql, listingId: number, check: CheckOptions, when?: JobOptions): Promise<void> =>
  checkListingJob.enqueue(sql, { listingId, ...check }, { requested: check.requested, ...when });

/** Current state that a check or submission of a listing depends on. */
export interface ListingContext {
  actor: Actor;
  location: Location;
  directory: Directory;
  /** Whether the plan of the business includes the directory. */
  covered: boolean;
}

/** Undefined when the directory is no longer configured, or the partner or location does not exist. */
export async function loadListingContext(
  sql: Sql,
  directories: Directories,
  listing: Listing,
): Promise<ListingContext | undefined> {
  const directory = directories.list.find(({ type }) => type === listing.directoryType);
  const [partner, location] = await Promise.all([
    findPartner(sql, listing.partnerId, listing.partnerId),
    findLocation(sql, listing.partnerId, listing.locationId),
  ]);
  if (!directory || !partner || !location) return undefined;
  const covered = await coveredDirectories(sql, listing.partnerId, location.businessId, [directory]);
  return { actor: systemActor(partner), location, directory, covered: covered.length > 0 };
}
