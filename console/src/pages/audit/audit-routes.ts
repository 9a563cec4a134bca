import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { oneOf, searchParams } from '../../parts/search-params.ts';
import { settingsRoute } from '../../shell/shell-routes.tsx';
import { auditFilters } from './audit-filters.ts';

export const auditRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/audit',
  component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
  validateSearch: searchParams({ ...auditFilters.params, order: oneOf(['ASC']) }),
  staticData: { navigation: { label: 'audit.title', icon: ScrollText, order: 40 }, needs: 'ADMIN' },
});
