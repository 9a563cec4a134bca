import { daysAfter, type Group, periodOf, periodsOf, type Span } from '../../../../values/span.ts';

/** Months are identified by their first day. */

export interface InsightPeriod {
  metric: string;
  period: string;
  count: number;
}

/** Sums by day; arrays always have 31 elements. */
export interface MonthOfDays {
  metric: string;
  month: string;
  counts: readonly number[];
}

export interface MonthTotal {
  metric: string;
  month: string;
  total: number;
}

export const monthsOf = (span: Span): string[] => periodsOf(span, 'MONTH');

const nextMonth = (month: string) => periodOf(daysAfter(month, 31), 'MONTH');

export const wholeMonths = (span: Span): string[] =>
  monthsOf(span).filter((month) => month >= span.from && daysAfter(nextMonth(month), -1) <= span.to);

/** The same number of months directly before. */
export function precedingMonths(months: readonly string[]): string[] {
  let month = months[0] ?? '';
  return months
    .map(() => {
      month = periodOf(daysAfter(month, -1), 'MONTH');
      return month;
    })
    .reverse();
}

/** Days of a month within the span, with their index in the counts. */
export function daysIn(month: string, span: Span): { day: string; index: number }[] {
  const days: { day: string; index: number }[] = [];
  const end = nextMonth(month);
  for (let day = month, index = 0; day < end; day = daysAfter(day, 1), index++) {
    if (day >= span.from && day <= span.to) days.push({ day, index });
  }
  return days;
}

/** Counts by period and metric, including periods without data. */
export function byPeriod(
  metrics: readonly string[],
  span: Span,
  group: Group,
  { days, totals }: { days: readonly MonthOfDays[]; totals: readonly MonthTotal[] },
): InsightPeriod[] {
  const periods = periodsOf(span, group);
  const sums = new Map(metrics.map((metric) => [metric, new Map(periods.map((period) => [period, 0]))]));
  const add = (metric: string, period: string, count: number) => {
    const known = sums.get(metric);
    known?.set(period, (known.get(period) ?? 0) + count);
  };
  for (const { metric, month, total } of totals) add(metric, periodOf(month, group), total);
  const daysByMonth = new Map<string, { period: string; index: number }[]>();
  for (const { metric, month, counts } of days) {
    const known =
      daysByMonth.get(month) ?? daysIn(month, span).map(({ day, index }) => ({ period: periodOf(day, group), index }));
    daysByMonth.set(month, known);
    for (const { period, index } of known) add(metric, period, counts[index] ?? 0);
  }
  return [...sums].flatMap(([metric, counted]) => [...counted].map(([period, count]) => ({ metric, period, count })));
}
