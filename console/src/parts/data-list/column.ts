import type { ReactNode } from 'react';
import type { ApiProblem } from '../../api/api-problem.ts';

export interface Column<Row> {
  /** Sort key of the API. */
  key: string;
  title: string;
  render: (row: Row) => ReactNode;
  isSortable?: boolean;
  /** Sort value for lists that are loaded completely; see data-list.tsx. */
  sortValue?: (row: Row) => string | number;
  align?: 'right';
  width?: number | string;
  /** Position on cards (narrow screens). Default: with its title; the first column is the heading. */
  onCard?: 'heading' | 'aside' | 'field' | 'text' | 'hidden';
}

/** Source of rows: useInfiniteList, or `listOf` for one page. */
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
  /** The error is of `loadMore`, not of the loaded rows. */
  hasLoadMoreError?: boolean;
}

export interface Sort {
  by: string;
  isDescending: boolean;
}

export const canSort = <Row>({ isSortable, sortValue }: Column<Row>): boolean =>
  isSortable === true || sortValue !== undefined;

/** Numbered pages. */
export interface Paging {
  offset: number;
  max: number;
  onChange: (offset: number) => void;
}

export interface Emptiness {
  title: string;
  text?: string;
  icon?: ReactNode;
  /** Call to action, usually a button. */
  action?: ReactNode;
}

export type RowAction<Row> =
  | { to: (row: Row) => string }
  /** Default: every row can be opened. */
  | { run: (row: Row) => void; isOpenable?: (row: Row) => boolean };

export const canOpen = <Row>(open: RowAction<Row> | undefined, row: Row): open is RowAction<Row> =>
  open !== undefined && (!('isOpenable' in open) || open.isOpenable?.(row) !== false);

interface Query<Response> {
  data: Response | undefined;
  error: ApiProblem | null;
  isPending: boolean;
  isFetching: boolean;
  refetch(): unknown;
}

/** A source for an offset-paged list, `{offset, max, count, <plural>}`. */
export function listOf<Response, Row>(
  query: Query<Response>,
  rowsOf: (response: Response) => readonly Row[],
): Source<Row> {
  const { data, error, isPending, isFetching, refetch } = query;
  const { count, countIsExact = true } = (data ?? {}) as { count?: number; countIsExact?: boolean };
  return { rows: data && rowsOf(data), count, countIsExact, error, isPending, isFetching, refetch };
}
