import {
  type Cell,
  type Chart,
  type Column,
  formatOf,
  isDateStyle,
  type PageSheet,
  type Row,
  type Style,
  styleNumber,
  type TableSheet,
  truncateToCell,
  type Value,
  xmlHeader,
  xmlText,
} from './sheet.ts';

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

const serialDay = (moment: Date): number => (moment.getTime() - dayZero) / dayMs;

/** Date strings from the database become dates in date columns. */
const isDay = (value: Value, style: Style): value is string =>
  typeof value === 'string' && isDateStyle(style) && /^\d{4}-\d\d-\d\d$/.test(value);

const valueAndStyle = (cell: Cell, columnStyle: Style): { value: Value; style: Style } =>
  typeof cell === 'object' && cell !== null && !(cell instanceof Date) ? cell : { value: cell, style: columnStyle };

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
  const { value, style } = valueAndStyle(cell, columnStyle);
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

const leftAligned: ReadonlySet<Style> = new Set(['text', 'id', 'date', 'month', 'year']);

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

const drawingNamespaces =
  'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" ' +
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
const chartNamespaces =
  'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" ' +
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ' +
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';

/** Colours of the series in order, repeated after the last. Their lightness differs, for prints without colours. */
const seriesColours = ['1D4ED8', 'F59E0B', '058E62', '7A3506', '0BA9D0', 'CB2477', '1F2A3A', '649A11', '471697'];

/** Positions of the charts on a page. The relationship of the first chart is `rId1`. */
export function drawingXml(charts: readonly Chart[]): string {
  const anchors = charts.map(({ title, position: { column, row, columns, rows } }, index) => {
    const corner = (name: string, cornerColumn: number, cornerRow: number) =>
      `<xdr:${name}><xdr:col>${cornerColumn}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>${cornerRow}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:${name}>`;
    return (
      `<xdr:twoCellAnchor>${corner('from', column, row)}${corner('to', column + columns, row + rows)}` +
      `<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="${index + 2}" name="Chart ${index + 1}" descr="${xmlText(title)}"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr>` +
      '<xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic>' +
      '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart">' +
      '<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ' +
      `r:id="rId${index + 1}"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor>`
    );
  });
  return `${xmlHeader}<xdr:wsDr ${drawingNamespaces}>${anchors.join('')}</xdr:wsDr>`;
}

/** Refers to cells of the page. Also contains their values, for programs that do not resolve references. */
export function chartXml({ kind, title, categories, series }: Chart, page: PageSheet): string {
  const reference = ({ column, firstRow, lastRow }: Chart['categories']) =>
    xmlText(
      `'${page.name.replaceAll("'", "''")}'!$${columnName(column)}$${firstRow + 1}:$${columnName(column)}$${lastRow + 1}`,
    );
  const cellsOf = ({ column, firstRow, lastRow }: Chart['categories']) =>
    page.rows.slice(firstRow, lastRow + 1).map((row) => valueAndStyle(row[column], 'text'));
  const numberReference = (range: Chart['categories']) => {
    const cells = cellsOf(range);
    const format = formatOf(cells.find(({ value }) => value !== null && value !== undefined)?.style ?? 'text');
    const points = cells.map(({ value, style }, index) => {
      const number = numberOf(value, style);
      return number === undefined ? '' : `<c:pt idx="${index}"><c:v>${number}</c:v></c:pt>`;
    });
    return (
      `<c:numRef><c:f>${reference(range)}</c:f><c:numCache><c:formatCode>${xmlText(format)}</c:formatCode>` +
      `<c:ptCount val="${cells.length}"/>${points.join('')}</c:numCache></c:numRef>`
    );
  };
  const textReference = (range: Chart['categories']) => {
    const cells = cellsOf(range);
    const points = cells.map(
      ({ value }, index) => `<c:pt idx="${index}"><c:v>${xmlText(String(value ?? ''))}</c:v></c:pt>`,
    );
    return `<c:strRef><c:f>${reference(range)}</c:f><c:strCache><c:ptCount val="${cells.length}"/>${points.join('')}</c:strCache></c:strRef>`;
  };
  const [first] = cellsOf(categories);
  const hasNumericCategories = first !== undefined && typeof numberOf(first.value, first.style) === 'number';
  const seriesXml = series.map(({ name, values }, index) => {
    const colour = seriesColours[index % seriesColours.length];
    const shapeProperties =
      kind === 'line'
        ? `<c:spPr><a:ln w="28575" cap="rnd"><a:solidFill><a:srgbClr val="${colour}"/></a:solidFill><a:round/></a:ln></c:spPr><c:marker><c:symbol val="none"/></c:marker>`
        : `<c:spPr><a:solidFill><a:srgbClr val="${colour}"/></a:solidFill></c:spPr><c:invertIfNegative val="0"/>`;
    return (
      `<c:ser><c:idx val="${index}"/><c:order val="${index}"/><c:tx><c:v>${xmlText(name)}</c:v></c:tx>${shapeProperties}` +
      `<c:cat>${hasNumericCategories ? numberReference(categories) : textReference(categories)}</c:cat><c:val>${numberReference(values)}</c:val>` +
      `${kind === 'line' ? '<c:smooth val="0"/>' : ''}</c:ser>`
    );
  });
  const plot =
    kind === 'line'
      ? `<c:lineChart><c:grouping val="standard"/><c:varyColors val="0"/>${seriesXml.join('')}<c:marker val="1"/><c:axId val="1"/><c:axId val="2"/></c:lineChart>`
      : `<c:barChart><c:barDir val="col"/><c:grouping val="clustered"/><c:varyColors val="0"/>${seriesXml.join('')}<c:gapWidth val="60"/><c:axId val="1"/><c:axId val="2"/></c:barChart>`;
  const legend =
    series.length > 1 ? `<c:legend><c:legendPos val="b"/><c:overlay val="0"/>${textProperties(900)}</c:legend>` : '';
  // Omits the year, so that more labels fit on the axis.
  const categoryFormat =
    hasNumericCategories && first ? formatOf(first.style).replace('yyyy-mm-dd', 'd mmm') : 'General';
  return (
    `${xmlHeader}<c:chartSpace ${chartNamespaces}><c:roundedCorners val="0"/><c:chart>` +
    `<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr sz="1200" b="1"/></a:pPr><a:r><a:rPr lang="en" sz="1200" b="1"><a:solidFill><a:srgbClr val="1F2937"/></a:solidFill></a:rPr><a:t>${xmlText(title)}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title>` +
    `<c:autoTitleDeleted val="0"/><c:plotArea><c:layout/>${plot}${categoryAxis(categoryFormat)}${valueAxis}</c:plotArea>${legend}` +
    '<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart>' +
    '<c:spPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill><a:ln w="9525"><a:solidFill><a:srgbClr val="E5E7EB"/></a:solidFill></a:ln></c:spPr></c:chartSpace>'
  );
}

const textProperties = (size: number) =>
  `<c:txPr><a:bodyPr/><a:lstStyle/><a:p><a:pPr><a:defRPr sz="${size}"><a:solidFill><a:srgbClr val="6B7280"/></a:solidFill></a:defRPr></a:pPr><a:endParaRPr lang="en"/></a:p></c:txPr>`;

const axisLine = '<c:spPr><a:ln w="9525"><a:solidFill><a:srgbClr val="D1D5DB"/></a:solidFill></a:ln></c:spPr>';

/** Not a date axis: a category axis spaces weeks and months evenly, and all programs support it. */
const categoryAxis = (format: string) =>
  '<c:catAx><c:axId val="1"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/><c:axPos val="b"/>' +
  `<c:numFmt formatCode="${xmlText(format)}" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/>` +
  `<c:tickLblPos val="low"/>${axisLine}${textProperties(900)}<c:crossAx val="2"/><c:crosses val="autoZero"/><c:auto val="0"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/><c:noMultiLvlLbl val="1"/></c:catAx>`;

const valueAxis =
  '<c:valAx><c:axId val="2"/><c:scaling><c:orientation val="minMax"/><c:min val="0"/></c:scaling><c:delete val="0"/><c:axPos val="l"/>' +
  '<c:majorGridlines><c:spPr><a:ln w="6350"><a:solidFill><a:srgbClr val="E5E7EB"/></a:solidFill></a:ln></c:spPr></c:majorGridlines>' +
  '<c:numFmt formatCode="#,##0" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/>' +
  `<c:spPr><a:ln><a:noFill/></a:ln></c:spPr>${textProperties(900)}<c:crossAx val="1"/><c:crosses val="autoZero"/><c:crossBetween val="between"/></c:valAx>`;

function numberOf(value: Value, style: Style): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (value instanceof Date || isDay(value, style)) return serialDay(new Date(value));
  return undefined;
}
