import type { Module } from '../module.ts';
import { brandPageJobs } from './brand-pages/brand-page-jobs.ts';
import { brandPageRoutes } from './brand-pages/brand-page-routes.ts';
import { datapointJobs } from './datapoints/datapoint-jobs.ts';
import { datapointRoutes } from './datapoints/datapoint-routes.ts';
import { inboxRoutes } from './datapoints/inbox-routes.ts';
import { replyRoutes } from './datapoints/reply-routes.ts';
import { releaseRepliesOf } from './datapoints/reply-store.ts';
import { savedFilterRoutes } from './datapoints/saved-filter-routes.ts';

export const feedbackModule: Module = {
  routes: [inboxRoutes, savedFilterRoutes, datapointRoutes, replyRoutes, brandPageRoutes],
  jobs: [...datapointJobs, ...brandPageJobs],
  releaseLeases: releaseRepliesOf,
};

export { discoverBrandPages } from './brand-pages/brand-page-jobs.ts';
export type { BrandPage } from './brand-pages/brand-page-store.ts';
export { listBrandPages } from './brand-pages/brand-page-store.ts';
export {
  type Datapoint,
  DatapointResponse,
  datapointResponse,
  MaskedDatapoint,
  ReplyResponse,
  readFieldMask,
} from './datapoints/datapoint.ts';
export { findDatapointsByIds, lockTexts, type Marks, markDatapoints } from './datapoints/datapoint-store.ts';
export { positionOf } from './datapoints/inbox-entry.ts';
export { listInbox } from './datapoints/inbox-store.ts';
export { repliesOf } from './datapoints/reply-store.ts';
