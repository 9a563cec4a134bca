import type { ReactNode } from 'react';
import type { ApiProblem } from '../../api/api-problem.ts';

export interface Column<Row> {
  /** Its name for sorting, as the API has it. */
  key: string;
  title: string;
  render: (row: Row) => ReactNode;
  /** Whether the API can sort the list by it. */
  isSortable?: boolean;
  /** What the list is sorted by where it is here as a whole; see use-sorted-rows.ts. */
  sortValue?: (row: Row) => string | number;
  align?: 'right';
  width?: number | string;
  /**
   * Where it goes when rows are cards, on narrow screens: as the card's heading, beside the heading, with its title
   * before it, as a text without one, or nowhere. With its title unless it is given; the first column is the heading.
   */
  onCard?: 'heading' | 'aside' | 'field' | 'text' | 'hidden';
}

/** Where the rows come from: what useEndless answers, or `listOf` of a page. */
export interface Source<Row> {
  rows: readonly Row[] | undefined;
  count?: number | undefined;
  countIsExact?: boolean;
  error: ApiProblem | null;
  isPending: boolean;
  isFetching?: boolean;
  refetch(): unknown;
  hasMore?: boolean;
  isLoadingMore?: boolean;
  loadMore?: () => void;
}

export interface Sort {
  by: string;
  isDescending: boolean;
}

export const canSort = <Row>({ isSortable, sortValue }: Column<Row>): boolean =>
  isSortable === true || sortValue !== undefined;

/** What happens when a row is opened: another page, or something on this one. */
export type Opening<Row> = { to: (row: Row) => string } | { run: (row: Row) => void };

interface Query<Response> {
  data: Response | undefined;
  error: ApiProblem | null;
  isPending: boolean;
  isFetching: boolean;
  refetch(): unknown;
}

/** One page of a classic list, `{offset, max, count, <plural>}`, as a source. */
export function listOf<Response, Row>(
  query: Query<Response>,
  rowsOf: (response: Response) => readonly Row[],
): Source<Row> {
  const { data, error, isPending, isFetching, refetch } = query;
  const { count, countIsExact = true } = (data ?? {}) as { count?: number; countIsExact?: boolean };
  return { rows: data && rowsOf(data), count, countIsExact, error, isPending, isFetching, refetch };
}
