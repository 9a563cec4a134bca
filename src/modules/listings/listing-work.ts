import type { Sql } from '../../database/connection.ts';
import { defineJob, type JobOptions } from '../../jobs/job.ts';
import { type Actor, findPartner, systemActor } from '../accounts/index.ts';
import { coveredDirectories } from '../catalog/index.ts';
import type { Directories, Directory } from '../directories/index.ts';
import { findLocation, type Location, listingProfileOf } from '../locations/index.ts';
import type { Listing } from './listing.ts';
import type { SubmissionState } from './submission-obstacles.ts';

export interface CheckOptions {
  /** Whether differences are submitted; the location's autoSync by default. */
  submit?: boolean;
  /** A user waits for it: it goes before scheduled work. */
  requested?: boolean;
}

export interface LocationCheck extends CheckOptions {
  locationId: number;
  /** Which task the check is a piece of. */
  taskId?: number;
}

export const checkLocationJob = defineJob<LocationCheck>('listings.check-location', {
  // A task counts its locations: its checks are its own.
  key: ({ locationId, taskId }) => `listings.check-location-${locationId}${taskId ? `-${taskId}` : ''}`,
});

// A requested job has its own key: scheduled work would replace it with a job that is due later.
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

/** Everything around a listing that work on it needs, as it is now. */
export interface Surroundings {
  actor: Actor;
  location: Location;
  directory: Directory;
  /** Whether the plan of the business includes the directory. */
  covered: boolean;
}

/** Nothing when the directory is no longer one of this installation's. */
export async function surroundingsOf(
  sql: Sql,
  directories: Directories,
  listing: Listing,
): Promise<Surroundings | undefined> {
  const directory = directories.list.find(({ type }) => type === listing.directoryType);
  const partner = await findPartner(sql, listing.partnerId, listing.partnerId);
  const location = await findLocation(sql, listing.partnerId, listing.locationId);
  if (!directory || !partner || !location) return undefined;
  const covered = await coveredDirectories(sql, listing.partnerId, location.businessId, [directory]);
  return { actor: systemActor(partner), location, directory, covered: covered.length > 0 };
}

export const submissionState = (
  listing: SubmissionState['listing'],
  { location, directory }: Surroundings,
  now: Date,
  limited = false,
): SubmissionState => ({
  location: {
    status: location.status,
    normalizationStatus: location.normalizationStatus,
    cleansingStatus: location.cleansingStatus,
    synced: location.status !== 'CREATED' && location.lastSyncStarted !== null,
  },
  directory,
  listing,
  profile: listingProfileOf(location),
  limited,
  now,
});
