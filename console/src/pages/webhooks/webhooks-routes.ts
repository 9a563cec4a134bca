import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Webhook } from 'lucide-react';
import { ranges } from '../../parts/periods.ts';
import { flag, oneOf, searchParams, text } from '../../parts/search-params.ts';
import { settingsRoute } from '../../shell/shell-routes.tsx';
import { deliveryFilters } from './delivery-filters.ts';
import { webhookFilters } from './webhook-filters.ts';
import { sortKeys, webhookTabs } from './webhook-values.ts';

export const webhooksRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
  validateSearch: searchParams({
    ...webhookFilters.params,
    sort: oneOf(sortKeys),
    descending: flag,
    /** Event type shown in the drawer. */
    open: text,
    /** Event type of the new webhook; "any" if not chosen yet. */
    add: text,
    search: text,
  }),
  staticData: { navigation: { label: 'webhooks.title', icon: Webhook, order: 10 }, needs: 'ADMIN' },
});

export const webhookRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/webhooks/$id',
  component: lazyRouteComponent(() => import('./webhook-page.tsx'), 'WebhookPage'),
  validateSearch: searchParams({
    range: oneOf(ranges),
    tab: oneOf(webhookTabs),
    ...deliveryFilters.params,
    /** Oldest first. */
    order: oneOf(['ASC']),
    /** False: live updates are paused. */
    live: flag,
    delivery: text,
  }),
  staticData: { needs: 'ADMIN' },
});
