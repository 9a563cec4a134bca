import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import { periods } from '../../parts/periods.ts';
import { flag, oneOf, searchParams, text } from '../../parts/search-params.ts';
import { shellRoute } from '../../shell/shell-routes.tsx';

const typeNames = (given: unknown): string[] | undefined => {
  const names = [given].flat().filter((name): name is string => typeof name === 'string' && /^[A-Z_]+$/.test(name));
  return names.length > 0 ? names : undefined;
};

export const eventsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/events',
  component: lazyRouteComponent(() => import('./events-page.tsx'), 'EventsPage'),
  validateSearch: searchParams({
    type: typeNames,
    period: oneOf(periods),
    since: text,
    until: text,
    children: flag,
    order: oneOf(['ASC']),
  }),
  staticData: { navigation: { label: 'navigation.events', icon: Activity, order: 80 }, needs: 'ADMIN' },
});

export const eventRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/events/$id',
  component: lazyRouteComponent(() => import('./event-page.tsx'), 'EventPage'),
  validateSearch: searchParams({ delivery: text }),
  staticData: { needs: 'ADMIN' },
});
