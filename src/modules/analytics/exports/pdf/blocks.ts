import type { Group } from '../../../../values/span.ts';
import { changeOf, type FigureFormat, type KeyFigure } from '../report-figures.ts';
import { type Area, barChart, lineChart } from './charts.ts';
import { bottom, colours, inner, type Paper, page, top } from './paper.ts';

export type Formats = ReturnType<typeof formatsOf>;

/** Localized number and date formats. */
export function formatsOf(locale: string) {
  const number = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options);
  const date = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  const figures: Record<FigureFormat, Intl.NumberFormat> = {
    integer: number({ maximumFractionDigits: 0 }),
    decimal: number({ minimumFractionDigits: 2, maximumFractionDigits: 2 }),
    percent: number({ style: 'percent', maximumFractionDigits: 1 }),
  };
  const changes = number({ style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' });
  // Two digits: an axis can have the value 1,250.
  const short = number({ notation: 'compact', maximumFractionDigits: 2 });
  const day = date({ day: 'numeric', month: 'long', year: 'numeric' });
  const dayAndMonth = date({ day: 'numeric', month: 'short' });
  const periods: Record<Group, Intl.DateTimeFormat> = {
    DAY: dayAndMonth,
    WEEK: dayAndMonth,
    MONTH: date({ month: 'short', year: 'numeric' }),
    YEAR: date({ year: 'numeric' }),
  };
  return {
    integer: (value: number): string => figures.integer.format(value),
    /** For axes: 1.25k instead of 1,250. */
    short: (value: number): string => short.format(value),
    day: (moment: string | Date): string => day.format(new Date(moment)),
    period: (period: string, group: Group): string => periods[group].format(new Date(period)),
    figure: (value: number | null | undefined, format: FigureFormat): string =>
      value === null || value === undefined ? '–' : figures[format].format(value),
    /** Coloured by improvement or decline. */
    change({ now, before, lessIsBetter }: KeyFigure): { text: string; colour: string } {
      const change = changeOf(now, before ?? null);
      if (change === null) return { text: '–', colour: colours.quiet };
      const isGood = lessIsBetter ? change < 0 : change > 0;
      const colour = Math.abs(change) < 0.0005 ? colours.quiet : isGood ? colours.good : colours.bad;
      return { text: changes.format(change), colour };
    },
  };
}

/** An element of a page. */
export interface Block {
  height: number;
  /** Keep on one page with the next block. */
  keepsWithNext?: true;
  draw(paper: Paper, y: number): void;
}

/** Distributes blocks over pages. */
export function paginate(blocks: readonly Block[]): Block[][] {
  const pages: Block[][] = [];
  let left = 0;
  blocks.forEach((block, index) => {
    let needed = block.height;
    for (let next = index; blocks[next]?.keepsWithNext && blocks[next + 1]; next += 1)
      needed += blocks[next + 1]?.height ?? 0;
    if (needed > left) {
      pages.push([]);
      left = bottom - top;
    }
    pages.at(-1)?.push(block);
    left -= block.height;
  });
  return pages;
}

export const heading = (text: string): Block => ({
  height: 36,
  keepsWithNext: true,
  draw: (paper, y) =>
    paper.write(text, inner.left, y + 12, { size: 15, bold: true, colour: colours.accent, width: inner.width }),
});

export const space = (height: number): Block => ({ height, draw: () => {} });

export const note = (text: string): Block => ({
  height: 24,
  draw: (paper, y) => paper.write(text, inner.left, y + 4, { colour: colours.quiet, width: inner.width }),
});

export interface TableColumn {
  title: string;
  /** Share of the page width. */
  share: number;
  align: 'left' | 'right';
}

interface TableCell {
  text: string;
  colour?: string;
  bold?: boolean;
}

export const rowHeight = 21;

/** Column titles can use two lines. */
export function tableHead(columns: readonly TableColumn[], { twoLines = false } = {}): Block {
  const height = twoLines ? 31 : rowHeight;
  return {
    height: height + 2,
    keepsWithNext: true,
    draw: (paper, y) => {
      paper.doc.rect(inner.left, y, inner.width, height).fill(colours.soft);
      const titles = columns.map(({ title }) => (twoLines ? twoLinesOf(title) : ['', title]));
      const line = (number: 0 | 1) => titles.map((parts) => ({ text: parts[number] ?? '', bold: true }));
      if (twoLines) writeCells(paper, y, columns, line(0), 8);
      writeCells(paper, y + (twoLines ? 10 : 0), columns, line(1), twoLines ? 8 : 8.5);
    },
  };
}

/** The last word goes to the second line. */
function twoLinesOf(title: string): [string, string] {
  const space = title.lastIndexOf(' ');
  return space < 0 ? ['', title] : [title.slice(0, space), title.slice(space + 1)];
}

export const tableRow = (columns: readonly TableColumn[], cells: readonly TableCell[]): Block => ({
  height: rowHeight,
  draw: (paper, y) => {
    writeCells(paper, y, columns, cells, 9.5);
    paper.rule(y + rowHeight);
  },
});

function writeCells(
  paper: Paper,
  y: number,
  columns: readonly TableColumn[],
  cells: readonly TableCell[],
  size: number,
): void {
  let left = inner.left;
  columns.forEach(({ share, align }, index) => {
    const width = share * inner.width;
    const { text, colour, bold = false } = cells[index] ?? { text: '' };
    const x = align === 'left' ? left + 6 : left + width - 6;
    paper.write(text, x, y + 5.5, { size, bold, align, width: width - 12, ...(colour && { colour }) });
    left += width;
  });
}

const chartHeight = 180;
const chart = (drawIn: (paper: Paper, area: Area) => void): Block => ({
  height: chartHeight,
  draw: (paper, y) => drawIn(paper, { x: inner.left, y: y + 4, width: inner.width, height: chartHeight - 12 }),
});

export const lines = (content: Parameters<typeof lineChart>[2]): Block =>
  chart((paper, area) => lineChart(paper, area, content));

export const bars = (content: Parameters<typeof barChart>[2]): Block =>
  chart((paper, area) => barChart(paper, area, content));

interface TitlePage {
  title: string;
  subject: string;
  days: string;
  locations: string;
  createdOn: string;
  /** Note about the figures. */
  note?: string;
  tiles: readonly KeyFigure[];
  chart: { title: string } & Parameters<typeof lineChart>[2];
}

const bandHeight = 250;
const tile = { height: 84, gap: 14, perRow: 3 };

export function drawTitlePage(paper: Paper, formats: Formats, about: TitlePage): void {
  const { doc } = paper;
  doc.rect(0, 0, page.width, bandHeight).fill(colours.deep);
  doc.rect(0, bandHeight - 6, page.width, 6).fill(colours.accent);
  const light = { colour: '#BFDBFE', width: inner.width };
  paper.write('WAYPOST', inner.left, 48, { size: 10, bold: true, colour: '#93C5FD' });
  paper.write(about.title, inner.left, 92, { size: 30, bold: true, colour: colours.white, width: inner.width });
  paper.write(about.subject, inner.left, 138, { size: 16, colour: colours.white, width: inner.width });
  paper.write(about.days, inner.left, 174, { ...light, size: 12 });
  paper.write(`${about.locations}  ·  ${about.createdOn}`, inner.left, 194, { ...light, size: 10 });
  if (about.note) paper.write(about.note, inner.left, 214, { ...light, size: 9 });
  const width = (inner.width - tile.gap * (tile.perRow - 1)) / tile.perRow;
  about.tiles.forEach((figure, index) => {
    const x = inner.left + (index % tile.perRow) * (width + tile.gap);
    const y = bandHeight + 28 + Math.floor(index / tile.perRow) * (tile.height + tile.gap);
    drawTile(paper, formats, figure, { x, y, width });
  });
  const below = bandHeight + 28 + Math.ceil(about.tiles.length / tile.perRow) * (tile.height + tile.gap) + 12;
  paper.write(about.chart.title, inner.left, below, {
    size: 13,
    bold: true,
    colour: colours.accent,
    width: inner.width,
  });
  const y = below + 28;
  lineChart(paper, { x: inner.left, y, width: inner.width, height: page.height - 72 - y }, about.chart);
}

function drawTile(
  paper: Paper,
  formats: Formats,
  figure: KeyFigure,
  { x, y, width }: { x: number; y: number; width: number },
): void {
  const { doc } = paper;
  doc.roundedRect(x, y, width, tile.height, 6).lineWidth(1).fillAndStroke('#F9FAFB', colours.line);
  const textWidth = width - 24;
  paper.write(figure.label, x + 12, y + 12, { size: 9, colour: colours.quiet, width: textWidth });
  paper.write(formats.figure(figure.now, figure.format), x + 12, y + 28, { size: 22, bold: true, width: textWidth });
  if (figure.before === undefined) return;
  const { text, colour } = formats.change(figure);
  const changeWidth = paper.write(text, x + 12, y + 60, { size: 9.5, bold: true, colour });
  paper.write(`(${formats.figure(figure.before, figure.format)})`, x + 18 + changeWidth, y + 60, {
    size: 9.5,
    colour: colours.quiet,
    width: textWidth - changeWidth - 6,
  });
}
