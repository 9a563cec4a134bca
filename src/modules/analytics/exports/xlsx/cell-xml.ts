import type { Cell, Value } from './sheet.ts';
import { type Style, styleNumber } from './styles.ts';
import { truncateToCell, xmlText } from './xml-text.ts';

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
export function cellXml(reference: string, cell: Cell, columnStyle: Style): string {
  const body = cellBody(cell, columnStyle);
  return body && `<c r="${reference}"${body}`;
}

/** The cell after its reference, which is independent of the position. */
export function cellBody(cell: Cell, columnStyle: Style): string {
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
