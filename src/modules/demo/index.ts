import type { Module } from '../module.ts';
import { demoJobs } from './demo-jobs.ts';
import { demoRoutes } from './demo-routes.ts';
import { receiverRoutes, sandboxPanelRoutes } from './sandbox-panel/sandbox-panel-routes.ts';

export const demoModule: Module = {
  routes: [demoRoutes, sandboxPanelRoutes, receiverRoutes],
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
