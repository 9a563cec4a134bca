import { cellBody, cellXml, columnName } from './cell-xml.ts';
import type { Cell, Column, PageSheet, Row, TableSheet } from './sheet.ts';
import type { Style } from './styles.ts';
import { xmlHeader } from './xml-text.ts';

const chunkLength = 64 * 1024;

const opening =
  `${xmlHeader}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ` +
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">' +
  '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>';

const printing =
  '<pageMargins left="0.5" right="0.5" top="0.6" bottom="0.6" header="0.3" footer="0.3"/>' +
  '<pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"/>';

const cols = (widths: readonly number[]) =>
  `<cols>${widths.map((width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`).join('')}</cols>`;

/** Iterator with lookahead, so that a table can continue on the next sheet. */
export class RowSource {
  readonly #rows: AsyncIterator<Row> | Iterator<Row>;
  #next: IteratorResult<Row> | undefined;

  constructor(rows: AsyncIterable<Row> | Iterable<Row>) {
    this.#rows = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  }

  async isAtEnd(): Promise<boolean> {
    this.#next ??= await this.#rows.next();
    return this.#next.done === true;
  }

  async take(): Promise<Row | undefined> {
    const { done, value } = this.#next ?? (await this.#rows.next());
    this.#next = undefined;
    return done ? undefined : value;
  }

  /** Releases the source of the rows. */
  async close(): Promise<void> {
    await this.#rows.return?.();
  }
}

/** Streams one sheet with as many rows as it can hold. */
export async function* tableXml(
  { columns, frozenColumns = 0 }: TableSheet,
  rows: RowSource,
  { rowsPerSheet, isFirst }: { rowsPerSheet: number; isFirst: boolean },
): AsyncGenerator<string> {
  const names = columns.map((_column, index) => columnName(index));
  const pane =
    `<pane ${frozenColumns > 0 ? `xSplit="${frozenColumns}" ` : ''}ySplit="1" topLeftCell="${columnName(frozenColumns)}2" ` +
    `activePane="${frozenColumns > 0 ? 'bottomRight' : 'bottomLeft'}" state="frozen"/>`;
  yield `${opening}<sheetViews><sheetView${isFirst ? ' tabSelected="1"' : ''} workbookViewId="0">${pane}</sheetView></sheetViews>` +
    `<sheetFormatPr defaultRowHeight="15"/>${cols(columns.map(({ width }) => width))}<sheetData>` +
    `<row r="1" ht="21" customHeight="1">${columns.map((column, index) => headerXml(`${names[index]}1`, column)).join('')}</row>`;
  // Repeated values of a column are serialized once.
  const previous = columns.map(() => ({ cell: undefined as Cell, body: '' }));
  let last = 1;
  let chunk = '';
  while (last < rowsPerSheet) {
    const row = await rows.take();
    if (!row) break;
    last += 1;
    chunk += `<row r="${last}">`;
    for (let index = 0; index < columns.length; index += 1) {
      const known = previous[index] as (typeof previous)[number];
      const cell = row[index];
      if (cell !== known.cell) {
        known.cell = cell;
        known.body = cellBody(cell, (columns[index] as Column).style);
      }
      if (known.body) chunk += `<c r="${names[index]}${last}"${known.body}`;
    }
    chunk += '</row>';
    if (chunk.length >= chunkLength) {
      yield chunk;
      chunk = '';
    }
  }
  yield `${chunk}</sheetData><autoFilter ref="A1:${names.at(-1)}${last}"/>${printing}</worksheet>`;
}

const leftAligned: ReadonlySet<Style> = new Set(['text', 'id', 'date', 'month', 'year', 'moment']);

const headerXml = (reference: string, { title, style }: Column) =>
  cellXml(reference, { value: title, style: leftAligned.has(style) ? 'header' : 'headerRight' }, 'text');

/** Pages are small and built as one string. */
export function pageXml({ widths, rows, charts }: PageSheet, isFirst: boolean): string {
  const lines = rows.map((row, index) => {
    const cells = row.map((cell, column) => cellXml(`${columnName(column)}${index + 1}`, cell, 'text')).join('');
    return cells ? `<row r="${index + 1}"${heightOf(row)}>${cells}</row>` : '';
  });
  return (
    `${opening}<sheetViews><sheetView showGridLines="0"${isFirst ? ' tabSelected="1"' : ''} workbookViewId="0"/></sheetViews>` +
    `<sheetFormatPr defaultRowHeight="15"/>${cols(widths)}<sheetData>${lines.join('')}</sheetData>${printing}` +
    `${charts.length > 0 ? '<drawing r:id="rId1"/>' : ''}</worksheet>`
  );
}

function heightOf([first]: Row): string {
  const style = typeof first === 'object' && first !== null && 'style' in first ? first.style : 'text';
  if (style === 'title') return ' ht="30" customHeight="1"';
  return style === 'heading' || style === 'header' ? ' ht="21" customHeight="1"' : '';
}
