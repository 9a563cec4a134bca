import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { day, oneOf, searchParams, text, wholeNumber } from '../../parts/search-params.ts';
import { settingsRoute } from '../../shell/shell-routes.tsx';

export const auditRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/audit',
  component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
  validateSearch: searchParams({
    subject: text,
    subjectId: wholeNumber,
    actor: text,
    since: day,
    until: day,
    order: oneOf(['ASC']),
  }),
  staticData: { navigation: { label: 'navigation.audit', icon: ScrollText, order: 40 }, needs: 'ADMIN' },
});
