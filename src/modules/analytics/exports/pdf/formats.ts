import type { Group } from '../../../../values/span.ts';
import type { FigureFormat, KeyFigure } from '../key-figures.ts';
import { changeOf } from '../report-figures.ts';
import { colours } from './paper.ts';

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
  const short = number({ notation: 'compact', maximumFractionDigits: 1 });
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
    /** For axes: 1.2K instead of 1,200. */
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
