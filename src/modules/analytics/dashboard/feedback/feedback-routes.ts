import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../../database/connection.ts';
import { hasPermission } from '../../../../http/access.ts';
import type { Caller } from '../../../../http/authenticate.ts';
import { route } from '../../../../http/route.ts';
import { groupQuery, previousSpan, readSpan, spanQuery } from '../../../../values/span.ts';
import { DatapointResponse, datapointResponse, findDatapointsByIds, repliesOf } from '../../../feedback/index.ts';
import { countScope, readScope, scopeQuery } from '../../../locations/index.ts';
import {
  count,
  directoryQuery,
  directoryTypesOf,
  figuresRoute,
  matchedLocationsCount,
  Period,
  unusedGroup,
  warnOfUnused,
  warnOnce,
} from '../dashboard-query.ts';
import {
  type FeedbackSelection,
  feedbackByPeriod,
  feedbackKeywords,
  feedbackQuery,
  feedbackTotals,
  type ResponseTimes,
  responseTimes,
  responseTimesByPeriod,
} from './feedback-figures.ts';
import { newestUnread } from './feedback-store.ts';

const orNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

const CustomerFeedbackResponse = Type.Object({
  countByRating: Type.Array(Type.Object({ rating: Type.Number(), count: count() }), {
    description: 'Ratings 1 to 5 are always present, others only if they occur',
    examples: [[{ rating: 5, count: 120 }]],
  }),
  ratingCount: count('Interactions with a rating'),
  repliedCount: count('Interactions with a reply of the owner'),
  averageRating: orNull('null if there are no ratings'),
  interactionCount: count('Reviews, photos, questions and other datapoints in the period'),
  unreadInteractionCount: count(),
  unreadInteractions: Type.Array(DatapointResponse, {
    maxItems: 10,
    description: 'The ten newest unread interactions; empty without the feature INBOX_READ',
  }),
  matchedLocationsCount,
});

const FeedbackByPeriodResponse = Type.Object({
  interactionCountByPeriod: Type.Array(Type.Object({ period: Period, count: count() })),
  averageRatingByPeriod: Type.Array(Type.Object({ period: Period, value: orNull('null if there are no ratings') })),
  totalRatingCount: count(),
  matchedLocationsCount,
});

const compared = <Value extends Type.TSchema>(value: Value, description: string) =>
  Type.Object({ current: value, previous: value }, { description });

const FeedbackKeywordsResponse = Type.Object({
  keywords: Type.Array(
    Type.Object({
      keyword: Type.String({ description: 'The most frequent form', examples: ['Brötchen'] }),
      percentage: compared(Type.Number(), 'Percentage of analyzed reviews that contain it'),
      rating: compared(orNull('null if there are no ratings'), 'Average rating of the reviews that contain it'),
      ratingSum: compared(Type.Number(), 'Sum of these ratings'),
      aggregatedWords: Type.Array(Type.String(), { description: 'Forms of the keyword, most frequent first' }),
    }),
    { maxItems: 100, description: 'Most frequent first. previous is the preceding period of the same length' },
  ),
  totalFeedbacksAnalyzed: count('Reviews with text that were analyzed'),
  matchedLocationsCount,
});

const responseTimeSchema = {
  averageHours: orNull('Average time from a review to the first reply of the owner; null if none has a reply'),
  medianHours: orNull('Median, accurate to one percent'),
  p90Hours: orNull('90th percentile, accurate to one percent'),
  respondedCount: count('Reviews with a reply'),
  unrespondedCount: count('Reviews without a reply'),
  responseRate: orNull('Percentage of reviews with a reply; null if there are no reviews'),
};

const ResponseTimeResponse = Type.Object({
  ...responseTimeSchema,
  byPeriod: Type.Array(Type.Object({ period: Period, ...responseTimeSchema }), {
    description: 'By the date of the review',
  }),
  previous: Type.Object(responseTimeSchema, { description: 'The preceding period of the same length' }),
  matchedLocationsCount,
});

const maxUnread = 10;
const unreadNeedsInbox =
  'unreadInteractions is empty, because it requires the feature INBOX_READ. Ask an administrator to grant it to you.';
const query = { ...scopeQuery, ...spanQuery, ...directoryQuery };

type FeedbackQuery = Static<Type.TObject<typeof query>>;

export function feedbackRoutes(server: FastifyInstance): void {
  async function read(sql: Sql, caller: Caller, parameters: FeedbackQuery): Promise<FeedbackSelection> {
    const span = readSpan(parameters, new Date());
    const directoryTypes = directoryTypesOf(parameters);
    return { scope: await readScope(sql, caller, parameters), span, directoryTypes };
  }

  async function unreadOf(sql: Sql, selection: FeedbackSelection) {
    const ids = await newestUnread(sql, await feedbackQuery(sql, selection), maxUnread);
    const [datapoints, replies] = await Promise.all([
      findDatapointsByIds(sql, selection.scope.partnerId, ids),
      repliesOf(sql, ids),
    ]);
    return datapoints.map((datapoint) => datapointResponse(datapoint, replies.get(datapoint.id) ?? []));
  }

  route(server, {
    ...figuresRoute,
    path: '/api/dashboard/customer-feedback',
    summary: 'Get customer feedback: ratings, replies and unread interactions',
    query: Type.Object({ ...query, ...unusedGroup }),
    response: CustomerFeedbackResponse,
    handler: async (request, sql) => {
      const { caller, query: parameters } = request;
      warnOfUnused(request, unusedGroup);
      const selection = await read(sql, caller, parameters);
      const [{ ratingSum, ...totals }, locations] = await Promise.all([
        feedbackTotals(sql, selection),
        countScope(sql, selection.scope),
      ]);
      const hasUnread = totals.unreadInteractionCount > 0;
      const mayRead = hasPermission(caller, 'INBOX_READ');
      if (hasUnread && !mayRead) warnOnce(request, unreadNeedsInbox);
      return {
        ...totals,
        averageRating: averageOf(ratingSum, totals.ratingCount),
        unreadInteractions: hasUnread && mayRead ? await unreadOf(sql, selection) : [],
        matchedLocationsCount: locations,
      };
    },
  });

  for (const path of [
    '/api/dashboard/customer-feedback/by-period',
    '/api/dashboard/customer-feedback-by-period',
  ] as const) {
    route(server, {
      ...figuresRoute,
      path,
      summary: 'Get customer feedback by period',
      query: Type.Object({ ...query, ...groupQuery('DAY') }),
      response: FeedbackByPeriodResponse,
      handler: async ({ caller, query: parameters }, sql) => {
        const selection = await read(sql, caller, parameters);
        const [periods, locations] = await Promise.all([
          feedbackByPeriod(sql, selection, parameters.group),
          countScope(sql, selection.scope),
        ]);
        return {
          interactionCountByPeriod: periods.map(({ period, interactionCount }) => ({
            period,
            count: interactionCount,
          })),
          averageRatingByPeriod: periods.map(({ period, ratingSum, ratingCount }) => ({
            period,
            value: averageOf(ratingSum, ratingCount),
          })),
          totalRatingCount: periods.reduce((sum, { ratingCount }) => sum + ratingCount, 0),
          matchedLocationsCount: locations,
        };
      },
    });
  }

  for (const path of [
    '/api/dashboard/customer-feedback-keywords',
    '/api/dashboard/customer-feedback/keywords',
  ] as const) {
    route(server, {
      ...figuresRoute,
      path,
      summary: 'Get the 100 most frequent keywords of reviews',
      query: Type.Object({ ...query, ...unusedGroup }),
      response: FeedbackKeywordsResponse,
      handler: async (request, sql) => {
        const { caller, query: parameters } = request;
        warnOfUnused(request, unusedGroup);
        const selection = await read(sql, caller, parameters);
        const [found, locations] = await Promise.all([
          feedbackKeywords(sql, selection),
          countScope(sql, selection.scope),
        ]);
        return { ...found, matchedLocationsCount: locations };
      },
    });
  }

  route(server, {
    ...figuresRoute,
    path: '/api/dashboard/review-response-time',
    summary: 'Get the response times to reviews',
    query: Type.Object({ ...query, ...groupQuery('WEEK') }),
    response: ResponseTimeResponse,
    handler: async ({ caller, query: parameters }, sql) => {
      const selection = await read(sql, caller, parameters);
      const [current, previous, locations] = await Promise.all([
        responseTimesByPeriod(sql, selection, parameters.group),
        responseTimes(sql, { ...selection, span: previousSpan(selection.span) }),
        countScope(sql, selection.scope),
      ]);
      const { byPeriod, ...whole } = current;
      return {
        ...responseTimeFields(whole),
        byPeriod: byPeriod.map(({ period, ...times }) => ({ period, ...responseTimeFields(times) })),
        previous: responseTimeFields(previous),
        matchedLocationsCount: locations,
      };
    },
  });
}

/** With the rate as a percentage. */
const responseTimeFields = ({ responseRate, ...times }: ResponseTimes) => ({
  ...times,
  responseRate: responseRate === null ? null : Math.round(10_000 * responseRate) / 100,
});

const averageOf = (sum: number, ratings: number) => (ratings > 0 ? Math.round((sum / ratings) * 100) / 100 : null);
