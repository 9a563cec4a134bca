import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../../database/connection.ts';
import { hasPermission } from '../../../../http/access.ts';
import { groupQuery, previousSpan, readSpan, spanQuery } from '../../../../values/span.ts';
import { DatapointResponse, datapointResponse, findDatapointsByIds, repliesOf } from '../../../feedback/index.ts';
import type { Scope } from '../../../locations/index.ts';
import { averageOf, rounded, sumOf } from '../../arithmetic.ts';
import { directoryQuery, directoryTypesOf } from '../dashboard-query.ts';
import { count, figuresRoute, numberOrNull, Period, unusedGroup, warnOnce } from '../dashboard-route.ts';
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

const CustomerFeedbackResponse = Type.Object({
  countByRating: Type.Array(Type.Object({ rating: Type.Number(), count: count() }), {
    description: 'Ratings 1 to 5 are always present, others only if they occur',
    examples: [[{ rating: 5, count: 120 }]],
  }),
  ratingCount: count('Interactions with a rating'),
  repliedCount: count('Interactions with a reply of the owner'),
  averageRating: numberOrNull('null if there are no ratings'),
  interactionCount: count('Reviews, photos, questions and other datapoints in the period'),
  unreadInteractionCount: count(),
  unreadInteractions: Type.Array(DatapointResponse, {
    maxItems: 10,
    description: 'The ten newest unread interactions; empty without the feature INBOX_READ',
  }),
});

const FeedbackByPeriodResponse = Type.Object({
  interactionCountByPeriod: Type.Array(Type.Object({ period: Period, count: count() })),
  averageRatingByPeriod: Type.Array(
    Type.Object({ period: Period, value: numberOrNull('null if there are no ratings') }),
  ),
  totalRatingCount: count(),
});

const compared = <Value extends Type.TSchema>(value: Value, description: string) =>
  Type.Object({ current: value, previous: value }, { description });

const FeedbackKeywordsResponse = Type.Object({
  keywords: Type.Array(
    Type.Object({
      keyword: Type.String({ description: 'The most frequent form', examples: ['Brötchen'] }),
      percentage: compared(Type.Number(), 'Percentage of analyzed reviews that contain it'),
      rating: compared(numberOrNull('null if there are no ratings'), 'Average rating of the reviews that contain it'),
      ratingSum: compared(Type.Number(), 'Sum of these ratings'),
      aggregatedWords: Type.Array(Type.String(), { description: 'Forms of the keyword, most frequent first' }),
    }),
    { maxItems: 100, description: 'Most frequent first. previous is the preceding period of the same length' },
  ),
  totalFeedbacksAnalyzed: count('Reviews with text that were analyzed'),
});

const responseTimeSchema = {
  averageHours: numberOrNull('Average time from a review to the first reply of the owner; null if none has a reply'),
  medianHours: numberOrNull('Median, accurate to one percent'),
  p90Hours: numberOrNull('90th percentile, accurate to one percent'),
  respondedCount: count('Reviews with a reply'),
  unrespondedCount: count('Reviews without a reply'),
  responseRate: numberOrNull('Percentage of reviews with a reply; null if there are no reviews'),
};

const ResponseTimeResponse = Type.Object({
  ...responseTimeSchema,
  byPeriod: Type.Array(Type.Object({ period: Period, ...responseTimeSchema }), {
    description: 'By the date of the review',
  }),
  previous: Type.Object(responseTimeSchema, { description: 'The preceding period of the same length' }),
});

const maxUnread = 10;
const unreadNeedsInbox =
  'unreadInteractions is empty, because it requires the feature INBOX_READ. Ask an administrator to grant it to you.';
const parameters = { ...spanQuery, ...directoryQuery };

function selectionOf(query: Static<Type.TObject<typeof parameters>>): (scope: Scope) => FeedbackSelection {
  const [span, directoryTypes] = [readSpan(query, new Date()), directoryTypesOf(query)];
  return (scope) => ({ scope, span, directoryTypes });
}

export function feedbackRoutes(server: FastifyInstance): void {
  figuresRoute(server, {
    path: '/api/dashboard/customer-feedback',
    summary: 'Get customer feedback: ratings, replies and unread interactions',
    query: { ...parameters, ...unusedGroup },
    response: CustomerFeedbackResponse,
    countsLocations: true,
    read: (request) => {
      const select = selectionOf(request.query);
      return async (sql, scope) => {
        const selection = select(scope);
        const { ratingSum, ...totals } = await feedbackTotals(sql, selection);
        const hasUnread = totals.unreadInteractionCount > 0;
        const mayRead = hasPermission(request.caller, 'INBOX_READ');
        if (hasUnread && !mayRead) warnOnce(request, unreadNeedsInbox);
        return {
          ...totals,
          averageRating: rounded(averageOf(ratingSum, totals.ratingCount)),
          unreadInteractions: hasUnread && mayRead ? await unreadOf(sql, selection) : [],
        };
      };
    },
  });

  for (const path of [
    '/api/dashboard/customer-feedback/by-period',
    '/api/dashboard/customer-feedback-by-period',
  ] as const) {
    figuresRoute(server, {
      path,
      summary: 'Get customer feedback by period',
      query: { ...parameters, ...groupQuery('DAY') },
      response: FeedbackByPeriodResponse,
      countsLocations: true,
      read: ({ query }) => {
        const select = selectionOf(query);
        return async (sql, scope) => {
          const periods = await feedbackByPeriod(sql, select(scope), query.group);
          return {
            interactionCountByPeriod: periods.map(({ period, interactionCount }) => ({
              period,
              count: interactionCount,
            })),
            averageRatingByPeriod: periods.map(({ period, ratingSum, ratingCount }) => ({
              period,
              value: rounded(averageOf(ratingSum, ratingCount)),
            })),
            totalRatingCount: sumOf(periods, ({ ratingCount }) => ratingCount),
          };
        };
      },
    });
  }

  for (const path of [
    '/api/dashboard/customer-feedback-keywords',
    '/api/dashboard/customer-feedback/keywords',
  ] as const) {
    figuresRoute(server, {
      path,
      summary: 'Get the 100 most frequent keywords of reviews',
      query: { ...parameters, ...unusedGroup },
      response: FeedbackKeywordsResponse,
      countsLocations: true,
      read: ({ query }) => {
        const select = selectionOf(query);
        return (sql, scope) => feedbackKeywords(sql, select(scope));
      },
    });
  }

  figuresRoute(server, {
    path: '/api/dashboard/review-response-time',
    summary: 'Get the response times to reviews',
    query: { ...parameters, ...groupQuery('WEEK') },
    response: ResponseTimeResponse,
    countsLocations: true,
    read: ({ query }) => {
      const select = selectionOf(query);
      return async (sql, scope) => {
        const selection = select(scope);
        const [{ byPeriod, ...whole }, previous] = await Promise.all([
          responseTimesByPeriod(sql, selection, query.group),
          responseTimes(sql, { ...selection, span: previousSpan(selection.span) }),
        ]);
        return {
          ...responseTimeFields(whole),
          byPeriod: byPeriod.map(({ period, ...times }) => ({ period, ...responseTimeFields(times) })),
          previous: responseTimeFields(previous),
        };
      };
    },
  });
}

async function unreadOf(sql: Sql, selection: FeedbackSelection) {
  const ids = await newestUnread(sql, await feedbackQuery(sql, selection), maxUnread);
  const [datapoints, replies] = await Promise.all([
    findDatapointsByIds(sql, selection.scope.partnerId, ids),
    repliesOf(sql, ids),
  ]);
  return datapoints.map((datapoint) => datapointResponse(datapoint, replies.get(datapoint.id) ?? []));
}

/** With the rate as a percentage. */
const responseTimeFields = ({ responseRate, ...times }: ResponseTimes) => ({
  ...times,
  responseRate: responseRate === null ? null : Math.round(10_000 * responseRate) / 100,
});
