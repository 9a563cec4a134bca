import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { NotFoundPage } from './not-found-page.tsx';
import { SettingsIndex, SettingsLayout } from './settings-layout.tsx';
import { Shell } from './shell.tsx';

export const rootRoute = createRootRoute({ component: Outlet });

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

export const strayRoute = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFoundPage });

/** The sign-in form appears at any URL; this route is for bookmarks. */
export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  beforeLoad: () => {
    throw redirect({ to: '/' });
  },
});
