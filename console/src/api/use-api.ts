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

interface ReadOptions {
  /** False: not now. */
  enabled?: boolean;
  /** Asked again every so many milliseconds; false: not. */
  refetchInterval?: number | false;
  /** What was shown stays until what follows is there: for pages and filters of a list. */
  keepPrevious?: boolean;
  staleTime?: number;
}

/** Reads from the API and keeps what it read. */
export function useApi<Name extends OperationName & `GET ${string}`>(
  name: Name,
  input?: Arguments<Name>[0],
  { keepPrevious, ...options }: ReadOptions = {},
): UseQueryResult<ResponseOf<Name>, ApiProblem> {
  return useQuery<ResponseOf<Name>, ApiProblem>({
    queryKey: [name, input ?? {}],
    queryFn: ({ signal }) => callWith(name, input as InputOf<Name>, { signal }),
    ...(keepPrevious && { placeholderData: keepPreviousData }),
    ...options,
  });
}

interface WriteOptions<Name extends OperationName> {
  /** What is no longer true afterwards and is read again where it is shown: names of operations. */
  changes?: readonly (OperationName & `GET ${string}`)[];
  onSuccess?: (response: ResponseOf<Name>, input: InputOf<Name>) => void;
}

/** Writes to the API. `mutate(input)` sends it; problems of fields belong to the form: see parts/form-problems.ts. */
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

/** What lists answer with that are read on by `after`, the last id of a page. */
interface LongList {
  count: number;
  countIsExact?: boolean;
  after?: number | string;
}

type LongListName = {
  [Name in OperationName]: Name extends `GET ${string}` ? (ResponseOf<Name> extends LongList ? Name : never) : never;
}[OperationName];

type EntriesOf<Response, Plural extends keyof Response> = Response[Plural] extends readonly (infer Entry)[]
  ? Entry
  : never;

interface Endless<Entry> {
  rows: Entry[] | undefined;
  count: number | undefined;
  countIsExact: boolean;
  error: ApiProblem | null;
  isPending: boolean;
  isFetching: boolean;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore(): void;
  refetch(): unknown;
}

/** The first page is there soon; whoever scrolls on wants many. */
const firstPage = 100;
const furtherPages = 500;

/** A list of any length as one: pages are read as they are scrolled to. `plural` is where a page has its entries. */
export function useEndless<Name extends LongListName, Plural extends string & keyof ResponseOf<Name>>(
  name: Name,
  plural: Plural,
  input?: Arguments<Name>[0],
  options: { enabled?: boolean; refetchInterval?: number | false } = {},
): Endless<EntriesOf<ResponseOf<Name>, Plural>> {
  type Page = ResponseOf<Name> & LongList;
  const found = useInfiniteQuery<Page, ApiProblem, InfiniteData<Page>, unknown[], number | string | undefined>({
    queryKey: [name, input ?? {}, 'endless'],
    queryFn: ({ signal, pageParam }) => {
      const given = (input ?? {}) as { query?: object };
      const isFirst = pageParam === undefined;
      const query = {
        max: isFirst ? firstPage : furtherPages,
        ...given.query,
        ...(!isFirst && { after: pageParam }),
      };
      return callWith(name, { ...given, query } as InputOf<Name>, { signal }) as Promise<Page>;
    },
    initialPageParam: undefined,
    getNextPageParam: ({ after }) => after,
    placeholderData: keepPreviousData,
    // It would read all pages again.
    refetchOnWindowFocus: false,
    ...options,
  });
  return endless(found, {
    rows: found.data?.pages.flatMap((page) => page[plural] as EntriesOf<ResponseOf<Name>, Plural>[]),
    first: found.data?.pages[0],
  });
}

/** What a list shows of the pages that were read. */
export function endless<Data, Entry>(
  found: UseInfiniteQueryResult<Data, ApiProblem>,
  { rows, first }: { rows: Entry[] | undefined; first: LongList | undefined },
): Endless<Entry> {
  return {
    rows,
    count: first?.count,
    countIsExact: first?.countIsExact ?? true,
    error: found.error,
    isPending: found.isPending,
    isFetching: found.isFetching,
    hasMore: found.hasNextPage,
    isLoadingMore: found.isFetchingNextPage,
    loadMore: () => {
      if (found.hasNextPage && !found.isFetchingNextPage) void found.fetchNextPage();
    },
    refetch: found.refetch,
  };
}
