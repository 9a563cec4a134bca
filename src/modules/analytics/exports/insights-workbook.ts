import type { Database } from '../../../database/connection.ts';
import { wholePeriods } from '../../../values/span.ts';
import { countScope } from '../../locations/index.ts';
import type { ExportProgress } from './export-progress.ts';
import type { ExportRequest } from './export-request.ts';
import { streamInsightRows } from './insight-rows.ts';
import { type InsightFigures, type MetricFigures, readInsightFigures } from './report-figures.ts';
import { subjectOf } from './report-subject.ts';
import { periodLine, periodStyle, SummaryPage } from './summary-page.ts';
import { metricName, type ReportTexts, textsIn } from './texts/report-texts.ts';
import type { Column, PageSheet, Row, Sheet, TableSheet } from './xlsx/sheet.ts';

/** One sheet per directory after a summary of the totals. */
export async function* insightSheets(
  database: Database,
  request: ExportRequest,
  { now, progress }: { now: Date; progress: ExportProgress },
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
  const whole = wholePeriods(periods, group, { from: span.from, to: countedUntil ?? span.to });
  return page
    .chart('line', names.views, timeline, [{ name: names.views, column: 1 }], whole)
    .chart('line', names.actions, timeline, [{ name: names.actions, column: 2 }], whole)
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
