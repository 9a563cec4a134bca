import type { Module } from '../module.ts';
import { feedbackJobs, figuresJobs } from './dashboard/dashboard-jobs.ts';
import { feedbackRoutes } from './dashboard/feedback/feedback-routes.ts';
import { healthRoutes } from './dashboard/health/health-routes.ts';
import { insightsDataRoutes } from './dashboard/insights/insights-data-routes.ts';
import { exportJobs } from './exports/export-jobs.ts';
import { dashboardReportRoutes, excelExportRoutes, exportFileRoutes } from './exports/export-routes.ts';
import { dismissalRoutes, suggestionRoutes, taskRoutes } from './homepage/finding-routes.ts';
import { homepageJobs } from './homepage/homepage-jobs.ts';
import { keyMetricRoutes } from './homepage/key-metric-routes.ts';
import { scoreRoutes } from './homepage/score-routes.ts';
import { insightJobs } from './insights/insight-jobs.ts';
import { insightRoutes } from './insights/insight-routes.ts';

export const analyticsModule: Module = {
  routes: [
    insightRoutes,
    feedbackRoutes,
    insightsDataRoutes,
    healthRoutes,
    keyMetricRoutes,
    scoreRoutes,
    taskRoutes,
    suggestionRoutes,
    dismissalRoutes,
    exportFileRoutes,
    excelExportRoutes,
    dashboardReportRoutes,
  ],
  jobs: [...insightJobs, ...feedbackJobs, ...figuresJobs, ...exportJobs, ...homepageJobs],
  storedFiles: { exports: ['file_name'] },
};

export { copyWords, type WordColumn, wordColumns } from './dashboard/feedback/keyword-store.ts';
export { ListingHealthResponse } from './dashboard/health/health-routes.ts';
export { collectInsightsJob } from './insights/insight-jobs.ts';
