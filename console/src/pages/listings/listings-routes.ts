import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import { oneOf, searchParams, wholeNumber } from '../../parts/search-params.ts';
import { shellRoute } from '../../shell/shell-routes.tsx';
import { listingFilters } from './listing-filters.ts';
import { listingSorts } from './listing-values.ts';

export const listingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/listings',
  component: lazyRouteComponent(() => import('./listings-page.tsx'), 'ListingsPage'),
  validateSearch: searchParams({
    view: oneOf(['directories']),
    ...listingFilters.params,
    listing: wholeNumber,
    open: oneOf(['sync']),
    sort: oneOf(listingSorts),
    order: oneOf(['DESC']),
    offset: wholeNumber,
  }),
  staticData: { navigation: { label: 'listings.title', icon: ListChecks, order: 30 }, needs: 'LOCATION_READ' },
});
