import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { ApiProblem } from './api-problem.ts';
import { type Arguments, callWith, type InputOf, type OperationName, type ResponseOf } from './call.ts';

interface ReadOptions<Data> {
  /** False: do not request yet. */
  enabled?: boolean;
  /** Polling interval in milliseconds, also by the loaded data; false disables polling. */
  refetchInterval?: number | false | ((query: { state: { data: Data | undefined } }) => number | false);
  /** Keeps the previous page until the next one is loaded. */
  keepPrevious?: boolean;
  staleTime?: number;
}

export function useApi<Name extends OperationName & `GET ${string}`>(
  name: Name,
  input?: Arguments<Name>[0],
  { keepPrevious, ...options }: ReadOptions<ResponseOf<Name>> = {},
): UseQueryResult<ResponseOf<Name>, ApiProblem> {
  return useQuery<ResponseOf<Name>, ApiProblem>({
    queryKey: [name, input ?? {}],
    queryFn: ({ signal }) => callWith(name, input as InputOf<Name>, { signal }),
    ...(keepPrevious && { placeholderData: keepPreviousData }),
    ...options,
  });
}

/** The error message of a query that has no data. A failed refetch keeps the data. */
export const loadProblem = ({ data, error }: { data: unknown; error: ApiProblem | null }): string | undefined =>
  data === undefined ? error?.message : undefined;

/** All entries of a list, page by page. `queryOf` returns the query of a page, counted from 0. */
export function useWholeList<Name extends WholeListName, Plural extends string & keyof ResponseOf<Name>>(
  name: Name,
  plural: Plural,
  queryOf: (page: number) => object,
  options: { enabled?: boolean } = {},
): UseQueryResult<EntriesOf<ResponseOf<Name>, Plural>[], ApiProblem> {
  return useQuery({
    queryKey: [name, 'whole', queryOf(0)],
    queryFn: async ({ signal }) => {
      const entries = new Map<number, EntriesOf<ResponseOf<Name>, Plural>>();
      // By id: an entry created meanwhile moves others to the next page.
      for (let page = 0; ; page += 1) {
        const found = await callWith(name, { query: queryOf(page) } as InputOf<Name>, { signal });
        const added = found[plural] as (EntriesOf<ResponseOf<Name>, Plural> & { id: number })[];
        for (const entry of added) entries.set(entry.id, entry);
        if (added.length === 0 || entries.size >= found.count) return [...entries.values()];
      }
    },
    ...options,
  });
}

type WholeListName = {
  [Name in OperationName]: ResponseOf<Name> extends { count: number } ? Name : never;
}[OperationName];

interface WriteOptions<Name extends OperationName> {
  /** Operations whose cached responses are invalidated. */
  changes?: readonly (OperationName & `GET ${string}`)[];
  onSuccess?: (response: ResponseOf<Name>, input: InputOf<Name>) => void;
}

/** Writes to the API. Forms show field errors: see parts/api-form.tsx. */
export function useApiWrite<Name extends OperationName>(
  name: Name,
  { changes = [], onSuccess }: WriteOptions<Name> = {},
): UseMutationResult<ResponseOf<Name>, ApiProblem, InputOf<Name>> {
  const queries = useQueryClient();
  return useMutation<ResponseOf<Name>, ApiProblem, InputOf<Name>>({
    mutationFn: (input) => callWith(name, input, {}),
    onSuccess: async (response, input) => {
      onSuccess?.(response, input);
      await Promise.all(changes.map((changed) => queries.invalidateQueries({ queryKey: [changed] })));
    },
  });
}

/** A list response that is paged with `after`, the last id of the page. */
interface PagedList {
  count: number;
  countIsExact?: boolean;
  after?: number | string;
}

type PagedListName = {
  [Name in OperationName]: Name extends `GET ${string}` ? (ResponseOf<Name> extends PagedList ? Name : never) : never;
}[OperationName];

type EntriesOf<Response, Plural extends keyof Response> = Response[Plural] extends readonly (infer Entry)[]
  ? Entry
  : never;

/** A small first page loads fast; following pages are larger. */
const firstPage = 100;
const nextPages = 500;

/** An infinite list: pages load on scroll. `plural` is the property with the rows. */
export function useInfiniteList<Name extends PagedListName, Plural extends string & keyof ResponseOf<Name>>(
  name: Name,
  plural: Plural,
  input?: Arguments<Name>[0],
  options: { enabled?: boolean; refetchInterval?: number | false } = {},
) {
  type Page = ResponseOf<Name> & PagedList;
  const result = useInfiniteQuery<Page, ApiProblem, InfiniteData<Page>, unknown[], number | string | undefined>({
    queryKey: [name, input ?? {}, 'endless'],
    queryFn: ({ signal, pageParam }) => {
      const baseInput = (input ?? {}) as { query?: object };
      const isFirst = pageParam === undefined;
      const query = {
        max: isFirst ? firstPage : nextPages,
        ...baseInput.query,
        ...(!isFirst && { after: pageParam }),
      };
      return callWith(name, { ...baseInput, query } as InputOf<Name>, { signal }) as Promise<Page>;
    },
    initialPageParam: undefined,
    getNextPageParam: ({ after }) => after,
    placeholderData: keepPreviousData,
    // A refetch would load all pages again.
    refetchOnWindowFocus: false,
    ...options,
  });
  return toInfiniteList(result, {
    rows: result.data?.pages.flatMap((page) => page[plural] as EntriesOf<ResponseOf<Name>, Plural>[]),
    first: result.data?.pages[0],
  });
}

export function toInfiniteList<Data, Entry>(
  result: UseInfiniteQueryResult<Data, ApiProblem>,
  { rows, first }: { rows: Entry[] | undefined; first: PagedList | undefined },
) {
  return {
    rows,
    count: first?.count,
    countIsExact: first?.countIsExact ?? true,
    error: result.error,
    isPending: result.isPending,
    isFetching: result.isFetching,
    hasMore: result.hasNextPage,
    isLoadingMore: result.isFetchingNextPage,
    hasLoadMoreError: result.isFetchNextPageError,
    loadMore: () => {
      if (result.hasNextPage && !result.isFetchingNextPage) void result.fetchNextPage();
    },
    refetch: result.refetch,
  };
}
