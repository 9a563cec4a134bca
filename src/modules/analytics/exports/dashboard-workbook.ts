import { lastFullDay, wholePeriods } from '../../../values/span.ts';
import type { Location } from '../../locations/index.ts';
import { averageOf } from '../arithmetic.ts';
import { refreshOrSkip } from '../homepage/homepage-jobs.ts';
import { locationScores } from '../homepage/location-score.ts';
import type { ExportContext, ExportSource } from './export.ts';
import { type ExportRequest, titleOf } from './export-request.ts';
import {
  currentFigures,
  locationPages,
  periodFigures,
  type ReportFigures,
  readReportFigures,
  subjectOf,
} from './report-figures.ts';
import { periodLine, periodStyle, SummaryPage } from './summary-page.ts';
import { metricName, type ReportTexts, textsIn } from './texts/report-texts.ts';
import type { Column, PageSheet, Row, Sheet, Style, TableSheet, Value } from './xlsx/sheet.ts';

/** A summary with charts, followed by the underlying figures. */
export async function* dashboardSheets(
  source: ExportSource,
  request: ExportRequest,
  { now, progress }: ExportContext,
): AsyncGenerator<Sheet> {
  const texts = textsIn(request.language);
  const figures = await readReportFigures(source.sql, request);
  progress.expect(figures.locationsCount);
  progress.advance();
  const subject = await subjectOf(source.sql, request.scope);
  yield summaryOf(texts, request, figures, { now, subject });
  yield feedbackTable(texts, request, figures);
  if (figures.insights.metrics.length > 0) yield insightsTable(texts, request, figures);
  yield locationsTable(source, texts, request, { now, progress });
}

function summaryOf(
  texts: ReportTexts,
  request: ExportRequest,
  figures: ReportFigures,
  { now, subject }: { now: Date; subject: string },
): PageSheet {
  const { span, group } = request;
  const { views, actions, periods, until: countedUntil } = figures.insights;
  const { locationsCount } = figures;
  const page = new SummaryPage(texts, titleOf(request), { subject, span, locationsCount, createdOn: now, countedUntil })
    .compared(texts.keyFigures, periodFigures(texts, figures))
    .current(texts.listings, currentFigures(texts, figures));
  const { figures: names } = texts;
  const timeline = page.lines(
    texts.development,
    [texts.period, names.interactions, names.ratings, names.averageRating, names.views, names.actions],
    figures.feedbackPeriods.map(({ period, interactionCount, ratingCount, ratingSum }, index) => [
      { value: period, style: periodLine(group) },
      { value: interactionCount, style: 'lineInteger' },
      { value: ratingCount, style: 'lineInteger' },
      { value: averageOf(ratingSum, ratingCount), style: 'lineDecimal' },
      { value: views.counts[index], style: 'lineInteger' },
      { value: actions.counts[index], style: 'lineInteger' },
    ]),
  );
  const { countByRating, ratingCount } = figures.feedback;
  const rated = page.lines(
    texts.ratings,
    [texts.ratings, texts.total, '%'],
    countByRating.map(({ rating, count }) => [
      { value: texts.stars(rating), style: 'label' },
      { value: count, style: 'lineInteger' },
      { value: averageOf(count, ratingCount), style: 'linePercent' },
    ]),
  );
  if (views.total + actions.total > 0) {
    page.chart(
      'line',
      `${names.views} · ${names.actions}`,
      timeline,
      [
        { name: names.views, column: 4 },
        { name: names.actions, column: 5 },
      ],
      wholePeriods(periods, group, { from: span.from, to: countedUntil ?? span.to }),
    );
  }
  const whole = wholePeriods(periods, group, { from: span.from, to: lastFullDay(span, now) });
  return page
    .chart('line', names.interactions, timeline, [{ name: names.interactions, column: 1 }], whole)
    .chart('line', names.averageRating, timeline, [{ name: names.averageRating, column: 3 }])
    .chart('bar', texts.ratings, rated, [{ name: texts.ratings, column: 1 }])
    .sheet();
}

const feedbackTable = (
  texts: ReportTexts,
  { group }: ExportRequest,
  { feedbackPeriods }: ReportFigures,
): TableSheet => ({
  kind: 'table',
  name: texts.feedbackByPeriod,
  frozenColumns: 1,
  columns: [
    { title: texts.period, style: periodStyle(group), width: 14 },
    { title: texts.figures.interactions, style: 'integer', width: 22 },
    { title: texts.figures.ratings, style: 'integer', width: 14 },
    { title: texts.figures.averageRating, style: 'decimal', width: 26 },
  ],
  rows: feedbackPeriods.map(({ period, interactionCount, ratingCount, ratingSum }) => [
    period,
    interactionCount,
    ratingCount,
    averageOf(ratingSum, ratingCount),
  ]),
});

const insightsTable = (texts: ReportTexts, { group }: ExportRequest, { insights }: ReportFigures): TableSheet => ({
  kind: 'table',
  name: texts.insightsByPeriod,
  frozenColumns: 1,
  columns: [
    { title: texts.period, style: periodStyle(group), width: 14 },
    ...insights.metrics.map(({ directoryName, metric }): Column => {
      const title = `${directoryName}: ${metricName(texts, metric)}`;
      return { title, style: 'integer', width: Math.max(14, title.length + 4) };
    }),
  ],
  rows: insights.periods.map((period, index) => [period, ...insights.metrics.map(({ counts }) => counts[index])]),
});

/** Limits catching up with concurrent changes; 1,000 locations per round. */
const maxRounds = 200;

const locationFields = [
  'identifier',
  'name',
  'street',
  'streetNo',
  'zip',
  'city',
  'country',
  'status',
  'profileCompleteness',
  'classification',
  'visibilityIndex',
  'listingsCount',
  'listingsInSync',
  'ratingsCount',
  'ratingsSum',
  'dataPointsCount',
] as const;

function locationsTable(
  { database, sql }: ExportSource,
  texts: ReportTexts,
  { scope }: ExportRequest,
  { now, progress }: ExportContext,
): TableSheet {
  async function* rows(): AsyncGenerator<Row> {
    // Count pending changes first, because the file is permanent.
    for (let round = 0; round < maxRounds; round += 1) {
      if (!(await refreshOrSkip(database, scope.partnerId, now))) break;
    }
    for await (const page of locationPages(sql, scope, locationFields)) {
      // From the primary, because they were counted above.
      const scored = await locationScores(
        database.pool,
        page.map(({ id }) => id),
      );
      const scores = new Map(scored.map(({ locationId, score }) => [locationId, score]));
      for (const location of page) {
        const score = scores.get(location.id);
        yield locationColumns.map(({ value }) => value(location, score));
        progress.rows += 1;
        progress.advance();
      }
    }
  }
  return {
    kind: 'table',
    name: texts.locationsHeading,
    frozenColumns: 3,
    columns: locationColumns.map(({ text, style, width }) => ({ title: texts.location[text], style, width })),
    rows: rows(),
  };
}

interface LocationColumn {
  /** The text of the title. */
  text: keyof ReportTexts['location'];
  style: Style;
  width: number;
  value(location: Pick<Location, 'id' | (typeof locationFields)[number]>, score: number | undefined): Value;
}

const locationColumns: readonly LocationColumn[] = [
  { text: 'id', style: 'id', width: 9, value: ({ id }) => id },
  { text: 'identifier', style: 'text', width: 18, value: ({ identifier }) => identifier },
  { text: 'name', style: 'text', width: 36, value: ({ name }) => name },
  { text: 'street', style: 'text', width: 28, value: (at) => [at.street, at.streetNo].filter(Boolean).join(' ') },
  { text: 'zip', style: 'text', width: 12, value: ({ zip }) => zip },
  { text: 'city', style: 'text', width: 20, value: ({ city }) => city },
  { text: 'country', style: 'text', width: 10, value: ({ country }) => country },
  { text: 'status', style: 'text', width: 14, value: ({ status }) => status },
  { text: 'classification', style: 'text', width: 20, value: ({ classification }) => classification },
  { text: 'score', style: 'integer', width: 13, value: (_, score) => score },
  { text: 'completeness', style: 'percent', width: 17, value: (at) => at.profileCompleteness / 100 },
  { text: 'visibilityIndex', style: 'integer', width: 20, value: ({ visibilityIndex }) => visibilityIndex },
  { text: 'listings', style: 'integer', width: 12, value: ({ listingsCount }) => listingsCount },
  { text: 'listingsInSync', style: 'integer', width: 15, value: ({ listingsInSync }) => listingsInSync },
  { text: 'shareInSync', style: 'percent', width: 18, value: (at) => averageOf(at.listingsInSync, at.listingsCount) },
  { text: 'averageRating', style: 'decimal', width: 18, value: (at) => averageOf(at.ratingsSum, at.ratingsCount) },
  { text: 'ratings', style: 'integer', width: 15, value: ({ ratingsCount }) => ratingsCount },
  { text: 'dataPoints', style: 'integer', width: 22, value: ({ dataPointsCount }) => dataPointsCount },
];
