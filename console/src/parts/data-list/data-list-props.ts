import type { ReactNode } from 'react';
import type { Column, Emptiness, Paging, RowAction, Sort, Source } from './column.ts';

export interface DataListProps<Row> {
  /** Label for screen readers: "Users". */
  label: string;
  source: Source<Row>;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string | number;
  /** Empty state. */
  empty: Emptiness;
  /** Whether filters are set; changes the empty state. */
  isFiltered?: boolean;
  onClearFilters?: () => void;
  filters?: ReactNode;
  open?: RowAction<Row>;
  sort?: Sort | undefined;
  onSort?: ((sort: Sort) => void) | undefined;
  /** Numbered pages; without them the list scrolls infinitely. */
  paging?: Paging;
  /** Whether to show the count. */
  withCount?: boolean;
  /** Only part of the entries was searched if the count is not exact. */
  isSearch?: boolean;
}
