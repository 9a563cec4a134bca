import { type Directory, refusingDirectories } from '../directories/index.ts';
import { listingProfileOf } from './listing-profile.ts';
import type { Location, LocationStatus } from './location.ts';

const syncableStatuses: ReadonlySet<LocationStatus> = new Set(['CREATED', 'ACTIVE', 'CANCELLED']);

/** Whether its data can go to one of the directories of its plan. */
export const isSyncable = (location: Location, covered: readonly Directory[]): boolean =>
  syncableStatuses.has(location.status) &&
  location.normalizationStatus === 'NORMALIZED' &&
  refusingDirectories(covered, listingProfileOf(location)).length === 0;
