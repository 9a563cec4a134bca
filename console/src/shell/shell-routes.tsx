import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { NotFoundPage } from './not-found-page.tsx';
import { SettingsIndex, SettingsLayout } from './settings-layout.tsx';
import { Shell } from './shell.tsx';

export const rootRoute = createRootRoute({ component: Outlet });

/** Everything that needs a session, inside the frame with the navigation. */
export const shellRoute = createRoute({ getParentRoute: () => rootRoute, id: 'shell', component: Shell });

export const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  component: SettingsLayout,
});

export const settingsIndexRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/',
  component: SettingsIndex,
});

/** What leads nowhere, inside the frame: the way on is in the navigation. */
export const strayRoute = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFoundPage });

/** Logging in happens at whatever address was asked for; this one is for those who keep a bookmark of it. */
export const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  beforeLoad: () => {
    throw redirect({ to: '/' });
  },
});
