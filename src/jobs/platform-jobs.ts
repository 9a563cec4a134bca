import type { PlatformJob } from '../platform/platform-job.ts';

/** Background work of the platform, by the noun that defines it. */
export const platformJobs: readonly PlatformJob[] = [];
