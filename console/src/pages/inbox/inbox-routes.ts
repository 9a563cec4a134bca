import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { oneOf, searchParams, wholeNumber } from '../../parts/search-params.ts';
import { shellRoute } from '../../shell/shell-routes.tsx';
import { inboxFilters } from './inbox-filters.ts';
import { sorts } from './inbox-values.ts';

export const inboxRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/inbox',
  component: lazyRouteComponent(() => import('./inbox-page.tsx'), 'InboxPage'),
  validateSearch: searchParams({
    ...inboxFilters.params,
    sort: oneOf(sorts),
    open: wholeNumber,
  }),
  staticData: { navigation: { label: 'inbox.title', icon: Inbox, order: 40 }, needs: 'INBOX_READ' },
});
