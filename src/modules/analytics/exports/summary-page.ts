import type { Group, Span } from '../../../values/span.ts';
import { changeOf, type FigureFormat, type KeyFigure } from './report-figures.ts';
import type { ReportTexts } from './texts/report-texts.ts';
import type { Cell, Chart, PageSheet, Row, Style } from './xlsx/sheet.ts';

/** Days and weeks are formatted by their first day, months and years by name. */
export const periodStyle = (group: Group): Style => (group === 'MONTH' ? 'month' : group === 'YEAR' ? 'year' : 'date');

/** Style within tables of a page. */
export const periodLine = (group: Group): Style =>
  group === 'MONTH' ? 'lineMonth' : group === 'YEAR' ? 'lineYear' : 'lineDate';

const lineStyles: Record<FigureFormat, Style> = {
  integer: 'lineInteger',
  decimal: 'lineDecimal',
  percent: 'linePercent',
};

/** First and last row of a table. */
interface Lines {
  first: number;
  last: number;
}

/** Charts are placed beside the figures. */
const chartColumn = 7;
const chartColumns = 9;
const chartRows = 14;

/** Builds the first sheet of a workbook. */
export class SummaryPage {
  readonly #texts: ReportTexts;
  readonly #rows: Row[] = [];
  readonly #charts: Chart[] = [];
  readonly #widths = [40, 16, 16, 14, 14, 14];

  constructor(
    texts: ReportTexts,
    title: string,
    about: { subject: string; span: Span; locationsCount: number; createdOn: Date; countedUntil?: string | undefined },
  ) {
    this.#texts = texts;
    this.#add(title, 'title');
    this.#add(about.subject, 'note');
    this.#add(`${about.span.from} – ${about.span.to}  ·  ${texts.locations(about.locationsCount)}`, 'note');
    this.#add(`${texts.createdOn} ${about.createdOn.toISOString().slice(0, 16).replace('T', ' ')} UTC`, 'note');
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

  /** Column headers; columns grow with their titles. */
  #head(titles: readonly string[]): void {
    titles.forEach((title, index) => {
      this.#widths[index] = Math.max(this.#widths[index] ?? 14, title.length + 3);
    });
    this.#rows.push(titles.map((value, index): Cell => ({ value, style: index === 0 ? 'header' : 'headerRight' })));
  }

  /** Figures compared with the preceding days. */
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

  /** Current figures. */
  current(heading: string, figures: readonly KeyFigure[]): this {
    this.#heading(heading, 2);
    for (const { label, format, now } of figures) {
      this.#rows.push([
        { value: label, style: 'label' },
        { value: now, style: lineStyles[format] },
      ]);
    }
    return this;
  }

  /** Adds a table and returns its rows, for charts. */
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
    visibleRows: Lines = { first: 0, last: last - first },
  ): this {
    const range = (column: number) => ({
      column,
      firstRow: first + visibleRows.first,
      lastRow: first + visibleRows.last,
    });
    this.#charts.push({
      kind,
      title,
      categories: range(0),
      series: series.map(({ name, column }) => ({ name, values: range(column) })),
      position: {
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
