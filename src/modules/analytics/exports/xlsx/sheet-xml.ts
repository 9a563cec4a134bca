import type { Cell, Column, PageSheet, Row, TableSheet, Value } from './sheet.ts';
import { type Style, styleNumber } from './styles.ts';
import { truncateToCell, xmlHeader, xmlText } from './xml-text.ts';

/** `A`, `B`, … `Z`, `AA`, … for 0, 1, … */
export function columnName(index: number): string {
  let name = '';
  for (let rest = index; rest >= 0; rest = Math.floor(rest / 26) - 1) {
    name = String.fromCharCode(65 + (rest % 26)) + name;
  }
  return name;
}

const dayMs = 86_400_000;
/** Day 0 of spreadsheet dates. */
const dayZero = Date.UTC(1899, 11, 30);

export const serialDay = (moment: Date): number => (moment.getTime() - dayZero) / dayMs;

const dateStyles: ReadonlySet<Style> = new Set([
  'date',
  'month',
  'year',
  'moment',
  'lineDate',
  'lineMonth',
  'lineYear',
]);

/** Date strings from the database become dates in date columns. */
export const isDay = (value: Value, style: Style): value is string =>
  typeof value === 'string' && dateStyles.has(style) && /^\d{4}-\d\d-\d\d$/.test(value);

/** Characters that start a formula when text is typed or pasted. */
const formulaStart = /^[=+\-@\t\r]/;
const edgeSpace = /^\s|\s$|\n/;

/** Empty for an empty cell without its own style. */
function cellXml(reference: string, cell: Cell, columnStyle: Style): string {
  const body = cellBody(cell, columnStyle);
  return body && `<c r="${reference}"${body}`;
}

/** The cell after its reference, which is independent of the position. */
function cellBody(cell: Cell, columnStyle: Style): string {
  const { value, style } =
    typeof cell === 'object' && cell !== null && !(cell instanceof Date) ? cell : { value: cell, style: columnStyle };
  if (value === null || value === undefined || value === '') {
    return style === columnStyle ? '' : ` s="${styleNumber(style)}"/>`;
  }
  if (typeof value === 'number' || value instanceof Date || isDay(value, style)) {
    const number = typeof value === 'number' ? value : serialDay(new Date(value));
    return Number.isFinite(number) ? ` s="${styleNumber(style)}"><v>${number}</v></c>` : '';
  }
  const text = truncateToCell(value);
  const look = style === 'text' && formulaStart.test(text) ? 'quotedText' : style;
  const space = edgeSpace.test(text) ? ' xml:space="preserve"' : '';
  return ` s="${styleNumber(look)}" t="inlineStr"><is><t${space}>${xmlText(text)}</t></is></c>`;
}

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
