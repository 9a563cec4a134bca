import { deprecatedUseJobs } from '../modules/accounts/deprecated-use/deprecated-use-jobs.ts';
import { userJobs } from '../modules/accounts/users/user-jobs.ts';
import { feedbackJobs } from '../modules/analytics/dashboard/feedback/feedback-jobs.ts';
import { figuresJobs } from '../modules/analytics/dashboard/figures-jobs.ts';
import { exportJobs } from '../modules/analytics/exports/export-jobs.ts';
import { homepageJobs } from '../modules/analytics/homepage/homepage-jobs.ts';
import { insightJobs } from '../modules/analytics/insights/insight-jobs.ts';
import { businessJobs } from '../modules/catalog/businesses/business-jobs.ts';
import { demoJobs } from '../modules/demo/demo-jobs.ts';
import { brandPageJobs } from '../modules/feedback/brand-pages/brand-page-jobs.ts';
import { datapointJobs } from '../modules/feedback/datapoints/datapoint-jobs.ts';
import { listingJobs } from '../modules/listings/listing-jobs.ts';
import { locationImportJobs } from '../modules/locations/imports/location-import-jobs.ts';
import { locationJobs } from '../modules/locations/location-jobs.ts';
import { nearMeJobs } from '../modules/public/near-me/near-me-jobs.ts';
import { socialPostJobs } from '../modules/publishing/social-posts/social-post-jobs.ts';
import type { PlatformJob } from './job.ts';
import { storageJob } from './storage-job.ts';
import { taskJobs } from './tasks/task-jobs.ts';

/** Background work of the platform, by the noun that defines it. */
export const platformJobs: readonly PlatformJob[] = [
  ...businessJobs,
  ...taskJobs,
  ...locationJobs,
  ...listingJobs,
  ...locationImportJobs,
  ...socialPostJobs,
  ...userJobs,
  ...datapointJobs,
  ...brandPageJobs,
  ...insightJobs,
  ...feedbackJobs,
  ...figuresJobs,
  ...exportJobs,
  ...homepageJobs,
  ...demoJobs,
  ...deprecatedUseJobs,
  storageJob,
  ...nearMeJobs,
];
