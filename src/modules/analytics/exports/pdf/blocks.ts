import { type Area, barChart, lineChart } from './charts.ts';
import { bottom, colours, inner, type Paper, top } from './paper.ts';

/** An element of a page. */
export interface Block {
  height: number;
  /** Keep on one page with the next block. */
  keepsWithNext?: true;
  draw(paper: Paper, y: number): void;
}

/** Distributes blocks over pages. */
export function paginate(blocks: readonly Block[], pageHeight = bottom - top): Block[][] {
  const pages: Block[][] = [];
  let left = 0;
  blocks.forEach((block, index) => {
    let needed = block.height;
    for (let next = index; blocks[next]?.keepsWithNext && blocks[next + 1]; next += 1)
      needed += blocks[next + 1]?.height ?? 0;
    if (needed > left) {
      pages.push([]);
      left = pageHeight;
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

export interface TableCell {
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
const chartArea = (y: number): Area => ({ x: inner.left, y: y + 4, width: inner.width, height: chartHeight - 12 });

export const lines = (chart: Parameters<typeof lineChart>[2]): Block => ({
  height: chartHeight,
  draw: (paper, y) => lineChart(paper, chartArea(y), chart),
});

export const bars = (chart: Parameters<typeof barChart>[2]): Block => ({
  height: chartHeight,
  draw: (paper, y) => barChart(paper, chartArea(y), chart),
});
