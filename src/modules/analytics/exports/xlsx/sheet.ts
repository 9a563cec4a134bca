export const xmlHeader = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Limit of Excel. */
export const maxCellLength = 32_767;

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these cannot stand in XML
const notXml = /[\0-\x08\x0b-\x1f\ufffe\uffff]|_x[0-9a-f]{4}_/gi;
const special = /[&<>"]/g;
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const needsCare = /[&<>"\0-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]|_x/;

/**
 * Escapes text for SpreadsheetML. Characters that XML cannot represent, including CR, are written as `_xHHHH_` (ISO
 * 29500, ST_Xstring); literal occurrences of that pattern are escaped. CRLF becomes LF, the line break of a cell.
 */
export function xmlText(text: string): string {
  if (!needsCare.test(text)) return text;
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(notXml, (found) =>
      found.length > 1 ? `_x005F${found}` : `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replace(special, (sign) => entities[sign] ?? sign);
}

/** Truncates without splitting a surrogate pair. */
export function truncateToCell(text: string): string {
  if (text.length <= maxCellLength) return text;
  const end = maxCellLength - 1;
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return `${text.slice(0, isHalf ? end - 1 : end)}…`;
}

const ink = 'FF1F2937';
const quiet = 'FF6B7280';
const accent = 'FF1D4ED8';
const headerFill = 'FFEFF4FF';
const line = 'FFD1D5DB';

interface StyleDefinition {
  font?: 'bold' | 'title' | 'quiet' | 'heading';
  fill?: 'header';
  border?: 'below' | 'hair';
  format?: string;
  align?: 'left' | 'right' | 'center';
  /** Stays text when the cell is edited. */
  quoted?: true;
}

const styleDefinitions = {
  text: {},
  quotedText: { quoted: true },
  title: { font: 'title' },
  heading: { font: 'heading', border: 'below' },
  note: { font: 'quiet' },
  header: { font: 'bold', fill: 'header', border: 'below' },
  headerRight: { font: 'bold', fill: 'header', border: 'below', align: 'right' },
  label: { border: 'hair' },
  integer: { format: '#,##0' },
  decimal: { format: '#,##0.00' },
  percent: { format: '0.0%' },
  date: { format: 'yyyy-mm-dd', align: 'center' },
  month: { format: 'mmm yyyy', align: 'center' },
  year: { format: 'yyyy', align: 'center' },
  lineInteger: { format: '#,##0', border: 'hair' },
  lineDecimal: { format: '#,##0.00', border: 'hair' },
  id: { format: '0', align: 'left' },
  lineDate: { format: 'yyyy-mm-dd', border: 'hair', align: 'left' },
  lineMonth: { format: 'mmm yyyy', border: 'hair', align: 'left' },
  lineYear: { format: 'yyyy', border: 'hair', align: 'left' },
  linePercent: { format: '0.0%', border: 'hair' },
  lineChange: { format: '+0.0%;-0.0%;0.0%', border: 'hair' },
} as const satisfies Record<string, StyleDefinition>;

export type Style = keyof typeof styleDefinitions;

const names = Object.keys(styleDefinitions) as Style[];
const numbers = new Map(names.map((name, index) => [name, index]));

/** Index of the style in styles.xml. */
export const styleNumber = (style: Style): number => numbers.get(style) ?? 0;

export const isDateStyle = (style: Style): boolean => formatOf(style).includes('yyyy');

export const formatOf = (style: Style): string => (styleDefinitions[style] as StyleDefinition).format ?? 'General';

const fonts = { plain: 0, bold: 1, title: 2, quiet: 3, heading: 4 };
const firstCustomFormat = 164;

/** styles.xml, identical in all workbooks. */
export function stylesXml(): string {
  const formats = [...new Set(names.flatMap((name) => (styleDefinitions[name] as StyleDefinition).format ?? []))];
  const formatNumber = (format: string | undefined) =>
    format === undefined ? 0 : firstCustomFormat + formats.indexOf(format);
  const xf = (definition: StyleDefinition) => {
    const font = definition.font ? fonts[definition.font] : fonts.plain;
    const border = definition.border === 'below' ? 1 : definition.border === 'hair' ? 2 : 0;
    const align = definition.align ? `<alignment horizontal="${definition.align}"/>` : '';
    return (
      `<xf numFmtId="${formatNumber(definition.format)}" fontId="${font}" fillId="${definition.fill ? 2 : 0}" borderId="${border}" xfId="0"` +
      ` applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1"${definition.quoted ? ' quotePrefix="1"' : ''}` +
      (align ? `>${align}</xf>` : '/>')
    );
  };
  const font = (size: number, color: string, bold: boolean) =>
    `<font>${bold ? '<b/>' : ''}<sz val="${size}"/><color rgb="${color}"/><name val="Calibri"/><family val="2"/></font>`;
  const border = (style?: string) =>
    `<border><left/><right/><top/>${style ? `<bottom style="${style}"><color rgb="${line}"/></bottom>` : '<bottom/>'}<diagonal/></border>`;
  return (
    `${xmlHeader}<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
    `<numFmts count="${formats.length}">${formats.map((format) => `<numFmt numFmtId="${formatNumber(format)}" formatCode="${format.replaceAll('"', '&quot;')}"/>`).join('')}</numFmts>` +
    `<fonts count="5">${font(11, ink, false)}${font(11, ink, true)}${font(20, accent, true)}${font(10, quiet, false)}${font(13, accent, true)}</fonts>` +
    '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>' +
    `<fill><patternFill patternType="solid"><fgColor rgb="${headerFill}"/><bgColor indexed="64"/></patternFill></fill></fills>` +
    `<borders count="3">${border()}${border('thin')}${border('hair')}</borders>` +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    `<cellXfs count="${names.length}">${names.map((name) => xf(styleDefinitions[name])).join('')}</cellXfs>` +
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
  );
}

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
