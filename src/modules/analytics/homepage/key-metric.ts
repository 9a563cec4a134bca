import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { anyOf, db, raw } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import { once } from '../../../values/single-flight.ts';
import { dayOf, daysAfter, periodOf, type Span } from '../../../values/span.ts';
import type { Scope } from '../../locations/index.ts';
import { averageOf, rounded, sumOf } from '../arithmetic.ts';
import { readNames } from '../dashboard/dashboard-query.ts';
import { numberOrNull } from '../dashboard/dashboard-route.ts';
import { feedbackTotals, responseTimes } from '../dashboard/feedback/feedback-figures.ts';
import { visibilityIndex } from '../dashboard/health/health-figures.ts';
import {
  calls,
  clicks,
  directionRequests,
  insightsByPeriod,
  type MetricsByDirectory,
  views,
} from '../dashboard/insights/insight-figures.ts';
import { totalsOf } from './home-location-store.ts';

const units = ['STARS', 'COUNT', 'PERCENT', 'HOURS', 'POINTS'] as const;

interface KeyMetric {
  title: string;
  description: string;
  unit: (typeof units)[number];
  lowerIsBetter?: true;
  /** Metrics by directory, if the value is counted by directories. */
  countedBy?: MetricsByDirectory;
  /** Null if there is no data. */
  read(figures: Figures): Promise<number | null>;
}

/** The sum of metrics over directories. */
const counted = (title: string, description: string, countedBy: MetricsByDirectory): KeyMetric => ({
  title,
  description,
  unit: 'COUNT',
  countedBy,
  read: ({ insights }) => insights(countedBy),
});

const definitions = {
  LOCATION_SCORE: {
    title: 'Location score',
    description: 'Average score of the locations, 0 to 100, at the end of the period.',
    unit: 'POINTS',
    read: ({ totals }) => totals().then(({ scoreSum, locations }) => averageOf(scoreSum, locations)),
  },
  AVERAGE_RATING: {
    title: 'Average rating',
    description: 'Average of all ratings in the period.',
    unit: 'STARS',
    read: ({ feedback }) => feedback().then(({ ratingSum, ratingCount }) => averageOf(ratingSum, ratingCount)),
  },
  REVIEWS: {
    title: 'Reviews',
    description: 'Number of reviews.',
    unit: 'COUNT',
    read: ({ responses }) =>
      responses().then(({ respondedCount, unrespondedCount }) => respondedCount + unrespondedCount),
  },
  INTERACTIONS: {
    title: 'Interactions',
    description: 'Number of reviews, photos, check-ins, conversations, comments and questions.',
    unit: 'COUNT',
    read: async ({ feedback }) => (await feedback()).interactionCount,
  },
  RESPONSE_RATE: {
    title: 'Response rate',
    description: 'Share of the reviews in the period that have a reply.',
    unit: 'PERCENT',
    read: ({ responses }) =>
      responses().then(({ responseRate }) => (responseRate === null ? null : 100 * responseRate)),
  },
  RESPONSE_TIME: {
    title: 'Response time',
    description: 'Average time from a review to the first reply.',
    unit: 'HOURS',
    lowerIsBetter: true,
    read: async ({ responses }) => (await responses()).averageHours,
  },
  VISIBILITY_INDEX: {
    title: 'Visibility index',
    description: 'Share of listing fields that are correct across directories, at the end of the period.',
    unit: 'POINTS',
    read: ({ visibility }) => visibility(),
  },
  PROFILE_COMPLETENESS: {
    title: 'Profile completeness',
    description: 'Average completeness of the profiles, at the end of the period.',
    unit: 'PERCENT',
    read: ({ totals }) => totals().then(({ completenessSum, locations }) => averageOf(completenessSum, locations)),
  },
  LISTINGS_IN_SYNC: {
    title: 'Listings in sync',
    description: 'Share of listings that match the location, at the end of the period.',
    unit: 'PERCENT',
    read: ({ totals }) => totals().then(({ listings, listingsInSync }) => averageOf(100 * listingsInSync, listings)),
  },
  IMPRESSIONS: counted('Views', 'Number of impressions on directories.', views),
  CLICKS: counted('Clicks', 'Number of clicks on directories, mostly to the website.', clicks),
  CALLS: counted('Calls', 'Number of calls from directories.', calls),
  DIRECTION_REQUESTS: counted('Direction requests', 'Number of direction requests on directories.', directionRequests),
  POSTS_PUBLISHED: {
    title: 'Posts published',
    description: 'Number of social posts published for the locations.',
    unit: 'COUNT',
    read: ({ posts }) => posts(),
  },
} as const satisfies Record<string, KeyMetric>;

type KeyMetricName = keyof typeof definitions;
export const keyMetrics: Readonly<Record<KeyMetricName, KeyMetric>> = definitions;
export const keyMetricNames = Object.keys(definitions) as readonly KeyMetricName[];

export const defaultMetrics: readonly KeyMetricName[] = [
  'LOCATION_SCORE',
  'AVERAGE_RATING',
  'REVIEWS',
  'RESPONSE_RATE',
  'VISIBILITY_INDEX',
  'IMPRESSIONS',
];

export const AvailableMetric = Type.Object({
  name: Type.Enum([...keyMetricNames]),
  title: Type.String({ examples: ['Average rating'] }),
  description: Type.String(),
  unit: Type.Enum([...units]),
  higherIsBetter: Type.Boolean(),
});

export const describeMetric = (name: KeyMetricName) => {
  const { title, description, unit, lowerIsBetter } = keyMetrics[name];
  return { name, title, description, unit, higherIsBetter: !lowerIsBetter };
};

const trends = ['UP', 'DOWN', 'STABLE', 'UNKNOWN'] as const;

export const KeyMetricResponse = Type.Object({
  name: Type.Enum([...keyMetricNames]),
  title: Type.String({ examples: ['Average rating'] }),
  unit: Type.Enum([...units]),
  value: numberOrNull('null if there is no data', 4.31),
  previousValue: numberOrNull(
    'Value of the preceding period. For metrics of directories, of as many days as in value, or null if a directory started counting later',
    4.19,
  ),
  countedUntil: Type.Optional(
    Type.String({
      description: 'For metrics of directories, the last day in value: the last day that all directories have counted',
      examples: ['2026-11-13'],
    }),
  ),
  previousUntil: Type.Optional(
    Type.String({
      description: 'Last day in previousValue, if earlier than previousEndDate',
      examples: ['2026-10-14'],
    }),
  ),
  change: numberOrNull('value minus previousValue'),
  changePercent: numberOrNull('null if previousValue is 0'),
  trend: Type.Enum([...trends], { description: 'UNKNOWN if one of the values is null' }),
  isBetter: Type.Union([Type.Boolean(), Type.Null()], { description: 'Whether the change is an improvement' }),
});

export function compareMetric(
  name: KeyMetricName,
  now: number | null,
  before: number | null,
  ends: { countedUntil?: string; previousUntil?: string } = {},
) {
  const { title, unit, lowerIsBetter } = keyMetrics[name];
  const value = rounded(now);
  const previousValue = rounded(before);
  const change = value === null || previousValue === null ? null : rounded(value - previousValue);
  return {
    name,
    title,
    unit,
    value,
    previousValue,
    change,
    changePercent: change === null || !previousValue ? null : rounded((100 * change) / previousValue),
    trend: trendOf(change),
    isBetter: change === null || change === 0 ? null : change > 0 === !lowerIsBetter,
    ...ends,
  };
}

function trendOf(change: number | null): (typeof trends)[number] {
  if (change === null) return 'UNKNOWN';
  return change > 0 ? 'UP' : change < 0 ? 'DOWN' : 'STABLE';
}

/** Removes duplicates. */
export const readMetricNames = (given: readonly string[]): KeyMetricName[] =>
  readNames('metrics', given, keyMetricNames) as KeyMetricName[];

/** Days to sum up by directory; undefined if the directory has no data. */
type DaysOf = (directoryTypes: readonly string[]) => Promise<ReadonlyMap<string, Span | undefined>>;

type Figures = ReturnType<typeof figuresOf>;

/** Figures of a span, each read at most once and only if a metric needs it. */
export function figuresOf(sql: Sql, scope: Scope, span: Span, now: Date, daysOf: DaysOf) {
  // Spans that end yesterday or later use current values.
  const isNow = span.to >= daysAfter(dayOf(now), -1);
  return {
    feedback: once(() => feedbackTotals(sql, { scope, span })),
    responses: once(() => responseTimes(sql, { scope, span })),
    /** At the end of the span. */
    totals: once(() => totalsOf(sql, scope, isNow ? null : span.to)),
    visibility: once(async () => {
      const { score, history } = await visibilityIndex(sql, scope, span, 'YEAR');
      const last = history.at(-1);
      const endScore = last?.period === periodOf(span.to, 'YEAR') ? last.score : null;
      return isNow ? (score ?? null) : endScore;
    }),
    posts: once(() => countPublishedPosts(sql, scope, span)),
    /** Sum of metrics over directories. Null if a directory has not counted the days. */
    insights: async (metrics: MetricsByDirectory) => {
      const days = await daysOf(Object.keys(metrics));
      const queries = [...days].map(
        ([directoryType, counted]) =>
          counted &&
          insightsByPeriod(sql, scope, counted, 'YEAR', { directoryType, metrics: metrics[directoryType] ?? [] }),
      );
      if (queries.includes(undefined)) return null;
      return sumOf((await Promise.all(queries)).flat(), (one) => one?.count ?? 0);
    },
  };
}

/** Posts published for a location of the scope within the span. Deleted locations do not count. */
export async function countPublishedPosts(sql: Sql, scope: Scope, span: Span): Promise<number> {
  const counting =
    scope.kind === 'partner' ? countOfPartner(sql, scope.partnerId, span) : countOfList(sql, scope, span);
  const { count } = await counting.executeTakeFirstOrThrow();
  return count;
}

// A post may have 100,000 publications: exists stops at the first.
const countOfPartner = (sql: Sql, partnerId: number, span: Span) =>
  db(sql)
    .selectFrom('socialPosts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('partnerId', '=', partnerId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('socialPostPublications as publication')
          .innerJoin('locations', 'locations.id', 'publication.locationId')
          .where('locations.status', '<>', 'DELETED')
          .whereRef('publication.postId', '=', 'socialPosts.id')
          .where(publishedIn(span)),
      ),
    );

const countOfList = (sql: Sql, scope: Exclude<Scope, { kind: 'partner' }>, span: Span) =>
  db(sql)
    .selectFrom('locations')
    .innerJoin('socialPostPublications as publication', 'publication.locationId', 'locations.id')
    .select(({ fn }) => fn.count<number>('postId').distinct().as('count'))
    .where(publishedIn(span))
    .where('locations.status', '<>', 'DELETED')
    .where(({ eb }) =>
      scope.kind === 'businesses'
        ? eb('locations.businessId', '=', anyOf(scope.businessIds, 'bigint'))
        : eb('locations.id', '=', anyOf(scope.locationIds, 'bigint')),
    );

function publishedIn({ from, to }: Span): Expression<SqlBool> {
  const eb = expressionBuilder<DB, 'socialPostPublications'>();
  return eb.and([
    eb('publishedAt', '>=', raw<Date>`${from}::date`),
    eb('publishedAt', '<', raw<Date>`${daysAfter(to, 1)}::date`),
  ]);
}
