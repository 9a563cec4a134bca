import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import { manyOf, oneOf, searchParams, text, wholeNumber } from '../../parts/search-params.ts';
import { settingsRoute } from '../../shell/shell-routes.tsx';
import { roles, statuses, userSorts } from './user-values.ts';

export const usersRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/users',
  component: lazyRouteComponent(() => import('./users-page.tsx'), 'UsersPage'),
  validateSearch: searchParams({
    query: text,
    role: manyOf(roles),
    status: manyOf(statuses),
    sort: oneOf(userSorts),
    order: oneOf(['DESC']),
    offset: wholeNumber,
    user: wholeNumber,
  }),
  staticData: { navigation: { label: 'navigation.users', icon: Users, order: 30 }, needs: 'ADMIN' },
});
