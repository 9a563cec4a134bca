import type { Module } from '../module.ts';
import { demoJobs } from './demo-jobs.ts';
import { demoRoutes } from './demo-routes.ts';
import { receiverRoutes } from './sandbox-panel/receiver-routes.ts';
import { sandboxPanelRoutes } from './sandbox-panel/sandbox-panel-routes.ts';

export const demoModule: Module = {
  routes: [demoRoutes, sandboxPanelRoutes, receiverRoutes],
  jobs: [...demoJobs],
};

export { defaultSeed } from './demo-location.ts';
export { type DemoData, demoDataOf, findDemoData } from './demo-state.ts';
export {
  type DemoRequest,
  isIncomplete,
  maxDemoLocations,
  requestDemoData,
  requestInitialDemoData,
} from './demo-task.ts';
