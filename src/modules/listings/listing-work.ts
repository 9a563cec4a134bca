import type { Sql } from '../../database/connection.ts';
import { enqueueJob } from '../../database/job-queue.ts';
import { type Actor, findPartner, systemActor } from '../accounts/index.ts';
import { coveredDirectories } from '../catalog/index.ts';
import type { Directories, Directory } from '../directories/index.ts';
import { findLocation, type Location, listingProfileOf } from '../locations/index.ts';
import type { Listing } from './listing.ts';
import type { SubmissionState } from './submission-obstacles.ts';

/** Names of the jobs of listings. */
export const listingTasks = {
  checkLocation: 'listings.check-location',
  check: 'listings.check',
  submit: 'listings.submit',
  locationChanged: 'listings.location-changed',
  syncMany: 'listings.sync-many',
  schedule: 'listings.schedule',
} as const;

export interface CheckOptions {
  /** Whether what is not right there is submitted; as the location's autoSync says unless it is given. */
  submit?: boolean;
  /** A user waits for it: it goes before scheduled work. */
  requested?: boolean;
}

/** A listing waits for one scheduled and one requested check and submission at most. */
export const enqueueCheck = (sql: Sql, listingId: number, options: CheckOptions, when: When = {}): Promise<void> =>
  enqueueJob(
    sql,
    listingTasks.check,
    { listingId, ...options },
    appointment('check', listingId, { ...when, requested: options.requested }),
  );

export const enqueueSubmission = (sql: Sql, listingId: number, options: Urgency = {}): Promise<void> =>
  enqueueJob(sql, listingTasks.submit, { listingId }, appointment('submit', listingId, options));

interface When {
  delaySeconds?: number;
  runAt?: Date;
}

interface Urgency extends When {
  requested?: boolean | undefined;
}

const appointment = (task: 'check' | 'submit', listingId: number, { requested, ...when }: Urgency) => ({
  // Apart from scheduled work, which would otherwise replace it with a job that is due later.
  key: `${listingTasks[task]}-${listingId}${requested ? '-requested' : ''}`,
  ...when,
  ...(requested && { isWaitedFor: true as const }),
});

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
