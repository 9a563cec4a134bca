import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import { flag, manyOf, oneOf, searchParams, texts, wholeNumber, wholeNumbers } from '../../parts/search-params.ts';
import { shellRoute } from '../../shell/shell-routes.tsx';
import { claimStatuses, connectStatuses, flowStatuses, listingSorts, syncStatuses } from './listing-values.ts';

export const listingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/listings',
  component: lazyRouteComponent(() => import('./listings-page.tsx'), 'ListingsPage'),
  validateSearch: searchParams({
    view: oneOf(['directories']),
    directory: texts,
    sync: manyOf(syncStatuses),
    flow: manyOf(flowStatuses),
    claim: manyOf(claimStatuses),
    connect: manyOf(connectStatuses),
    business: wholeNumbers,
    location: wholeNumbers,
    duplicates: flag,
    listing: wholeNumber,
    sort: oneOf(listingSorts),
    order: oneOf(['DESC']),
    offset: wholeNumber,
  }),
  staticData: { navigation: { label: 'navigation.listings', icon: ListChecks, order: 30 }, needs: 'LOCATION_READ' },
});
