import { useState } from 'react';
import type { Column, Sort, Source } from './column.ts';

interface Given<Row> {
  source: Source<Row>;
  columns: readonly Column<Row>[];
  sort?: Sort | undefined;
  onSort?: ((sort: Sort) => void) | undefined;
}

interface Sorted<Row> {
  rows: readonly Row[];
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
}

/** Sorts columns with a `sortValue` in the browser if the list is loaded completely. */
export function useSortedRows<Row>({ source, columns, sort, onSort }: Given<Row>): Sorted<Row> {
  const [own, setOwn] = useState<Sort>();
  const chosen = onSort ? sort : own;
  const rows = source.rows ?? [];
  const isWhole = !source.hasMore && (source.count ?? rows.length) <= rows.length;
  const sortValue = isWhole ? columns.find(({ key }) => key === chosen?.by)?.sortValue : undefined;
  const direction = chosen?.isDescending ? -1 : 1;
  const sorted = sortValue ? rows.toSorted((a, b) => direction * compare(sortValue(a), sortValue(b))) : rows;
  const canSortHere = isWhole && columns.some((column) => column.sortValue);
  return { rows: sorted, sort: chosen, onSort: onSort ?? (canSortHere ? setOwn : undefined) };
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'string' && typeof b === 'string') return a.localeCompare(b, undefined, { numeric: true });
  return a < b ? -1 : a > b ? 1 : 0;
}
