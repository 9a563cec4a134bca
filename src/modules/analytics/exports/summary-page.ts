import type { Group, Span } from '../../../values/span.ts';
import type { FigureFormat, KeyFigure } from './key-figures.ts';
import { changeOf } from './report-figures.ts';
import type { ReportTexts } from './texts/report-texts.ts';
import type { Cell, Chart, PageSheet, Row } from './xlsx/sheet.ts';
import type { Style } from './xlsx/styles.ts';

/** Days and weeks by their (first) day; months and years by what they are called. */
export const periodStyle = (group: Group): Style => (group === 'MONTH' ? 'month' : group === 'YEAR' ? 'year' : 'date');

/** The same in the tables of a page. */
export const periodLine = (group: Group): Style =>
  group === 'MONTH' ? 'lineMonth' : group === 'YEAR' ? 'lineYear' : 'lineDate';

const lineStyles: Record<FigureFormat, Style> = {
  integer: 'lineInteger',
  decimal: 'lineDecimal',
  percent: 'linePercent',
};

/** The first and the last of some lines. */
interface Lines {
  first: number;
  last: number;
}

/** Charts lie beside the figures, one below the other. */
const chartColumn = 7;
const chartColumns = 9;
const chartRows = 14;

/** Puts the first sheet of a workbook together, from top to bottom. */
export class SummaryPage {
  readonly #texts: ReportTexts;
  readonly #rows: Row[] = [];
  readonly #charts: Chart[] = [];
  readonly #widths = [40, 16, 16, 14, 14, 14];

  constructor(
    texts: ReportTexts,
    title: string,
    about: { subject: string; span: Span; locationsCount: number; madeOn: Date; countedUntil?: string | undefined },
  ) {
    this.#texts = texts;
    this.#add(title, 'title');
    this.#add(about.subject, 'note');
    this.#add(`${about.span.from} – ${about.span.to}  ·  ${texts.locations(about.locationsCount)}`, 'note');
    this.#add(`${texts.madeOn} ${about.madeOn.toISOString().slice(0, 16).replace('T', ' ')} UTC`, 'note');
    const { countedUntil } = about;
    if (countedUntil !== undefined && countedUntil < about.span.to) this.#add(texts.countedUntil(countedUntil), 'note');
  }

  #add(text: string, style: Style): void {
    this.#rows.push([{ value: text, style }]);
  }

  #heading(text: string, columns: number): void {
    this.#rows.push([]);
    this.#rows.push([
      { value: text, style: 'heading' },
      ...Array.from({ length: columns - 1 }, (): Cell => ({ value: null, style: 'heading' })),
    ]);
  }

  /** Heads of columns, which are as wide as they need to be. */
  #head(titles: readonly string[]): void {
    titles.forEach((title, index) => {
      this.#widths[index] = Math.max(this.#widths[index] ?? 14, title.length + 3);
    });
    this.#rows.push(titles.map((value, index): Cell => ({ value, style: index === 0 ? 'header' : 'headerRight' })));
  }

  /** Figures with those of the days before. */
  compared(heading: string, figures: readonly KeyFigure[]): this {
    const { figure, thisPeriod, previousPeriod, change } = this.#texts;
    this.#heading(heading, 4);
    this.#head([figure, thisPeriod, previousPeriod, change]);
    for (const { label, format, now, before = null } of figures) {
      const style = lineStyles[format];
      this.#rows.push([
        { value: label, style: 'label' },
        { value: now, style },
        { value: before, style },
        { value: changeOf(now, before), style: 'lineChange' },
      ]);
    }
    return this;
  }

  /** Figures of this moment. */
  standing(heading: string, figures: readonly KeyFigure[]): this {
    this.#heading(heading, 2);
    for (const { label, format, now } of figures) {
      this.#rows.push([
        { value: label, style: 'label' },
        { value: now, style: lineStyles[format] },
      ]);
    }
    return this;
  }

  /** A table whose first column says what each line is about, and where its lines are, for charts. */
  lines(heading: string, titles: readonly [string, ...string[]], rows: readonly Row[]): Lines {
    this.#heading(heading, titles.length);
    this.#head(titles);
    const at = this.#rows.length;
    this.#rows.push(...rows);
    return { first: at, last: this.#rows.length - 1 };
  }

  chart(
    kind: Chart['kind'],
    title: string,
    { first, last }: Lines,
    series: readonly { name: string; column: number }[],
    drawn: Lines = { first: 0, last: last - first },
  ): this {
    const range = (column: number) => ({ column, firstRow: first + drawn.first, lastRow: first + drawn.last });
    this.#charts.push({
      kind,
      title,
      categories: range(0),
      series: series.map(({ name, column }) => ({ name, values: range(column) })),
      place: {
        column: chartColumn,
        row: 3 + this.#charts.length * (chartRows + 1),
        columns: chartColumns,
        rows: chartRows,
      },
    });
    return this;
  }

  sheet(): PageSheet {
    const { summary } = this.#texts;
    const widths = [...this.#widths, 3, ...Array.from({ length: chartColumns }, () => 9)];
    return { kind: 'page', name: summary, widths, rows: this.#rows, charts: this.#charts };
  }
}
