import '../modules/connect.ts';
import { eventJobs } from '../events/event-jobs.ts';
import type { JobSet, PlatformJob } from '../jobs/job.ts';
import { storageJob } from '../jobs/storage-job.ts';
import { taskJobs } from '../jobs/tasks/task-jobs.ts';
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
import { releaseRepliesOf } from '../modules/feedback/datapoints/reply-store.ts';
import { listingJobs } from '../modules/listings/listing-jobs.ts';
import { releaseListingsOf } from '../modules/listings/listing-lease.ts';
import { locationImportJobs } from '../modules/locations/imports/location-import-jobs.ts';
import { locationJobs } from '../modules/locations/location-jobs.ts';
import { nearMeJobs } from '../modules/public/near-me/near-me-jobs.ts';
import { releasePublicationsOf } from '../modules/publishing/social-posts/publication-store.ts';
import { socialPostJobs } from '../modules/publishing/social-posts/social-post-jobs.ts';

const jobs: readonly PlatformJob[] = [
  ...eventJobs,
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

/** Background work of the whole platform. */
export const platformJobs: JobSet = {
  jobs,
  async releaseLeases(sql, processIds) {
    await releaseListingsOf(sql, processIds);
    await releasePublicationsOf(sql, processIds);
    await releaseRepliesOf(sql, processIds);
  },
};
