import { useApi, useInfiniteList } from '../../api/use-api.ts';
import type { Source } from '../../parts/data-list/column.ts';
import { useFilterQuery } from '../../parts/filters.ts';
import { type DeliverySearch, deliveryFilters } from './delivery-filters.ts';
import type { Delivery } from './webhook-values.ts';

const beatMs = 2000;
const shownLive = 200;
const readAtOnce = 500;

/** Live: polls the newest deliveries. Paused: loads all of them on scroll. Scrolling past the newest pauses. */
export function useDeliveries(
  webhookId: number,
  search: DeliverySearch,
  isLive: boolean,
  pause: () => void,
): Source<Delivery> {
  const query = { ...useFilterQuery(deliveryFilters, search), order: search.order };
  const path = { id: webhookId };
  const newest = useApi(
    'GET /api/sales-partners/webhooks/{id}/deliveries',
    { path, query: { ...query, max: shownLive } },
    { enabled: isLive, refetchInterval: isLive && beatMs, keepPrevious: true, staleTime: 0 },
  );
  const all = useInfiniteList(
    'GET /api/sales-partners/webhooks/{id}/deliveries',
    'deliveries',
    { path, query: { ...query, max: readAtOnce } },
    { enabled: !isLive },
  );
  const live: Source<Delivery> = {
    rows: newest.data?.deliveries,
    count: newest.data?.count,
    countIsExact: newest.data?.countIsExact ?? true,
    error: newest.error,
    isPending: newest.isPending,
    isFetching: newest.isPlaceholderData,
    refetch: newest.refetch,
    hasMore: newest.data?.after !== undefined,
    loadMore: pause,
  };
  // Keeps the shown rows until the full list is loaded.
  if (isLive || (all.isPending && newest.data)) return live;
  return { ...all, isFetching: all.isFetching && !all.isLoadingMore };
}
