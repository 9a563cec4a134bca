import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { House } from 'lucide-react';
import { oneOf, oneOfNumbers, searchParams, wholeNumber, wholeNumbers } from '../../parts/search-params.ts';
import { shellRoute } from '../../shell/shell-routes.tsx';
import { rankedBy, rankOrders, spans } from './home-values.ts';

export const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
  validateSearch: searchParams({
    days: oneOfNumbers(spans),
    business: wholeNumbers,
    rankBy: oneOf(rankedBy),
    order: oneOf(rankOrders),
    offset: wholeNumber,
  }),
  staticData: { navigation: { label: 'home.title', icon: House, order: 10 } },
});
