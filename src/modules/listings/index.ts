import type { Module } from '../module.ts';
import { listingJobs } from './listing-jobs.ts';
import { releaseListingsOf } from './listing-lease.ts';
import { listingRoutes } from './listing-routes.ts';
import { suggestionRoutes } from './suggestions/suggestion-routes.ts';
import { syncRoutes } from './sync-routes.ts';

export const listingsModule: Module = {
  routes: [listingRoutes, syncRoutes, suggestionRoutes],
  jobs: [...listingJobs],
  releaseLeases: releaseListingsOf,
};

export { setConnection } from './change-listing.ts';
export { compareProfiles, countFields, fieldStatuses } from './field-comparison.ts';
export { countUncounted, countUnseen, listingsToCount } from './first-look.ts';
export { type ClaimStatus, type FlowStatus, type Listing, ListingAnswer, type SyncStatus } from './listing.ts';
export {
  advanceCursor,
  advanceInsights,
  findInsightProgress,
  findListingPlace,
  findListingStanding,
  type InsightProgress,
  postponeDatapointCheck,
  takeDueDatapointChecks,
  takeDueInsights,
} from './listing-progress.ts';
export { SubmissionAnswer } from './listing-routes.ts';
export { findListingById } from './listing-store.ts';
export { checkListingDatapoints, enqueueCheck } from './listing-work.ts';
export { choosePage } from './page-match.ts';
export { type NextProgress, onDirectory, type Place, type PlaceRow, placeOf } from './place.ts';
export { plainPhone, plainText, plainUrl } from './spelling.ts';
export { startSync } from './start-sync.ts';
export { listingFigures } from './visibility.ts';
