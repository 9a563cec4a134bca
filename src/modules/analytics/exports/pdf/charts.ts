import { colours, type Paper } from './paper.ts';

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Series {
  name: string;
  values: readonly (number | null)[];
}

const axisWidth = 44;
const axisHeight = 20;
const legendHeight = 22;
const labelWidth = 58;
const small = { size: 8, colour: colours.quiet };

/** Unknown values leave a gap. */
export function lineChart(
  paper: Paper,
  area: Area,
  {
    labels,
    series,
    format,
  }: { labels: readonly string[]; series: readonly Series[]; format: (value: number) => string },
): void {
  legend(paper, area, series);
  const plot = plotOf(area);
  const known = series.flatMap(({ values }) => values.filter((value) => value !== null));
  const y = grid(paper, plot, niceScale(Math.max(0, ...known)), format);
  const x = (index: number) =>
    plot.x + (labels.length > 1 ? (index * plot.width) / (labels.length - 1) : plot.width / 2);
  for (const index of visibleLabels(labels.length, Math.floor(plot.width / labelWidth))) {
    // Aligned, so that labels at the edges stay within the plot.
    const align =
      index === 0 && labels.length > 1 ? 'left' : index === labels.length - 1 && index > 0 ? 'right' : 'center';
    paper.write(labels[index] ?? '', x(index), plot.y + plot.height + 6, { ...small, align });
  }
  series.forEach(({ values }, number) => {
    const { doc } = paper;
    const colour = colours.series[number % colours.series.length] as string;
    doc.lineWidth(1.75).lineJoin('round').lineCap('round').strokeColor(colour);
    for (const run of runsOf(values)) {
      const [first, ...others] = run as [Point, ...Point[]];
      if (others.length === 0) {
        doc.circle(x(first.index), y(first.value), 2.2).fill(colour);
        continue;
      }
      doc.moveTo(x(first.index), y(first.value));
      for (const { index, value } of others) doc.lineTo(x(index), y(value));
      doc.stroke();
    }
  });
}

export function barChart(
  paper: Paper,
  area: Area,
  {
    labels,
    values,
    format,
  }: { labels: readonly string[]; values: readonly number[]; format: (value: number) => string },
): void {
  const plot = plotOf(area);
  const y = grid(paper, plot, niceScale(Math.max(0, ...values)), format);
  const slotWidth = plot.width / Math.max(1, labels.length);
  const width = Math.min(56, slotWidth * 0.6);
  labels.forEach((label, index) => {
    const middle = plot.x + slotWidth * (index + 0.5);
    const value = values[index] ?? 0;
    paper.doc.rect(middle - width / 2, y(value), width, plot.y + plot.height - y(value)).fill(colours.series[0]);
    paper.write(format(value), middle, y(value) - 12, { size: 8, bold: true, align: 'center' });
    paper.write(label, middle, plot.y + plot.height + 6, { ...small, align: 'center', width: slotWidth });
  });
}

const plotOf = ({ x, y, width, height }: Area): Area => ({
  x: x + axisWidth,
  y: y + legendHeight,
  width: width - axisWidth,
  height: height - legendHeight - axisHeight,
});

/** Draws grid lines and returns the mapping from value to y. */
function grid(paper: Paper, plot: Area, scale: readonly number[], format: (value: number) => string) {
  const maximum = scale.at(-1) ?? 1;
  const yOf = (value: number) => plot.y + plot.height * (1 - value / maximum);
  for (const value of scale) {
    const y = yOf(value);
    paper.doc
      .moveTo(plot.x, y)
      .lineTo(plot.x + plot.width, y)
      .lineWidth(0.5)
      .strokeColor(colours.line)
      .stroke();
    paper.write(format(value), plot.x - 6, y - 5, { ...small, align: 'right' });
  }
  return yOf;
}

function legend(paper: Paper, { x, y }: Area, series: readonly Series[]): void {
  let left = x;
  series.forEach(({ name }, number) => {
    paper.doc.roundedRect(left, y + 2, 14, 4, 2).fill(colours.series[number % colours.series.length] as string);
    left += 38 + paper.write(name, left + 20, y - 1, { size: 9, colour: colours.quiet });
  });
}

interface Point {
  index: number;
  value: number;
}

/** Runs of consecutive known values. */
function runsOf(values: readonly (number | null)[]): Point[][] {
  const runs: Point[][] = [];
  values.forEach((value, index) => {
    if (value === null) return;
    const last = runs.at(-1);
    if (last?.at(-1)?.index === index - 1) last.push({ index, value });
    else runs.push([{ index, value }]);
  });
  return runs;
}

const maxSteps = 5;

/** Round, evenly spaced axis values from zero to at least `largest`. They are integers, like counts and their labels. */
export function niceScale(largest: number): number[] {
  if (!(largest > 0)) return [0, 1];
  const smallest = largest / maxSteps;
  const power = 10 ** Math.max(0, Math.floor(Math.log10(smallest)));
  const factors = power === 1 ? [1, 2, 5] : [1, 2, 2.5, 5];
  const interval = (factors.find((factor) => factor * power >= smallest) ?? 10) * power;
  return Array.from({ length: Math.ceil(largest / interval) + 1 }, (_, index) => index * interval);
}

/** Evenly spaced indexes of labels that fit without overlap. */
function visibleLabels(count: number, limit: number): number[] {
  if (count <= 0) return [];
  const distance = Math.max(1, Math.ceil(count / Math.max(1, limit)));
  return Array.from({ length: Math.ceil(count / distance) }, (_, index) => index * distance);
}
