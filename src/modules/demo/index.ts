import type { Module } from '../module.ts';
import { demoJobs } from './demo-jobs.ts';
import { demoRoutes } from './demo-routes.ts';
import { receiverRoutes } from './sandbox-panel/receiver-routes.ts';
import { sandboxPanelRoutes } from './sandbox-panel/sandbox-panel-routes.ts';

export const demoModule: Module = {
  routes: [demoRoutes, sandboxPanelRoutes, receiverRoutes],
  jobs: [...demoJobs],
};

export { usualSeed } from './demo-location.ts';
export { type DemoData, demoDataOf, findDemoData } from './demo-state.ts';
export { type DemoOrder, isIncomplete, mostDemoLocations, orderDemoData, orderFirstDemoData } from './demo-task.ts';
