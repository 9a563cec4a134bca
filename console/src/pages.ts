import { apiRoute } from './pages/api/api-routes.ts';
import { assetsRoute } from './pages/assets/assets-routes.ts';
import { auditRoute } from './pages/audit/audit-routes.ts';
import { dashboardRoute } from './pages/dashboard/dashboard-routes.ts';
import { eventRoute, eventsRoute } from './pages/events/events-routes.ts';
import { homeRoute } from './pages/home/home-routes.ts';
import { inboxRoute } from './pages/inbox/inbox-routes.ts';
import { listingsRoute } from './pages/listings/listings-routes.ts';
import { locationRoutes } from './pages/locations/locations-routes.ts';
import { newPostRoute, postRoute, postsRoute } from './pages/posts/posts-routes.ts';
import { sandboxRoute } from './pages/sandbox/sandbox-routes.ts';
import { usersRoute } from './pages/users/users-routes.ts';
import { webhookRoute, webhooksRoute } from './pages/webhooks/webhooks-routes.ts';

/** All page routes. A page adds itself to the navigation with `staticData`; settings pages are tabs. */
export const pages = [
  homeRoute,
  dashboardRoute,
  postsRoute,
  newPostRoute,
  postRoute,
  assetsRoute,
  sandboxRoute,
  eventsRoute,
  eventRoute,
  ...locationRoutes,
  listingsRoute,
  inboxRoute,
] as const;

export const settingsPages = [webhooksRoute, webhookRoute, apiRoute, usersRoute, auditRoute] as const;
