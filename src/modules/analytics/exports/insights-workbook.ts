import type { Database } from '../../../database/connection.ts';
import { daysAfter, type Group, periodOf, type Span, wholePeriods } from '../../../values/span.ts';
import { countScope, type Scope } from '../../locations/index.ts';
import { streamInsightDays } from '../dashboard/insights/insight-figures.ts';
import type { ExportContext, ExportProgress } from './export.ts';
import { streamLocations, subjectOf } from './export-locations.ts';
import type { ExportRequest } from './export-request.ts';
import { type InsightFigures, type MetricFigures, readInsightFigures } from './report-figures.ts';
import { periodLine, periodStyle, SummaryPage } from './summary-page.ts';
import { metricName, type ReportTexts, textsIn } from './texts/report-texts.ts';
import type { Column, PageSheet, Row, Sheet, TableSheet } from './xlsx/sheet.ts';

/** A summary of the totals, then one sheet per directory. */
export async function* insightSheets(
  database: Database,
  request: ExportRequest,
  { now, progress }: ExportContext,
): AsyncGenerator<Sheet> {
  const texts = textsIn(request.language);
  const figures = await readInsightFigures(database.pool, request);
  const locationsCount = await countScope(database.pool, request.scope);
  const directories = Map.groupBy(figures.metrics, ({ directoryType }) => directoryType);
  progress.expect(locationsCount * directories.size);
  progress.advance();
  const subject = await subjectOf(database.pool, request.scope);
  yield summaryOf(texts, request, figures, { now, subject, locationsCount });
  for (const metrics of directories.values()) yield directoryTable(database, texts, request, metrics, progress);
}

function summaryOf(
  texts: ReportTexts,
  { span, group }: ExportRequest,
  figures: InsightFigures,
  { now, subject, locationsCount }: { now: Date; subject: string; locationsCount: number },
): PageSheet {
  const { views, actions, periods, until: countedUntil } = figures;
  const about = { subject, span, locationsCount, madeOn: now, countedUntil };
  const page = new SummaryPage(texts, texts.insightsTitle, about);
  const { figures: names } = texts;
  page.compared(texts.total, [
    { label: names.views, format: 'integer', now: views.total, before: views.previousTotal },
    { label: names.actions, format: 'integer', now: actions.total, before: actions.previousTotal },
  ]);
  for (const [name, metrics] of Map.groupBy(figures.metrics, ({ directoryName }) => directoryName)) {
    page.compared(
      name,
      metrics.map(({ metric, total, previousTotal }) => ({
        label: metricName(texts, metric),
        format: 'integer',
        now: total,
        before: previousTotal,
      })),
    );
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
  database: Database,
  texts: ReportTexts,
  { scope, span, group }: ExportRequest,
  metrics: readonly MetricFigures[],
  progress: ExportProgress,
): TableSheet {
  const [{ directoryType, directoryName }] = metrics as [MetricFigures];
  const names = metrics.map(({ metric }) => metric);
  async function* rows(): AsyncGenerator<Row> {
    const query = { directoryType, metrics: names, group, onLocation: progress.advance };
    for await (const { location, period, counts } of streamInsightRows(database, scope, span, query)) {
      const { id, identifier, name, city, country } = location;
      progress.rows += 1;
      yield [id, identifier, name, city, country, period, ...counts];
    }
  }
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
      { title: texts.period, style: periodStyle(group), width: 13 },
      ...names.map((metric): Column => {
        const title = metricName(texts, metric);
        return { title, style: 'integer', width: Math.max(12, title.length + 4) };
      }),
    ],
    rows: rows(),
  };
}

const locationFields = ['identifier', 'name', 'city', 'country'] as const;

interface InsightRow {
  location: { id: number; identifier: string | null; name: string; city: string | null; country: string | null };
  period: string;
  /** In the order of the metrics. Null without data. */
  counts: (number | null)[];
}

interface RowQuery {
  directoryType: string;
  metrics: readonly string[];
  group: Group;
  /** Called after each location. */
  onLocation?: () => void;
}

/** Counts on a directory by location and period. Omits periods without data. Buffers one location at a time. */
async function* streamInsightRows(
  { pool }: Pick<Database, 'pool'>,
  scope: Scope,
  span: Span,
  { directoryType, metrics, group, onLocation }: RowQuery,
): AsyncGenerator<InsightRow, void, undefined> {
  const periodOfDay = cachedPeriodOfDay(group);
  const columnByMetric = new Map(metrics.map((metric, index) => [metric, index]));
  const months = streamInsightDays({ pool }, scope, span, { directoryTypes: [directoryType], metrics });
  try {
    let month = await months.next();
    for await (const location of streamLocations(pool, scope, locationFields)) {
      const periods = new Map<string, (number | null)[]>();
      // The months may include a location that was deleted during the export.
      while (!month.done && month.value.locationId <= location.id) {
        const { locationId, metric, month: first, counts } = month.value;
        const column = columnByMetric.get(metric);
        if (locationId === location.id && column !== undefined) {
          addMonth(periods, { first, counts, periodOfDay, column, width: metrics.length });
        }
        month = await months.next();
      }
      for (const period of [...periods.keys()].sort()) {
        yield { location, period, counts: periods.get(period) ?? [] };
      }
      onLocation?.();
    }
  } finally {
    await months.return();
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
