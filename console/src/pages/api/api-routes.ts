import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { searchParams, text, wholeNumber } from '../../parts/search-params.ts';
import { settingsRoute } from '../../shell/shell-routes.tsx';

export const apiRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/api',
  component: lazyRouteComponent(() => import('./api-page.tsx'), 'ApiPage'),
  validateSearch: searchParams({ version: text, days: wholeNumber }),
  staticData: { navigation: { label: 'api.title', icon: KeyRound, order: 20 }, needs: 'ADMIN' },
});
