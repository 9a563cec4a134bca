import type { Style } from './styles.ts';

/** What a cell shows. A text is never taken for a formula, whatever it begins with. */
export type Value = string | number | Date | null | undefined;

/** A value in the style of its column, or in one of its own. */
export type Cell = Value | { readonly value: Value; readonly style: Style };

export type Row = readonly Cell[];
type Rows = AsyncIterable<Row> | Iterable<Row>;

export interface Column {
  readonly title: string;
  readonly style: Style;
  /** In characters of the usual font. */
  readonly width: number;
}

/** Rows of one kind: a header that stays in sight, filters, and further sheets where one cannot hold them all. */
export interface TableSheet {
  readonly kind: 'table';
  readonly name: string;
  readonly columns: readonly Column[];
  /** How many columns stay in sight. */
  readonly frozenColumns?: number;
  readonly rows: Rows;
}

/** A page to look at: rows as they come, and charts upon them. */
export interface PageSheet {
  readonly kind: 'page';
  readonly name: string;
  readonly widths: readonly number[];
  readonly rows: readonly Row[];
  readonly charts: readonly Chart[];
}

export type Sheet = TableSheet | PageSheet;

/** Cells of one column of the same sheet, from row to row, counted from 0 like arrays. */
interface Range {
  readonly column: number;
  readonly firstRow: number;
  readonly lastRow: number;
}

export interface Chart {
  readonly kind: 'line' | 'bar';
  readonly title: string;
  /** What stands along the bottom. */
  readonly categories: Range;
  readonly series: readonly { readonly name: string; readonly values: Range }[];
  /** Where it lies: the cell of its upper left corner and how many columns and rows it covers. */
  readonly place: { readonly column: number; readonly row: number; readonly columns: number; readonly rows: number };
}
