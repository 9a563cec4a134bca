import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from './shell-routes.tsx';

/** The start of the console for those who have no home page: the first page that they may open. */
export const indexRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./first-page.tsx'), 'FirstPage'),
});
