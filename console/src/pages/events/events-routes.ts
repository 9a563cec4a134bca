import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import { oneOf, searchParams, text } from '../../parts/search-params.ts';
import { shellRoute } from '../../shell/shell-routes.tsx';
import { eventFilters } from './event-filters.ts';

export const eventsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/events',
  component: lazyRouteComponent(() => import('./events-page.tsx'), 'EventsPage'),
  validateSearch: searchParams({ ...eventFilters.params, order: oneOf(['ASC']) }),
  staticData: { navigation: { label: 'events.title', icon: Activity, order: 80 }, needs: 'ADMIN' },
});

export const eventRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/events/$id',
  component: lazyRouteComponent(() => import('./event-page.tsx'), 'EventPage'),
  validateSearch: searchParams({ delivery: text }),
  staticData: { needs: 'ADMIN' },
});
