import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import { day, oneOf, oneOfNumbers, searchParams, text, texts } from '../../parts/search-params.ts';
import { shellRoute } from '../../shell/shell-routes.tsx';
import { dashboardFilters, groups, presets } from './dashboard-query.ts';

export const dashboardRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/dashboard',
  component: lazyRouteComponent(() => import('./dashboard-page.tsx'), 'DashboardPage'),
  validateSearch: searchParams({
    days: oneOfNumbers(presets),
    start: day,
    end: day,
    group: oneOf(groups),
    ...dashboardFilters.params,
    directory: text,
    metric: texts,
  }),
  staticData: { navigation: { label: 'dashboard.title', icon: ChartColumn, order: 60 }, needs: 'DASHBOARD_READ' },
});
