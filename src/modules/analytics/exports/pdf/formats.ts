import type { Group } from '../../../../values/span.ts';
import type { FigureFormat, KeyFigure } from '../key-figures.ts';
import { changeOf } from '../report-figures.ts';
import { colours } from './paper.ts';

/** Localized number and date formats. */
export class Formats {
  readonly #integer: Intl.NumberFormat;
  readonly #decimal: Intl.NumberFormat;
  readonly #percent: Intl.NumberFormat;
  readonly #change: Intl.NumberFormat;
  readonly #short: Intl.NumberFormat;
  readonly #day: Intl.DateTimeFormat;
  readonly #periods: Record<Group, Intl.DateTimeFormat>;

  constructor(locale: string) {
    const date = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
    const dayAndMonth = date({ day: 'numeric', month: 'short' });
    this.#integer = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
    this.#decimal = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
    this.#percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
    this.#change = new Intl.NumberFormat(locale, {
      style: 'percent',
      maximumFractionDigits: 1,
      signDisplay: 'exceptZero',
    });
    this.#short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
    this.#day = date({ day: 'numeric', month: 'long', year: 'numeric' });
    this.#periods = {
      DAY: dayAndMonth,
      WEEK: dayAndMonth,
      MONTH: date({ month: 'short', year: 'numeric' }),
      YEAR: date({ year: 'numeric' }),
    };
  }

  readonly integer = (value: number): string => this.#integer.format(value);
  /** For axes: 1.2K instead of 1,200. */
  readonly short = (value: number): string => this.#short.format(value);

  day(day: string | Date): string {
    return this.#day.format(new Date(day));
  }

  period(period: string, group: Group): string {
    return this.#periods[group].format(new Date(period));
  }

  figure(value: number | null | undefined, format: FigureFormat): string {
    if (value === null || value === undefined) return '–';
    const formats = { integer: this.#integer, decimal: this.#decimal, percent: this.#percent };
    return formats[format].format(value);
  }

  /** Coloured by improvement or decline. */
  change({ now, before, lessIsBetter }: KeyFigure): { text: string; colour: string } {
    const change = changeOf(now, before ?? null);
    if (change === null) return { text: '–', colour: colours.quiet };
    const isGood = lessIsBetter ? change < 0 : change > 0;
    const colour = Math.abs(change) < 0.0005 ? colours.quiet : isGood ? colours.good : colours.bad;
    return { text: this.#change.format(change), colour };
  }
}
