import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Images } from 'lucide-react';
import { oneOf, searchParams, wholeNumber } from '../../parts/search-params.ts';
import { shellRoute } from '../../shell/shell-routes.tsx';
import { assetFilters } from './asset-filters.ts';
import { assetSorts } from './asset-values.ts';

export const assetsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/assets',
  component: lazyRouteComponent(() => import('./assets-page.tsx'), 'AssetsPage'),
  validateSearch: searchParams({
    folder: wholeNumber,
    ...assetFilters.params,
    sort: oneOf(assetSorts),
    offset: wholeNumber,
    asset: wholeNumber,
  }),
  staticData: { navigation: { label: 'assets.title', icon: Images, order: 70 }, needs: 'ASSET_READ' },
});
