import type { KeyFigure } from '../key-figures.ts';
import { lineChart } from './charts.ts';
import type { Formats } from './formats.ts';
import { colours, inner, type Paper, page } from './paper.ts';

interface TitlePage {
  title: string;
  subject: string;
  days: string;
  locations: string;
  madeOn: string;
  /** Note about the figures. */
  note?: string;
  tiles: readonly KeyFigure[];
  chart?: { title: string } & Parameters<typeof lineChart>[2];
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
  paper.write(`${about.locations}  ·  ${about.madeOn}`, inner.left, 194, { ...light, size: 10 });
  if (about.note) paper.write(about.note, inner.left, 214, { ...light, size: 9 });
  const width = (inner.width - tile.gap * (tile.perRow - 1)) / tile.perRow;
  about.tiles.forEach((figure, index) => {
    const x = inner.left + (index % tile.perRow) * (width + tile.gap);
    const y = bandHeight + 28 + Math.floor(index / tile.perRow) * (tile.height + tile.gap);
    drawTile(paper, formats, figure, { x, y, width });
  });
  const below = bandHeight + 28 + Math.ceil(about.tiles.length / tile.perRow) * (tile.height + tile.gap) + 12;
  if (!about.chart) return;
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
