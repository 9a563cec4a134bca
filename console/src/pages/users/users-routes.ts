import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import { oneOf, searchParams, wholeNumber } from '../../parts/search-params.ts';
import { settingsRoute } from '../../shell/shell-routes.tsx';
import { userFilters } from './user-filters.ts';
import { userSorts } from './user-values.ts';

export const usersRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/users',
  component: lazyRouteComponent(() => import('./users-page.tsx'), 'UsersPage'),
  validateSearch: searchParams({
    ...userFilters.params,
    sort: oneOf(userSorts),
    order: oneOf(['DESC']),
    offset: wholeNumber,
    user: wholeNumber,
  }),
  staticData: { navigation: { label: 'users.title', icon: Users, order: 30 }, needs: 'ADMIN' },
});
