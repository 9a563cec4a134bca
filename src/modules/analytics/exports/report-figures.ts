import type { Sql } from '../../../database/connection.ts';
import { fullReach } from '../../../http/access.ts';
import { type Group, periodsOf, previousSpan, type Span } from '../../../values/span.ts';
import { findPartner } from '../../accounts/index.ts';
import { readBusiness } from '../../catalog/index.ts';
import { directoryList, directoryName } from '../../directories/index.ts';
import { countScope, type Location, listLocations, type Scope } from '../../locations/index.ts';
import { averageOf, sumOf } from '../arithmetic.ts';
import { feedbackByPeriod, feedbackTotals, responseTimes } from '../dashboard/feedback/feedback-figures.ts';
import { listingHealth, profileCompleteness, visibilityIndex } from '../dashboard/health/health-figures.ts';
import { type Counted, countedDays } from '../dashboard/insights/data-availability.ts';
import { actions, insightsByPeriod, type MetricsByDirectory, views } from '../dashboard/insights/insight-figures.ts';
import { metricName, type ReportTexts } from './texts/report-texts.ts';

/** Figures of the counted days of a span and of the preceding days. */
interface CountedFigures {
  total: number;
  /** Null if the preceding days were not counted. */
  previousTotal: number | null;
  /** In the order of the periods; null for periods without data. */
  counts: readonly (number | null)[];
}

export interface MetricFigures extends CountedFigures {
  directoryType: string;
  directoryName: string;
  metric: string;
}

export interface FigureSelection {
  scope: Scope;
  span: Span;
  group: Group;
  /** Directories of the insights. */
  directoryTypes?: readonly string[];
  /** Directories of all figures; all directories if it is absent. */
  onlyDirectories?: readonly string[];
  /** For exports of, and processes of, the previous minor version: the only one of `onlyDirectories`. */
  onlyDirectory?: string;
  metrics?: readonly string[];
}

export interface InsightFigures {
  periods: readonly string[];
  metrics: readonly MetricFigures[];
  /** Last day of the sums over directories. */
  until?: string;
  views: CountedFigures;
  actions: CountedFigures;
}

/** Directories without data in the span are omitted. */
export async function readInsightFigures(sql: Sql, selection: FigureSelection): Promise<InsightFigures> {
  const { scope, span, group, directoryTypes, metrics } = selection;
  const periods = periodsOf(span, group);
  const metricsByDirectory = new Map(
    directoryList
      .filter(({ type }) => directoryTypes?.includes(type) ?? true)
      .map(({ type, metrics: known }) => [type, known.filter((metric) => metrics?.includes(metric) ?? true)] as const)
      .filter(([, names]) => names.length > 0),
  );
  const counted = countedDays(sql, scope, span, [...metricsByDirectory.keys()]);
  const read = async (directoryType: string, names: readonly string[], days: Counted): Promise<MetricFigures[]> => {
    const query = { directoryType, metrics: names };
    const metricOf = ({ metric }: { metric: string }) => metric;
    const now = Map.groupBy(await insightsByPeriod(sql, scope, days.span, group, query), metricOf);
    const before = days.before && Map.groupBy(await insightsByPeriod(sql, scope, days.before, 'YEAR', query), metricOf);
    return names.map((metric) => {
      const counts = new Map(now.get(metric)?.map(({ period, count }) => [period, count]));
      return {
        directoryType,
        directoryName: directoryName(directoryType),
        metric,
        total: sumOf([...counts.values()], (count) => count),
        previousTotal: before ? sumOf(before.get(metric) ?? [], ({ count }) => count) : null,
        counts: periods.map((period) => counts.get(period) ?? null),
      };
    });
  };
  const found: MetricFigures[] = [];
  for (const [type, names] of metricsByDirectory) {
    const days = await counted.of(type);
    const figures = days ? await read(type, names, days) : [];
    if (figures.some(({ total }) => total > 0)) found.push(...figures);
  }
  const { until, parts } = await counted.ofAll([...metricsByDirectory.keys()]);
  const allOf = async (kind: MetricsByDirectory): Promise<CountedFigures> => {
    const all: MetricFigures[] = [];
    for (const [type, days] of parts) {
      const names = metricsByDirectory.get(type)?.filter((name) => kind[type]?.includes(name)) ?? [];
      if (names.length > 0) all.push(...(await read(type, names, days)));
    }
    return sumFigures(all, periods.length);
  };
  return { periods, metrics: found, ...(until && { until }), views: await allOf(views), actions: await allOf(actions) };
}

function sumFigures(all: readonly CountedFigures[], periods: number): CountedFigures {
  return {
    total: sumOf(all, ({ total }) => total),
    previousTotal: all.some(({ previousTotal }) => previousTotal === null)
      ? null
      : sumOf(all, ({ previousTotal }) => previousTotal ?? 0),
    counts: Array.from({ length: periods }, (_, index) => {
      const known = all.flatMap(({ counts }) => counts[index] ?? []);
      return known.length > 0 ? sumOf(known, (count) => count) : null;
    }),
  };
}

export type ReportFigures = Awaited<ReturnType<typeof readReportFigures>>;

/** Sequential queries: exports are not time-critical. */
export async function readReportFigures(sql: Sql, selection: FigureSelection) {
  const { scope, span, group, onlyDirectory } = selection;
  const directories = selection.onlyDirectories ?? (onlyDirectory === undefined ? undefined : [onlyDirectory]);
  const current = { scope, span, directoryTypes: directories };
  const previous = { ...current, span: previousSpan(span) };
  return {
    locationsCount: await countScope(sql, scope),
    insights: await readInsightFigures(sql, selection),
    feedback: await feedbackTotals(sql, current),
    previousFeedback: await feedbackTotals(sql, previous),
    /** In the order of the periods. */
    feedbackPeriods: await feedbackByPeriod(sql, current, group),
    responses: await responseTimes(sql, current),
    previousResponses: await responseTimes(sql, previous),
    health: await listingHealth(sql, scope, directories),
    completeness: await profileCompleteness(sql, scope),
    visibility: await visibilityIndex(sql, scope, span, group, directories),
  };
}

/** Relative change; null without a previous value. */
export const changeOf = (now: number | null, before: number | null): number | null =>
  now === null || !before ? null : now / before - 1;

export type FigureFormat = 'integer' | 'decimal' | 'percent';

export interface KeyFigure {
  label: string;
  format: FigureFormat;
  now: number | null;
  /** Absent for figures without a previous period. */
  before?: number | null;
  lessIsBetter?: true;
}

export const countFigure = (label: string, { total, previousTotal }: CountedFigures): KeyFigure => ({
  label,
  format: 'integer',
  now: total,
  before: previousTotal,
});

/** Figures of the span, compared with the preceding days. */
export function periodFigures({ figures: names }: ReportTexts, figures: ReportFigures): KeyFigure[] {
  const { feedback, previousFeedback, responses, previousResponses, insights } = figures;
  const current = { ...feedback, ...responses };
  const previous = { ...previousFeedback, ...previousResponses };
  const figure = (label: string, format: FigureFormat, read: (all: typeof current) => number | null): KeyFigure => ({
    label,
    format,
    now: read(current),
    before: read(previous),
  });
  return [
    figure(names.interactions, 'integer', ({ interactionCount }) => interactionCount),
    figure(names.ratings, 'integer', ({ ratingCount }) => ratingCount),
    figure(names.averageRating, 'decimal', ({ ratingSum, ratingCount }) => averageOf(ratingSum, ratingCount)),
    figure(names.replied, 'percent', ({ responseRate }) => responseRate),
    { ...figure(names.medianResponseHours, 'decimal', ({ medianHours }) => medianHours), lessIsBetter: true },
    countFigure(names.views, insights.views),
    countFigure(names.actions, insights.actions),
  ];
}

export const metricFigures = (texts: ReportTexts, metrics: readonly MetricFigures[]): KeyFigure[] =>
  metrics.map((figures) => countFigure(metricName(texts, figures.metric), figures));

/** Current state of listings and profiles. */
export function currentFigures({ figures: names }: ReportTexts, figures: ReportFigures): KeyFigure[] {
  const { feedback, health, completeness, visibility } = figures;
  const average = completeness.averageProfileCompleteness;
  const counts: [string, number][] = [
    [names.listingsInSync, health.countListingsInSync],
    [names.listingsSubmitted, health.countListingsSubmitted],
    [names.listingsBeingUpdated, health.countListingsBeingUpdated],
    [names.listingsLinked, health.countListingsLinked],
    [names.listingsActionRequired, health.countListingsActionRequired],
    [names.locationsRequireSync, health.countLocationsRequireSync],
    [names.locationsNeedReview, health.countLocationsNeedsReview],
    [names.unread, feedback.unreadInteractionCount],
  ];
  return [
    { label: names.completeness, format: 'percent', now: average === undefined ? null : average / 100 },
    { label: names.visibilityIndex, format: 'integer', now: visibility.score ?? null },
    ...counts.map(([label, now]): KeyFigure => ({ label, format: 'integer', now })),
  ];
}

const byId = { sort: 'id', descending: false } as const;

/** Streams the locations of a scope by id, with the given properties. */
export async function* streamLocations<Field extends keyof Location>(
  sql: Sql,
  scope: Scope,
  fields: readonly Field[],
): AsyncGenerator<Pick<Location, Field | 'id'>, void, undefined> {
  for await (const page of locationPages(sql, scope, fields)) yield* page;
}

export async function* locationPages<Field extends keyof Location>(
  sql: Sql,
  scope: Scope,
  fields: readonly Field[],
  pageSize = 500,
): AsyncGenerator<Pick<Location, Field | 'id'>[], void, undefined> {
  const { partnerId } = scope;
  const fieldNames = new Set<string>(fields);
  const read = (filter: object, after: number) => {
    const page = { offset: 0, limit: pageSize, after };
    return listLocations(sql, { partnerId, reach: fullReach, filter }, byId, page, fieldNames) as Promise<
      Pick<Location, Field | 'id'>[]
    >;
  };
  if (scope.kind === 'locations') {
    const ids = scope.locationIds.toSorted((a, b) => a - b);
    for (let from = 0; from < ids.length; from += pageSize)
      yield await read({ ids: ids.slice(from, from + pageSize) }, 0);
    return;
  }
  const filter = scope.kind === 'businesses' ? { businessIds: scope.businessIds } : {};
  for (let after = 0; ; ) {
    const found = await read(filter, after);
    yield found;
    if (found.length < pageSize) return;
    after = found.at(-1)?.id ?? after;
  }
}

/** Name of the only location or business, otherwise of the partner. */
export async function subjectOf(sql: Sql, scope: Scope): Promise<string> {
  const { partnerId } = scope;
  if (scope.kind === 'locations' && scope.locationIds.length === 1) {
    for await (const { name } of streamLocations(sql, scope, ['name'])) return name;
  }
  const [businessId, ...others] = scope.kind === 'businesses' ? scope.businessIds : [];
  const business =
    businessId !== undefined && others.length === 0 ? await readBusiness(sql, partnerId, businessId) : undefined;
  return business?.name ?? (await findPartner(sql, partnerId, partnerId))?.name ?? '';
}
