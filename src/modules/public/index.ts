import type { Module } from '../module.ts';
import { nearMeJobs } from './near-me/near-me-jobs.ts';
import { nearMeRoutes, reportRoutes } from './near-me/near-me-routes.ts';
import { publicFinderRoutes } from './store-finder/public-finder-routes.ts';
import { storeFinderRoutes } from './store-finder/store-finder-routes.ts';

export const publicPagesModule: Module = {
  routes: [storeFinderRoutes, publicFinderRoutes, nearMeRoutes, reportRoutes],
  jobs: [...nearMeJobs],
};
