import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { MapPin } from 'lucide-react';
import { oneOf, searchParams, wholeNumber } from '../../parts/search-params.ts';
import { shellRoute } from '../../shell/shell-routes.tsx';
import { locationFilters } from './location-filters.ts';
import { locationTabs } from './location-values.ts';

const locationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/locations',
  component: lazyRouteComponent(() => import('./locations-page.tsx'), 'LocationsPage'),
  validateSearch: searchParams({
    ...locationFilters.params,
    sort: oneOf(['name', 'city', 'dateCreated', 'lastUpdated']),
    order: oneOf(['ASC', 'DESC']),
    offset: wholeNumber,
    view: oneOf(['map']),
  }),
  staticData: { navigation: { label: 'locations.title', icon: MapPin, order: 20 }, needs: 'LOCATION_READ' },
});

const newLocationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/locations/new',
  component: lazyRouteComponent(() => import('./new-location-page.tsx'), 'NewLocationPage'),
  staticData: { needs: 'LOCATION_CREATE' },
});

const locationImportRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/locations/import',
  component: lazyRouteComponent(() => import('./import/import-page.tsx'), 'ImportPage'),
  validateSearch: searchParams({ upload: wholeNumber, offset: wholeNumber }),
  staticData: { needs: 'LOCATION_WRITE' },
});

const locationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/locations/$locationId',
  component: lazyRouteComponent(() => import('./location-page.tsx'), 'LocationPage'),
  validateSearch: searchParams({ tab: oneOf(locationTabs), listing: wholeNumber, offset: wholeNumber }),
  staticData: { needs: 'LOCATION_READ' },
});

export const locationRoutes = [locationsRoute, newLocationRoute, locationImportRoute, locationRoute] as const;
