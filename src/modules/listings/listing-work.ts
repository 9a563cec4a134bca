import type { Sql } from '../../database/connection.ts';
import { defineJob, enqueueJobs, type JobOptions, type JobOrigin, type NewJob } from '../../jobs/job.ts';
import { type Actor, systemActor } from '../accounts/index.ts';
import { directoriesOfPlan } from '../catalog/index.ts';
import type { Directories, Directory } from '../directories/index.ts';
import { findPlannedLocation, type Location } from '../locations/index.ts';
import type { Listing } from './listing.ts';

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

export const checkLocationJob = defineJob<LocationCheck>('listings.check-location', {
  // A task counts its checks, so they must not be merged with others.
  key: ({ locationId, taskId, requested }) =>
    `listings.check-location-${locationId}${taskId ? `-${taskId}` : requestedSuffix(requested)}`,
});

export const checkListingJob = defineJob<{ listingId: number } & CheckOptions>('listings.check', {
  key: ({ listingId, requested }) => `listings.check-${listingId}${requestedSuffix(requested)}`,
});

export type Submission = { listingId: number } & JobOrigin;

export const submitListingJob = defineJob<Submission>('listings.submit', {
  key: ({ listingId, requested }) => `listings.submit-${listingId}${requestedSuffix(requested)}`,
});

/** Reads new datapoints of a listing. Implemented by the feedback module. */
export const checkListingDatapoints = defineJob<{ listingId: number } & JobOrigin>('datapoints.check-listing', {
  key: ({ listingId, requested }) => `datapoints-listing-${listingId}${requestedSuffix(requested)}`,
});

export const newCheck = (listingId: number, check: CheckOptions, when?: JobOptions): NewJob =>
  checkListingJob.with({ listingId, ...check }, when);

export const enqueueCheck = (sql: Sql, listingId: number, check: CheckOptions, when?: JobOptions): Promise<void> =>
  enqueueJobs(sql, [newCheck(listingId, check, when)]);

/** Current state that a check or submission of a listing depends on. */
export interface ListingContext {
  actor: Actor;
  location: Location;
  directory: Directory;
  /** Whether the plan of the business includes the directory. */
  covered: boolean;
}

/** A listing outside the plan is reported once and then not checked. */
export const isUncovered = ({ flowStatus }: Listing, { covered }: ListingContext): boolean =>
  !covered && flowStatus === 'INACTIVE';

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
