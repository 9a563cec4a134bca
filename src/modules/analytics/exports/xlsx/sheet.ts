import type { Style } from './styles.ts';

/** Text is never interpreted as a formula. */
export type Value = string | number | Date | null | undefined;

/** A value in the style of its column, or with its own style. */
export type Cell = Value | { readonly value: Value; readonly style: Style };

export type Row = readonly Cell[];
type Rows = AsyncIterable<Row> | Iterable<Row>;

export interface Column {
  readonly title: string;
  readonly style: Style;
  /** In characters of the default font. */
  readonly width: number;
}

/** A table with a fixed header and filters. It continues on further sheets if it is too long. */
export interface TableSheet {
  readonly kind: 'table';
  readonly name: string;
  readonly columns: readonly Column[];
  /** Number of fixed columns. */
  readonly frozenColumns?: number;
  readonly rows: Rows;
}

/** Free-form rows with charts. */
export interface PageSheet {
  readonly kind: 'page';
  readonly name: string;
  readonly widths: readonly number[];
  readonly rows: readonly Row[];
  readonly charts: readonly Chart[];
}

export type Sheet = TableSheet | PageSheet;

/** Cells of one column, with zero-based rows. */
interface Range {
  readonly column: number;
  readonly firstRow: number;
  readonly lastRow: number;
}

export interface Chart {
  readonly kind: 'line' | 'bar';
  readonly title: string;
  /** Labels of the horizontal axis. */
  readonly categories: Range;
  readonly series: readonly { readonly name: string; readonly values: Range }[];
  /** Upper left cell, and size in columns and rows. */
  readonly position: { readonly column: number; readonly row: number; readonly columns: number; readonly rows: number };
}
