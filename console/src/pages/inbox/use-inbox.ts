import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import type { ApiProblem } from '../../api/api-problem.ts';
import { callWith, type ResponseOf } from '../../api/call.ts';
import { toInfiniteList } from '../../api/use-api.ts';
import type { Source } from '../../parts/data-list/column.ts';
import { type InboxSearch, inboxFilters, orderOf } from './inbox-filters.ts';
import type { Datapoint, ListedDatapoint } from './inbox-values.ts';

type Page = ResponseOf<'GET /api/data-points'>;
type Pages = InfiniteData<Page, string | undefined>;

const key = 'GET /api/data-points';

export function useInbox(search: InboxSearch): Source<ListedDatapoint> {
  const query = { ...inboxFilters.query(search), ...orderOf(search), max: 50 };
  const found = useInfiniteQuery<Page, ApiProblem, Pages, unknown[], string | undefined>({
    queryKey: [key, query, 'endless'],
    queryFn: ({ signal, pageParam }) =>
      callWith(
        'GET /api/data-points',
        { query: { ...query, ...(pageParam !== undefined && { after: pageParam }) } },
        { signal },
      ),
    initialPageParam: undefined,
    getNextPageParam: ({ inbox }) => inbox.after,
    placeholderData: keepPreviousData,
  });
  return toInfiniteList(found, {
    rows: found.data?.pages.flatMap(({ inbox }) => inbox.dataPoints),
    first: found.data?.pages[0]?.inbox,
  });
}

/** Updates one datapoint in the cached list. A refetch would drop it from the unread list while it is open. */
export function useShowAsNow(): (datapoint: Datapoint) => void {
  const queries = useQueryClient();
  return (datapoint) => {
    queries.setQueryData(['GET /api/data-points/{id}', { path: { id: datapoint.id } }], datapoint);
    queries.setQueriesData<Pages>(
      { queryKey: [key], predicate: ({ queryKey }) => queryKey[2] === 'endless' },
      (before) =>
        before
          ? {
              ...before,
              pages: before.pages.map(({ inbox }) => ({
                inbox: {
                  ...inbox,
                  dataPoints: inbox.dataPoints.map((one) => (one.id === datapoint.id ? datapoint : one)),
                },
              })),
            }
          : before,
    );
  };
}
