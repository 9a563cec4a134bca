import { brandPageJobs } from '../platform/brand-pages/brand-page-jobs.ts';
import { businessJobs } from '../platform/businesses/business-jobs.ts';
import { datapointJobs } from '../platform/datapoints/datapoint-jobs.ts';
import { deprecatedUseJobs } from '../platform/deprecated-use/deprecated-use-jobs.ts';
import { locationImportJobs } from '../platform/imports/location-import-jobs.ts';
import { insightJobs } from '../platform/insights/insight-jobs.ts';
import { listingJobs } from '../platform/listings/listing-jobs.ts';
import { locationJobs } from '../platform/locations/location-jobs.ts';
import type { PlatformJob } from '../platform/platform-job.ts';
import { socialPostJobs } from '../platform/social-posts/social-post-jobs.ts';
import { taskJobs } from '../platform/tasks/task-jobs.ts';
import { userJobs } from '../platform/users/user-jobs.ts';
import { feedbackJobs } from '../product/dashboard/feedback/feedback-jobs.ts';
import { figuresJobs } from '../product/dashboard/figures-jobs.ts';
import { demoJobs } from '../product/demo/demo-jobs.ts';
import { exportJobs } from '../product/exports/export-jobs.ts';
import { homepageJobs } from '../product/homepage/homepage-jobs.ts';
import { nearMeJobs } from '../product/near-me/near-me-jobs.ts';
import { storageJob } from './storage-job.ts';

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
