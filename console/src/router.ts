import { createRouter } from '@tanstack/react-router';
import { pages, settingsPages } from './pages.ts';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { PageError } from './shell/page-error.tsx';
import { PageLoading } from './shell/page-loading.tsx';
import {
  rootRoute,
  settingsIndexRoute,
  settingsRoute,
  shellRoute,
  signInRoute,
  strayRoute,
} from './shell/shell-routes.tsx';

const routeTree = rootRoute.addChildren([
  signInRoute,
  shellRoute.addChildren([...pages, strayRoute, settingsRoute.addChildren([settingsIndexRoute, ...settingsPages])]),
]);

export const router = createRouter({
  routeTree,
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: PageLoading,
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: NotFoundPage,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
