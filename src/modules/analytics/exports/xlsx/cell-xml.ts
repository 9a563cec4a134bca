import type { Cell, Value } from './sheet.ts';
import { type Style, styleNumber } from './styles.ts';
import { cutToCell, xmlText } from './xml-text.ts';

/** `A`, `B`, … `Z`, `AA`, … for 0, 1, … */
export function columnName(index: number): string {
  let name = '';
  for (let rest = index; rest >= 0; rest = Math.floor(rest / 26) - 1) {
    name = String.fromCharCode(65 + (rest % 26)) + name;
  }
  return name;
}

const dayMs = 86_400_000;
/** Day 0 of spreadsheets, as every day after February 1900 counts from it. */
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

/** Days as they come from the database are dates in a column of dates. */
export const isDay = (value: Value, style: Style): value is string =>
  typeof value === 'string' && dateStyles.has(style) && /^\d{4}-\d\d-\d\d$/.test(value);

/** Signs with which programs begin a formula when a text is typed or pasted. */
const formulaSign = /^[=+\-@\t\r]/;
const edgeSpace = /^\s|\s$|\n/;

/** One cell, or nothing for an empty one that has no look of its own. */
export function cellXml(reference: string, cell: Cell, columnStyle: Style): string {
  const body = cellBody(cell, columnStyle);
  return body && `<c r="${reference}"${body}`;
}

/** A cell behind its reference: the same wherever it stands. */
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
  const text = cutToCell(value);
  const look = style === 'text' && formulaSign.test(text) ? 'quotedText' : style;
  const space = edgeSpace.test(text) ? ' xml:space="preserve"' : '';
  return ` s="${styleNumber(look)}" t="inlineStr"><is><t${space}>${xmlText(text)}</t></is></c>`;
}
