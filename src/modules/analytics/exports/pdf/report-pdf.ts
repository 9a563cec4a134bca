import type { Sql } from '../../../../database/connection.ts';
import { lastFullDay, wholePeriods } from '../../../../values/span.ts';
import { averageOf } from '../../arithmetic.ts';
import type { ExportContext, ExportProgress } from '../export.ts';
import type { ExportRequest } from '../export-request.ts';
import {
  currentFigures,
  type KeyFigure,
  metricFigures,
  periodFigures,
  type ReportFigures,
  readReportFigures,
  streamLocations,
  subjectOf,
} from '../report-figures.ts';
import { type ReportTexts, textsIn } from '../texts/report-texts.ts';
import {
  type Block,
  bars,
  drawTitlePage,
  type Formats,
  formatsOf,
  heading,
  lines,
  note,
  paginate,
  rowHeight,
  space,
  type TableColumn,
  tableHead,
  tableRow,
} from './blocks.ts';
import { bottom, Paper, top } from './paper.ts';

// 76 points: heading (36), two-line table head (33) and a margin of 7.
const locationsPerPage = Math.floor((bottom - top - 76) / rowHeight);

/** Title page, figures, charts and a table of locations. Location pages are streamed while the locations are read. */
export async function* reportPdf(
  sql: Sql,
  request: ExportRequest,
  { now, progress }: ExportContext,
): AsyncGenerator<Buffer> {
  const texts = textsIn(request.language);
  const figures = await readReportFigures(sql, request);
  const subject = await subjectOf(sql, request.scope);
  progress.expect(figures.locationsCount);
  progress.advance();
  const formats = formatsOf(texts.locale);
  const context = { texts, formats, figures, request, now };
  const figurePages = paginate(blocksOf(context));
  const locationPageCount = Math.ceil(figures.locationsCount / locationsPerPage);
  const paper = new Paper({
    title: `${texts.reportTitle} – ${subject}`,
    texts,
    language: request.language,
    pages: 1 + figurePages.length + locationPageCount,
    created: now,
  });
  paper.addPage();
  drawTitlePage(paper, formats, titlePageOf(context, subject));
  yield* paper.flush();
  for (const blocks of figurePages) {
    drawPage(paper, blocks);
    yield* paper.flush();
  }
  yield* writeLocationPages(sql, paper, context, { progress, pageCount: locationPageCount });
  yield* paper.finish();
}

function drawPage(paper: Paper, blocks: readonly Block[]): void {
  paper.addPage();
  let y = top;
  for (const block of blocks) {
    block.draw(paper, y);
    y += block.height;
  }
}

interface ReportContext {
  texts: ReportTexts;
  formats: Formats;
  figures: ReportFigures;
  request: ExportRequest;
  now: Date;
}

function titlePageOf(context: ReportContext, subject: string) {
  const { texts, formats, figures, request, now } = context;
  const [interactions, , rating, replied, , views, actions] = periodFigures(texts, figures);
  const [, visibility] = currentFigures(texts, figures);
  const tiles = [interactions, rating, replied, views, actions, visibility].filter((tile) => tile !== undefined);
  const names = texts.figures;
  const { insights } = figures;
  const { until } = insights;
  const hasInsights = insights.views.total + insights.actions.total > 0;
  const series = hasInsights
    ? [
        { name: names.views, values: insights.views.counts },
        { name: names.actions, values: insights.actions.counts },
      ]
    : [{ name: names.interactions, values: figures.feedbackPeriods.map(({ interactionCount }) => interactionCount) }];
  return {
    title: texts.reportTitle,
    subject,
    days: `${formats.day(request.span.from)} – ${formats.day(request.span.to)}`,
    locations: texts.locations(figures.locationsCount),
    createdOn: `${texts.createdOn} ${formats.day(now)}`,
    ...(until !== undefined && until < request.span.to && { note: texts.countedUntil(formats.day(until)) }),
    tiles,
    chart: {
      title: texts.development,
      format: formats.short,
      ...timeline(context, series, hasInsights ? until : undefined),
    },
  };
}

/** Omits an incomplete first or last period, which would look like a decline. */
function timeline(
  { formats, figures, request: { group, span }, now }: ReportContext,
  series: readonly { name: string; values: readonly (number | null)[] }[],
  until = lastFullDay(span, now),
) {
  const { periods } = figures.insights;
  const { first, last } = wholePeriods(periods, group, { from: span.from, to: until });
  return {
    labels: periods.slice(first, last + 1).map((period) => formats.period(period, group)),
    series: series.map(({ name, values }) => ({ name, values: values.slice(first, last + 1) })),
  };
}

function blocksOf(context: ReportContext): Block[] {
  const { texts, formats, figures, request } = context;
  const { feedbackPeriods, feedback, insights } = figures;
  const labels = feedbackPeriods.map(({ period }) => formats.period(period, request.group));
  const names = texts.figures;
  return [
    heading(texts.keyFigures),
    ...comparisonTable(context, periodFigures(texts, figures)),
    heading(texts.listings),
    ...currentFiguresTable(context),
    heading(texts.feedback),
    lines({
      format: formats.short,
      ...timeline(context, [
        { name: names.interactions, values: feedbackPeriods.map(({ interactionCount }) => interactionCount) },
      ]),
    }),
    lines({
      labels,
      format: formats.integer,
      series: [
        {
          name: names.averageRating,
          values: feedbackPeriods.map(({ ratingSum, ratingCount }) => averageOf(ratingSum, ratingCount)),
        },
      ],
    }),
    heading(texts.ratings),
    bars({
      labels: feedback.countByRating.map(({ rating }) => texts.stars(rating)),
      values: feedback.countByRating.map(({ count }) => count),
      format: formats.integer,
    }),
    heading(texts.insights),
    ...(insights.metrics.length === 0 ? [note(texts.nothing)] : []),
    ...[...Map.groupBy(insights.metrics, ({ directoryName }) => directoryName)].flatMap(([name, metrics]) => [
      ...comparisonTable(context, metricFigures(texts, metrics), name),
      space(14),
    ]),
  ];
}

function comparisonTable(
  { texts, formats }: ReportContext,
  figures: readonly KeyFigure[],
  title = texts.figure,
): Block[] {
  const columns: TableColumn[] = [
    { title, share: 0.46, align: 'left' },
    { title: texts.thisPeriod, share: 0.18, align: 'right' },
    { title: texts.previousPeriod, share: 0.2, align: 'right' },
    { title: texts.change, share: 0.16, align: 'right' },
  ];
  return [
    tableHead(columns),
    ...figures.map((figure) =>
      tableRow(columns, [
        { text: figure.label },
        { text: formats.figure(figure.now, figure.format), bold: true },
        { text: formats.figure(figure.before, figure.format) },
        { ...formats.change(figure), bold: true },
      ]),
    ),
  ];
}

function currentFiguresTable({ texts, formats, figures }: ReportContext): Block[] {
  const columns: TableColumn[] = [
    { title: texts.figure, share: 0.7, align: 'left' },
    { title: texts.value, share: 0.3, align: 'right' },
  ];
  return [
    tableHead(columns),
    ...currentFigures(texts, figures).map(({ label, now, format }) =>
      tableRow(columns, [{ text: label }, { text: formats.figure(now, format), bold: true }]),
    ),
  ];
}

const locationFields = [
  'name',
  'city',
  'profileCompleteness',
  'visibilityIndex',
  'listingsCount',
  'listingsInSync',
  'ratingsCount',
  'ratingsSum',
] as const;

/** Every footer shows the number of pages, so locations created during the export are omitted. */
async function* writeLocationPages(
  sql: Sql,
  paper: Paper,
  { texts, formats, request }: ReportContext,
  { progress, pageCount }: { progress: ExportProgress; pageCount: number },
): AsyncGenerator<Buffer> {
  const { location } = texts;
  const columns: TableColumn[] = [
    { title: location.name, share: 0.34, align: 'left' },
    { title: location.city, share: 0.15, align: 'left' },
    { title: location.completeness, share: 0.14, align: 'right' },
    { title: location.visibilityIndex, share: 0.14, align: 'right' },
    { title: location.shareInSync, share: 0.115, align: 'right' },
    { title: location.averageRating, share: 0.115, align: 'right' },
  ];
  const rows = streamLocations(sql, request.scope, locationFields);
  try {
    for (let page = 0; page < pageCount; page += 1) {
      const blocks = [heading(texts.locationsHeading), tableHead(columns, { twoLines: true })];
      for (let row = 0; row < locationsPerPage; row += 1) {
        const { done, value } = await rows.next();
        if (done) break;
        const cells = [
          value.name,
          value.city ?? '',
          formats.figure(value.profileCompleteness / 100, 'percent'),
          formats.figure(value.visibilityIndex, 'integer'),
          formats.figure(averageOf(value.listingsInSync, value.listingsCount), 'percent'),
          formats.figure(averageOf(value.ratingsSum, value.ratingsCount), 'decimal'),
        ].map((text) => ({ text }));
        blocks.push(tableRow(columns, cells));
        progress.rows += 1;
        progress.advance();
      }
      drawPage(paper, blocks);
      yield* paper.flush();
    }
  } finally {
    await rows.return();
  }
}
