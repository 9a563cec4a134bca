import { businessJobs } from '../platform/businesses/business-jobs.ts';
import { locationImportJobs } from '../platform/imports/location-import-jobs.ts';
import type { PlatformJob } from '../platform/platform-job.ts';
import { taskJobs } from '../platform/tasks/task-jobs.ts';
import { userJobs } from '../platform/users/user-jobs.ts';

/** Background work of the platform, by the noun that defines it. */
export const platformJobs: readonly PlatformJob[] = [...businessJobs, ...taskJobs, ...locationImportJobs, ...userJobs];
