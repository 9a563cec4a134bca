import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import { searchParams, wholeNumber } from '../../parts/search-params.ts';
import { shellRoute } from '../../shell/shell-routes.tsx';

export const sandboxRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/sandbox',
  component: lazyRouteComponent(() => import('./sandbox-page.tsx'), 'SandboxPage'),
  validateSearch: searchParams({ location: wholeNumber, listing: wholeNumber }),
  staticData: {
    navigation: { label: 'sandbox.title', icon: FlaskConical, order: 110 },
    needs: 'ADMIN',
    isDemoOnly: true,
  },
});
