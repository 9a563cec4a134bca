import type { Sql } from '../../../database/connection.ts';
import { daysAfter, type Group, periodOf, wholePeriods } from '../../../values/span.ts';
import { countScope } from '../../locations/index.ts';
import { readInsightDays } from '../dashboard/insights/insight-figures.ts';
import type { ExportContext, ExportProgress } from './export.ts';
import type { ExportRequest } from './export-request.ts';
import {
  countFigure,
  type InsightFigures,
  locationPages,
  type MetricFigures,
  metricFigures,
  readInsightFigures,
  subjectOf,
} from './report-figures.ts';
import { periodLine, periodStyle, SummaryPage } from './summary-page.ts';
import { metricName, type ReportTexts, textsIn } from './texts/report-texts.ts';
import type { Column, PageSheet, Row, Sheet, TableSheet } from './xlsx/sheet.ts';

/** A summary of the totals, then one sheet per directory. */
export async function* insightSheets(
  sql: Sql,
  request: ExportRequest,
  { now, progress }: ExportContext,
): AsyncGenerator<Sheet> {
  const texts = textsIn(request.language);
  const figures = await readInsightFigures(sql, request);
  const locationsCount = await countScope(sql, request.scope);
  const directories = Map.groupBy(figures.metrics, ({ directoryType }) => directoryType);
  progress.expect(locationsCount * directories.size);
  progress.advance();
  const subject = await subjectOf(sql, request.scope);
  yield summaryOf(texts, request, figures, { now, subject, locationsCount });
  for (const metrics of directories.values()) yield directoryTable(sql, texts, request, metrics, progress);
}

function summaryOf(
  texts: ReportTexts,
  { span, group }: ExportRequest,
  figures: InsightFigures,
  { now, subject, locationsCount }: { now: Date; subject: string; locationsCount: number },
): PageSheet {
  const { views, actions, periods, until: countedUntil } = figures;
  const about = { subject, span, locationsCount, createdOn: now, countedUntil };
  const page = new SummaryPage(texts, texts.insightsTitle, about);
  const { figures: names } = texts;
  page.compared(texts.total, [countFigure(names.views, views), countFigure(names.actions, actions)]);
  for (const [name, metrics] of Map.groupBy(figures.metrics, ({ directoryName }) => directoryName)) {
    page.compared(name, metricFigures(texts, metrics));
  }
  const timeline = page.lines(
    texts.development,
    [texts.period, names.views, names.actions],
    periods.map((period, index) => [
      { value: period, style: periodLine(group) },
      { value: views.counts[index], style: 'lineInteger' },
      { value: actions.counts[index], style: 'lineInteger' },
    ]),
  );
  const completePeriods = wholePeriods(periods, group, { from: span.from, to: countedUntil ?? span.to });
  return page
    .chart('line', names.views, timeline, [{ name: names.views, column: 1 }], completePeriods)
    .chart('line', names.actions, timeline, [{ name: names.actions, column: 2 }], completePeriods)
    .sheet();
}

function directoryTable(
  sql: Sql,
  texts: ReportTexts,
  request: ExportRequest,
  metrics: readonly MetricFigures[],
  progress: ExportProgress,
): TableSheet {
  const [{ directoryType, directoryName }] = metrics as [MetricFigures];
  const names = metrics.map(({ metric }) => metric);
  const { location } = texts;
  return {
    kind: 'table',
    name: directoryName,
    frozenColumns: 3,
    columns: [
      { title: location.id, style: 'id', width: 9 },
      { title: location.identifier, style: 'text', width: 18 },
      { title: location.name, style: 'text', width: 36 },
      { title: location.city, style: 'text', width: 20 },
      { title: location.country, style: 'text', width: 10 },
      { title: texts.period, style: periodStyle(request.group), width: 13 },
      ...names.map((metric): Column => {
        const title = metricName(texts, metric);
        return { title, style: 'integer', width: Math.max(12, title.length + 4) };
      }),
    ],
    rows: insightRows(sql, request, { directoryTypes: [directoryType], metrics: names }, progress),
  };
}

const locationFields = ['identifier', 'name', 'city', 'country'] as const;
/** About 5,000 rows per batch on the busiest directories. */
const locationBatch = 10;

/** One row per location and period, with the counts in the order of the metrics, null without data. */
async function* insightRows(
  sql: Sql,
  { scope, span, group }: ExportRequest,
  query: { directoryTypes: readonly string[]; metrics: readonly string[] },
  progress: ExportProgress,
): AsyncGenerator<Row> {
  const periodOfDay = cachedPeriodOfDay(group);
  const columnByMetric = new Map(query.metrics.map((metric, index) => [metric, index]));
  for await (const locations of locationPages(sql, scope, locationFields, locationBatch)) {
    const ids = locations.map(({ id }) => id);
    const byLocation = Map.groupBy(await readInsightDays(sql, ids, span, query), ({ locationId }) => locationId);
    for (const { id, identifier, name, city, country } of locations) {
      const periods = new Map<string, (number | null)[]>();
      for (const { metric, month, counts } of byLocation.get(id) ?? []) {
        const column = columnByMetric.get(metric) as number;
        addMonth(periods, { first: month, counts, periodOfDay, column, width: query.metrics.length });
      }
      for (const [period, counts] of [...periods].sort(([a], [b]) => (a < b ? -1 : 1))) {
        progress.rows += 1;
        yield [id, identifier, name, city, country, period, ...counts];
      }
      progress.advance();
    }
  }
}

/** Adds the days of a month to their periods. Sums the listings that a location has on the directory. */
function addMonth(
  periods: Map<string, (number | null)[]>,
  month: { first: string; counts: readonly (number | null)[]; periodOfDay: PeriodOfDay; column: number; width: number },
): void {
  const { first, counts, periodOfDay, column, width } = month;
  for (let index = 0; index < counts.length; index += 1) {
    const count = counts[index];
    if (count === null || count === undefined) continue;
    const period = periodOfDay(first, index);
    let row = periods.get(period);
    if (!row) {
      row = new Array<number | null>(width).fill(null);
      periods.set(period, row);
    }
    row[column] = (row[column] ?? 0) + count;
  }
}

/** `month` is its first day, `index` the day of the month from 0. */
type PeriodOfDay = (month: string, index: number) => string;

/** Cached, because exports call it millions of times for few different days. */
function cachedPeriodOfDay(group: Group): PeriodOfDay {
  const periodsByMonth = new Map<string, string[]>();
  return (month, index) => {
    let periods = periodsByMonth.get(month);
    if (!periods) {
      periods = Array.from({ length: 31 }, (_, day) => periodOf(daysAfter(month, day), group));
      periodsByMonth.set(month, periods);
    }
    return periods[index] as string;
  };
}
