import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import {
  day,
  flag,
  manyOf,
  oneOf,
  searchParams,
  text,
  texts,
  wholeNumber,
  wholeNumbers,
} from '../../parts/search-params.ts';
import { shellRoute } from '../../shell/shell-routes.tsx';
import { datapointTypes, sorts } from './inbox-values.ts';

export const inboxRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/inbox',
  component: lazyRouteComponent(() => import('./inbox-page.tsx'), 'InboxPage'),
  validateSearch: searchParams({
    query: text,
    type: manyOf(datapointTypes),
    directory: texts,
    rating: wholeNumbers,
    isRead: flag,
    hasReply: flag,
    hasText: flag,
    flagged: flag,
    from: day,
    until: day,
    location: wholeNumbers,
    business: wholeNumbers,
    label: texts,
    sort: oneOf(sorts),
    open: wholeNumber,
  }),
  staticData: { navigation: { label: 'navigation.inbox', icon: Inbox, order: 40 }, needs: 'INBOX_READ' },
});
