import { accountsModule } from './accounts/index.ts';
import { unknownReach } from './accounts/users/change-user.ts';
import { analyticsModule } from './analytics/index.ts';
import { unknownBusinesses } from './catalog/businesses/business-store.ts';
import { businessDeleted } from './catalog/businesses/change-business.ts';
import { catalogModule } from './catalog/index.ts';
import { labelDeleted, labelDeletionChecked } from './catalog/labels/label-routes.ts';
import { demoModule } from './demo/index.ts';
import { directoriesModule } from './directories/index.ts';
import { releaseBrandPages } from './feedback/brand-pages/brand-page-jobs.ts';
import { feedbackModule } from './feedback/index.ts';
import { listingsModule } from './listings/index.ts';
import { pendingSuggestions } from './listings/suggestions/suggestion-store.ts';
import { rejectDeletionWithLocations, removeLabelFromLocations } from './locations/change-location.ts';
import { locationsModule } from './locations/index.ts';
import { suggestionsOfLocations } from './locations/location-response.ts';
import { unknownLocations } from './locations/location-store.ts';
import type { Module } from './module.ts';
import { publicPagesModule } from './public/index.ts';
import { rejectDeletingLabelOfFinders } from './public/store-finder/store-finder.ts';
import { rejectDeletingLabelOfAssets } from './publishing/assets/asset-store.ts';
import { publishingModule } from './publishing/index.ts';
import { rejectDeletingLabelOfPosts } from './publishing/social-posts/social-post-store.ts';

/** Connects the hooks of lower modules with the modules above them. Every composition imports this file. */
unknownReach.connect(unknownBusinesses, unknownLocations);
businessDeleted.connect(rejectDeletionWithLocations, releaseBrandPages);
labelDeletionChecked.connect(rejectDeletingLabelOfPosts, rejectDeletingLabelOfAssets, rejectDeletingLabelOfFinders);
labelDeleted.connect(removeLabelFromLocations);
suggestionsOfLocations.connect(pendingSuggestions);

/** A module imports only modules that stand before it in this list. */
export const modules: readonly Module[] = [
  directoriesModule,
  accountsModule,
  catalogModule,
  locationsModule,
  listingsModule,
  feedbackModule,
  publishingModule,
  analyticsModule,
  publicPagesModule,
  demoModule,
];
