import { useHasPermission } from './session.ts';
import { useApi } from './use-api.ts';

const pollMs = 15_000;

/** The open alerts about webhooks, newest first; undefined for users without access to webhooks. */
export function useOpenAlerts() {
  const enabled = useHasPermission('ADMIN');
  const query = { state: 'OPEN', max: 50 } as const;
  return useApi('GET /api/sales-partners/webhooks/alerts', { query }, { enabled, refetchInterval: pollMs });
}
