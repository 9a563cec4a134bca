import { apiRoute } from './pages/api/api-routes.ts';
import { auditRoute } from './pages/audit/audit-routes.ts';
import { sandboxRoute } from './pages/sandbox/sandbox-routes.ts';
import { usersRoute } from './pages/users/users-routes.ts';
import { indexRoute } from './shell/index-route.ts';

/**
 * Every page. A page is a route; to be in the navigation it says so itself, in its `staticData`. Those of the settings
 * are tabs there.
 */
export const pages = [indexRoute, sandboxRoute] as const;

export const settingsPages = [apiRoute, usersRoute, auditRoute] as const;
