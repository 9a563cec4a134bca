import type { Module } from '../module.ts';
import { demoJobs } from './demo-jobs.ts';
import { demoRoutes } from './demo-routes.ts';

export const demoModule: Module = {
  routes: [demoRoutes],
  jobs: [...demoJobs],
};

export { defaultSeed } from './demo-location.ts';
export {
  type DemoData,
  type DemoRequest,
  demoDataOf,
  findDemoData,
  isIncomplete,
  maxDemoLocations,
  requestDemoData,
  requestInitialDemoData,
} from './demo-task.ts';
