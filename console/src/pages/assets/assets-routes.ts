import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Images } from 'lucide-react';
import { manyOf, oneOf, searchParams, text, wholeNumber } from '../../parts/search-params.ts';
import { shellRoute } from '../../shell/shell-routes.tsx';
import { assetSorts, assetStatuses, assetTypes } from './asset-values.ts';

export const assetsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/assets',
  component: lazyRouteComponent(() => import('./assets-page.tsx'), 'AssetsPage'),
  validateSearch: searchParams({
    folder: wholeNumber,
    query: text,
    type: manyOf(assetTypes),
    status: manyOf(assetStatuses),
    sort: oneOf(assetSorts),
    offset: wholeNumber,
    asset: wholeNumber,
  }),
  staticData: { navigation: { label: 'navigation.assets', icon: Images, order: 70 }, needs: 'ASSET_READ' },
});
