import type { Module } from '../module.ts';
import { listingJobs } from './listing-jobs.ts';
import { listingRoutes } from './listing-routes.ts';
import { releaseListingLeases } from './listing-work.ts';
import { suggestionRoutes } from './suggestions/suggestion-routes.ts';
import { syncRoutes } from './sync-routes.ts';

export const listingsModule: Module = {
  routes: [listingRoutes, syncRoutes, suggestionRoutes],
  jobs: [...listingJobs],
  releaseLeases: releaseListingLeases,
};

export { setConnection } from './change-listing.ts';
export {
  compareProfiles,
  countFields,
  fieldStatuses,
  normalizePhone,
  normalizeText,
  normalizeUrl,
} from './field-comparison.ts';
export {
  actionRequiredFlows,
  awaitsRecheck,
  type ClaimStatus,
  type FlowStatus,
  type Listing,
  ListingResponse,
  listingFigures,
  type SyncStatus,
  uncountedFlows,
} from './listing.ts';
export { chooseListing } from './listing-match.ts';
export {
  advanceCursor,
  advanceInsights,
  claimDueChecksIn,
  claimDueDatapointChecks,
  claimDueInsights,
  countInitialChecks,
  countWithoutInsights,
  type DatapointCheckState,
  type DatapointFeed,
  findInsightProgress,
  findInsightStatus,
  findListingCheckState,
  findListingFeed,
  type InsightProgress,
  listingsWithoutInsights,
  type NextProgress,
  postponeCheckIn,
  postponeDatapointCheck,
  postponeInsights,
  toDatapointFeed,
  toDirectorySource,
} from './listing-progress.ts';
export { SubmissionResponse } from './listing-routes.ts';
export { findListingById } from './listing-store.ts';
export { checkListingDatapoints, enqueueCheck } from './listing-work.ts';
export { startSync } from './sync.ts';
